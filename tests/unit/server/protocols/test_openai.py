"""OpenAI's own client, pointed at this server: it works unchanged, and what is not served is refused in its words."""

import asyncio
import json
import threading
import time
import urllib.request

import numpy as np
import openai
import pytest
from fastapi.testclient import TestClient

from dhyan.server.app import create_app
from dhyan.server.served_packs import ServedPacks
from support.coroutines import run_coroutine
from support.npm import node_folder, run_node
from support.packs import random_pack
from support.serving import running

KEYLESS = {"api_key": "none", "max_retries": 0}
PROMPT = {"model": "author", "prompt": "the bank", "max_tokens": 30}


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    random_pack(folder / "moods", "encoder")
    random_pack(folder / "author", "decoder", bias_to_end=-9.0, max_positions=64)
    random_pack(folder / "brief", "decoder", bias_to_end=6.0)
    return create_app(ServedPacks({name: folder / name for name in ("moods", "author", "brief")}))


@pytest.fixture(scope="module")
def address(app):
    with running(app) as address:
        yield f"{address}/v1"


@pytest.fixture(scope="module")
def client(address):
    with openai.OpenAI(base_url=address, **KEYLESS) as client:
        yield client


def refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    return caught.value


def streamed(client, **asked):
    texts = {}
    for chunk in client.completions.create(stream=True, **asked):
        for choice in chunk.choices:
            texts.setdefault(choice.index, []).append(choice)
    return texts


def test_models_are_the_packs(client):
    assert [model.id for model in client.models.list()] == ["moods", "author", "brief"]
    assert client.models.retrieve("author").object == "model"
    error = refused(openai.NotFoundError, lambda: client.models.retrieve("authr"))
    assert (error.code, error.param) == ("model_not_found", "model")
    assert "did you mean 'author'?" in error.message


def test_a_model_whose_folder_is_gone_is_still_listed(tmp_path):
    """It is served from memory until the operator says otherwise."""
    random_pack(tmp_path / "moods", "encoder")
    client = TestClient(create_app(ServedPacks({"moods": tmp_path / "moods"})), base_url="http://127.0.0.1")
    before = client.get("/v1/models").json()
    (tmp_path / "moods").rename(tmp_path / "moved")
    assert client.get("/v1/models").json() == before


def test_a_completion_is_what_python_writes(app, client):
    write = app.state.calls.packs.writer("author")
    found = client.completions.create(**PROMPT, seed=3)
    assert found.choices[0].text == write("the bank", max_length=30, seed=3, sample=True)
    assert found.choices[0].finish_reason == "length"
    assert found.usage.completion_tokens == 30
    assert found.usage.prompt_tokens == len(write.pack.tokenizer.encode("the bank"))
    assert found.usage.total_tokens == 30 + found.usage.prompt_tokens
    greedy = client.completions.create(**PROMPT, temperature=0)
    assert greedy.choices[0].text == write("the bank", max_length=30, sample=False)
    assert client.completions.create(**PROMPT | {"model": "brief"}, seed=1).choices[0].finish_reason == "stop"
    assert client.completions.create(**PROMPT, seed=3, top_p=0.5).choices[0].text != found.choices[0].text


def test_without_a_seed_each_is_another(client):
    assert len({client.completions.create(**PROMPT).choices[0].text for _ in range(4)}) > 1


def test_a_stream_is_the_same_text_in_pieces(client):
    for asked in ({"seed": 3}, {"temperature": 0}, {"seed": 4, "stop": ["a", "र"]}, {"seed": 5, "echo": True}):
        whole = client.completions.create(**PROMPT, **asked).choices[0]
        (choices,) = streamed(client, **PROMPT, **asked).values()
        assert "".join(choice.text for choice in choices) == whole.text
        assert [choice.finish_reason for choice in choices] == [None] * (len(choices) - 1) + [whole.finish_reason]
    assert len(choices) > 3


def test_prompts_and_choices_are_counted_through(client):
    asked = PROMPT | {"prompt": ["the bank", "", "नदी"], "n": 2, "seed": 7}
    found = client.completions.create(**asked)
    assert [choice.index for choice in found.choices] == [0, 1, 2, 3, 4, 5]
    assert len({choice.text for choice in found.choices}) == 6
    assert found.usage.completion_tokens == 6 * 30
    alone = client.completions.create(**PROMPT | {"seed": 8}).choices[0].text
    assert found.choices[1].text == alone  # the second choice has the next seed
    pieces = streamed(client, **asked)
    assert ["".join(choice.text for choice in pieces[number]) for number in range(6)] == [
        choice.text for choice in found.choices
    ]


