"""Format by format: exactly the prose changes. The translator here puts brackets around what it is given."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dhyan.core.errors import DhyanError
from dhyan.documents.batches import Failed, translate_units
from dhyan.documents.rewrap import split_evenly
from support.documents import same, texts, through, units
from support.growth import growth


def shouting(found):
    return [text.upper() for text in found]


def test_plain_text_line_by_line():
    assert through("txt", "One.\n\n  Two \n3\r\nFour") == "[One.]\n\n  [Two] \n3\r\n[Four]"


def test_a_line_stays_one_line():
    assert through("txt", "One\nTwo\n", lambda found: ["a\nb\r\nc"] * len(found)) == "a b c\na b c\n"


def test_subtitles():
    content = (
        "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}I think that we\nshould <i>go</i> home.\n\n"
        "2\n00:00:03,000 --> 00:00:04,500 X1:5\n- Really?\n- Yes\n\n3\n00:00:05,000 --> 00:00:06,000\n42\n"
    )
    assert texts("srt", content) == ["I think that we should <i>go</i> home.", "- Really?", "- Yes"]
    assert through("srt", content) == (
        "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}[I think that we should\n<i>go</i> home.]\n\n"
        "2\n00:00:03,000 --> 00:00:04,500 X1:5\n[- Really?]\n[- Yes]\n\n3\n00:00:05,000 --> 00:00:06,000\n42\n"
    )


def test_web_subtitles_keep_what_is_not_spoken():
    content = (
        "WEBVTT Films\n\nNOTE\nfor us\n\nSTYLE\n::cue {}\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v Ann>Hi.\n"
    )
    assert through("vtt", content) == content.replace("<v Ann>Hi.", "[<v Ann>Hi.]")


def test_classes_and_times_inside_cues_are_covered():
    content = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.red.big>Good <i>old</i></c> <00:01.500>days, <v.loud Ann>he said\n"
    )
    assert texts("vtt", content) == ["<x1>Good <i>old</i></x1> <x3/>days, <x4/>he said"]
    assert through("vtt", content) == content.replace("<c.", "[<c.").replace("said", "said]")


def cues(*spoken):
    return "".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n{text}\n\n" for n, text in enumerate(spoken, start=1))


def test_a_sentence_over_several_cues_is_one_text_and_cut_again():
    content = cues("I told you that you should\nnever, under any circumstances,", "open that door.", "He left")
    assert texts("srt", content) == [
        "I told you that you should never, under any circumstances, open that door.",
        "He left",
    ]
    hindi = "मैंने तुमसे कहा था कि किसी भी हालत में, वह दरवाज़ा मत खोलना।"
    found = through("srt", content, lambda given: [hindi] * len(given))
    assert found.startswith(cues("मैंने तुमसे कहा था\nकि किसी भी हालत में,", "वह दरवाज़ा मत खोलना।"))
    assert through("srt", content, same) == content
    # A postposition does not begin a cue.
    parted = through("srt", cues("we met in the old", "house"), lambda given: ["हम पुराने घर में मिले थे"])
    assert parted == cues("हम पुराने घर में", "मिले थे")


@pytest.mark.parametrize(
    "spoken",
    [("Who is it?", "nobody"), ("I said", "- No"), ("Wait", "[door opens]"), ("Look at", "♪ la la ♪"), ("Go", "Now")],
)
def test_cues_that_do_not_belong_together(spoken):
    assert len(texts("srt", cues(*spoken))) == 2


def test_marks_of_each_cue_stay_with_it():
    content = cues("<i>He thought...</i>", "<i>...that it was over.</i>")
    assert texts("srt", content) == ["He thought that it was over."]
    assert through("srt", content) == cues("<i>[He thought...</i>", "<i>...that it was over.]</i>")
    across = cues("and <b>this is very", "important</b> to him.")
    assert through("srt", across) == cues("[and <b>this is very</b>", "<b>important</b> to him.]")
    assert through("srt", cues("{\\an8}♪ and so ♪")) == cues("{\\an8}♪ [and so] ♪")


def test_fewer_words_than_cues():
    assert through("srt", cues("I do", "agree"), lambda given: ["सहमत"]) == cues("सहमत", "सहमत")


def test_substation_subtitles():
    head = "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    line = "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,"
    content = f"{head}{line}{{\\an8}}Hello, my {{\\fnA B}}friend{{\\r}},\\Nhow are you\n{line}doing today?\n"
    assert texts("ass", content) == ["Hello, my <x1/>friend<x2/>, how are you doing today?"]
    assert through("ass", content).startswith(f"{head}{line}{{\\an8}}[Hello, my {{\\fnA B}}friend{{\\r}},\\Nhow are")
    drawn = f"{head}{line}{{\\p1}}m 0 0 l 1 1\n{line.replace('Dialogue', 'Comment')}hello\n"
    assert not texts("ass", drawn)


def test_two_speakers_are_two_texts():
    assert texts("srt", "1\n00:00:01,000 --> 00:00:02,000\n- You there\n- Me\n") == ["- You there", "- Me"]


def test_words_are_spread_evenly_over_lines():
    assert split_evenly("one two three four five six", 2) == ["one two three", "four five six"]
    assert split_evenly("word", 3) == ["word"]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=20), st.integers(1, 6))
def test_spreading_loses_no_word_and_adds_no_line(words, lines):
    found = split_evenly(" ".join(words), lines)
    assert " ".join(found).split() == words
    assert len(found) <= lines
    assert all(found)


def table(*rows):
    return "".join(",".join(row) + "\n" for row in rows)


TABLE = table(
    ("sku", "name", "state", "mail", "Colour", "page"),
    *(
        (f"AB-{n}", f"Large box {n}", ["open", "sold"][n % 2], f"a{n}@x.org", "Red", f"/p/box-{n}.html")
        for n in range(8)
    ),
)


def test_columns_of_identifiers_are_left_and_told():
    found = units("csv", TABLE)
    assert {unit.text for unit in found if hasattr(unit, "write")} == {*(f"Large box {n}" for n in range(8)), "Red"}
    remarks = [unit.message for unit in found if hasattr(unit, "message")]
    assert remarks == [
        "columns sku, state, mail, page hold identifiers and are left as they are; "
        "--columns says which ones to translate."
    ]
    assert texts("csv", TABLE, columns=["state"])[:2] == ["open", "sold"]
    assert texts("tsv", TABLE.replace(",", "\t")) == texts("csv", TABLE)


def test_what_a_column_is_called_helps():
    named = table(
        ("country_code", "state", "slug", "title"), ("IN", "sold", "red-box", "Box"), ("US", "open", "fan", "Fan")
    )
    assert texts("csv", named) == ["Box", "Fan"]
    assert texts("csv", table(("state", "title"), ("Goa", "Box"), ("Kerala", "Fan"))) == [
        "Goa",
        "Box",
        "Kerala",
        "Fan",
    ]


@pytest.mark.parametrize(
    "content",
    [
        table(("answer",), *[("yes",)] * 20),
        table(("a", "b"), ("Apple", "Mango"), ("Pear", "Fig")),
        table(("name",), ("Delhi",), ("Agra",)),
        table(("size", "note"), ("large", "It is big"), ("small", "It is not")),
    ],
)
def test_columns_of_single_words_are_translated(content):
    assert (
        len(texts("csv", content))
        == sum(map(bool, content.replace("\n", ",").split(","))) - content.split("\n")[0].count(",") - 1
    )


def test_csv_cells():
    content = 'id,Title,Note\n1,Hello,"So ""good"", yes"\n2, Bye ,17\n'
    assert through("csv", content) == 'id,Title,Note\n1,[Hello],"[So ""good"", yes]"\n2, [Bye] ,17\n'
    assert through("csv", content, header=False).startswith("[id],[Title],[Note]\n")


def test_csv_cells_over_several_lines_and_their_line_numbers():
    content = 'a,b\r\n"one\r\ntwo",x\r\ny,z'
    assert through("csv", content) == 'a,b\r\n"[one\r\ntwo]",[x]\r\n[y],[z]'
    assert [unit.line for unit in units("csv", content) if hasattr(unit, "line")] == [2, 3, 4, 4]


def test_a_translation_with_a_comma_is_quoted():
    assert through("csv", "a,b\nx,y\n", lambda found: ['1, "2"'] * len(found)) == 'a,b\n"1, ""2""","1, ""2"""\n'


