"""Short forms of messages are spelt out before the model reads them, and nothing else is touched."""

from types import SimpleNamespace

import pytest

import dhyan
from dhyan.translation import TextPipeline
from dhyan.translation.checks.agreement import Agreement, language_tables
from dhyan.translation.source_language import SourceLanguage
from dhyan.translation.spelt_out import spelt_out
from support.javascript import call_javascript

ENGLISH = language_tables("en").short_forms
TO_HINDI = Agreement("en", "hi", "Latin", source_has_case=True)
CARE = "../../../../tests/support/care_for_text.mjs"
MESSAGES = {
    "idk where u r": "I don't know where you are",
    "Thx 4 everything, c u tmrw": "Thanks for everything, see you tomorrow",
    "r u free 2nite?": "are you free tonight?",
    "dont wanna go 2day": "don't want to go today",
    "U r late, ur welcome": "You are late, you're welcome",
    "PLS wait, u'll b fine": "Please wait, you'll b fine",
    "lol nvm, what 2 do": "haha, never mind, what to do",
    "its gr8 w/ u b4 we go": "its great with you before we go",
    "lets meet, im at ur place": "let's meet, I'm at your place",
    "wat r u doing rn": "what are you doing right now",
    "il b late 2mro, dnt wait 4 me n d kids": "I'll be late tomorrow, don't wait for me and the kids",
    "k thx, im so sory": "ok thanks, I'm so sorry",
}
MISSPELT = {
    "Recieve it tommorow, thier house is beutiful": "Receive it tomorrow, their house is beautiful",
    "LATEST GOVERMENT JOBS, Goverment Jobs": "LATEST GOVERNMENT JOBS, Government Jobs",
    "Nooooo, soooo goood, Helllo!": "No, so good, Hello!",
    "Mon–Fri 9am–6pm, Sat 10am–2pm, Sun closed": "Monday–Friday 9am–6pm, Saturday 10am–2pm, Sunday closed",
    "ABC Pvt. Ltd. and XYZ Pvt. Ltd.": "ABC Private Limited and XYZ Private Limited.",
    "Tel: +91 22 2345 6789, min. temp. 3": "Telephone: +91 22 2345 6789, minimum temperature 3",
    'a 32" TV, up to 48" wide': "a 32-inch TV, up to 48-inch wide",
    "3 yrs old, 5 yrs.": "3 years old, 5 years.",
    "hi rahul": "Hello rahul",
    "Warm regards,": "With best wishes,",
    "Thanks & Regards,": "Thanks and best wishes,",
    "on Mon or Tue, 6 mths": "on Monday or Tuesday, 6 months",
    "Kindly do the needful.": "Kindly take the necessary action.",
    "Please find attached my CV.": "I have attached my CV.",
    "Your a/c XX12 is debited by Rs. 2,500.00 today": "Rs. 2,500.00 has been deducted from your account XX12 today",
    "SERVES 4": "Enough for 4 people",
}
AS_WRITTEN = "Thx 4 everything.  brb.\nwhat 2 do"
OTHERS = [
    "Haran died in the city of Ur.",
    "Hi-fi, hi there, say hi.",
    "Haplogroup U (mtDNA)",
    "She has been an RN at the IMO since 2004.",
    "In v = u + at, a is acceleration; u, v and w are vectors.",
    "The letter u follows t.",
    "R is a language for statistics, and C and D are others.",
    "We need 2 eggs and 4 tomatoes.",
    "This app lets you pay 4 US dollars.",
    "Set `u` to $u$ or %u at u.example.org, or write to u@example.org.",
    "Drop a rook at b4, then at B4.",
    "Angkor Wat is a temple; Doro wat is a stew.",
    "GM sells cars, and NP estimates the cost.",
    "The area of a circle is pi times r squared, where r is the radius.",
    "Let n be a number; the sum of n terms is n, and I'd add d in b dimensions.",
    "Mr Teh and Mrs Thier saw the www and XXX; she sat, the sun shone, they wed to please him.",
    'He is 6\'2" tall and said, "I have 48" and left.',
    "Its pH 7.4 is that of thier.example.org, `thier` and recieve().",
    "Truly! It serves 4 people with my regards; revert the changes and find attached files.",
    "The trains r1 and r2 leave the den at the hr office in 2 weeks.",
]


@pytest.mark.parametrize(("message", "spelt_out"), [*MESSAGES.items(), *MISSPELT.items()])
def test_messages_are_spelt_out(message, spelt_out):
    assert ENGLISH.spelt_out(message) == spelt_out


@pytest.mark.parametrize("text", OTHERS)
def test_names_symbols_and_numbers_stay(text):
    assert ENGLISH.spelt_out(text) == text


def test_the_model_reads_them_so_and_the_sentence_stays_the_users():
    read = []

    def translate(sentences, strict):
        read.extend(sentences)
        return [f"({one})" for one in sentences]

    pipeline = TextPipeline(translate, agreement=TO_HINDI)
    found, same = pipeline.translate(["thx! Gonna call u now.\nYes.", "thx! brb, wait."])
    assert read == ["thanks!", "Going to call you now.", "Yes.", "I'll be right back, wait."]
    assert found.text == "(thanks!) (Going to call you now.)\n(Yes.)"
    assert [one.source for one in found.sentences] == ["thx!", "Gonna call u now.", "Yes."]
    assert (same.source, same.text) == ("thx! brb, wait.", "(thanks!) (I'll be right back, wait.)")


def test_a_message_that_looks_foreign_is_translated():
    pipeline = TextPipeline(
        lambda sentences, strict: [f"({one})" for one in sentences],
        agreement=TO_HINDI,
        source_language=SourceLanguage("en", "hi"),
        target_script="DEVANAGARI",
    )
    asked = ["y r u cryin? tel me", "c u l8r", "Je ne sais pas où il est allé hier soir."]
    message, later, french = pipeline.translate(asked)
    assert (message.text, later.text) == ("(why are you crying? tell me)", "(see you later)")
    assert french.text == asked[2]
    assert french.notes


def test_labels_of_programs_are_left_as_they_are():
    pipeline = TextPipeline(lambda sentences, strict: list(sentences), agreement=TO_HINDI)
    assert pipeline.translate(["Pics"], style="ui")[0].text == "Pics"


def test_the_meaning_of_a_message_survives():
    translate = dhyan.load("en-hi", threads=1)
    assert "नहीं पता" in translate("idk where he is")
    assert "4" not in translate("thx 4 ur help")


def test_the_browser_spells_out_the_same():
    texts = [*MESSAGES, *MISSPELT, *OTHERS]
    found = call_javascript(CARE, "speltOut", [["en", text] for text in texts])
    assert found == [*map(ENGLISH.spelt_out, texts)]


@pytest.mark.parametrize(
    ("languages", "read"),
    [
        (("en", "hi"), "Thanks for everything.  I'll be right back.\nwhat to do"),
        (("hi", "en"), AS_WRITTEN),
        (("en", "xx"), AS_WRITTEN),
    ],
)
def test_what_the_model_reads_of_a_text(languages, read):
    manifest = {"task": "translate", **dict(zip(("source_language", "target_language"), languages, strict=True))}
    assert spelt_out(SimpleNamespace(manifest=SimpleNamespace(**manifest)), AS_WRITTEN) == read
    assert call_javascript(CARE, "asRead", [[manifest, AS_WRITTEN]]) == [read]
