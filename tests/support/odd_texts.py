# ruff: noqa: E501  (texts are not wrapped)
"""Texts that are easily treated in two ways by two languages of programming."""

PROSE = """\
The government said on Monday that the new hospital will open before the end of this year.
Dr. A. P. J. Abdul Kalam was born on 15 Oct. 1931 in Rameswaram. He wrote "Wings of Fire" in 1999! Did you read it?
It costs $5.50 (incl. tax), i.e. ₹450 approx. See Fig. 3, p. 27. No. 5 is e.g. here; No. It is not. Vitamin C. It helps.
She left at 5 p.m. We stayed until 9 a.m. The U.S.A. won. J. R. R. Tolkien vs. C. S. Lewis etc. And so on… "Really?" he said.
don't can't rock'n'roll it’s o’clock mother-in-law well-known 3.14 2024-05-06 10:30 1,234,567 12,34,567 50% 5kg 3rd
नमस्ते, आप कैसे हैं? मैं ठीक हूँ। डॉ. राम ने कहा कि १५ अगस्त को छुट्टी है॥ वह प्रो. शर्मा से मिला! क्या यह सही है?
ए. पी. जे. अब्दुल कलाम का जन्म हुआ। उसने कहा, "हाँ।" फिर वह चला गया। बी. ए. की पढ़ाई।
लड़का लड़के लड़कियों को किताबें पढ़ाई ज़रूर क़लम ख़बर फ़िल्म बढ़िया ऑफ़िस डॉक्टर संस्कृति ज्ञान कृपया विद्यार्थी श्री
mujhe nahi pata ki yeh kya hai, tum kahan ja rahe ho bhai? main theek hoon aur tum kaise ho
Je ne sais pas ce que c'est, mais l'eau est froide. Où est la gare ? El niño está en la casa y come una manzana.
Der schnelle braune Fuchs springt über den faulen Hund. Straße, Größe, ẞ, ß. Het is een mooie dag vandaag, toch?
这是一个句子。这是另一个！真的吗？ 日本語のテスト、です。カタカナ 한국어 문장입니다. Это русский текст. Привіт, як справи, їжак?
مرحبا بالعالم، كيف حالك؟ یہ اردو ہے ٹھیک ہے۔ שלום עולם. γειά σου Κόσμε ΟΔΥΣΣΕΥΣ. ภาษาไทย বাংলা ভাষা தமிழ் తెలుగు ગુજરાતી ਪੰਜਾਬੀ
मला माहित नाही आहे आणि मी जात आहे. तिमी कहाँ जाँदैछौ छ र हो पनि. अहम् गच्छामि सः अस्ति च एव न तु
bank Bank's BANKS embankment bank. the bank, riverbank "bank" bank-note बैंक बैंकों
order study day box child news point of sale काला बाज़ार black-market story USA as queue city baby leaf woman
"""

ODD = [
    "", " ", "  ", "\t", "\n", "a", "A", "क", "।", "…", "?", "5", "٣", "²", "½", "é", "e\u0301", "E\u0301cole cafe\u0301", "\u0301", "ि",
    "👍", "👩‍👩‍👧‍👦 family", "🇮🇳 भारत", "👍🏽 ❤️ ☎️", "a👍b 👍👍", "क्‍ष", "क्\u200cष", "ज\u093c ज़ क़ \u0958 \u095f", "श्री\u200d", "हि\u200cन्दी",
    "a\tb\t\tc", "two  spaces   here ", " leading", "trailing ", "\n\nblank\n\nlines\r\nhere\rand\x0bthere\x0c!\x85x\u2028y\u2029z",
    "x\x1cy\x1dz\x1e.\x1f", "\ufeffBOM", "\u00a0nbsp\u00a0", "zero\u200bwidth", "<end> <0x41> <pad> </s>", "▁under", "ﬁ ﬀ", "İI ıi", "ΑΣ ΣΑΣ Σ",
    "𝒳𝟘 𐍈 𠀀𠀁 \U0001f600", "ǅ ǆ Ǆ", "ŉ ǰ ΐ", "你好。", "「はい。」そうです", "ａｂｃ １２３", "\u0600\u200f", "Ⅷ ⅷ ①②", "्", "्क", "ंः", "ऽॐ ॐ", "a.b.c. D. E.",
    "...", "!!! Wow... ok?! Yes.", ". . .", "'quoted' ’tis \u2018x\u2019 ''", "-", "--", "a-b", "' ’", "\u0300\u0301x", "\u1cd0", "\ua8e0क", "𑒏𑒰", "\u0c95\u0ccd",
    "word" * 40, "अ" * 50, "ab " * 30, "中" * 30, "." * 50, "aaaa bbbb " * 5, "x" * 39 + ". Yes", "😀" * 45 + "A. B", "A. " + "😀" * 13 + "x",
]  # fmt: skip

TEXTS = [*PROSE.splitlines(), *ODD, PROSE]
