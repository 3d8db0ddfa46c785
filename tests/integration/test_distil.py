"""`dhyan distil`: a teacher's translations with its scores, in order, resumable; and what it refuses."""

import hashlib
import shutil
import signal
import time
from pathlib import Path

import pytest
import torch

from dhyan.core.errors import DhyanError
from dhyan.core.special_tokens import END, NEVER_WRITTEN, START
from dhyan.data.open_text import numbered_lines
from dhyan.model.generation.batched import search_ids
from dhyan.model.generation.settings import GenerationSettings
from dhyan.model.transformer import Transformer
from dhyan.training.distillation import distil, one_line
from support.commands import ReadyMade, dhyan
from support.models import translate
from support.packs import TEXT, random_pack

pytestmark = pytest.mark.long

CPU = torch.device("cpu")
LONG = "bank " * 40
PAIRS = f"the river\tनदी\twiki\nthe bank\tपैसे\n\nthe river\tनदी का घर\tother\nmoney\n{LONG}\tx\n  \ty\n"
NO_GPU = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")


@pytest.fixture(scope="module")
def packs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    random_pack(folder / "teacher", "encoder-decoder", max_positions=64)
    random_pack(folder / "moods", "encoder")
    return folder


@pytest.fixture
def place(packs, tmp_path):
    for name in ("teacher", "moods"):
        shutil.copytree(packs / name, tmp_path / name)
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    (tmp_path / "more.txt").write_text("river\nthe bank\n")
    return tmp_path


@pytest.fixture
def teacher(place):
    return random_pack(place / "teacher", "encoder-decoder", max_positions=64)


def table(path):
    return [line.split("\t") for _, line in numbered_lines(path)]


def model_of(pack):
    model = Transformer(pack.manifest.architecture)
    model.load_weights(pack.weights)
    return model.eval()


@pytest.mark.parametrize("suffix", [".tsv", ".tsv.zst", ".tsv.xz", ".tsv.gz"])
def test_texts_are_translated_and_scored_in_their_order(place, teacher, suffix):
    out = place / f"distilled{suffix}"
    arguments = ["--train", "pairs.tsv", "--train", "more.txt", "--out", out.name, "--beam", "3"]
    said = dhyan("distil", "teacher", *arguments, folder=place).stderr
    assert "6 rows" in said
    assert "1 row left out" in said  # longer than the teacher's positions
    rows = table(out)
    assert [row[0] for row in rows] == ["the river", "the bank", "the river", "money", "river", "the bank"]
    assert [row[2] for row in rows] == [
        f"random-encoder-decoder/{name}" for name in ("wiki", "pairs", "other", "pairs", "more", "more")
    ]
    texts = [row[0] for row in rows]
    expected = translate(
        model_of(teacher), teacher.source_tokenizer, teacher.target_tokenizer, texts, GenerationSettings(beam=3)
    )
    assert [row[1] for row in rows] == list(map(one_line, expected))
    assert [bool(row[4]) for row in rows] == [True, True, True, False, False, False]
    assert not list(place.glob(".*.part"))


def test_the_teacher_searches_as_its_pack_says_unless_flags_say_otherwise(place, teacher):
    dhyan("repack", "teacher", "wide", "--beam", "7", "--length-penalty", "0.2", folder=place)
    tried = {"own": [], "given": ["--beam", "7", "--length-penalty", "0.2"], "other": ["--beam", "1"]}
    for name, flags in tried.items():
        dhyan("distil", "wide", "--train", "pairs.tsv", "--out", f"{name}.tsv", *flags, folder=place)
    assert table(place / "own.tsv") == table(place / "given.tsv")
    assert table(place / "own.tsv") != table(place / "other.tsv")


@pytest.mark.parametrize(("penalty", "offset"), [(0.0, 0), (0.6, 0), (1.0, 0), (2.0, 5)])
@pytest.mark.parametrize(("bias_to_end", "ended"), [(5.0, True), (-9.0, False)], ids=["ended", "cut off"])
def test_the_scores_are_mean_log_probabilities_with_the_end(place, penalty, offset, bias_to_end, ended):
    teacher = random_pack(place / "other-teacher", "encoder-decoder", max_positions=64, bias_to_end=bias_to_end)
    model = model_of(teacher)
    out = place / "distilled.tsv"
    decoding = GenerationSettings(beam=2, length_penalty=penalty, length_offset=offset, max_length=12)
    distil(teacher, [place / "pairs.tsv"], out, CPU, decoding)
    for text, _, _, own, reference in table(out):
        source = [*teacher.source_tokenizer.encode(text), END]
        (found,) = search_ids(model, [source], decoding)
        assert found[0].ended == ended
        written = [*found[0].ids, END] if ended else found[0].ids
        assert float(own) == pytest.approx(_mean(model, source, written, NEVER_WRITTEN), abs=1e-3)
        right = {"the river": ("नदी", "नदी का घर"), "the bank": ("पैसे",)}.get(text, ())
        if reference:
            scores = [_mean(model, source, [*teacher.target_tokenizer.encode(one), END]) for one in right]
            assert min(abs(float(reference) - score) for score in scores) < 1e-3