def test_streams_at_the_same_time_do_not_mix(client, address):
    seeds = range(8)
    alone = [client.completions.create(**PROMPT, seed=seed).choices[0].text for seed in seeds]

    async def write(several, seed):
        stream = await several.completions.create(**PROMPT, seed=seed, stream=True)
        return "".join([chunk.choices[0].text async for chunk in stream])

    async def write_all():
        async with openai.AsyncOpenAI(base_url=address, **KEYLESS) as several:
            return await asyncio.gather(*(write(several, seed) for seed in seeds))

    assert run_coroutine(write_all()) == alone


def test_a_stream_tells_its_usage_at_the_end_if_asked(client):
    chunks = list(client.completions.create(**PROMPT, stream=True, stream_options={"include_usage": True}))
    assert [chunk.usage for chunk in chunks[:-1]] == [None] * (len(chunks) - 1)
    assert chunks[-1].choices == []
    assert chunks[-1].usage.completion_tokens == 30


def test_no_tokens_is_no_text(client):
    found = client.completions.create(**PROMPT | {"max_tokens": 0}, echo=True)
    assert (found.choices[0].text, found.choices[0].finish_reason) == ("the bank", "length")
    assert found.usage.completion_tokens == 0


def test_vectors_come_in_base64_and_as_numbers(app, client):
    texts = ["the bank", "नदी का घर"]
    expected = app.state.calls.packs.embedder("moods")(texts)
    asked = {"model": "moods", "input": texts}
    found = client.embeddings.create(**asked)  # the client asks for base64 by itself
    np.testing.assert_array_equal(np.array([one.embedding for one in found.data], dtype=np.float32), expected)
    plain = client.embeddings.create(**asked, encoding_format="float")
    np.testing.assert_array_equal(np.array([one.embedding for one in plain.data], dtype=np.float32), expected)
    raw = client.embeddings.with_raw_response.create(**asked, encoding_format="base64").http_response.json()
    assert isinstance(raw["data"][0]["embedding"], str)
    assert found.usage.prompt_tokens == sum(
        map(len, map(app.state.calls.packs.find("moods").pack.tokenizer.encode, texts))
    )
    assert len(client.embeddings.create(model="moods", input="one", dimensions=48).data) == 1


