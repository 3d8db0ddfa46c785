"""Readers of the English in packages of public registries: news, speeches, an encyclopaedia, countries, meanings.

Each takes the folder where its package was unpacked; `collect_open_english.py` says which packages.
"""

import bz2
import csv
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import mwparserfromhell

from dhyan.text.sentences import split_sentences

FIRST_YEAR = 1900  # older speeches are written otherwise
ANNOTATION = re.compile(r"\s*[\[(](?:Laughter|Applause|At this point)[^\])]*[\])]\s*")
CAPITALS = re.compile(r"\b[A-Z]{3,}(?:-[A-Z]+)?\b")
INSTANCE = " @i "
VOWELS = "aeiou"

# A quotation mark that lost its shape, a dash that was a space, markup, links, tables.
BROKEN = re.compile(r'["”]\?|\w-\s-|[<>{}|\\*_=\[\]#~^]|http|www\.|\.{3,}|�|-{2,}|\w\?\w')
ENDS = re.compile(r"[.?!][\"')]?$")


def speeches(folder: Path) -> Iterator[str]:
    """The State of the Union, year by year."""
    for file in sorted(folder.glob("**/data/*.txt")):
        if file.name[:4].isdigit() and int(file.name[:4]) >= FIRST_YEAR:
            yield from split_sentences(ANNOTATION.sub(" ", file.read_text(encoding="utf-8")))


def countries(folder: Path) -> Iterator[str]:
    """Running text of the World Factbook; family names are in capitals there."""
    for file in sorted(folder.glob("*/*/*.json")):
        for text in strings(json.loads(file.read_text(encoding="utf-8"))):
            if text.count(".") >= 2 and "++" not in text:
                yield from split_sentences(CAPITALS.sub(lambda found: proper(found.group()), text))


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, str):
        yield value


def proper(word: str) -> str:
    return word if len(word) <= 4 else word.title()


def meanings(folder: Path) -> Iterator[str]:
    """WordNet's examples, and its definitions of nouns made into sentences."""
    for file in sorted(folder.glob("**/dict/data.*")):
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith(" "):
                continue
            entry, _, gloss = line.partition(" | ")
            definition, *examples = re.split(r';\s*"', gloss.strip())
            yield from (sentence(example.strip(' ";')) for example in examples)
            if file.suffix == ".noun":
                lemma = entry.split(" ")[4].replace("_", " ")
                definition = re.sub(r"^\([^)]*\)\s*", "", definition).split("; ")[0].strip()
                yield sentence(defined(lemma, definition, INSTANCE in entry))


def defined(lemma: str, definition: str, is_one: bool) -> str:
    if is_one or lemma[:1].isupper():
        gone = re.search(r"\(\d", definition) is not None  # with the years of a life
        return f"{lemma} {'was' if gone else 'is'} {definition}"
    article = "An" if lemma[:1].lower() in VOWELS else "A"
    counted = definition.startswith(("a ", "an ", "one ", "any ", "someone ", "something "))
    return f"{article} {lemma} is {definition}" if counted else f"{lemma[:1].upper()}{lemma[1:]}: {definition}"


def sentence(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text[-1:] in ".?!" else f"{text}."


def news(folder: Path) -> Iterator[str]:
    """Articles of 2017, and speeches in the House of Commons: one column of a table inside a zip."""
    for name, table in (("NewsArticles", "NewsArticles.csv"), ("parlspeech-v2-sample-houseofcommons", "en.csv")):
        for path in folder.glob(f"**/en/{name}.zip"):
            with zipfile.ZipFile(path) as archive, archive.open(table) as file:
                for row in csv.DictReader(io.TextIOWrapper(file, encoding="utf-8", errors="replace")):
                    yield from whole(split_sentences(row["text"].replace(".- ", ". ")))


def encyclopaedia(folder: Path) -> Iterator[str]:
    """A hundred articles of Wikipedia, their running text."""
    for path in folder.glob("**/enwiki-*-shortened.bz2"):
        with bz2.open(path) as file:
            for _, element in ElementTree.iterparse(file):
                if element.tag.endswith("}text") and element.text:
                    for paragraph in mwparserfromhell.parse(element.text).strip_code().splitlines():
                        yield from whole(split_sentences(paragraph))


def whole(sentences: Iterable[str]) -> Iterator[str]:
    for one in sentences:
        one = one.strip()
        if one[:1].isupper() and ENDS.search(one) and not BROKEN.search(one) and one.count('"') % 2 == 0:
            yield one
