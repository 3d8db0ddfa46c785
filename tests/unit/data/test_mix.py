"""A mix keeps, mends, weighs, varies and shuffles pairs as its file says."""

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from dhyan.core.errors import DhyanError
from dhyan.core.parallel import in_parallel
from dhyan.core.settings import RenamedWarning
from dhyan.data.mix import mixing
from dhyan.data.mix.config import read_mix
from dhyan.data.mix.filters import PairFilter, dedup_key
from dhyan.data.mix.mixing import gather_pairs, mix_pairs
from dhyan.data.mix.noise import with_noise
from dhyan.data.mix.normalise import Normaliser
from dhyan.data.mix.settings import FilterSettings, GroupSettings, NormaliseSettings

HINDI = NormaliseSettings(
    full_stop="।",
    question_words=["क्या", "कैसे"],
    ascii_digits=True,
    straight_quotes=True,
    drop_zero_width=True,
    drop_glosses=True,
    replace={"अत:": "अतः"},
)
PLAIN = GroupSettings(sources=["*"])
ROOT = Path(__file__).parents[3]


def normalised(source, target, **group):
    return Normaliser(HINDI)(source, target, GroupSettings(sources=["*"], **group))


def mixed(tmp_path, mix, rows, seed=1, processes=1):
    (tmp_path / "mix.toml").write_text(mix, encoding="utf-8")
    (tmp_path / "pairs.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    settings = read_mix(tmp_path / "mix.toml")
    gathered = gather_pairs([tmp_path / "pairs.tsv"], settings)
    made = mix_pairs(gathered, settings, seed, processes=processes)
    return [tuple(row.decode().rstrip("\n").split("\t")) for row in made.rows], made.counts, gathered


NAMES = [first + rest for first in "BDGKLMNPRT" for rest in ("alu", "emi")]
SENTENCES = [(f"My friend {name} is here.", f"मेरा मित्र {name.upper()} यहाँ है।") for name in NAMES]


@pytest.mark.parametrize(
    ("source", "target", "mended"),
    [
        ("He came home.", "वह घर आया.", "वह घर आया।"),
        ("He came home.", "वह घर आया", "वह घर आया।"),
        ("He came home.", "वह घर आया ।", "वह घर आया।"),
        ("He came home.", "वह  घर आया |", "वह घर आया।"),
        ("He came. She left.", "वह आया. वह चली गई.", "वह आया। वह चली गई।"),
        ("Dr. Rao came home.", "डॉ. राव घर आए.", "डॉ. राव घर आए।"),
        ("He said, “Come home.”", "उसने कहा, “घर आ जाओ”", 'उसने कहा, "घर आ जाओ।"'),
        ("He came home", "वह घर आया", "वह घर आया"),
        ("Home.", "घर", "घर"),
        ("How are you?", "आप कैसे हैं", "आप कैसे हैं?"),
        ("How are you?", "आप कैसे हैं।", "आप कैसे हैं?"),
        ("Come home!", "घर आ जाओ!", "घर आ जाओ!"),
        ("The year 1947", "वर्ष १९४७", "वर्ष 1947"),
        ("Use a string", "स्ट्रिंग (string) का उपयोग करें", "स्ट्रिंग का उपयोग करें"),
        ("Use a string (text)", "स्ट्रिंग (string) का उपयोग करें", "स्ट्रिंग (string) का उपयोग करें"),
        ("What is it", "क्\u200dया है", "क्या है"),
        ("So he came home.", "अत: वह घर आया।", "अतः वह घर आया।"),
        ("Cooperation in trade", "1. व्यापार में सहयोग", "व्यापार में सहयोग"),
        ("It ended. It was 300 B.C.", "यह समाप्त हुआ. तब 300 ई.पू. था", "यह समाप्त हुआ। तब 300 ई.पू. था।"),
        ("It ended in 300 A.D.", "यह 300 ई. में समाप्त हुआ.", "यह 300 ई. में समाप्त हुआ।"),
    ],
)
def test_the_target_is_mended(source, target, mended):
    assert normalised(source, target)[1] == mended


@pytest.mark.parametrize(
    ("source", "target", "mended"),
    [
        ("- Did you eat?", "-क्या तुमने खाया?", "Did you eat?"),
        ("He wins | ", "वह जीतता है", "He wins."),
        ("Let’ s go at 7: 30", "चलो", "Let’s go at 7:30"),
        ("2. Come home now", "अब घर आओ", "Come home now"),
        ("2. Come home now", "2. अब घर आओ", "2. Come home now"),
        ("(a) Come home now", "(क) अब घर आओ", "(a) Come home now"),
        ("S. R. Bommai came", "एस. आर. बोम्मई आए", "S. R. Bommai came"),
    ],
)
def test_the_source_is_tidied(source, target, mended):
    assert normalised(source, target)[0] == mended


def test_a_group_of_sentences_gets_its_final_marks():
    assert normalised("the lake is deep", "झील गहरी है", full_sentences=True)[1] == "झील गहरी है।"
    assert normalised("how deep is it", "यह कैसे गहरी है", full_sentences=True)[1] == "यह कैसे गहरी है?"
    assert normalised("the lake", "झील", full_sentences=True)[1] == "झील"


def test_shortcuts_of_menus():
    assert normalised("_Open File", "फ़ाइल खोलें (_O)", drop_accelerators=True) == ("Open File", "फ़ाइल खोलें")
    assert normalised("E_xit now", "बाहर_निकलें", drop_accelerators=True) == ("Exit now", "बाहरनिकलें")
    assert normalised("Black & white", "काला & सफ़ेद", drop_accelerators=True) == ("Black & white", "काला & सफ़ेद")


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("", "घर", "empty"),
        ("OK", "OK", "identical sides"),
        ("word " * 200, "शब्द " * 200, "too long"),
        ("The house on the hill is very old indeed.", "पुराना", "length ratio"),
        ("Open <b>file</b>", "<b>फ़ाइल</b> खोलें", "markup"),
        ("Delete %s now", "%s अब हटाएँ", "markup"),
        ("Hello {name}", "नमस्ते {name}", "markup"),
        ("Open Google Play Store", "Google Play Store खोलें", "Latin letters"),
        ("the spare key is here", "spare key यहाँ है जी", "untranslated"),
        ("He is not going", "वहकहींनहींजारहाहै", "words run together"),
        ("Where is he?", "वह यहाँ है।", "question on one side"),
        ("Tractors sell well.", "ट ्रैक्टर खूब बिकते हैं।", "broken letters"),
        ("It was built in 1947.", "इसे 1950 में बनाया गया।", "numbers differ"),
        ("The act was passed.", "अधिनियम 2005 पारित हुआ।", "numbers differ"),
        ("He said, “Go home now.”", "उसने कहा कि घर जाओ।", "quotes on one side"),
    ],
)
def test_bad_pairs_are_dropped(source, target, reason):
    reason_of = PairFilter(FilterSettings()).rejection_reason
    assert reason_of(source.strip(), target.strip()) == reason
    assert reason_of(source.strip(), target.strip(), trusted=True) in (None, "empty")


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("It was built in 1947.", "इसे 1947 में बनाया गया।"),
        ("He waited 3 years.", "उसने तीन वर्ष प्रतीक्षा की।"),
        ("Thirty-nine people came.", "39 लोग आए।"),
        ("1.5 million people live here.", "यहाँ 15 लाख लोग रहते हैं।"),
        ("It costs 10,000 rupees.", "इसकी कीमत 10000 रुपये है।"),
        ("This is the 7th summit.", "यह सातवाँ सम्मेलन है।"),
        ("I don't know.", "मुझे नहीं पता।"),
        ("It costs $100 in all.", "कुल मिलाकर यह $100 का है।"),
        ("Use Google to search.", "खोजने के लिए Google का उपयोग करें।"),
    ],
)
def test_good_pairs_are_kept(source, target):
    assert PairFilter(FilterSettings()).rejection_reason(source, target) is None