@pytest.mark.parametrize(
    ("asked", "param", "words"),
    [
        ({"logprobs": 2}, "logprobs", "leave it out"),
        ({"suffix": "end"}, "suffix", "leave it out"),
        ({"best_of": 3}, "best_of", "leave it out"),
        ({"logit_bias": {"5": 1}}, "logit_bias", "leave it out"),
        ({"presence_penalty": 0.5}, "presence_penalty", "leave it out"),
        ({"temperature": 3}, "temperature", "less than or equal to 2"),
        ({"top_p": -1}, "top_p", "greater than or equal to 0"),
        ({"max_tokens": 501}, "max_tokens", "at most 500 tokens"),
        ({"n": 300}, "n", "at most 256 choices"),
        ({"prompt": [1, 2, 3]}, "prompt", "token ids"),
        ({"prompt": [[1, 2], [3]]}, "prompt", "token ids"),
        ({"prompt": []}, "prompt", "no texts"),
        ({"prompt": "a" * 200}, "prompt", "200 tokens; 'author' reads 32 at most"),
        ({"stop": 5}, "stop", "valid"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_what_is_not_done_is_refused_with_the_parameter(client, asked, param, words, stream):
    error = refused(openai.BadRequestError, lambda: client.completions.create(**PROMPT | asked, stream=stream))
    assert error.param == param
    assert error.type == "invalid_request_error"
    assert words in error.message


def test_what_is_not_served_is_refused_with_what_is(client):
    error = refused(openai.NotFoundError, lambda: client.embeddings.create(model="text-embedding-3-small", input="x"))
    assert (error.code, error.param) == ("model_not_found", "model")
    assert "use moods" in error.message
    error = refused(openai.NotFoundError, lambda: client.completions.create(**PROMPT | {"model": "moods"}))
    assert "use author or brief" in error.message
    talk = [{"role": "user", "content": "hello"}]
    for call in (
        lambda: client.chat.completions.create(model="author", messages=talk),
        lambda: client.responses.create(model="author", input="hello"),
    ):
        assert "use POST /v1/completions" in refused(openai.NotFoundError, call).message
    for asked in ({"input": [5, 6]}, {"input": "x", "dimensions": 12}, {"input": ""}, {"input": ["x", 3]}):
        assert refused(
            openai.BadRequestError, lambda asked=asked: client.embeddings.create(model="moods", **asked)
        ).param


@pytest.mark.parametrize(
    ("asked", "param"),
    [
        ({"input": [5, 6]}, "input"),
        ({"input": ["x", 3]}, "input"),
        ({"input": ""}, "input"),
        ({"input": "x", "dimensions": 12}, "dimensions"),
        ({"input": "x", "encoding_format": "hex"}, "encoding_format"),
    ],
)
def test_vectors_that_are_not_given(client, asked, param):
    assert refused(openai.BadRequestError, lambda: client.embeddings.create(model="moods", **asked)).param == param


def test_errors_of_the_server_itself_have_the_shape_too(client):
    error = refused(openai.APIStatusError, lambda: client.get("/nowhere", cast_to=object))
    assert error.status_code == 404
    assert error.body["message"]
    error = refused(openai.APIStatusError, lambda: client.get("/completions", cast_to=object))
    assert error.status_code == 405
    error = refused(openai.BadRequestError, lambda: client.post("/completions", cast_to=object, body={}))
    assert error.param == "model"
    huge = {"model": "moods", "input": "x" * 1_000_001}
    assert refused(openai.APIStatusError, lambda: client.embeddings.create(**huge)).status_code == 413


def test_a_client_that_goes_away_stops_the_writing(app, client, monkeypatch):
    engine = app.state.calls.packs.writer("author").engine
    write, steps = engine.write, []

    def slowly(*arguments):
        for number in write(*arguments):
            steps.append(number)
            time.sleep(0.01)
            yield number

    monkeypatch.setattr(engine, "write", slowly)
    stream = client.completions.create(**PROMPT | {"max_tokens": 500}, stream=True)
    next(iter(stream))
    stream.close()
    until = time.monotonic() + 5
    while app.state.calls.workers.in_flight and time.monotonic() < until:
        time.sleep(0.01)
    assert not app.state.calls.workers.in_flight
    assert 0 < len(steps) < 250
    assert not app.state.calls.admission.tokens


def test_events_come_as_they_are_written(app, address, monkeypatch):
    """The first arrives while the writer still waits for the others."""
    engine = app.state.calls.packs.writer("author").engine
    write, seen = engine.write, threading.Event()

    def waiting(*arguments):
        for count, number in enumerate(write(*arguments)):
            if count == 15:
                assert seen.wait(10)
            yield number

    monkeypatch.setattr(engine, "write", waiting)
    body = json.dumps(PROMPT | {"stream": True, "seed": 3}).encode()
    request = urllib.request.Request(f"{address}/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        first = answer.readline()
        seen.set()
        rest = answer.read()
    assert json.loads(first.removeprefix(b"data: "))["object"] == "text_completion"
    assert rest.endswith(b"\n\ndata: [DONE]\n\n")


@pytest.mark.slow
def test_the_client_from_npm(address, client):
    script = """
        import OpenAI from "openai";
        const client = new OpenAI({ baseURL: process.argv[1], apiKey: "none", maxRetries: 0 });
        const asked = { model: "author", prompt: "the bank", max_tokens: 30, seed: 3 };
        const whole = await client.completions.create(asked);
        let streamed = "";
        for await (const chunk of await client.completions.create({ ...asked, stream: true }))
            streamed += chunk.choices[0].text;
        const vectors = await client.embeddings.create({ model: "moods", input: ["the bank", "the river"] });
        const messages = [{ role: "user", content: "hello" }];
        const refusal = await client.chat.completions.create({ model: "author", messages }).catch((error) => error);
        console.log(JSON.stringify([whole.choices[0].text, streamed, vectors.data.map((one) => one.embedding.length),
            refusal.status, refusal.code]));
    """
    found = run_node(node_folder(), script, address)
    text = client.completions.create(**PROMPT, seed=3).choices[0].text
    assert found == [text, text, [48, 48], 404, "unknown_url"]
