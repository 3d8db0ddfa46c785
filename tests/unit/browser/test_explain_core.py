"""A pack opened up in the browser: the same addresses, numbers, words and sentences as Python's."""

from dataclasses import asdict

import numpy as np
import pytest

from dhyan.core.errors import DhyanError
from dhyan.explain.axes import axes_of, by_words
from dhyan.explain.explainer import Explainer
from dhyan.explain.read_edits import written_edits
from dhyan.explain.views.export import as_csv, as_json
from dhyan.explain.views.stages import Where, stages
from dhyan.pack.pack import find_pack, read_pack
from support.explaining import Asked, opened_in_javascript
from support.packs import random_pack

SENTENCE = "the river bank flows"
ALL = {"all": True}

# Every option of an architecture at least once.
ARCHITECTURES = {
    "translator": ("encoder-decoder", {}),
    "rotary": ("encoder-decoder", {"positions": "rotary", "norm": "post", "activation": "swiglu", "tie": "none"}),
    "alibi": ("encoder-decoder", {"positions": "alibi", "activation": "gelu", "tie": "all", "storage": "int8"}),
    "learned": ("encoder-decoder", {"positions": "learned", "storage": "bfloat16", "max_positions": 64}),
    "classifier": ("encoder", {"positions": "learned", "norm": "post", "activation": "gelu", "storage": "int8"}),
    "worded": ("encoder", {"positions": "rotary", "words": True}),
    "several": ("encoder", {"positions": "learned", "label_kind": "several"}),
    "several-worded": ("encoder", {"storage": "int8", "words": True, "label_kind": "several"}),
    "number": ("encoder", {"norm": "post", "label_kind": "number"}),
    "number-worded": ("encoder", {"positions": "alibi", "words": True, "label_kind": "number"}),
    "writer": ("decoder", {"positions": "rotary", "activation": "swiglu", "storage": "int8"}),
    "alibi-writer": ("decoder", {"positions": "alibi", "norm": "post"}),
}
OTHER_KINDS = ["several", "several-worded", "number", "number-worded"]
SHIPPED = {
    "en-hi": "The river bank is old.",
    "english": "The cat sat on the mat.",
    "sentiment": "What a lovely, silly film!",
    "writer": "Once upon a time,\nthe king",
}

CHANGES = {
    "translator": [
        Asked(SENTENCE, {"beam": 3, "heads_off": ["enc.0.h1", "dec.1.cross", "dec.0.self.h2"]}, look=ALL),
        Asked(SENTENCE, {"hide": [1, "BANK"]}, look=ALL),
        Asked(SENTENCE, {"beam": 2, "force": {"1": "न", "3": 300}}, look=ALL),
        Asked(SENTENCE, {"force": {"0": 3}}, look=ALL),
        Asked(SENTENCE, {"beam": 1, "max_length": 5}, look=ALL),
        Asked(SENTENCE, {"target": "नदी का घर"}, look=ALL),
        Asked(SENTENCE, {"set": {"enc.0.self.h1.weights[2]": 0, "enc.1.self.h2.weights[4,1]": 0.5}}, look=ALL),
        Asked(SENTENCE, {"set": {"enc.0.self.weights[1:,0:2,-1]": [[1], [2]]}}, look=ALL),
        Asked(SENTENCE, {"beam": 4, "max_length": 8, "set": {"dec.0.self.weights": 0.5}}, look=ALL),
        Asked(SENTENCE, {"beam": 4, "max_length": 8, "set": {"dec.1.self.h0.masked[3,1]": 0.25}}, look=ALL),
        Asked(
            SENTENCE, {"max_length": 8, "set": {"dec.0.ffn.hidden[1:3,5]": 2, "dec.out.logits[1,20:30]": 1}}, look=ALL
        ),
        Asked(SENTENCE, {"set": {"enc.0.self.h1.W_O": 0, "enc.0.self.h0.W_Q[3,:]": 0, "dec.E[270]": 1}}, look=ALL),
        Asked(
            SENTENCE, {"beam": 2}, ["enc.output[4]=enc.output[5]~the money bank grows", "enc.input=−0.5"], look=ALL
        ),
        Asked(SENTENCE, {"beam": 2}, patches=["enc.output"], from_text="the money bank grows", look=ALL),
        Asked(SENTENCE, {"beam": 2}, ["enc.0.self.h1.masked[:,2]=-inf", "enc.output[0,0:2]=1e-1,0.2"], look=ALL),
    ],
    "classifier": [
        Asked(SENTENCE, {"hide": ["river"], "heads_off": ["enc.1.h0"], "set": {"enc.0.ffn.added[2]": 0.5}}, look=ALL),
        Asked(SENTENCE, {"set": {"pool": 1, "cls.logits[1]": 3}}, look=ALL),
    ],
    "worded": [
        Asked("The bank, the BANK's money: नदी का घर!", look=ALL),
        Asked("nothing that it knows", look=ALL),
        Asked(SENTENCE, {"hide": ["river"], "heads_off": ["enc.1.h0"]}, look=ALL),
        Asked(SENTENCE, {"set": {"cls.words.parts[1]": 2, "cls.words.counts[0]": 3}}, look=ALL),
        Asked(SENTENCE, {"set": {"cls.words.W[1,0:2]": [1, 2], "cls.words.b": 0.5, "cls.words[2]": 1}}, look=ALL),
        Asked(SENTENCE, {"set": {"cls.words.parts[99]": 2}}),
    ],
    "writer": [
        Asked(SENTENCE, {"hide": [0], "heads_off": ["dec.1.h0"], "beam": 3, "max_length": 6}, look=ALL),
        Asked("t", {"max_length": 6, "force": {"2": " r"}, "set": {"dec.0.self.h1.query[2:4]": 0.25}}, look=ALL),
    ],
}
for kind in OTHER_KINDS:
    CHANGES[kind] = [
        Asked("the money bank grows", look=ALL),
        Asked("2 + 2 = 4", look=ALL),  # no word of it is known
        Asked(SENTENCE, {"hide": ["river"], "heads_off": ["enc.1.h0"]}, look=ALL | {"change": True}),
        Asked(SENTENCE, {"set": {"cls.logits[0]": 2.5}}, look=ALL | {"change": True}),
        Asked(SENTENCE, {"set": {"pool": 0, "cls.b": -0.1234565}}, look=ALL | {"change": True}),
        Asked(SENTENCE, {"set": {"cls.b": 500, "cls.W": 0}}, look=ALL | {"change": True}),  # where exp overflows
        Asked(SENTENCE, {"set": {"cls.b": -500, "cls.W": 0}}, look=ALL | {"change": True}),
    ]
