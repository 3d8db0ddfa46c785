"""What clients of text-embeddings-inference send, answered by packs; one of them is huggingface_hub's own."""

import numpy as np
import pytest
from fastapi.testclient import TestClient
from huggingface_hub import InferenceClient

from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from support.packs import random_pack
from support.serving import running

TEXTS = ["the bank", "नदी का घर"]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    random_pack(folder / "to-hindi", "encoder-decoder")
    random_pack(folder / "moods", "encoder")
    return create_app(ServedPacks({name: folder / name for name in ("to-hindi", "moods")}))


@pytest.fixture(scope="module")
def address(app):
    with running(app) as address:
        yield address


@pytest.fixture(scope="module")
def client(app):
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture(scope="module")
def vectors(app):
    return app.state.calls.packs.embedder("moods")(TEXTS)


def asked(client, path, **body):
    answer = client.post(path, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("path", ["/embed", "/"])  # a client that knows the address alone asks at the root
def test_texts_become_vectors(client, vectors, path):
    np.testing.assert_array_equal(np.float32(asked(client, path, inputs=TEXTS, truncate=True)), vectors)
    np.testing.assert_array_equal(np.float32(asked(client, path, inputs=TEXTS[0])), vectors[:1])
    long = np.float32(asked(client, path, inputs=TEXTS, normalize=False))
    lengths = np.linalg.norm(long, axis=1)
    assert abs(lengths - 1).min() > 0.1
    np.testing.assert_allclose(long / lengths[:, None], vectors, atol=1e-5)


@pytest.mark.parametrize("path", ["/embed", "/", ""])
def test_the_client_of_the_hub(address, vectors, path):
    found = InferenceClient(model=f"{address}{path}").feature_extraction(TEXTS[1])
    np.testing.assert_array_equal(np.ravel(found), vectors[1])


def test_the_root_is_guarded_like_all_else(client):
    """Only the page, which is fetched there, may be asked for by pages of other sites."""
    answer = client.post("/", json={"inputs": "x"}, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403
    assert client.post("/", json={"inputs": "x"}).headers["cache-control"] == "no-store"


def test_texts_get_labels(app, client):
    expected = app.state.calls.packs.classifier("moods").classify(TEXTS)
    (found, other) = asked(client, "/predict", inputs=TEXTS)
    assert [one["label"] for one in found] == list(expected[0].probabilities)  # the most probable first
    assert [one["score"] for one in found] == pytest.approx(list(expected[0].probabilities.values()))
    assert asked(client, "/predict", inputs=TEXTS[1]) == other
    assert asked(client, "/predict", inputs=[[text] for text in TEXTS]) == [found, other]


def test_sentences_are_compared(client, vectors):
    (cosine, same) = asked(client, "/similarity", inputs={"source_sentence": TEXTS[0], "sentences": TEXTS[::-1]})
    assert cosine == pytest.approx(vectors[0] @ vectors[1], abs=1e-6)
    assert same == pytest.approx(1, abs=1e-6)


def test_tokens_and_back(client):
    (tokens, _) = asked(client, "/tokenize", inputs=TEXTS)
    assert "".join(TEXTS[0][one["start"] : one["stop"]] for one in tokens[:-1]) == TEXTS[0]
    assert tokens[-1]["special"]
    bare = asked(client, "/tokenize", inputs=TEXTS[0], add_special_tokens=False)
    assert bare == [tokens[:-1]]
    ids = [one["id"] for one in tokens]
    assert asked(client, "/decode", ids=ids) == asked(client, "/decode", ids=[ids]) == [TEXTS[0]]


def test_it_says_what_it_is(client):
    found = client.get("/info").json()
    assert found["model_id"] == "moods"
    assert list(found["model_type"]["classifier"]["id2label"].values()) == ["bad", "fine", "good"]


@pytest.mark.parametrize(
    ("path", "body", "status", "kind"),
    [
        ("/embed", {"inputs": ""}, 400, "Empty"),
        ("/embed", {"inputs": []}, 400, "Empty"),
        ("/embed", {"inputs": [1, 2]}, 422, "Validation"),
        ("/embed", {"text": "x"}, 422, "Validation"),
        ("/embed", {"inputs": "x", "dimensions": 3}, 422, "Validation"),
        ("/embed", {"inputs": "x", "prompt_name": "query"}, 422, "Validation"),
        ("/embed", {"inputs": ["x"] * 257}, 413, "Validation"),
        ("/embed", {"inputs": "x", "model": "to-hindi"}, 400, "Empty"),
        ("/predict", {"inputs": [["a", "b"]]}, 422, "Validation"),
        ("/predict", {"inputs": "x", "raw_scores": True}, 422, "Validation"),
        ("/similarity", {"inputs": {"source_sentence": "x", "sentences": []}}, 400, "Empty"),
        ("/similarity", {"inputs": "x"}, 422, "Validation"),
        ("/decode", {"ids": [99_999]}, 422, "Validation"),
        ("/decode", {"ids": [-1]}, 422, "Validation"),
        ("/rerank", {"query": "x", "texts": ["y"]}, 424, "Backend"),
        ("/embed_all", {"inputs": "x"}, 424, "Backend"),
    ],
)
def test_what_is_refused(client, path, body, status, kind):
    answer = client.post(path, json=body)
    assert (answer.status_code, answer.json()["error_type"]) == (status, kind)
    assert answer.json()["error"].endswith(".")
    assert answer.json()["error"].count("\n") == 0


@pytest.mark.parametrize(
    ("content", "kind", "words"),
    [
        ('{"inputs": "x"}', "application/x-www-form-urlencoded", "Content-Type: application/json"),
        ("[]", "application/json", "Content-Type: application/json"),
        ("", "application/json", "Content-Type: application/json"),
        ('{"inputs": ', "application/json", "not JSON from character 12 on"),
    ],
)
def test_what_is_no_json_object_is_told_so(client, content, kind, words):
    answer = client.post("/embed", content=content, headers={"Content-Type": kind})
    assert answer.status_code == 422
    assert words in answer.json()["error"]


def test_a_server_without_such_a_pack_says_so(tmp_path):
    random_pack(tmp_path / "to-hindi", "encoder-decoder")
    client = TestClient(create_app(ServedPacks({"to-hindi": tmp_path / "to-hindi"})), base_url="http://127.0.0.1")
    for path in ("/embed", "/predict", "/tokenize"):
        answer = client.post(path, json={"inputs": "x"})
        assert answer.status_code == 424
        assert "dhyan train" in answer.json()["error"]