@torch.inference_mode()
def _mean(model, source, target, ruled_out=()):
    """One sentence at a time, without padding. A search rules some special tokens out."""
    logits = model(torch.tensor([[START, *target[:-1]]]), torch.tensor([source]))[0]
    logits[:, list(ruled_out)] = -torch.inf
    logprobs = logits.log_softmax(-1).gather(1, torch.tensor(target)[:, None])
    return float(logprobs.mean())


def test_equal_texts_are_translated_once(place, teacher, monkeypatch):
    (place / "many.tsv").write_text("".join(f"{word}\n" for word in ("a b", "c", "a b", "d", "c", "a b", "e", "c")))
    asked = []

    def counting(model, sources, *rest):
        asked.extend(map(tuple, sources))
        return search_ids(model, sources, *rest)

    monkeypatch.setattr("dhyan.training.distillation.search_ids", counting)
    distil(teacher, [place / "many.tsv"], place / "out.tsv", CPU, GenerationSettings(beam=1), chunk_rows=2)
    assert len(asked) == len(set(asked)) == 4
    rows = table(place / "out.tsv")
    assert [row[0] for row in rows] == ["a b", "c", "a b", "d", "c", "a b", "e", "c"]
    assert len({row[1] for row in rows if row[0] == "c"}) == 1


def test_the_nearest_of_the_beam_is_taken_where_there_is_a_reference(place):
    teacher = random_pack(place / "other-teacher", "encoder-decoder", max_positions=64, bias_to_end=5.0)
    decoding = GenerationSettings(beam=4, max_length=12)
    source = [*teacher.source_tokenizer.encode("river"), END]
    (found,) = search_ids(model_of(teacher), [source], decoding.model_copy(update={"alternatives": 4}))
    best, wanted = (teacher.target_tokenizer.decode(found[number].ids) for number in (0, 2))
    assert wanted not in ("", best)
    (place / "guided.tsv").write_text(f"river\t{wanted}\nriver\t\tother\nmoney\n")
    kept = {}
    for nearest in (False, True):
        out = place / f"{nearest}.tsv"
        distil(teacher, [place / "guided.tsv"], out, CPU, decoding, nearest=nearest)
        kept[nearest] = [row[1] for row in table(out)]
    assert kept[False][:2] == [best, best]
    assert kept[True][:2] == [wanted, wanted]  # a text's first reference counts for all of them
    assert kept[True][2] == kept[False][2]  # no reference: the best


def test_a_tag_is_seen_by_the_teacher_and_not_written(place, teacher):
    dhyan("distil", "teacher", "--train", "more.txt", "--out", "tagged.tsv", "--style-tag", "money", folder=place)
    dhyan("distil", "teacher", "--train", "more.txt", "--out", "plain.tsv", folder=place)
    rows, plain = table(place / "tagged.tsv"), table(place / "plain.tsv")
    assert [row[0] for row in rows] == ["river", "the bank"]
    seen = [f"money {row[0]}" for row in rows]
    expected = translate(
        model_of(teacher), teacher.source_tokenizer, teacher.target_tokenizer, seen, GenerationSettings(beam=4)
    )
    assert [row[1] for row in rows] == list(map(one_line, expected))
    assert [row[1] for row in rows] != [row[1] for row in plain]


def test_a_pack_that_translates_back_is_given_the_second_column(place, teacher):
    (place / "turned.tsv").write_text("नदी\tthe river\twiki\n\tthe bank\n", encoding="utf-8")
    (place / "straight.tsv").write_text("the river\tनदी\twiki\nthe bank\t\tturned\n", encoding="utf-8")
    dhyan("distil", "teacher", "--back", "--train", "turned.tsv", "--out", "back.tsv", folder=place)
    dhyan("distil", "teacher", "--train", "straight.tsv", "--out", "forth.tsv", folder=place)
    forth = table(place / "forth.tsv")
    assert [row[0] for row in forth] == ["the river", "the bank"]
    assert table(place / "back.tsv") == [[row[1], row[0], *row[2:]] for row in forth]


