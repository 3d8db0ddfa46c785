"""Terms of a domain: found in pairs made here, left out where they are general, half, or known already."""

import random

import pytest

from dhyan.cli import main
from dhyan.core.errors import DhyanError
from dhyan.translation.domain_terms import find_terms, still_unknown
from dhyan.translation.general_text import GeneralText, translator_of
from dhyan.translation.glossary import Glossary

NAMES = {"Anna": "अन्ना", "Ravi": "रवि", "Mohan": "मोहन", "Sita": "सीता", "Karim": "करीम", "Leela": "लीला"}
TERMS = {
    "blood pressure": "रक्तचाप",
    "pressure": "दबाव",
    "insulin": "इंसुलिन",
    "heart attack": "दिल का दौरा",
    "World Health Organization": "विश्व स्वास्थ्य संगठन",
}
FRAMES = {
    "{name} read this: {term}.": "{name} ने यह पढ़ा: {term}।",
    "The doctor, {name}, and {term}": "डॉक्टर, {name} और {term}",
    "{name} wrote: {term}, again": "{name} ने फिर लिखा: {term}",
}
OTHERS = {
    "The old man went to the market": "बूढ़ा आदमी बाज़ार गया",
    "The old house stood near a river": "पुराना घर नदी के पास था",
}


@pytest.fixture(scope="module")
def pairs():
    chance = random.Random(5)
    rows = []
    for term, translation in TERMS.items():
        for name, other in NAMES.items():
            for frame, other_frame in FRAMES.items():
                rows.append((frame.format(name=name, term=term), other_frame.format(name=other, term=translation)))
    rows += [(f"{one} {n}", f"{other} {n}") for one, other in OTHERS.items() for n in range(20)]
    chance.shuffle(rows)
    return rows


def by_source(terms):
    return {term.source: term.target for term in terms}


def test_the_terms_and_no_halves_of_them(pairs):
    found = by_source(find_terms(pairs))
    assert {term: found.get(term) for term in TERMS} == TERMS
    assert not {"blood", "heart", "attack", "Health", "old", "the"} & found.keys()


def test_counts_and_consistency(pairs):
    insulin = next(term for term in find_terms(pairs) if term.source == "insulin")
    assert (insulin.count, insulin.consistency) == (18, 1.0)
    assert insulin.line == "insulin\tइंसुलिन\t18\t1.00"
    # Outside of "blood pressure", where it is translated otherwise.
    assert next(term for term in find_terms(pairs) if term.source == "pressure").count == 18
    mixed = [
        (source, target.replace("इंसुलिन", "दवा") if n % 2 else target) for n, (source, target) in enumerate(pairs)
    ]
    assert "insulin" not in by_source(find_terms(mixed, min_consistency=0.8))
    assert "insulin" not in by_source(find_terms(pairs, min_count=19))


def test_an_oblique_plural_is_given_in_another_form():
    places = ["{} में है", "{} को देखो", "{} से पूछो", "{} पर लिखा"] * 4
    pairs = [(f"symptoms {n}", place.format("विचारों") + f" {n}") for n, place in enumerate(places)]
    pairs += [("one idea", "एक विचार था")]
    assert by_source(find_terms(pairs)) == {"symptoms": "विचार"}


def test_what_is_frequent_everywhere_is_left_out(pairs):
    assert "doctor" in by_source(find_terms(pairs))
    general = GeneralText.of([f"The doctor came and read what {name} wrote" for name in NAMES] * 20)
    found = by_source(find_terms(pairs, general=general))
    assert "doctor" not in found
    assert "insulin" in found


def test_a_shipped_pack_tells_what_is_general(pairs):
    pack = translator_of(pairs)
    assert pack is not None
    assert pack.manifest.name == "en-hi"
    general = GeneralText.of_pack(pack)
    assert general.source("time") > 10 * general.source("doctor") > 10 * general.source("insulin")
    assert general.target("समय") > general.target("इंसुलिन")
    assert by_source(find_terms(pairs, general=general))["blood pressure"] == "रक्तचाप"


def test_what_a_translator_says_already_is_left_out(pairs):
    terms = find_terms(pairs)
    given = dict(pairs)
    knows_insulin = [given[source] if "insulin" in source else "कुछ और" for source, _ in pairs]
    answers = dict(zip(given, knows_insulin, strict=False)) | {s: t for s, t in pairs if "insulin" in s}
    kept = by_source(still_unknown(terms, pairs, lambda texts: [answers.get(text, "कुछ और") for text in texts]))
    assert "insulin" not in kept
    assert "blood pressure" in kept


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ([], "no pairs"),
        ([("one", "…")], "one side of the pairs has no words"),
        ([("the heart", "心臓発作について")], "no blanks between words"),
    ],
)
def test_what_has_no_terms_is_told(pairs, told):
    with pytest.raises(DhyanError, match=told):
        find_terms(pairs)


def test_the_command_writes_what_a_glossary_reads(pairs, tmp_path, capsys):
    rows = "".join(f'"{target}","{source}"\n' for source, target in pairs)
    (tmp_path / "pairs.csv").write_text("hi,en\n" + rows, encoding="utf-8")
    output = tmp_path / "terms.tsv"
    with pytest.raises(SystemExit) as ended:
        main(["terms", str(tmp_path / "pairs.csv"), "-o", str(output), "--columns", "source=en,target=hi"])
    assert ended.value.code == 0
    assert "terms of 130 pairs" in capsys.readouterr().err
    lines = output.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# term\t")
    assert "insulin\tइंसुलिन\t18\t1.00" in lines
    assert [one.translation for one in Glossary.read(output).find("Insulin helps")] == ["इंसुलिन"]


def test_a_third_column_of_a_glossary_is_a_number(tmp_path):
    path = tmp_path / "terms.tsv"
    path.write_text("bank\tबैंक\triver\n", encoding="utf-8")
    with pytest.raises(DhyanError, match="3 columns where two are expected"):
        Glossary.read(path)