def test_the_dedup_key_forgets_case_digits_and_punctuation_but_no_vowel_signs():
    assert dedup_key("Article 10: Rights!") == dedup_key("article 11 rights")
    assert dedup_key("कि") != dedup_key("की")


@pytest.mark.parametrize(
    ("kind", "changed"),
    [
        ("uppercase", "HOW ARE YOU? I AM FINE."),
        ("lowercase", "how are you? i am fine."),
        ("lowercase_unpunctuated", "how are you? i am fine"),
        ("no_full_stop", "How are you? I am fine"),
        ("title_case", "How Are You? I Am Fine."),
    ],
)
def test_kinds_of_noise(kind, changed):
    assert with_noise("How are you? I am fine.", kind) == changed


@pytest.mark.parametrize(
    ("kind", "source", "changed"),
    [
        ("no_apostrophes", "I can't come, it's late.", "i cant come, its late"),
        ("no_apostrophes", "Who’s at Ravi's door?", "whos at ravis door"),
        ("no_apostrophes", "I cannot come.", "I cannot come."),  # nothing is left out: no variant
        ("no_apostrophes", "He said 'no' twice.", "He said 'no' twice."),  # these are quotation marks
        ("abbreviated", "Can you help me, please?", "can u help me, pls"),
        ("abbreviated", "You're late because of me.", "ur late bcoz of me"),
        ("abbreviated", "The youth club met.", "The youth club met."),
        ("abbreviated", "I don't know, as you know.", "idk, as u know"),
    ],
)
def test_what_people_leave_out_in_messages(kind, source, changed):
    abbreviations = {"you": "u", "youre": "ur", "please": "pls", "because": "bcoz", "i dont know": "idk"}
    assert with_noise(source, kind, abbreviations) == changed