def test_csv_columns_by_name_and_number():
    content = "id;text;note\nk1;Hello, you;keep\n"
    assert through("csv", content, columns=["text"]) == "id;text;note\nk1;[Hello, you];keep\n"
    assert through("csv", content, columns=["3", "id"]) == "id;text;note\n[k1];Hello, you;[keep]\n"


def test_csv_delimiters_are_found_or_given():
    assert through("csv", "a|b\nHello, you|1,5\n") == "a|b\n[Hello, you]|1,5\n"
    assert through("csv", "text\nHello\n") == "text\n[Hello]\n"
    assert through("csv", "a,b\tc\nx,y\tz\n", delimiter="tab") == "a,b\tc\n[x,y]\t[z]\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"columns": ["txet"]},
            "the file: there is no column 'txet' (did you mean 'text'?); the columns are id, text.",
        ),
        ({"columns": ["3"]}, "the file: there is no column '3'; the columns are id, text."),
        (
            {"columns": ["text"], "header": False},
            "the file: there is no column 'text'; there are columns 1 to 2, and no names.",
        ),
        ({"delimiter": "::"}, "The delimiter '::' cannot stand between cells; give one character, or 'tab'."),
    ],
)
def test_wrong_columns_and_delimiters(options, message):
    with pytest.raises(DhyanError) as error:
        units("csv", "id,text\n1,x\n", **options)
    assert str(error.value) == message


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.lists(st.text('ab ,"\né;', max_size=6), min_size=2, max_size=3), min_size=1, max_size=5),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
)
def test_csv_stays_valid_whatever_the_translation_is(rows, quoting):
    held = io.StringIO()
    csv.writer(held, quoting=quoting).writerows(rows)
    answer = 'x, "y"\nz'
    out = through("csv", held.getvalue(), lambda found: [answer] * len(found), header=False, delimiter=",")
    found = list(csv.reader(io.StringIO(out, newline="")))

    def kept(cell):
        core = cell.strip()
        return cell.replace(core, answer) if any(map(str.isalpha, core)) else cell

    assert found == [[kept(cell) for cell in row] for row in rows]


def test_tsv_cells():
    assert through("tsv", 'id\ttext\n7\tSay "hi", ok\n', columns=["text"]) == 'id\ttext\n7\t[Say "hi", ok]\n'
    assert through("tsv", "h\nx\n", lambda found: ["a\tb\nc"]) == "h\na b c\n"


def test_json_lines():
    content = '{"id": "en-1",  "text": "Hello\\n", "score": 1.0}\n\n{"text": null}\n{"id": "en-2"}\n'
    assert through("jsonl", content) == content.replace('"Hello\\n"', '"[Hello\\n]"')


def test_json_keys():
    content = '{"id": "x", "chat": [{"role": "user", "say": "Hi"}, {"say": "Ho"}], "say": "no", "tags": ["a", "b"]}'
    assert texts("jsonl", content, keys=["chat.say"]) == ["Hi", "Ho"]
    assert texts("jsonl", content, keys=["tags", "say"]) == ["no", "a", "b"]
    assert texts("jsonl", content, keys=["*"]) == ["x", "user", "Hi", "Ho", "no", "a", "b"]


def test_json_escapes_follow_the_line():
    def hindi(found):
        return ["हाँ" for _ in found]

    assert through("jsonl", '{"text": "Yes"}', hindi) == '{"text": "हाँ"}'
    assert through("jsonl", '{"text": "Yes \\u0939"}', hindi) == '{"text": "\\u0939\\u093e\\u0901"}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"txt": "a", "id": "b"}',
            "the file, line 1: there is no text under the key 'text' (did you mean 'txt'?); "
            "the keys with texts are: txt, id.",
        ),
    ],
)
def test_wrong_json(content, message):
    with pytest.raises(DhyanError) as error:
        units("jsonl", content)
    assert str(error.value).startswith(message)


def test_a_bad_line_of_json_is_kept_and_told():
    content = '{"text": \n{"text": "a"}\n["text"]\n{"text": "b"}\n'
    done = translate_units(units("jsonl", content), lambda found: [f"[{text}]" for text in found])
    assert done.content == '{"text": \n{"text": "[a]"}\n["text"]\n{"text": "[b]"}\n'
    assert [line for line, _ in done.failed] == [1, 3]
    assert "not valid JSON: Expecting value" in done.failed[0].message
    assert "not a JSON object" in done.failed[1].message


