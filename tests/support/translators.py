"""Translators to be careful with: a word-for-word one, an exact copier, and several that break what they touch."""

import re

WORDS = {
    "hello": "नमस्ते",
    "world": "दुनिया",
    "good": "अच्छा",
    "morning": "सुबह",
    "the": "वह",
    "bank": "तट",
    "river": "नदी",
    "is": "है",
    "open": "खुला",
    "now": "अब",
    "visit": "देखें",
    "i": "मैं",
    "have": "रखता",
    "apples": "सेब",
    "and": "और",
    "pears": "नाशपाती",
    "price": "दाम",
    "please": "कृपया",
    "wait": "रुकें",
    "for": "लिए",
    "new": "नया",
    "policy": "नीति",
    "government": "सरकार",
    "farmers": "किसान",
    "announces": "घोषित",
    "how": "कैसे",
    "to": "को",
    "make": "बनाएँ",
    "tea": "चाय",
    "ok": "ठीक",
    "yes": "हाँ",
    "no": "नहीं",
    "bye": "विदा",
    "first": "पहला",
    "second": "दूसरा",
    "line": "पंक्ति",
    "use": "प्रयोग",
    "file": "फ़ाइल",
    "write": "लिखें",
    "at": "पर",
    "train": "रेल",
    "comes": "आती",
}
_WORD = re.compile(r"[A-Za-z]+")


class Dictionary:
    """Word for word into Hindi, a full stop into a danda. It only knows ordinary case, and remembers its batches."""

    def __init__(self):
        self.batches = []

    def __call__(self, texts, strict):
        self.batches.append((list(texts), strict))
        return [_WORD.sub(_translated, text).removesuffix(".") + "।" * text.endswith(".") for text in texts]


def _translated(found):
    word = found[0]
    known = WORDS.get(word) or (WORDS.get(word.lower()) if word[1:].islower() or len(word) == 1 else None)
    return known or word


def identity(texts, strict):
    return list(texts)


def spoilt(change):
    """The dictionary with every answer spoilt in one way."""
    dictionary = Dictionary()
    return lambda texts, strict: [change(answer) for answer in dictionary(texts, strict)]


DIGITS_TO_DEVANAGARI = str.maketrans("0123456789", "०१२३४५६७८९")

HOSTILE = {
    "drops numbers": spoilt(lambda text: re.sub(r"\d+", "", text)),
    "drops numbers and capitals": spoilt(lambda text: re.sub(r"\d+|[A-Z]{2,}", "", text)),
    "doubles numbers": spoilt(lambda text: re.sub(r"\d+", r"\g<0> \g<0>", text)),
    "doubles numbers and capitals": spoilt(lambda text: re.sub(r"\d+|[A-Z]{2,}", r"\g<0> \g<0>", text)),
    "garbles digits": spoilt(lambda text: re.sub(r"\d", "7", text)),
    "writes Devanagari digits": spoilt(lambda text: text.translate(DIGITS_TO_DEVANAGARI)),
    "lowers capitals": spoilt(str.lower),
    "reverses the words": spoilt(lambda text: " ".join(reversed(text.split()))),
    "glues the words": spoilt(lambda text: text.replace(" ", "")),
    "drops what is not a letter": spoilt(lambda text: "".join(c for c in text if c.isalpha() or c in " ािीुूेैोौ्ँंः़")),
    "loops": spoilt(lambda text: " ".join([text] * 30)),
    "says ok": lambda texts, strict: ["ok " * 40] * len(texts),
    "says nothing": lambda texts, strict: [""] * len(texts),
    "says blanks": lambda texts, strict: [" \n "] * len(texts),
    "says the same": lambda texts, strict: ["बस।"] * len(texts),
}