BAD = {
    "translator": [
        Asked("  "),
        Asked(SENTENCE, {"heads_off": ["enc.9.h1"]}),
        Asked(SENTENCE, {"heads_off": ["enc.0.h9"]}),
        Asked(SENTENCE, {"heads_off": ["dec.0.h1"]}),
        Asked(SENTENCE, {"heads_off": ["enc.0.self.g1"]}),
        Asked(SENTENCE, {"hide": [7]}),
        Asked(SENTENCE, {"hide": ["rivr"]}),
        Asked(SENTENCE, {"force": {"99": 300}}),
        Asked(SENTENCE, {"force": {"0": 2}}),
        Asked(SENTENCE, {"force": {"0": "rivre"}}),
        Asked(SENTENCE, {"force": {"0": 300}, "target": "नदी"}),
        Asked("the river " * 60),
        Asked(SENTENCE, {"beam": 0}),
        Asked(SENTENCE, {"beam": 65}),
        Asked(SENTENCE, {"max_length": 0}),
        *(
            Asked(SENTENCE, {"set": {address: value}})
            for address, value in {
                "enc.output[99]": 0,
                "enc.output[0,0,0]": 0,
                "enc.output[-1:-9]": 0,
                "dec.output[-1]": 0,
                "enc.output": [1, 2, 3],
                "enc.output[3]": [[1, 2], [3, 4]],
                "enc.output[1:3,0]": [1, 2, 3],
                "enc.output[2]": 1e7,
                "enc.0.self.masked": 1e7,
                "enc.output[1]": "warm",
                "enc.output[2,2]": [],
                "dec.out.probs": 1,
                "occlusion": 1,
                "enc.outptu": 1,
                "enc.0": 1,
                "enc.output.h1": 1,
                "enc.0.self.h7.query": 1,
                "dec.0.self.h0.weights[1,3]": 1,
                "enc.output[1:2:3]": 1,
                "enc.output[a]": 1,
                "enc.h1.self.h2.query": 1,
            }.items()
        ),
        *(
            Asked(SENTENCE, written=[written])
            for written in [
                "enc.output",
                "enc.output=",
                "enc.output[1]=1,2;3",
                "enc.output[1]=1,,2",
                "enc.output[1]=inf",
                "enc.output[1]=nan",
                "enc.0.self.h1.masked=-inf",
                "enc.output[1]=enc.otput",
            ]
        ),
    ],
    "classifier": [
        Asked(SENTENCE, {"beam": 2}),
        Asked(SENTENCE, {"target": "x"}),
        Asked(SENTENCE, {"force": {"0": 3}}),
    ],
    "learned": [Asked("the river bank flows " * 4)],
    "several": [Asked(SENTENCE, {"set": {"cls.probs": 1}})],
    "number": [Asked(SENTENCE, {"set": {"enc.lens.probs": 1}}), Asked(SENTENCE, {"set": {"cls.probs": 1}})],
}
LOOKED = [
    "enc.0.self.h1.weights",
    "enc.0.self.weights[1, 2:4, -1]",
    "enc.0.self.h2.W_O",
    "enc.0.self.h2.W_O[3, :2]",
    "enc.E[17]",
    "dec.1.cross.h0.b_Q",
    "enc.output[:,5:3]",
    "enc.output[3,4]",
    "dec.out.logits[0]",
    "enc.output[99]",
    "enc.output[1,2,3]",
    "enc.0.self.h9.weights",
    "enc.0.self.h1.output",
    "enc.0.self",
    "enc.0.self.weigths",
    "enc.0.self.weights[1",
    "enc.0.self.weights[x]",
    "enc.0.self.weights[ 1 , : ]",
    "enc.0.self.weights[1-2]",
    "enc.0.self.weights[::]",
    "नदी",
    "dec.lens.probs[1,0,5:9]",
    "alignment",
    "occlusion[0]",
]
AS_FILES = [
    "enc.0.self.h1.weights",
    "dec.0.self.masked[1]",
    "enc.output[2,0:3]",
    "enc.output[2,1]",
    "dec.1.cross.weights",
]