CATALOGUE = """# Notes
msgid ""
msgstr ""
"Plural-Forms: nplurals=2;\\n"

#: main.c:3
msgid "Open \\"it\\""
msgstr ""

msgid ""
"First\\n"
"Second\\n"
msgstr ""

msgid "Done"
msgstr "हो गया"

#, c-format
msgid "%d file"
msgid_plural "%d files"
msgstr[0] ""
msgstr[1] ""
"""


def test_catalogues_are_filled_in():
    expected = CATALOGUE.replace('it\\""\nmsgstr ""', 'it\\""\nmsgstr "[Open \\"it\\"]"')
    expected = expected.replace('Second\\n"\nmsgstr ""', 'Second\\n"\nmsgstr ""\n"[First\\n"\n"Second]\\n"')
    expected = expected.replace('[0] ""', '[0] "[%d file]"').replace('[1] ""', '[1] "[%d files]"')
    assert through("po", CATALOGUE, fuzzy=False) == expected
    # What is the same in both languages is a translation too.
    assert 'msgstr[1] "%d files"' in through("po", CATALOGUE, same)
    assert through("po", CATALOGUE.replace("\n", "\r\n"), fuzzy=False) == expected.replace("\n", "\r\n")


def test_what_is_filled_in_is_fuzzy():
    found = through("po", CATALOGUE)
    assert '#: main.c:3\n#, fuzzy\nmsgid "Open' in found
    assert '\n#, fuzzy, c-format\nmsgid "%d file"' in found
    assert 'second"\n\nmsgid "Done"\nmsgstr "हो गया"' in found.replace("Second]\\n", "second")
    assert found.count("fuzzy") == 3
    assert through("po", '#, fuzzy\nmsgid "a"\nmsgstr ""\n') == '#, fuzzy\nmsgid "a"\nmsgstr "[a]"\n'


def test_contexts_of_a_catalogue():
    content = '#. A menu\nmsgctxt "toolbar"\nmsgid "Open"\nmsgstr ""\n\nmsgid "Open"\nmsgstr ""\n'
    assert [unit.context for unit in units("po", content) if hasattr(unit, "context")] == ["toolbar; A menu", None]


def test_the_header_of_a_catalogue_names_the_language():
    header = (
        'msgid ""\nmsgstr ""\n"Language: \\n"\n"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n"\n\n'
        '#~ msgid "old"\n#~ msgstr ""\n'
    )
    assert through("po", header) == header
    filled = header.replace("Language: ", "Language: hi").replace("INTEGER", "2").replace("EXPRESSION", "(n != 1)")
    assert through("po", header, target_language="hi") == filled
    given = header.replace("Language: ", "Language: mr")
    assert "Language: mr" in through("po", given, target_language="hi")


def test_a_language_without_a_plural_gets_the_plural():
    content = 'msgid "a file"\nmsgid_plural "%d files"\nmsgstr[0] ""\n'
    assert through("po", content).endswith('msgstr[0] "[%d files]"\n')


def test_a_translation_that_loses_a_placeholder_is_refused():
    done = translate_units(units("po", CATALOGUE), lambda found: [text.replace("%d", "") for text in found])
    assert done.failed == [
        Failed(21, "The translation lost the placeholder %d."),
        Failed(22, "The translation lost the placeholder %d."),
    ]
    assert done.content.endswith(
        '#, c-format\nmsgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    )


@settings(max_examples=100, deadline=None)
@given(st.text('ab"\\\n\t\r ह', min_size=1, max_size=12).filter(str.strip))
def test_what_is_filled_in_reads_back(answer):
    filled = through("po", 'msgid "x"\nmsgstr ""\n', lambda found: [answer])
    value = filled.split("msgstr ", 1)[1].replace("msgstr", "msgid")
    again = 'msgid "x"\nmsgid_plural ' + value + 'msgstr[0] ""\n'
    found = texts("po", again)
    assert found == ([answer.strip()] if any(map(str.isalpha, answer)) else [])


@pytest.mark.parametrize(
    ("format", "content"),
    [
        ("csv", lambda size: "," * size),
        ("ass", lambda size: "[Events]\nFormat: Text\nDialogue: " + "{" * size),
    ],
)
def test_reading_is_linear_in_what_nobody_writes(format, content):
    assert growth(lambda size: units(format, content(size))) < 1.6


def test_yaml_that_is_nested_too_deep_is_refused_at_once():
    with pytest.raises(DhyanError, match="nested more than 200 deep"):
        units("yaml", "[" * 50_000)
