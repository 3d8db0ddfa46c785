"""Files that lie: packs, tokenizers and recipes changed by chance, always the same chance."""

import copy
import json
import random
import shutil
from pathlib import Path

STORED = Path(__file__).parents[1] / "stored" / "pack-format-1"
NASTY = [
    None, True, 0, -1, -1.5, 1e9, 1e999, float("nan"), 1_000_000_007, 10_000_000, 2**63, 10**400,
    "", "x", "\0", "\ud800", "a\nb", "../../x", "/x/y", "é" * 100_000, [], {}, [None], {"a": 1}, [[[[[[1]]]]]],
]  # fmt: skip


def paths_in(value, path=()):
    """Every place in a document, as the keys that lead there."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for key, part in inner:
        yield from paths_in(part, (*path, key))


def mutated(document, draw, but_not=()):
    """One value replaced, removed, renamed, or put where none was."""
    document = copy.deepcopy(document)
    path = draw.choice([path for path in paths_in(document) if path and not set(path) & set(but_not)])
    *before, key = path
    owner = document
    for step in before:
        owner = owner[step]
    match draw.choice(["replace", "replace", "replace", "remove", "rename", "add"]):
        case "replace":
            owner[key] = draw.choice(NASTY)
        case "remove":
            del owner[key]
        case "rename" if isinstance(owner, dict):
            owner[f"{key}s"] = owner.pop(key)
        case _:
            if isinstance(owner, dict):
                owner["unheard of"] = draw.choice(NASTY)
            else:
                owner.append(draw.choice(NASTY))
    return json.dumps(document)


def damaged(data, draw):
    """A few bytes lost or changed, as by a bad disk or a copy that was cut short."""
    place = draw.randrange(len(data))
    match draw.choice(["cut", "change", "double"]):
        case "cut":
            return data[:place]
        case "change":
            return data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]
    return data[:place] + data[place // 2 :]


# -- what was found by hand --------------------------------------------------------------------------------------

NOT_A_MANIFEST = ["[" * 200_000, '{"a":' * 100_000, "null", "[]", "{}", "1", '{"format": 1, "format": 1}', " " * 99]
HOSTILE_MANIFESTS = [
    {"format": 1e999},
    {"format": "1"},
    {"name": "\0"},
    {"name": "\ud800"},
    {"tokenizers": {"source": "a\0b"}},
    {"tokenizers": {"source": "x" * 5000}},
    {"metrics": {"test": {"bleu": "high", "accuracy": [1]}}},
    {"training": [1]},
    {f"key {number}": number for number in range(20_000)},
]
HOSTILE_SIZES = [
    {"d_model": 1_000_000_007},
    {"d_model": 2**31 - 1, "heads": 3},
    {"d_model": 65_536, "max_positions": 131_072},
    {"encoder_layers": 1_000_000_000},
    {"encoder_layers": 1000},
    {"d_ff": 10**15},
    {"max_positions": 10_000_000},
    {"max_positions": 10**18},
    {"heads": 10**9},
    {"source_vocabulary": 10**12},
    {"labels": 10**9},
]
HOSTILE_TOKENIZERS = [
    {"truncation": {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 5}},
    {
        "padding": {
            "strategy": {"Fixed": 100_000_000}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
            "pad_type_id": 0, "pad_token": "<pad>",
        }
    },
    {
        "padding": {
            "strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": 10**9, "pad_id": 10**9,
            "pad_type_id": 0, "pad_token": "x",
        }
    },
    {"normalizer": {"type": "Replace", "pattern": {"Regex": ""}, "content": "x" * 10_000}},
    {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [{"type": "Replace", "pattern": {"String": "e"}, "content": "e" * 100}] * 6,
        }
    },
    {"normalizer": {"type": "Prepend", "prepend": "x" * 10_000_000}},
    {
        "pre_tokenizer": {
            "type": "Split", "pattern": {"Regex": "(e|e.|.e)*z"}, "behavior": "Isolated", "invert": False,
        }
    },
    {"added_tokens": [{"id": 10**9, "content": "e", "single_word": False, "lstrip": False, "rstrip": False,
                       "normalized": False, "special": True}]},
    {"model": {"continuing_subword_prefix": "##"}},
    {"model": {"continuing_subword_prefix": "नन", "end_of_word_suffix": "é"}},
    {"model": {"dropout": 0.5}},
    {"model": {"unk_token": "nothing"}},
    {"model": {"type": "WordPiece"}},
    {"model": {"byte_fallback": False}},
    {"decoder": {"type": "Strip", "content": "e", "start": 10**9, "stop": 10**9}},
]  # fmt: skip
HOSTILE_VOCABULARIES = [
    lambda vocab: vocab.update({"e": 1_000_000_000}),
    lambda vocab: vocab.update({"new": 3}),
    lambda vocab: vocab.update({"": len(vocab)}),
    lambda vocab: vocab.pop("<unk>"),
    lambda vocab: vocab.update({"e": -1}),
    lambda vocab: vocab.clear(),
]


def hostile_packs(folder, count, seed=1):
    """Write this many packs into a folder, each with one lie in it, and give their names."""
    draw = random.Random(seed)
    names = []

    def case(kind, file, content, pack="translator"):
        name = f"{len(names):03}-{kind}"
        shutil.copytree(STORED / pack, folder / name)
        (folder / name / file).unlink()
        (folder / name / file).write_bytes(content if isinstance(content, bytes) else content.encode())
        names.append(name)

    manifest = json.loads((STORED / "translator" / "pack.json").read_bytes())
    tokenizer = json.loads((STORED / "translator" / "shared.tokenizer.json").read_bytes())
    for text in NOT_A_MANIFEST:
        case("not-a-manifest", "pack.json", text)
    for change in HOSTILE_MANIFESTS:
        case("manifest", "pack.json", json.dumps(manifest | change))
    for change in HOSTILE_SIZES:
        sizes = manifest["architecture"] | change
        case("-".join(change), "pack.json", json.dumps(manifest | {"architecture": sizes}))
    for change in HOSTILE_TOKENIZERS:
        changed = tokenizer | change | {"model": tokenizer["model"] | change.get("model", {})}
        case("tokenizer", "shared.tokenizer.json", json.dumps(changed))
    for spoil in HOSTILE_VOCABULARIES:
        changed = copy.deepcopy(tokenizer)
        spoil(changed["model"]["vocab"])
        case("vocabulary", "shared.tokenizer.json", json.dumps(changed))
    for header in (2**63, 2**40, 0, 10):
        weights = (STORED / "translator" / "model.safetensors").read_bytes()
        case("header", "model.safetensors", header.to_bytes(8, "little") + weights[8:])
    while len(names) < count:
        pack = draw.choice(["translator", "classifier"])
        file = draw.choice(["pack.json", "pack.json", "tokenizer", "model.safetensors"])
        path = next((STORED / pack).glob(f"*{file}*"))
        content = path.read_bytes()
        if draw.random() < 0.3 or file == "model.safetensors":
            case("damaged", path.name, damaged(content, draw), pack)
        else:
            but_not = () if draw.random() < 0.2 else ("vocab", "merges")
            case("mutated", path.name, mutated(json.loads(content), draw, but_not), pack)
    return names


# -- recipes and mixes ---------------------------------------------------------------------------------------------

MIX = """
[normalise]
full_stop = "।"
[filter]
max_words = 150
[sources]
news = ["a", "b"]
[group.all]
sources = ["@news", "c-*"]
repeat = 2
"""
NASTY_TOML = [
    "1e999", "nan", "-1", "0", "1000000007", "10" * 200, '""', '"\\u0000"', "[]", "{}", "[[[[1]]]]", "true", '"x"',
    "1979-05-27", "'" + "é" * 100_000 + "'", "[" * 5000 + "]" * 5000, '["@news", "@news"]', "-inf",
]  # fmt: skip


DOTTED = ".".join("a" * 5000)
LISTED = "l18 = ['a']\nl5000 = ['a']\n[group.a]\nsources = ['@l0']"
HOSTILE_TOML = [
    ("recipe", "x = " + "[" * 5000 + "]" * 5000),
    ("recipe", "x = " + "{a = " * 5000 + "1" + "}" * 5000),
    ("recipe", f"{DOTTED} = 1"),
    ("recipe", f"[model]\nd_model.{DOTTED} = 1"),
    ("recipe", f"[model.{DOTTED}]\nd_model = 1"),
    ("recipe", "[model]\nd_model = " + "[" * 300 + "]" * 300),
    ("recipe", "[model]\nd_model = 1000000007\nheads = 3"),
    ("recipe", "".join(f"key{number} = {number}\n" for number in range(20_000))),
    ("mix", f"[group.{DOTTED}]\nsources = ['a']"),
    ("mix", f"[group.a]\nsources.{DOTTED} = 1"),
    ("mix", f"[filter.{DOTTED}]\nmax_words = 1\n[group.a]\nsources = ['a']"),
    ("mix", f"[sources]\nnews.{DOTTED} = 1\n[group.a]\nsources = ['@news']"),
    ("mix", "[sources]\n" + "".join(f"l{n} = ['@l{n + 1}', '@l{n + 1}']\n" for n in range(18)) + LISTED),
    ("mix", "[sources]\n" + "".join(f"l{n} = ['@l{n + 1}']\n" for n in range(5000)) + LISTED[12:]),
    ("mix", f"extends.{DOTTED} = 1"),
    ("mix", f"[sources]\nnews = '{'é' * 9999}'\n[group.a]\nsources = ['@news']"),
]  # fmt: skip


def hostile_recipes(folder, count, seed=2):
    """Recipes and mixes with one value that it should not have, or a few bytes lost; their names."""
    draw = random.Random(seed)
    recipe = (STORED / "translator" / "recipe.toml").read_text(encoding="utf-8")
    names = []

    def case(kind, content):
        name = f"{len(names):03}-{kind}.toml"
        (folder / name).write_bytes(content)
        names.append(name)

    for kind, text in HOSTILE_TOML:
        case(kind, text.encode())
    while len(names) < count:
        kind, text = draw.choice([("recipe", recipe), ("recipe", recipe), ("mix", MIX)])
        lines = text.splitlines()
        number = draw.choice([number for number, line in enumerate(lines) if "=" in line])
        if draw.random() < 0.75:
            lines[number] = lines[number].split("=")[0].removeprefix("# ") + "= " + draw.choice(NASTY_TOML)
            content = "\n".join(lines).encode()
        else:
            content = damaged(text.encode(), draw)
        case(kind, content)
    return names


# -- a process that opens them -------------------------------------------------------------------------------------

SECONDS, MEGABYTES = 1.0, 600  # of CPU time for one file; of memory for all


def open_them_all(folder, names):
    """What came of each, as a line of JSON: ok, or the sentence that was said. A file that takes too long kills."""
    import resource
    import signal

    from dhyan.core.errors import DhyanError
    from dhyan.data.mix.config import read_mix
    from dhyan.explain.explainer import Explainer
    from dhyan.pack.pack import read_pack
    from dhyan.training.recipe import read_recipe

    def open_and_use(path):
        if path.name.endswith("-mix.toml"):
            read_mix(path)
        elif path.suffix == ".toml":
            read_recipe(path)
        else:
            pack = read_pack(path)
            for tokenizer in pack.tokenizers.values():
                tokenizer.decode(tokenizer.encode("three trees, तीन पेड़"))
            Explainer(pack).explain("Thank you").shapes()

    open_and_use(STORED / "translator")  # what is made once is not counted
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEGABYTES * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # also inside a library
    for name in names:
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            open_and_use(Path(folder) / name)
            outcome = "ok"
        except DhyanError as error:
            outcome = str(error)
        except BaseException as error:
            outcome = f"RAISED {type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps([name, outcome]), flush=True)


if __name__ == "__main__":
    import sys

    open_them_all(sys.argv[1], sys.argv[2:])