@pytest.fixture(scope="module")
def answered(tmp_path_factory):
    """Name of a pack → (Python's explainer, [(what was asked, what the browser's modules answered)])."""
    folder = tmp_path_factory.mktemp("explained")
    packs, asked = {}, {}
    for name, (shape, options) in ARCHITECTURES.items():
        packs[name] = random_pack(folder / name, shape, **options)
        beam = {"beam": 3, "max_length": 12} if shape != "encoder" else {}
        asked[name] = [Asked(SENTENCE, beam, look=ALL), *CHANGES.get(name, []), *BAD.get(name, [])]
    for name in BAD:  # too large together, or not
        huge = {weight: 1e6 for weight in packs[name].weights if not weight.endswith(("W_Q", "W_K"))}
        asked[name].append(Asked(SENTENCE, {"set": huge}))
    looking = {"addresses": LOOKED, "words": LOOKED[:5], "json": AS_FILES, "csv": AS_FILES, "walk": [1, 1, 2, 1, 3]}
    asked["translator"].append(Asked(SENTENCE, look=looking))
    asked["translator"].append(Asked(SENTENCE, look={"json": AS_FILES, "csv": AS_FILES, "byWords": True}))
    asked["translator"] += [Asked(SENTENCE, look={"walk": walk}) for walk in ([99, 0, 0, 0, 0], [0, 0, 0, 0, 99])]
    asked["rotary"].append(Asked(SENTENCE, look={"walk": [2, 0, 1, 0, 0]}))
    asked["classifier"].append(Asked(SENTENCE, look={"walk": [2, 1, 1, 0, 4]}))
    for name in ("worded", *OTHER_KINDS):
        asked[name].append(Asked(SENTENCE, look={"walk": [2, 1, 1, 0, 4]}))
    for name, text in SHIPPED.items():
        packs[name] = read_pack(find_pack(name))
        asked[name] = [Asked(text, look=ALL | {"walk": [1, 0, 1, 0, 2]})]
    answers = opened_in_javascript(folder, [(packs[name].folder, asked[name]) for name in packs])
    return {
        name: (Explainer(packs[name]), list(zip(asked[name], of_pack, strict=True)))
        for name, of_pack in zip(packs, answers, strict=True)
    }


def explained(explainer, asked):
    options = dict(asked.options)
    if "force" in options:
        options["force"] = {int(step): piece for step, piece in options["force"].items()}
    if asked.written or asked.patches:
        other = asked.from_text or asked.text
        options["set"] = written_edits(
            asked.written, asked.patches, lambda address, text: explainer.explain(text or other)[address]
        )
    return explainer.explain(asked.text, **options)


