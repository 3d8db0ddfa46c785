"""Hindi in Latin letters: which short a is spoken, and ISO 15919."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dhyan import DhyanError, romanise

# Words and how they are spoken. The silent a is what is hard.
SPOKEN = """
आप aap, हम ham, तुम tum, कल kal, घर ghar, काम kaam, नाम naam, रात raat, दिन din, आज aaj, बात baat,
हाथ haath, पैर pair, आँख aankh, कान kaan, नाक naak, मुँह munh, दाँत daant, बाल baal, पेट pet,
नमक namak, सड़क sadak, शहर shahar, कमल kamal, गरम garam, नरम naram, सफल saphal, अलग alag, गलत galat,
समय samay, विषय vishay, हृदय hriday, औरत aurat, भारत bhaarat, बचत bachat, जगह jagah, तरह tarah,
वजह vajah, बहन bahan, लड़का ladka, लड़की ladki, लड़कियाँ ladkiyaan, कमरा kamra, चमड़ा chamda,
कपड़ा kapda, पहला pahla, दूसरा doosra, तीसरा teesra, करना karna, करता karta, करते karte, सकता sakta,
रहना rahna, कहना kahna, सुनना sunna, चलना chalna, समझना samajhna, बदलना badalna, निकलना nikalna,
पकड़ना pakadna, समझता samajhta, निकला nikla, बदला badla, चमकीला chamkeela, सरकार sarkaar,
दरवाज़ा darvaaza, खिड़की khidki, आदमी aadmi, असली asli, नकली nakli, जनता janta, मानसिक maansik,
विकसित viksit, राजनीति raajneeti, उपयोग upyog, अनुभव anubhav, बचपन bachpan, मतलब matlab,
जानवर jaanvar, हलचल halchal, कसरत kasrat, धड़कन dhadkan, बरसात barsaat, आसमान aasmaan,
मुसलमान musalmaan, सोमवार somvaar, मंगलवार mangalvaar, बुधवार budhvaar, रविवार ravivaar,
ग्यारह gyaarah, तेरह terah, अठारह athaarah, इसका iska, उसका uska, जिसका jiska, किसका kiska,
इसने isne, उसने usne, उन्होंने unhonne, मैंने mainne, भगवान bhagvaan, पहचान pahchaan, मेहमान mehmaan,
मेहनत mehnat, बहुत bahut, रहते rahte, महँगा mahanga, आवश्यकता aavashyakta,
प्रधानमंत्री pradhaanmantri, अध्यापक adhyaapak, पत्रकार patrakaar, विद्यालय vidyaalay,
विश्वविद्यालय vishvavidyaalay, मित्र mitra, पत्र patra, केंद्र kendra, राष्ट्र raashtra,
समुद्र samudra, चंद्र chandra, सत्य satya, राज्य raajya, कार्य kaarya, सूर्य soorya, मूल्य moolya,
विश्व vishva, तत्व tatva, प्रिय priya, भारतीय bhaartiya, धर्म dharm, कर्म karm, शब्द shabd,
वर्ष varsh, अर्थ arth, जन्म janm, प्रेम prem, क्रम kram, ज्ञान gyaan, विज्ञान vigyaan, यज्ञ yagya,
क्षमा kshama, क्षेत्र kshetra, शिक्षा shiksha, ऋषि rishi, कृपया kripya, प्रकृति prakriti,
संस्कृत sanskrit, दुःख duhkh, अतः atah, हिन्दी hindi, हिंदी hindi, अंग्रेज़ी angrezi, पंडित pandit,
संपादक sampaadak, संबंध sambandh, मुंबई mumbai, गंगा ganga, चाँद chaand, यहाँ yahaan, वहाँ vahaan,
कहाँ kahaan, नहीं nahin, क्यों kyon, हैं hain, मैं main, में mein, हूँ hoon, लिए liye, दिए diye,
चाहिए chaahiye, गए gaye, गई gayi, नई nayi, आए aaye, आई aai, भाई bhaai, लड़ाई ladaai, जाऊँगा jaaunga,
हुआ hua, हुई hui, पानी paani, रोटी roti, चीनी cheeni, दूध doodh, फूल phool, फल phal, फ़ोन fon,
ज़मीन zameen, क़लम qalam, ग़लत ghalat, ख़बर khabar, सफ़र safar, बाज़ार baazaar, ऑफ़िस ofis,
डॉक्टर doktar, अच्छा achchha, बच्चा bachcha, पत्थर patthar, मक्खी makkhi, छोटा chhota, बड़ा bada,
पढ़ना padhna, थोड़ा thoda, टूटना tootna, डरना darna, नमस्ते namaste, धन्यवाद dhanyavaad,
स्वागत svaagat, ईद eed, ऊँट oont, ऐनक ainak, ओस os, असफल asafal, लोकसभा loksabha, नियमित niyamit,
पंजीकरण panjeekaran, जीपीएस jeepies
"""
PAIRS = [tuple(pair.split()) for pair in SPOKEN.replace("\n", " ").split(",")]


def test_there_are_many_words():
    assert len(dict(PAIRS)) >= 200


@pytest.mark.parametrize(("word", "spoken"), PAIRS)
def test_words_as_they_are_spoken(word, spoken):
    assert romanise(word) == spoken


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("समझना", "samajhanā"),
        ("लड़का", "laṛakā"),
        ("ज्ञान", "jñāna"),
        ("ऋषि", "r̥ṣi"),
        ("हूँ", "hūm̐"),
        ("संस्कृत", "saṁskr̥ta"),
        ("दुःख", "duḥkha"),
        ("अंग्रेज़ी", "aṁgrēzī"),
        ("ऑफ़िस", "ôfisa"),
        ("ठण्डा", "ṭhaṇḍā"),
        ("कइयों", "ka:iyōṁ"),
        ("क्षेत्र", "kṣētra"),
    ],
)
def test_iso_15919(text, iso):
    assert romanise(text, "iso") == iso


def test_what_is_not_devanagari_stays():
    text = "आपका कोड {code} है: १२ मिनट, see https://example.org/?q=कल।"
    assert romanise(text) == "aapka kod {code} hai: 12 minat, see https://example.org/?q=kal."
    assert romanise("Hello, Привет 😀") == "Hello, Привет 😀"


def test_letters_of_one_character_or_two_are_the_same():
    for word in ("लड़का", "पढ़ाई", "ज़मीन", "फ़ोन"):
        composed = word.replace("ड\u093c", "\u095c").replace("ढ\u093c", "\u095d").replace("ज\u093c", "\u095b")
        for scheme in ("plain", "iso"):
            assert romanise(composed, scheme) == romanise(word, scheme)


@given(st.text(st.characters(min_codepoint=0x0900, max_codepoint=0x097F) | st.sampled_from(" a,।"), max_size=40))
def test_any_text_comes_out_without_devanagari(text):
    letters = [one for one in text if unicodedata.category(one) in ("Lo", "Nd")]
    for scheme in ("plain", "iso"):
        said = romanise(text, scheme)
        if letters and all("\u0905" <= one <= "\u0939" for one in letters):
            assert not [one for one in said if "\u0904" <= one <= "\u0939"]


def test_wrong_arguments_are_refused():
    with pytest.raises(DhyanError, match=r"scheme = 'isso': it is plain or iso \(did you mean 'iso'\?\)"):
        romanise("कल", "isso")
    with pytest.raises(DhyanError, match="must be a str, not int"):
        romanise(3)