def many_rows(place, count=60):
    words = [word for text in TEXT for word in text.split()]
    lines = [f"{words[n % 7]} {words[n % 11]} {n % 50}\t{words[n % 5]}\n" for n in range(count)]
    (place / "rows.tsv").write_text("".join(lines))
    return [place / "rows.tsv"]


@pytest.mark.parametrize("suffix", [".tsv", ".tsv.zst", ".tsv.xz"])
def test_a_run_that_failed_is_gone_on_with(place, teacher, suffix, monkeypatch):
    files, decoding = many_rows(place), GenerationSettings(beam=2)
    straight, broken = place / f"straight{suffix}", place / f"broken{suffix}"
    distil(teacher, files, straight, CPU, decoding, chunk_rows=10)

    calls = []

    def failing(model, sources, *rest):
        calls.append(len(sources))
        if len(calls) == 4:
            raise DhyanError("the lights went out")
        return search_ids(model, sources, *rest)

    with monkeypatch.context() as patch:
        patch.setattr("dhyan.training.distillation.search_ids", failing)
        with pytest.raises(DhyanError, match="lights"):
            distil(teacher, files, broken, CPU, decoding, chunk_rows=10)
    assert not broken.exists()
    part = broken.with_name(f".{broken.name}.part")
    with part.open("ab") as file:
        file.write(b"half a line")  # a kill while a chunk was being added

    other = decoding.model_copy(update={"length_penalty": 2.0})
    with pytest.raises(DhyanError, match="begun with another decoding"):
        distil(teacher, files, broken, CPU, other, chunk_rows=10)

    tally = distil(teacher, files, broken, CPU, decoding, chunk_rows=10)
    assert (tally.resumed, tally.rows, tally.written) == (30, 60, 60)
    assert table(broken) == table(straight)
    assert not list(place.glob(".*.part"))


def test_a_killed_command_goes_on(place):
    """Killed at any moment: before the first chunk, between two, or after the last. The result is the same."""
    lines = [f"the {n} bank {n * 7 % 1000} flows\tपैसे {n}\n" for n in range(1500)]
    (place / "rows.tsv").write_text("".join(lines))
    arguments = ["distil", "teacher", "--train", "rows.tsv", "--beam", "1"]
    dhyan(*arguments, "--out", "straight.tsv.zst", folder=place)
    process = ReadyMade(*arguments, "--out", "killed.tsv.zst", folder=place)
    for _ in range(2000):
        if (place / ".killed.tsv.zst.part").exists() or process.poll() is not None:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert not (place / "killed.tsv.zst").exists()
    dhyan(*arguments, "--out", "killed.tsv.zst", folder=place)
    assert digest(place / "killed.tsv.zst") == digest(place / "straight.tsv.zst")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("distil moods --train pairs.tsv --out new.tsv", "a teacher is a pack that translates"),
        ("distil nowhere --train pairs.tsv --out new.tsv", "no pack 'nowhere'"),
        ("distil teacher --train pairs.tsv --out pairs.tsv", "is there already"),
        ("distil teacher --train pairs.tsv --out new.txt", "must end in .tsv"),
        ("distil teacher --train pairs.tsv --out new.zst", "must end in .tsv"),
        ("distil teacher --train pairs.tsv --out no-folder/new.tsv", "a folder that is there"),
        ("distil teacher --train empty.tsv --out new.tsv", "empty.tsv is empty"),
        ("distil teacher --train blank.txt --out new.tsv", "there is no text in blank.txt"),
        ("distil teacher --train missing.tsv --out new.tsv", "missing.tsv: there is no such file"),
        ("distil teacher --train latin1.tsv --out new.tsv", "latin1.tsv, line 2: byte 0xE9 is not UTF-8"),
        ("distil teacher --train pairs.tsv --out new.tsv --beam 0", "beam"),
        ("distil teacher --train pairs.tsv --out stranger.tsv", "no journal that says what it is"),
        pytest.param(
            "distil teacher --train pairs.tsv --out new.tsv --device cuda", "PyTorch sees no GPU", marks=NO_GPU
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_line_and_nothing_is_written(place, arguments, message):
    (place / "empty.tsv").write_text("")
    (place / "blank.txt").write_text("\n  \n")
    (place / "latin1.tsv").write_bytes(b"the sea\tx\ncaf\xe9\ty\n")
    (place / ".stranger.tsv.part").write_text("mine")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    said = dhyan(*arguments.split(), folder=place, expect=2).stderr
    assert message in said
    assert "Traceback" not in said
    assert said.count("\n") == 1
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before
