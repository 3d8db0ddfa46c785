"""How the reader is addressed and who speaks: changed by rule where that is safe, left and noted where it is not."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from dhyan import Translator
from dhyan.core.errors import DhyanError
from dhyan.translation.register import in_register, register_of
from dhyan.translation.translated import TranslatedSentence, Translation

STORED = Path(__file__).parents[2] / "stored" / "pack-format-1"
HINDI = register_of("Devanagari")


@pytest.mark.parametrize(
    ("source", "formal", "informal"),
    [
        ("Where do you live?", "आप कहाँ रहते हैं?", "तुम कहाँ रहते हो?"),
        ("Your friends are here.", "आपके दोस्त यहाँ हैं।", "तुम्हारे दोस्त यहाँ हैं।"),
        ("Will you come?", "क्या आप आएँगे?", "क्या तुम आओगे?"),
        ("They say you are right.", "वे कहते हैं कि आप सही हैं।", "वे कहते हैं कि तुम सही हो।"),
        ("You work and they sleep.", "आप काम करते हैं और वे सोते हैं।", "तुम काम करते हो और वे सोते हैं।"),
        ("Open the box and wait.", "डिब्बा खोलें और प्रतीक्षा करें।", "डिब्बा खोलो और प्रतीक्षा करो।"),
        ("What did you eat?", "आपने क्या खाया?", "तुमने क्या खाया?"),
        ("You need rest.", "आपको आराम चाहिए।", "तुम्हें आराम चाहिए।"),
        ("Go home.", "घर जाएँ।", "घर जाओ।"),
        ("You must be tired.", "आप थक गए होंगे।", "तुम थक गए होगे।"),
    ],
)
def test_formality_both_ways(source, formal, informal):
    assert HINDI.in_formality(source, formal, "informal") == (informal, True)
    assert HINDI.in_formality(source, informal, "formal") == (formal, True)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("The books are here.", "किताबें यहाँ हैं।"),
        ("It opens by itself.", "यह अपने आप खुल जाता है।"),
        ("We may go.", "हम जाएँ।"),
        ("New books", "नई किताबें"),
    ],
)
def test_what_has_no_reader_in_it_stays(source, text):
    assert HINDI.in_formality(source, text, "informal") == (text, True)


def test_polite_requests_by_their_form():
    said, _ = HINDI.in_formality("Please close the door.", "कृपया दरवाज़ा बंद कर दीजिए।", "informal")
    assert said == "कृपया दरवाज़ा बंद कर दो।"
    said, sure = HINDI.in_formality("Take an umbrella because it may rain.", "छाता ले जाइए।", "informal")
    assert (said, sure) == ("छाता ले जाओ।", True)
    requests = {"कल आइएगा": "कल आना", "मुँह खोलिए": "मुँह खोलो", "मत भूलिएगा": "मत भूलना", "मत छुइए": "मत छुओ"}
    for polite, plain in requests.items():
        assert HINDI.in_formality("?", f"{polite}।", "informal") == (f"{plain}।", True)
    assert HINDI.in_formality("?", "इसके लिए पैसे चाहिए।", "informal") == ("इसके लिए पैसे चाहिए।", True)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("If you want, you can go.", "अगर आप चाहें, तो जा सकते हैं।"),  # whose verb is the second?
        ("You sing and dance.", "आप गाते हैं और नाचते हैं।"),
        ("You people sing.", "आप लोग गाते हैं।"),
        ("It would be good.", "अच्छा हो कि घर जाएँ।"),  # a wish, or a request?
    ],
)
def test_what_the_rules_cannot_tell_apart_stays(source, text):
    assert HINDI.in_formality(source, text, "informal") == (text, False)


@pytest.mark.parametrize(
    ("masculine", "feminine"),
    [
        ("मैं घर जा रहा हूँ।", "मैं घर जा रही हूँ।"),
        ("मैं कल 9 बजे आऊँगा।", "मैं कल 9 बजे आऊँगी।"),
        ("मैं थक गया था।", "मैं थक गई थी।"),
        ("मैं पुणे में रहता हूँ और मैं वहाँ काम करता हूँ।", "मैं पुणे में रहती हूँ और मैं वहाँ काम करती हूँ।"),
        ("मैं अकेला हूँ।", "मैं अकेली हूँ।"),
        ("मैं नहीं जा सकता।", "मैं नहीं जा सकती।"),
        ("मैं चाबी घर पर भूल गया।", "मैं चाबी घर पर भूल गई।"),
        ("मैं आपको बता दूँगा।", "मैं आपको बता दूँगी।"),
        ("मैं गाड़ी नहीं चला रहा था।", "मैं गाड़ी नहीं चला रही थी।"),
        ("मैं बूढ़ा हो गया हूँ।", "मैं बूढ़ी हो गई हूँ।"),
        ("मैं सोचता रहूँगा।", "मैं सोचती रहूँगी।"),
        ("माफ़ी चाहता हूँ।", "माफ़ी चाहती हूँ।"),
        ("मैं घर गया और वह आया।", "मैं घर गई और वह आया।"),
    ],
)
def test_the_speakers_gender_both_ways(masculine, feminine):
    assert HINDI.in_gender(masculine, "feminine") == (feminine, True)
    assert HINDI.in_gender(feminine, "masculine") == (masculine, True)


@pytest.mark.parametrize(
    "text", ["मैं नेता हूँ।", "मैंने खाना खाया।", "मेरा भाई आया था।", "वह जा रहा है।", "मैं डॉक्टर हूँ।", "मुझे पता है।"]
)
def test_what_does_not_agree_with_the_speaker_stays(text):
    assert HINDI.in_gender(text, "feminine") == (text, True)


def test_a_clause_whose_speaker_is_not_named_leaves_the_sentence():
    text = "मैं जल्दी उठा और सैर के लिए चला गया।"
    assert HINDI.in_gender(text, "feminine") == (text, False)


def said(source, text):
    return Translation(source, text, sentences=(TranslatedSentence(source, text),))


@pytest.mark.parametrize(
    ("translation", "formality", "gender", "tag", "text", "notes"),
    [
        (said("You?", "आप?"), "informal", None, None, "तुम?", ["style: informal, by rule"]),
        (said("Rain.", "वर्षा।"), "informal", None, None, "वर्षा।", ["style: informal: nothing had to change"]),
        (said("You?", "तुम?"), "informal", None, "informal", "तुम?", ["style: informal, as the pack was trained to"]),
        (
            said("You and I go.", "आप चाहें, तो जा सकते हैं।"),
            "informal",
            None,
            None,
            "आप चाहें, तो जा सकते हैं।",
            ["style: informal was not possible in a sentence, which the rules cannot tell apart"],
        ),
        (
            said("I go to you.", "मैं आपके पास जाता हूँ।"),
            "informal",
            "feminine",
            None,
            "मैं तुम्हारे पास जाती हूँ।",
            ["style: informal, by rule", "style: feminine, by rule"],
        ),
    ],
)
def test_a_note_says_what_was_chosen(translation, formality, gender, tag, text, notes):
    found = in_register(translation, HINDI, formality, gender, tag)
    assert (found.text, list(found.notes)) == (text, notes)


def test_a_language_without_rules_is_said():
    found = in_register(said("आप", "you"), None, "informal", None, None)
    assert found.notes[0].startswith("style: informal is not possible: the pack was not trained for it")


@pytest.fixture(scope="module")
def tiny():
    return Translator.load(STORED / "translator", threads=1)


def test_what_a_translator_can_be_asked_for(tiny, monkeypatch):
    with pytest.raises(DhyanError, match=r"formality = 'formall': it is auto or formal or informal \(did you mean"):
        tiny.formality = "formall"
    with pytest.raises(DhyanError, match="gender = 'x': it is feminine or masculine"):
        tiny.gender = "x"
    sent = []
    source = tiny.sentence_translator.source
    encode = source.encode_batch
    monkeypatch.setattr(source, "encode_batch", lambda texts: sent.extend(texts) or encode(texts))
    tags = tiny.pack.manifest.model_copy(update={"style_tags": {"informal": "②"}})
    monkeypatch.setattr(tiny, "pack", replace(tiny.pack, manifest=tags))
    tiny.formality = "informal"
    found = tiny.translate("Polish the silver.")
    assert "② Polish the silver." in sent
    assert "style: informal, as the pack was trained to" in found.notes
    tiny.formality = "auto"
    assert not [note for note in tiny.translate("Polish the silver.").notes if note.startswith("style:")]


def test_what_was_asked_for_survives_pickling(tiny):
    tiny.gender = "feminine"
    assert pickle.loads(pickle.dumps(tiny)).gender == "feminine"
    tiny.gender = None