def test_groups_repeat_cap_and_drop(tmp_path):
    mix = """
        [group.twice]
        sources = ["good"]
        repeat = 2
        [group.half]
        sources = ["ms-*"]
        repeat = 0.5
        [group.few]
        sources = ["many"]
        max_rows = 3
        [group.gone]
        sources = ["bad"]
        drop = true
        [filter]
        max_same_source = 9
        max_same_target = 9
    """
    rows = [(*pair, name) for name in ("good", "ms-a", "ms-b", "many", "bad", "stray") for pair in SENTENCES]
    written, counts, gathered = mixed(tmp_path, mix, rows)
    size = len(SENTENCES)
    sources = Counter(row[2] for row in written)
    assert set(sources) == {"good", "ms-a", "ms-b", "many"}
    assert (sources["good"], sources["many"], sources["ms-a"] + sources["ms-b"]) == (2 * size, 3, size)
    assert set(Counter(row for row in written if row[2] == "good").values()) == {2}
    assert counts["few"].dropped == {"over max_rows": size - 3}
    assert counts["gone"].read == counts["gone"].dropped["left out by the mix"] == size
    assert gathered.in_no_group == {"stray": size}
    for count in counts.values():
        assert count.read == count.kept + count.dropped.total()


def test_the_seed_decides(tmp_path):
    mix = '[group.all]\nsources = ["*"]\nrepeat = 1.5\nnoise = 1\n[noise]\nuppercase = 0.3\n'
    rows = [(*pair, "a") for pair in SENTENCES]
    first = mixed(tmp_path, mix, rows)[0]
    assert first == mixed(tmp_path, mix, rows)[0]
    other = mixed(tmp_path, mix, rows, seed=2)[0]
    assert first != other
    assert {row[1] for row in first} == {row[1] for row in other} == {target for _, target in SENTENCES}