def message_or(ask):
    try:
        return ask()
    except DhyanError as error:
        return {"error": str(error)}


@pytest.mark.parametrize("name", [*ARCHITECTURES, *SHIPPED])
def test_every_number_of_every_address(answered, name):
    explainer, pairs = answered[name]
    for asked, found in pairs:
        if not asked.look.get("all"):
            continue
        assert found.error is None, asked
        expected = explained(explainer, asked)
        arrays = found.arrays
        assert list(arrays) == list(expected), asked
        for address, array in arrays.items():
            close(array, expected.array(address), f"{address} of {asked}")
        axes = {address: [asdict(axis) for axis in axes_of(expected, address)] for address in expected}
        assert dict(found["axes"]) == plain(axes)
        assert found["addresses"] == plain(expected.addresses(weights=True))
        alike(found["summary"], plain(expected.as_dict()))
        alike(snake(found["search"]), plain(asdict(expected.search)) if expected.search else None)
        if asked.look.get("change"):
            change = asdict(expected.change)
            alike(snake(found["change"]), plain(change | {"log_probability": change["log_probability"].tolist()}))


def test_what_cannot_be_is_said_in_the_same_sentence(answered):
    for name in BAD:
        explainer, pairs = answered[name]
        for asked, found in pairs:
            if not asked.look:
                expected = message_or(lambda asked=asked, explainer=explainer: explained(explainer, asked))
                assert isinstance(expected, dict) or asked.options["set"], asked
                assert found.error == (expected["error"] if isinstance(expected, dict) else None), asked


@pytest.mark.parametrize("name", ["translator", "rotary", "classifier", "worded", *OTHER_KINDS, *SHIPPED])
def test_looking_at_addresses_words_files_and_the_walk(answered, name):
    explainer, pairs = answered[name]
    for asked, found in pairs:
        if asked.look.keys() - {"all", "change"}:
            looked_at(asked.look, found, explained(explainer, asked))


def looked_at(look, found, expected):
    words = look.get("byWords", False)
    addresses = look.get("addresses", [])
    for address, one, has in zip(addresses, found["looked"], found["has"], strict=True):
        same(found, one, message_or(lambda address=address: expected[address]), address)
        assert has == (address in expected), address
    for address, one in zip(look.get("words", []), found["words"], strict=True):
        same(found, one, message_or(lambda address=address: by_words(expected, address)), address)
    for address, one in zip(look.get("json", []), found["json"], strict=True):
        alike(one, plain(message_or(lambda address=address: as_json(expected, address, words))))
    for address, one in zip(look.get("csv", []), found["csv"], strict=True):
        wanted = message_or(lambda address=address: as_csv(expected, address, words))
        alike(one if isinstance(one, dict) else cells(one), wanted if isinstance(one, dict) else cells(wanted))
    if "walk" in look:
        where = Where(*look["walk"])
        alike(found["walk"], plain(message_or(lambda: [asdict(one) for one in stages(expected, where)])))


def same(found, one, expected, address):
    if isinstance(expected, dict):
        assert one == expected
    else:
        close(found.numbers(one), expected, address)


def close(array, expected, what):
    assert array.shape == expected.shape, what
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(array[~finite], expected[~finite], err_msg=what)
    scale = max(1.0, float(np.abs(expected[finite]).max(initial=0)))
    np.testing.assert_allclose(array[finite] / scale, expected[finite] / scale, atol=1e-4, rtol=0, err_msg=what)


def plain(value):
    """As JSON has it: no tuples."""
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def snake(value):
    names = {"logProbability": "log_probability", "lengthPenalty": "length_penalty", "lengthOffset": "length_offset"}
    if isinstance(value, dict):
        return {names.get(key, key): snake(one) for key, one in value.items()}
    return [snake(one) for one in value] if isinstance(value, list) else value


def alike(found, expected, where=""):
    """The same, but for the last digits of numbers; those in sentences stand with three decimals."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            alike(found[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for index, one in enumerate(expected):
            alike(found[index], one, f"{where}[{index}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=2e-4, rel=1e-5), where
    elif isinstance(expected, str) and found != expected:
        words = list(zip(found.split(" "), expected.split(" "), strict=True))
        for one, other in words:
            close_enough = one == other or float(one.rstrip(",")) == pytest.approx(
                float(other.rstrip(",")), abs=1.1e-3
            )
            assert close_enough, where
    else:
        assert found == expected, where


def cells(table):
    return [[number(cell) for cell in line.split(",")] for line in table.splitlines()]


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell
