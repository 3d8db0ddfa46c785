"""Hindi in Latin letters, as people type it: no scheme, but habits that differ from one writer to the next.

A writer is drawn for every sentence; the writer decides once whether a long vowel is doubled, whether v is w, and so
on. English words that Hindi has borrowed are written as in English where a list knows them.
"""

import random
import re

CONSONANTS = {
    "क": "k", "ख": "kh", "ग": "g", "घ": "gh", "ङ": "n", "च": "ch", "छ": "chh", "ज": "j", "झ": "jh", "ञ": "n",
    "ट": "t", "ठ": "th", "ड": "d", "ढ": "dh", "ण": "n", "त": "t", "थ": "th", "द": "d", "ध": "dh", "न": "n",
    "प": "p", "फ": "ph", "ब": "b", "भ": "bh", "म": "m", "य": "y", "र": "r", "ल": "l", "व": "v", "श": "sh",
    "ष": "sh", "स": "s", "ह": "h", "ळ": "l", "\u0958": "q", "\u0959": "kh", "\u095a": "g", "\u095b": "z",
    "\u095c": "d", "\u095d": "dh", "\u095e": "f", "\u095f": "y", "\u0929": "n", "\u0931": "r",
}  # fmt: skip
VOWELS = {
    "अ": "a", "आ": "A", "इ": "i", "ई": "I", "उ": "u", "ऊ": "U", "ऋ": "ri", "ए": "e", "ऐ": "ai", "ओ": "o", "औ": "au",
    "ऑ": "o", "ऍ": "e", "ऎ": "e", "ऒ": "o",
}  # fmt: skip
SIGNS = {
    "ा": "A", "ि": "i", "ी": "I", "ु": "u", "ू": "U", "ृ": "ri", "े": "e", "ै": "ai", "ो": "o", "ौ": "au", "ॉ": "o",
    "ॅ": "e", "ॆ": "e", "ॊ": "o",
}  # fmt: skip
NUKTA, VIRAMA = "़", "्"
WORD = re.compile("[\u0900-\u0963\u0970-\u097f]+")
LATIN_WORD = re.compile("[A-Za-z]{3,}")
DOTTED = re.compile("([कखगजडढफयरन])\u093c")
ONE_LETTER = dict(zip("कखगजडढफयनर", "\u0958\u0959\u095a\u095b\u095c\u095d\u095e\u095f\u0929\u0931", strict=True))


def one_letter(text: str) -> str:
    """A letter and the dot under it as one character."""
    return DOTTED.sub(lambda found: ONE_LETTER[found[1]], text)