def test_several_processes_mix_as_one_does(tmp_path, monkeypatch):
    monkeypatch.setattr(mixing, "BATCH_ROWS", 7)  # so that no group ends where a process's share does
    mix = '[group.few]\nsources = ["a"]\nmax_rows = 9\nnoise = 1\n[group.all]\nsources = ["*"]\nrepeat = 1.5\n'
    mix += "[filter]\nmax_same_target = 2\n[noise]\nuppercase = 0.3\n"
    rows = [(*pair, name) for name in "abcd" for pair in [*SENTENCES, ("He came home.", ""), ("Home", "घर")]]
    one, several = (mixed(tmp_path, mix, rows, processes=processes) for processes in (1, 2))
    assert several[0] == one[0]
    assert several[1] == one[1]
    assert one[1]["all"].dropped == {"near-duplicate": 42, "empty": 3}


def test_a_process_that_dies_is_told_in_a_line():
    with pytest.raises(DhyanError, match="one of the processes was killed"):
        list(in_parallel(os._exit, [1, 1], 2))


def test_noise_keeps_the_target_and_spare_short_rows(tmp_path):
    mix = '[group.all]\nsources = ["*"]\nnoise = 1\n[noise]\nuppercase = 1.0\n'
    written, counts, _ = mixed(tmp_path, mix, [("Come home now.", "अब घर आओ।", "a"), ("Come home.", "घर आओ।", "a")])
    assert sorted(written) == [
        ("COME HOME NOW.", "अब घर आओ।", "a"),
        ("Come home now.", "अब घर आओ।", "a"),
        ("Come home.", "घर आओ।", "a"),
    ]
    assert counts["all"].noisy == 1


def test_only_rows_with_something_to_leave_out_get_a_copy_without_apostrophes(tmp_path):
    mix = '[group.all]\nsources = ["*"]\nnoise = 1\n[noise]\nno_apostrophes = 1.0\n'
    written, counts, _ = mixed(
        tmp_path, mix, [("I can't come.", "मैं नहीं आ सकता।", "a"), ("Come home now.", "अब घर आओ।", "a")]
    )
    assert ("i cant come", "मैं नहीं आ सकता।", "a") in written
    assert (len(written), counts["all"].noisy) == (3, 1)


def test_abbreviations_are_the_mixes_own(tmp_path):
    mix = '[group.all]\nsources = ["*"]\nnoise = 1\n[noise]\nabbreviated = 1.0\nabbreviations = { home = "hm" }\n'
    written, _, _ = mixed(tmp_path, mix, [("Are you at home?", "क्या आप घर पर हैं?", "a")])
    assert sorted(source for source, _, _ in written) == ["Are you at home?", "are you at hm"]


def test_a_tag_stands_before_every_source_of_its_group(tmp_path):
    mix = (
        '[noise]\nuppercase = 1.0\n[group.a]\nsources = ["a"]\nnoise = 1\nstyle_tag = "①"\n[group.b]\nsources = ["b"]'
    )
    rows, _, _ = mixed(tmp_path, mix, [(*SENTENCES[0], "a"), (*SENTENCES[1], "b")])
    tagged = [f"① {SENTENCES[0][0]}", f"① {SENTENCES[0][0].upper()}"]
    assert sorted(row[0] for row in rows) == sorted([*tagged, SENTENCES[1][0]])


def test_of_near_duplicates_the_earlier_group_is_kept(tmp_path):
    mix = '[filter]\nmax_same_source = 1\n[group.good]\nsources = ["good"]\n[group.rest]\nsources = ["*"]\n'
    rows = [("save file", "फ़ाइल बचाएँ", "poor"), ("Save file!", "फ़ाइल सहेजें!", "good")]
    written, counts, _ = mixed(tmp_path, mix, rows)
    assert written == [("Save file!", "फ़ाइल सहेजें!", "good")]
    assert counts["rest"].dropped == {"near-duplicate": 1}


