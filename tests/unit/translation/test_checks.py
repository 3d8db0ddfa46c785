"""Each check of a translation's meaning, on pairs that agree and pairs that do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhyan.translation.checks.agreement import FOLDER, Agreement, LanguageTables, language_tables
from dhyan.translation.checks.spaced import spaced

TO_HINDI = Agreement("en", "hi", "Latin", source_has_case=True)
TO_ENGLISH = Agreement("hi", "en", "Devanagari", source_has_case=False)


def kinds(source, target):
    agreement = TO_HINDI if source.isascii() else TO_ENGLISH
    return {one.kind for one in agreement.disagreements(source, target)}


def amounts(code, text):
    return [one.value for one in language_tables(code).numbers.amounts(spaced(text))]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("one hundred and fifty thousand people", [150_000]),
        ("two million, three hundred thousand and five", [2_000_000, 300_005]),
        ("between one hundred and two hundred", [100, 200]),
        ("from two thousand to three thousand", [2000, 3000]),
        ("twenty-five cows and thirty-one goats", [25, 31]),
        ("5 million dollars, 1.5 crore rupees and 2 lakh 50 thousand", [5e6, 1.5e7, 250_000]),
        ("1,50,000 or 150,000 or 3,5", [150_000, 150_000, 3.5]),
        ("two and a half thousand", [2500]),
        ("two dozen eggs", [24]),
        ("two-thirds of the twenty-first century", [21]),
        ("a twenty-second delay, two hundredths", [22, 20]),
        ("at 9:30 on 12/05/2024", []),
    ],
)
def test_english_amounts(text, values):
    assert amounts("en", text) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("एक लाख पचास हज़ार लोग", [150_000]),
        ("डेढ़ लाख लोग", [150_000]),
        ("साढ़े तीन करोड़ रुपये", [35_000_000]),
        ("सवा लाख", [125_000]),
        ("ढाई हजार", [2500]),
        ("एक सौ से पचास हजार", [100, 50_000]),
        ("पच्चीस और इकतीस", [25, 31]),
        ("५ लाख", [500_000]),
        ("दो-तिहाई", []),
        ("तेईसवाँ, तेईसवीं और 23वें", [23, 23, 23]),
    ],
)
def test_hindi_amounts(text, values):
    assert amounts("hi", text) == values


@given(st.integers(2, 10**9))
def test_every_grouping_of_digits_is_one_amount(number):
    digits = str(number)
    indian = digits if len(digits) < 4 else f"{_in_pairs(digits[:-3])},{digits[-3:]}"
    assert amounts("en", f"{number:,}") == amounts("hi", indian) == amounts("en", digits) == [number]


def _in_pairs(digits):
    first = len(digits) % 2
    return ",".join(filter(None, [digits[:first], *(digits[at : at + 2] for at in range(first, len(digits), 2))]))


AGREE = [
    ("One hundred and fifty thousand people came.", "डेढ़ लाख लोग आए।"),
    ("The city has two million inhabitants.", "शहर में बीस लाख निवासी हैं।"),
    ("A hundred people came.", "सौ लोग आए।"),
    ("Thousands of people came.", "हज़ारों लोग आए।"),
    ("The shop is open from 9 a.m. to 9 p.m.", "दुकान सुबह 9 बजे से रात 9 बजे तक खुली रहती है।"),
    ("He came between 9 and 11 a.m.", "वह सुबह 9 से 11 बजे के बीच आया।"),
    ("Lunch is at 12:30 p.m.", "दोपहर का खाना 12:30 PM पर है।"),
    ("I woke up at 2 a.m.", "मैं रात 2 बजे उठा।"),
    ("Come at nine in the morning.", "सुबह नौ बजे आना।"),
    ("I saw him one night.", "मैंने उसे एक रात देखा।"),
    ("Sales fell by 20% to 5 million.", "बिक्री 20% गिरकर 5 मिलियन हो गई।"),
    ("It rose from 10 to 20 rupees.", "यह 10 से बढ़कर 20 रुपये हो गया।"),
    ("The baby weighed 5 lb. 3 oz.", "बच्चे का वजन 5 पाउंड 3 औंस था।"),
    ("The limit is 30 mph.", "सीमा 30 mph है।"),
    ("He lives at No. 5.", "वह नंबर 5 पर रहता है।"),
    ("The exam is on Monday, 14 March.", "परीक्षा सोमवार, 14 मार्च को है।"),
    ("You may march in May.", "आप मई में मार्च कर सकते हैं।"),
    ("I told him not to go.", "मैंने उससे कहा कि न जाए।"),
    ("I did not tell him to go.", "मैंने उसे जाने के लिए नहीं कहा।"),
    ("He failed to appear.", "वह उपस्थित नहीं हुआ।"),
    ("No smoking.", "धूम्रपान निषेध।"),
    ("He is not only kind.", "वह केवल दयालु नहीं है।"),
    ("Long time no see!", "बहुत दिनों बाद मिले!"),
    ("He left without a word.", "वह बिना कुछ कहे चला गया।"),
    ("It is impossible.", "यह संभव नहीं है।"),
    ("Keep out of reach of children.", "बच्चों की पहुँच से दूर रखें।"),
    ("At least five people came.", "कम से कम पाँच लोग आए।"),
    ("Ask Google about the iPhone.", "Google से iPhone के बारे में पूछें।"),
    ("दुकान सुबह 9 बजे खुलती है।", "The shop opens at 9 a.m."),
    ("डेढ़ लाख लोग आए।", "150,000 people came."),
    ("The match starts at half past six.", "मैच साढ़े छह बजे शुरू होता है।"),
    ("Come at a quarter to 6.", "पौने छह बजे आइए।"),
    ("It was quarter past six.", "सवा छह बजे थे।"),
    ("We eat dinner at nine o'clock.", "हम नौ बजे रात का खाना खाते हैं।"),
    ("Don't wait for me.", "मेरा इंतज़ार मत कीजिए।"),
    ("They celebrate it every year.", "वे इसे हर साल मना रहे हैं।"),
    ("I was over the moon.", "मैं ख़ुशी से फूला नहीं समाया।"),
    ("It is the twenty-third of June, the 3rd day.", "23 जून है, तीसरा दिन।"),
    ("The 2nd and twenty-fifth floors", "दूसरी और पच्चीसवीं मंज़िल"),
    ("A twenty-second delay", "बीस सेकंड की देरी"),
    ("A third of them saw the third man.", "उनमें से एक तिहाई ने तीसरे आदमी को देखा।"),
    ("अठारहवीं सदी में", "In the 18th century"),
    ("उसे मत बताना।", "Don't tell him."),
    ("मुझे नहीं पता।", "I don't know."),
    ("उसने अपने मत का प्रयोग किया।", "He used his vote."),
    ("वह कल शाम 5 बजे आया।", "He came at 5 p.m. yesterday."),
    ("गाड़ी शाम साढ़े पाँच बजे आएगी।", "The car will come at half past five in the evening."),
    ("It began on March 1, as a test.", "यह 1 मार्च को एक परीक्षण के रूप में शुरू हुआ।"),
]


@pytest.mark.parametrize(("source", "target"), AGREE)
def test_what_agrees_raises_no_alarm(source, target):
    assert not kinds(source, target)


DISAGREE = [
    ("numbers", "One hundred and fifty thousand people came.", "एक सौ से पचास हजार लोग आए।"),
    ("numbers", "The city has two million inhabitants.", "शहर में दो लाख निवासी हैं।"),
    ("numbers", "It costs 5 million dollars.", "इसकी कीमत 5 लाख डॉलर है।"),
    ("numbers", "Fifteen of these rocks fell.", "इनमें से चौदह चट्टानें गिरीं।"),
    ("numbers", "Some of them fell.", "उनमें से पच्चीस गिरे।"),
    ("numbers", "The twenty-third edition", "सत्ताईसवाँ संस्करण"),
    ("numbers", "On the thirty-first of December", "तीस दिसंबर को"),
    ("numbers", "उन्नीसवीं सदी में", "In the eighteenth century"),
    ("times", "The shop is open from 9 a.m. to 9 p.m.", "दुकान 9 बजे से 9 बजे तक खुली रहती है।"),
    ("times", "The shop is open from 9 a.m. to 9 p.m.", "दुकान सुबह 9 बजे से 9 बजे तक खुली रहती है।"),
    ("times", "The shop is open from 8 a.m. to 8 p.m.", "दुकान रात 8 से सुबह 8 बजे तक खुली रहती है।"),
    ("times", "The meeting is at 9 p.m.", "बैठक सुबह 9 बजे है।"),
    ("times", "The meeting is at 9.", "बैठक सुबह 9 बजे है।"),
    ("times", "Sunset is at 7:12 p.m.", "सूर्यास्त दोपहर में 7:12 पर होता है।"),
    ("negation", "They tried not to laugh.", "उन्होंने हँसने की कोशिश नहीं की।"),
    ("changes", "Sales fell by 20% to $5 million.", "बिक्री 20% से $5 मिलियन तक गिर गई।"),
    ("changes", "Sales fell by 20% to $5 million.", "बिक्री 20% से $5 मिलियन हो गई।"),
    ("changes", "It rose from 10 to 20 rupees.", "यह 20 से 10 रुपये तक बढ़ा।"),
    ("units", "The baby weighed 5 lb. 3 oz.", "बच्चे का वजन 5 पाउंड 3 आंसू था।"),
    ("units", "It is 5 miles away.", "यह 5 किलोमीटर दूर है।"),
    ("names", "See rule No. 72.", "नियम न देखें 72।"),
    ("names", "The exam is on Monday.", "परीक्षा मंगलवार को है।"),
    ("names", "Keep out of reach of children.", "बच्चों की पहुँच से दूर रहें।"),
    ("negation", "I told him not to go.", "मैंने उसे जाने के लिए नहीं कहा।"),
    ("negation", "Don't lean against this wall.", "इस दीवार पर झुकें।"),
    ("negation", "He came.", "वह नहीं आया।"),
    ("negation", "Nobody came.", "लोग आए।"),
    ("doubling", "It is open at night.", "यह रात में रात में खुला है।"),
    ("leftovers", "The wreck was found.", "wreck मिल गया।"),
    ("leftovers", "C is a language.", "CCANS एक भाषा है।"),
    ("leftovers", "It is good.", "यह अच्छा \ufffd है।"),
    ("leftovers", "This is a long sentence about the history of trade in the old town.", "यह है।"),
    ("numbers", "शहर की आबादी बीस लाख है।", "The population of the city is twenty million."),
    ("times", "रात 10 बजे तक खुला है।", "It is open till 10 a.m."),
    ("negation", "उसे मत बताना।", "Tell him."),
    ("leftovers", "वह दुकान गया।", "He went to दुकान."),
]


@pytest.mark.parametrize(("kind", "source", "target"), DISAGREE)
def test_what_disagrees_is_found(kind, source, target):
    assert kind in kinds(source, target)


def test_a_note_says_what_may_be_wrong():
    found = TO_HINDI.disagreements("We open at 9:30 p.m.", "हम 9:30 बजे खुलते हैं।")
    assert [one.note for one in found] == ["the time 9:30 p.m. may be wrong"]


@pytest.mark.parametrize("code", sorted(path.stem for path in FOLDER.glob("*.toml")))
def test_a_language_that_has_no_tables_is_not_checked(code):
    nothing = LanguageTables.of({})
    known = language_tables(code)
    assert known.numbers.words
    assert known.negation.denies.pattern != nothing.negation.denies.pattern
    assert nothing.numbers.amounts(spaced("fifteen पंद्रह")) == []
    assert nothing.times.times(spaced("9 a.m.")) == []


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(source, target):
    for agreement in (TO_HINDI, TO_ENGLISH):
        assert all(one.note for one in agreement.disagreements(source, target))


def test_a_joiner_alone_is_no_number():
    assert TO_HINDI.source.rewriter.rewritten("two hundred and six \u200d apples", {"numbers"}) == [
        "206 \u200d apples"
    ]


def test_ordinals_become_digits():
    ordinals = "the twelfth, twenty-third and twenty-second, the hundred and second"
    assert TO_HINDI.source.rewriter.rewritten(ordinals, {"numbers"}) == [
        ordinals.replace("twelfth", "12th").replace("twenty-third", "23rd")
    ]