# What nearly everybody writes in one of a few ways; the likelier ones stand first.
COMMON = {
    "है": "hai hai hai h he", "हैं": "hain hai hain h", "हूँ": "hoon hu hun hoon", "हूं": "hoon hu hun",
    "हो": "ho", "नहीं": "nahi nahi nahin nhi nai", "में": "mein me mein main", "मैं": "main main mai me",
    "मैंने": "maine mene maine", "क्या": "kya kya kia", "क्यों": "kyon kyu kyun kyo", "क्यूँ": "kyun kyu",
    "कैसे": "kaise kese", "कैसा": "kaisa kesa", "कैसी": "kaisi", "कौन": "kaun kon", "कहाँ": "kahan kaha",
    "कहां": "kahan kaha", "यहाँ": "yahan yaha", "यहां": "yahan yaha", "वहाँ": "wahan vahan waha",
    "वहां": "wahan waha", "यह": "yeh ye yah", "ये": "ye yeh", "वह": "woh wo vo vah", "वो": "wo woh vo",
    "वे": "ve we", "और": "aur or aur", "का": "ka", "की": "ki", "के": "ke k", "को": "ko", "से": "se", "ने": "ne",
    "पर": "par pe par", "पे": "pe", "भी": "bhi", "ही": "hi", "तो": "to toh", "था": "tha", "थी": "thi",
    "थे": "the", "हम": "hum ham", "आप": "aap aap ap", "तुम": "tum", "मेरा": "mera", "मेरी": "meri",
    "मेरे": "mere", "आपका": "aapka apka", "आपकी": "aapki apki", "आपके": "aapke apke", "आपको": "aapko apko",
    "मुझे": "mujhe muje", "तुझे": "tujhe", "उसे": "use usey", "हमें": "humein hame hamein",
    "तुम्हें": "tumhe tumhein", "उन्हें": "unhe unhein", "कुछ": "kuch kuchh", "अच्छा": "accha acha achha",
    "अच्छी": "achhi achi", "अच्छे": "ache achhe", "बहुत": "bahut bahut bohot bhot", "ठीक": "theek thik",
    "लिए": "liye lie", "लिये": "liye", "साथ": "saath sath", "बात": "baat bat", "काम": "kaam kam",
    "नाम": "naam nam", "आज": "aaj aj", "कल": "kal", "अब": "ab", "अभी": "abhi", "कभी": "kabhi", "फिर": "phir fir",
    "बाद": "baad bad", "पहले": "pehle pahle", "दिन": "din", "रात": "raat rat", "घर": "ghar", "पानी": "pani paani",
    "खाना": "khana", "लोग": "log", "लोगों": "logon logo", "करना": "karna", "करने": "karne", "करता": "karta",
    "करते": "karte", "करती": "karti", "कर": "kar kr", "किया": "kiya kia", "गया": "gaya gya", "गई": "gayi gai gyi",
    "गए": "gaye gae", "गये": "gaye", "रहा": "raha rha", "रही": "rahi rhi", "रहे": "rahe rhe", "होता": "hota",
    "होती": "hoti", "हुआ": "hua", "हुई": "hui", "हुए": "hue", "जाना": "jana jaana", "चाहिए": "chahiye chaiye",
    "एक": "ek", "दो": "do", "कि": "ki", "या": "ya", "अगर": "agar", "लेकिन": "lekin", "मगर": "magar",
    "क्योंकि": "kyonki kyunki", "हाँ": "haan ha han", "हां": "haan ha", "जी": "ji", "भाई": "bhai",
    "सकता": "sakta", "सकते": "sakte", "सकती": "sakti", "वाला": "wala vala", "वाले": "wale", "वाली": "wali",
    "अपना": "apna", "अपनी": "apni", "अपने": "apne", "सब": "sab", "कोई": "koi", "कितना": "kitna", "कितने": "kitne",
    "समय": "samay", "ज़्यादा": "zyada jyada", "ज्यादा": "zyada jyada", "थोड़ा": "thoda", "बड़ा": "bada",
    "छोटा": "chota chhota", "इस": "is", "उस": "us", "इसे": "ise", "उन": "un", "इन": "in", "हर": "har",
    "तक": "tak", "बजे": "baje", "रुपये": "rupaye rupye", "धन्यवाद": "dhanyavaad dhanyawad", "नमस्ते": "namaste",
    "कृपया": "kripya", "लगता": "lagta", "पता": "pata", "मत": "mat", "न": "na", "ना": "na", "चलो": "chalo",
    "यार": "yaar", "ऐसा": "aisa", "जब": "jab", "तब": "tab", "जो": "jo", "दे": "de", "ले": "le", "होगा": "hoga",
    "होगी": "hogi", "जाए": "jaye jae", "पास": "paas pas", "बस": "bas",
}  # fmt: skip


ALIKE = [pair.split("=") for pair in ["ph=f", "ck=k", "ch=C", "sh=S", "c=k", "q=k", "x=ks", "w=v", "z=j"]]  # sounds


def frame(word: str) -> str:
    """The consonants of a word in Latin letters as they sound: those of office and of "ofis" are the same."""
    word = re.sub(r"c(?=[eiy])", "s", word.lower())
    for letters, sound in ALIKE:
        word = word.replace(letters, sound)
    return re.sub(r"(.)\1+", r"\1", re.sub(r"[^bdfgjklmnprstvCS]", "", word))


class Romaniser:
    def __init__(self, borrowed: dict[str, str]) -> None:
        self.borrowed = {one_letter(word): english for word, english in borrowed.items()}
        self.common = {one_letter(word): ways.split() for word, ways in COMMON.items()}
        self.heard: dict[str, str] = {}
        self.frames: dict[str, str] = {}

    def __call__(self, text: str, draw: random.Random, english: str = "") -> str:
        """english: what the text means; a word of it that sounds the same is what was borrowed."""
        writer = {
            "aa": draw.random() < 0.45, "ee": draw.random() < 0.35, "oo": draw.random() < 0.3,
            "w": draw.random() < 0.4, "chh": draw.random() < 0.5, "f": draw.random() < 0.5,
            "r": draw.random() < 0.25, "z": draw.random() < 0.6, "habit": draw.random() < 0.5,
        }  # fmt: skip
        there = {frame(word): word.lower() for word in LATIN_WORD.findall(english)}
        return WORD.sub(lambda found: self.word(found[0], writer, draw, there), one_letter(text))

    def word(self, word: str, writer: dict[str, bool], draw: random.Random, there: dict[str, str]) -> str:
        if ways := self.common.get(word):
            return ways[0] if writer["habit"] else draw.choice(ways)
        if word in self.borrowed and draw.random() < 0.9:
            return self.borrowed[word]
        if word not in self.heard:
            self.heard[word] = sounds(word)
            self.frames[word] = frame(self.heard[word])
        if len(self.frames[word]) >= 3 and self.frames[word] in there:
            return there[self.frames[word]]
        return spelt(self.heard[word], writer)


def sounds(word: str) -> str:
    """The sounds of a word, long vowels as capitals, without the vowels that are written but not spoken."""
    units: list[list[str]] = []  # consonant, vowel; "*" is a vowel that may be silent
    nasal: list[int] = []
    for character in word:
        if character in CONSONANTS:
            units.append([CONSONANTS[character], "*"])
        elif character in VOWELS:
            units.append(["", VOWELS[character]])
        elif character in SIGNS and units:
            units[-1][1] = SIGNS[character]
        elif character == VIRAMA and units:
            units[-1][1] = ""
        elif character in "ंँ" and units:
            if units[-1][1] == "*":
                units[-1][1] = "a"
            units.append(["n", ""])
            nasal.append(len(units) - 1)
        elif character == "ः" and units:
            units.append(["h", ""])
        elif character == NUKTA and units:
            continue
    for place in nasal:  # m before the lips
        if place + 1 < len(units) and units[place + 1][0][:1] in ("p", "b", "m"):
            units[place][0] = "m"
    if units and units[-1][1] == "*":
        units[-1][1] = "" if len(units) > 1 else "a"
    for place in range(len(units) - 2, 0, -1):  # a silent vowel stands between a vowel and a consonant with one
        if units[place][1] == "*":
            before, after = units[place - 1], units[place + 1]
            silent = before[1] not in ("",) and after[1] not in ("", "*") and after[0]
            units[place][1] = "" if silent else "a"
    return "".join(consonant + ("a" if vowel == "*" else vowel) for consonant, vowel in units)


def spelt(heard: str, writer: dict[str, bool]) -> str:
    end = heard[-1:]
    body = heard[:-1] + {"A": "a", "I": "i", "U": "u"}.get(end, end)
    body = body.replace("A", "aa" if writer["aa"] else "a")
    body = body.replace("I", "ee" if writer["ee"] else "i").replace("U", "oo" if writer["oo"] else "u")
    if writer["w"]:
        body = body.replace("v", "w")
    if not writer["chh"]:
        body = body.replace("chh", "ch")
    if writer["f"]:
        body = body.replace("ph", "f")
    if not writer["z"]:
        body = body.replace("z", "j")
    return body.replace("q", "k")