def test_names_only_drops_common_words(tmp_path):
    mix = '[group.prose]\nsources = ["prose", "dictionary"]\n[group.names]\nsources = ["spelt"]\nnames_only = true\n'
    prose = [(f"{name.title()} plays in bands.", f"{name.upper()} बैंड में बजाता है।", "prose") for name in NAMES[:5]]
    spelling = [("bands", "बैंड्स", "spelt"), ("kitchen", "किचन", "spelt"), ("ajmer", "अजमेर", "spelt")]
    written, counts, _ = mixed(tmp_path, mix, [*prose, ("kitchen", "रसोई", "dictionary"), *spelling])
    assert [row for row in written if row[2] == "spelt"] == [("Ajmer", "अजमेर", "spelt")]
    assert counts["names"].dropped == {"common word": 2}


def test_rows_chosen_by_their_ends_length_and_words(tmp_path):
    mix = '[group.all]\nsources = ["*"]\ntarget_ends_with = "।?"\nmin_words = 3\ndrop_containing = ["skin tone"]\n'
    rows = [
        ("He came home.", "वह घर आया।", "a"),
        ("He came home late.", "वह घर देर से आया.", "a"),
        ("Home now.", "अब घर।", "a"),
        ("hand with skin tone", "त्वचा वाला हाथ है।", "a"),
    ]
    written, counts, _ = mixed(tmp_path, mix, rows)
    assert written == [rows[0]]
    assert counts["all"].dropped == {"end of the target": 1, "too short": 1, "left out by the mix": 1}


def test_terse_rows_are_dropped_where_fuller_ones_are_wanted(tmp_path):
    mix = '[group.all]\nsources = ["*"]\nmin_length_ratio = 1.1\n'
    rows = [
        ("He came home late in the evening with his friend.", "वह शाम को देर से अपने दोस्त के साथ घर आया।", "a"),
        ("She came home late in the evening with her friend.", "वह देर शाम अपने दोस्त के साथ घर वापस आई।", "a"),
        ("He came home late in the evening today.", "वह आज शाम को घर आया।", "a"),
    ]
    assert [[len(text.split()) for text in row[:2]] for row in rows] == [[10, 11], [10, 10], [8, 6]]
    written, counts, _ = mixed(tmp_path, mix, rows)
    assert sorted(written) == sorted([rows[0], rows[2]])  # the last is too short to tell
    assert counts["all"].dropped == {"target too short": 1}


def test_rows_that_their_teacher_doubts_are_dropped(tmp_path):
    mix = '[group.taught]\nsources = ["teacher/*"]\nmin_score = -1.2\n[group.rest]\nsources = ["*"]\n'
    scores = [("-1.201",), ("-1.2", "-9"), ("-0.3", ""), ("", "-9"), ("unknown",), (), ("-inf",), ("nan",)]
    rows = [(*pair, "teacher/a", *score) for pair, score in zip(SENTENCES, scores, strict=False)]
    original = (*SENTENCES[len(scores)], "a", "-7.5")
    written, counts, _ = mixed(tmp_path, mix, [*rows, original])
    kept = [row[:3] for row, score in zip(rows, scores, strict=True) if score not in (("-1.201",), ("-inf",))]
    assert sorted(written) == sorted([*kept, original[:3]])  # the group of the original asks for no score
    assert counts["taught"].dropped == {"score": 2}
    assert counts["taught"].read == len(rows)


def test_patterns_that_fit_nothing_are_told(tmp_path):
    mix = '[group.all]\nsources = ["a", "ms-*"]\n'
    assert mixed(tmp_path, mix, [("Come home.", "घर आओ।", "a")])[2].unmatched == ["all: ms-*"]


@pytest.mark.parametrize(
    ("mix", "words"),
    [
        ('[group.a]\nsources = ["a"]\nrepeet = 2\n', "did you mean 'repeat'"),
        ('[group.a]\nsources = ["a"]\n[filter]\nmax_word = 3\n', "did you mean 'max_words'"),
        ('[group.a]\nsources = ["a"]\n[nois]\nuppercase = 0.1\n', "did you mean 'noise'"),
        ('[group.a]\nsources = "a"\n', "write it as a list"),
        ('[group.a]\nsources = ["a"]\nrepeat = -1\n', "repeat = -1"),
        ('[group.a]\nsources = [""]\n', "empty"),
        ("[group.a]\nrepeat = 1\n", "'sources' is missing"),
        ("[filter]\nmax_words = 3\n", "name at least one group"),
        ("group = 3\n", "name at least one group"),
        ("[group.a\n", "not valid TOML"),
        ('filter = 3\n[group.a]\nsources = ["a"]\n', r"write its settings under \[filter\]"),
        ('extends = 3\n[group.a]\nsources = ["a"]\n', "name one other mix's file"),
        ('extends = "mix.toml"\n[group.a]\nsources = ["a"]\n', "leads back to itself"),
        ('[group.a]\nsources = ["@news"]\n', r"no list 'news'.* there is no list under \[sources\]"),
        ('[sources]\nnews = ["b"]\n[group.a]\nsources = ["t/@new"]\n', "did you mean 'news'"),
        ('[sources]\nnews = "b"\n[group.a]\nsources = ["@news"]\n', "write it as a list of names"),
        ('[sources]\nb = ["@c"]\nc = ["@b"]\n[group.a]\nsources = ["@b"]\n', "is a part of itself"),
    ],
)
def test_a_wrong_mix_is_told_in_a_line(tmp_path, mix, words):
    (tmp_path / "mix.toml").write_text(mix)
    with pytest.raises(DhyanError, match=words) as told:
        read_mix(tmp_path / "mix.toml")
    assert "mix.toml" in str(told.value)
    assert "\n" not in str(told.value)


def test_a_group_takes_the_settings_of_the_extended_group_of_its_name(tmp_path):
    (tmp_path / "common.toml").write_text(
        '[group.news]\nsources = ["a"]\nrepeat = 2\nalike = 5\n[group.talk]\nsources = ["b"]\nnoise = 1.5\n'
    )
    (tmp_path / "mix.toml").write_text(
        'extends = "common.toml"\n[group]\ntalk = {}\nnews = { repeat = 3, max_same_source = 6 }\n'
    )
    mix = read_mix(tmp_path / "mix.toml")
    assert list(mix.groups) == ["talk", "news"]  # in its own order
    assert (mix.groups["talk"].sources, mix.groups["talk"].noise) == (["b"], 1.5)
    assert (mix.groups["news"].repeat, mix.groups["news"].max_same_source) == (3, 6)
    (tmp_path / "old.toml").write_text('like = "common.toml"\n[group.news]\nsources = ["a"]\n')
    assert read_mix(tmp_path / "old.toml").groups["news"].repeat == 1  # as it was read before


def test_lists_that_multiply_are_refused(tmp_path):
    lists = "".join(f'l{n} = ["@l{n + 1}", "@l{n + 1}"]\n' for n in range(18))
    (tmp_path / "mix.toml").write_text(f'[sources]\n{lists}l18 = ["a"]\n[group.a]\nsources = ["@l0"]\n')
    with pytest.raises(DhyanError, match="more than 10,000 sources"):
        read_mix(tmp_path / "mix.toml")


def test_a_mix_shares_the_rules_and_lists_of_another_but_not_its_groups(tmp_path):
    (tmp_path / "common.toml").write_text(
        '[filter]\nmax_words = 7\nmax_ratio = 3.0\n[sources]\nnews = ["a", "b-*"]\nall = ["@news", "c"]\n'
    )
    (tmp_path / "first.toml").write_text('extends = "common.toml"\n[group.news]\nsources = ["@news"]\nrepeat = 2\n')
    (tmp_path / "second.toml").write_text(
        'extends = "first.toml"\n[filter]\nmax_words = 9\n[sources]\nnews = ["a"]\n'
        '[group.taught]\nsources = ["teacher/@all", "d"]\n'
    )
    first, second = read_mix(tmp_path / "first.toml"), read_mix(tmp_path / "second.toml")
    assert first.groups["news"].sources == ["a", "b-*"]
    assert (first.filter.max_words, second.filter.max_words, second.filter.max_ratio) == (7, 9, 3.0)
    assert list(second.groups) == ["taught"]
    assert second.groups["taught"].sources == ["teacher/a", "teacher/c", "d"]
    assert second.group_of("teacher/c") == "taught"
    assert second.group_of("teacher/b-1") is None


def test_a_file_that_a_mix_extends_is_named_when_it_is_missing_or_wrong(tmp_path):
    (tmp_path / "mix.toml").write_text('extends = "rules.toml"\n[group.a]\nsources = ["a"]\n')
    with pytest.raises(DhyanError, match=r"rules.toml: there is no such file"):
        read_mix(tmp_path / "mix.toml")
    (tmp_path / "rules.toml").write_text("[filter]\nmax_word = 3\n")
    with pytest.raises(DhyanError, match=r"rules.toml, \[filter\]: 'max_word' is not a setting"):
        read_mix(tmp_path / "mix.toml")
    (tmp_path / "rules.toml").write_text("[filtre]\nmax_words = 3\n")
    with pytest.raises(DhyanError, match=r"rules.toml: 'filtre' is not a part of a mix \(did you mean 'filter'"):
        read_mix(tmp_path / "mix.toml")


def test_old_names_go_on_working(tmp_path):
    (tmp_path / "rules.toml").write_text("[variants]\nhasty = 0.5\nupper = 0.1\n[filter]\nsame_source = 7\n")
    (tmp_path / "mix.toml").write_text(
        'like = "rules.toml"\n[noise]\nno_apostrophes = 0.4\n'
        '[group.a]\nsources = ["a"]\nleast_ratio = 1.1\ntag = "①"\nvary = 1\n'
    )
    with pytest.warns(RenamedWarning):
        mix = read_mix(tmp_path / "mix.toml")
    assert (mix.noise.no_apostrophes, mix.noise.uppercase, mix.filter.max_same_source) == (0.4, 0.1, 7)
    group = mix.groups["a"]
    assert (group.min_length_ratio, group.style_tag, group.noise) == (1.1, "①", 1)


def test_the_rules_of_the_source_language_are_used():
    hindi = NormaliseSettings(source_language="hi", full_stop=".", question_words=["who"])
    into_english = Normaliser(hindi)("यह कौन है", "so who is it", GroupSettings(sources=["*"], full_sentences=True))
    assert into_english[1] == "so who is it."  # the source does not begin with a question word
    asked = Normaliser(hindi)("कौन है यह", "so who is it", GroupSettings(sources=["*"], full_sentences=True))
    assert asked[1] == "so who is it?"
    with pytest.raises(DhyanError, match="no rules for 'xx'"):
        NormaliseSettings.checked({"source_language": "xx"}, "mix.toml")


def test_a_mix_that_leaves_nothing(tmp_path):
    with pytest.raises(DhyanError, match="leaves no rows"):
        mixed(tmp_path, '[group.a]\nsources = ["b"]\n', [("Come home.", "घर आओ।", "a")])


def test_a_missing_source_column(tmp_path):
    with pytest.raises(DhyanError, match=r"pairs.tsv, line 1: 2 columns where 3 are needed"):
        mixed(tmp_path, '[group.a]\nsources = ["a"]\n', [("Come home.", "घर आओ।")])


def test_the_mix_in_the_documentation_can_be_read(tmp_path):
    (example,) = re.findall(
        r"^```toml\n(.*?)^```", (ROOT / "docs/guides/mixing.md").read_text(encoding="utf-8"), re.S | re.M
    )
    (tmp_path / "mix.toml").write_text(example, encoding="utf-8")
    mix = read_mix(tmp_path / "mix.toml")
    assert mix.group_of("my-teacher/tatoeba") == "taught"
    assert mix.groups["taught"].min_score == -1.2


MIXES = ROOT / "recipes" / "en-hi" / "mixes"


@pytest.mark.parametrize("name", ["teacher", "student", "finetune"])
def test_what_was_written_with_care_weighs_most(name):
    mix = read_mix(MIXES / f"{name}.toml")
    assert mix.groups["written"].trusted
    prose = [mix.groups[mix.group_of(source)] for source in ("heimdall-news", "openclaw", "pmindia", "neetquiz")]
    assert all(group.drop or group.repeat < mix.groups["written"].repeat for group in prose)


@pytest.mark.parametrize("name", ["student", "finetune"])
def test_a_student_reads_its_teachers_work_where_the_teacher_was_sure(name):
    mix = read_mix(MIXES / f"{name}.toml")
    for source in ("pmindia", "tatoeba", "english-news"):
        group = mix.groups[mix.group_of(f"teacher/{source}")]
        assert not group.drop
        assert not group.style_tag
        assert group.min_score is not None


def test_a_source_keeps_its_style_tag_when_it_is_translated_back():
    mix = read_mix(MIXES / "teacher.toml")
    for source in ("written-prose", "tatoeba", "pmindia", "snakecult", "neetquiz", "openclaw"):
        assert mix.groups[mix.group_of(source)].style_tag == mix.groups[mix.group_of(f"hi-en/{source}")].style_tag


def test_the_style_that_is_wanted_has_no_tag_and_every_other_has_its_own():
    mix = read_mix(MIXES / "teacher.toml")
    wanted = ("phrases", "written", "written-prose", "himangy-bench", "tatoeba", "snakecult")
    assert not any(mix.groups[mix.group_of(source)].style_tag for source in wanted)
    others = ("chromium", "pmindia", "neetquiz", "openclaw", "uw-udb", "curify", "formal/tatoeba", "feminine/tatoeba")
    tags = [mix.groups[mix.group_of(source)].style_tag for source in others]
    assert all(tags)
    assert len(set(tags)) == len(tags)


def test_scripture_does_not_teach_how_people_are_addressed():
    mix = read_mix(MIXES / "teacher.toml")
    assert all(mix.groups[mix.group_of(f"{style}/uw-udb")].drop for style in ("formal", "informal", "feminine"))


def test_what_is_no_prose_is_not_asked_again():
    mix = read_mix(MIXES / "to-translate-back.toml")
    dropped = {source: mix.groups[mix.group_of(source)].drop for source in ("pmindia", "xquad", "uw-udb", "chromium")}
    assert dropped == {"pmindia": False, "xquad": False, "uw-udb": True, "chromium": True}


def test_phrases_of_the_recipe_are_pairs_and_none_is_asked_for_in_a_test():
    def plain(text):
        return " ".join(re.findall(r"[\wⓐ-ⓛ]+", text.lower()))

    def english(file):
        lines = file.read_text(encoding="utf-8").splitlines()
        return [plain(line.split("\t")[0]) for line in lines if line and not line.startswith("#")]

    phrases = ROOT / "recipes/en-hi/phrases.tsv"
    assert all(line.count("\t") == 2 for line in phrases.read_text(encoding="utf-8").splitlines())
    written = english(phrases)
    assert len(written) == len(set(written)) > 300
    with_placeholders = english(ROOT / "recipes/en-hi/placeholder_phrases.tsv")
    for test in ("everyday.tsv", "sample.tsv", "hard.tsv"):
        assert {*written, *with_placeholders}.isdisjoint(english(ROOT / "tests/shipped" / test))
