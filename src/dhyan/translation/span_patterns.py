"""The shapes of what is not language, as regular expressions, the more specific first.

A search with them is linear in the text: none begins in the middle of a word, and none backs up over more than it has
read.
"""

_MARKS = r"\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u200c\u200d"  # those of Indian scripts are no \w
_WORD = rf"[\w{_MARKS}]"
_NOT_HINDI = r"(?:(?![\u0900-\u0965\u0970-\u097f])\w)"  # people who type Devanagari write | for a danda
_DOMAINS = "com|org|net|edu|gov|int|info|biz|dev|app|ai|io|co|me|tv|in|uk|us|eu|de|fr|ru|jp|cn|au|ca|nic"
_ENDINGS = (
    "pdf|docx?|xlsx?|pptx?|odt|ods|txt|md|rst|csv|tsv|json|jsonl|toml|ya?ml|xml|html?|css|js|ts|jsx|tsx|py|ipynb|"
    "java|c|h|cpp|hpp|rs|go|rb|php|sh|bat|exe|msi|dmg|apk|deb|rpm|zip|tar|gz|xz|bz2|zst|7z|rar|iso|png|jpe?g|gif|"
    "svg|webp|mp3|mp4|wav|avi|mkv|mov|ini|cfg|conf|log|sql|db|tex|safetensors"
)
_BLOCK_TAGS = (
    "address|article|blockquote|br|dd|div|dl|dt|footer|h[1-6]|header|hr|li|main|nav|ol|p|section|table|td|th|tr|ul"
)
_IN_ADDRESS = r"(?:\([^\s()<>]*\)|[^\s()<>\"“”‘’«»`।॥])"
_LAST_IN_ADDRESS = r"(?:\([^\s()<>]*\)|[^\s()<>\"“”‘’«»`।॥.,;:!?…'*_\]}])"
_IN_NAME = rf"(?:(?!https?://){_WORD})"  # @name and #name end where an address begins

_ADDRESSES = (
    r"<(?:[a-z][a-z+.-]*://|mailto:|[\w.+-]+@)[^\s<>]+>",  # <https://example.org>
    rf"(?:(?<![A-Za-z])(?:[A-Za-z][A-Za-z+.-]{{1,15}}://|www\.|mailto:|tel:)|https?://){_IN_ADDRESS}*{_LAST_IN_ADDRESS}",
    r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",  # e-mail
)
_CODE = (
    r"(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`)",  # `code`
    r"<x+\d+/>",  # a tag that stands for code, an image or the like, and may move as a word does
    r"<(?P<verbatim>code|pre|script|style|kbd|samp)\b[^<>]*>[^\n]*?</(?P=verbatim)\s*>",
)
# LaTeX. Between single dollars there must be a sign of mathematics, or one word: "$5 to 6$" is money.
_LATEX = (
    r"\$\$[^$\n]{1,500}\$\$",
    r"\\\([^\n]{1,500}?\\\)|\\\[[^\n]{1,500}?\\\]",
    r"\\begin\{(?P<block>\w{1,20}\*?)\}[^\n]{0,500}?\\end\{(?P=block)\}",
    r"(?<![\w$\\])\$(?![\s\d.,]+\$)(?=[^$\n]{0,200}[\\^_={}<>+|]|\w{1,12}\$)(?=\S)[^$\n]{1,200}(?<=\S)\$(?![\w$])",
    r"\\[A-Za-z]+\*?(?:\[[^\[\]\n]{0,60}\])?(?:[_^]?\{(?:[^{}\n]|\{[^{}\n]{0,80}\}){0,80}\}|[_^]\w)*",
    r"\\[!-/:-@\[-`{-~]",  # an escaped sign
)
_PLACEHOLDERS = (
    r"\{\{[^{}\n]{0,80}\}\}|\{%[^{}\n]{0,80}%\}|[$#]\{[^{}\n]{0,80}\}|\{[^{}\s]{0,60}\}",  # {{x}} {%x%} ${x} {x}
    r"\{(?=[^{}\n]{0,120}[;\"=:])[^{}\n]{1,120}\}",  # {"a": 1}
    r"(?<![\d%])%(?:\(\w+\)|\d+\$)?[-+#0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z)?[sdifuxXcoeEgGr@](?![A-Za-z]{2})|%%",
    r"(?<![\w%])%[A-Z_]{2,40}%",  # %PATH%
    r"(?<![\w$])\$(?!https?://)[A-Za-z_](?:(?!https?://)\w)*",  # $name
    r"(?<!\w)[A-Z]{1,4}&amp;[A-Z]{1,4}(?!\w)|&(?:\#\d{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});",
    r"\[\^[^\]\s]{1,40}\]",  # a footnote
)
_NAMES = (
    rf"(?<![\w@/.])@{_IN_NAME}+(?:[.-]{_IN_NAME}+)*",
    rf"(?<![\w&/\#])\#{_IN_NAME}+",
    r"(?<!\w)[A-Z0-9][\w-]{0,40}[™®℠]",
)
_PATHS = (
    r"(?<![\w:])[A-Za-z]:\\[^\s\"<>|*?]*[^\s\"<>|*?.,;:!)\]']|(?<![\w\\])\\\\[\w.$-]+(?:\\[\w.$-]+)+",  # C:\folder
    r"(?<![\w\\])\w[\w.-]{0,60}(?:\\[\w.-]{0,60}\w)+",  # folder\file
    rf"(?<![\w/\\.-])(?:~|\.{{1,2}})?[\w.@+-]*(?:[/\\][\w.@+-]+)*\.(?:{_ENDINGS})(?![\w-]|\.\w)",  # folder/file.txt
    # /folder/file; not the half of पिता/पति, whose vowel sign is no \w.
    rf"(?<![\w/<.{_MARKS}])(?:~|\.{{1,2}})?/(?=\w|\.\w)(?:[\w.@+-]*[\w@+-]/?)(?:[\w.@+-]*[\w@+-]/?)*",
    rf"(?<![\w@.-])(?:[A-Za-z0-9-]+\.)+(?:{_DOMAINS})(?![\w-]|\.\w)(?:/{_IN_ADDRESS}*{_LAST_IN_ADDRESS}|/)?",
)
_KEYS = "Ctrl|Control|Alt|AltGr|Shift|Cmd|Command|Option|Win|Windows|Super|Meta|Fn|Strg"
_PROGRAMMING = (
    rf"(?<!\w)(?:(?:{_KEYS})[+-])+(?:F\d{{1,2}}|[A-Za-z]{{2,9}}|\d|[^\s\w]|[A-Za-z])(?!\w)",  # Ctrl+C
    r"(?<![\w.])[A-Za-z]\w{0,20}(?:\+\+|\#)(?!\w)",  # C++, F#
    r"(?<!\w)(?:[A-Z]{2,4})?\.(?:NET|Net)(?!\w)|(?<![\w.)\]])\.[a-z_]\w{1,30}(?![\w.])",  # .NET, .gitignore
    r"(?<![\w.])[A-Za-z_]\w{0,60}(?:(?:\.|::|->)[A-Za-z_]\w{0,60})*\(\)",  # foo()
    r"(?<![\w.])[A-Za-z_]\w{1,60}(?:(?:\.|::|->)[A-Za-z_]\w{0,60})*\((?=[^()\s]{0,60}[\d\"'=_,.*&\[])[^()\s]{1,60}\)",
    r"(?<![\w.])[A-Za-z_]\w{0,60}(?:(?:::|->)[A-Za-z_]\w{0,60})+",  # std::sort
    r"(?<![\w.])[a-z_]\w{1,40}(?:\.[a-z_]\w{1,40}){2,9}(?![\w.]\w)",  # os.path.join
    rf"(?<![\w|{_MARKS}]){_NOT_HINDI}{{1,40}}(?:\|{{1,2}}{_NOT_HINDI}{{1,40}})+(?![\w|])",  # A|B
    r"(?<![\w=-])--?[A-Za-z][\w-]{0,40}=[^\s,;()\"']{0,80}[^\s,;()\"'.!?:]",  # --flag=value
    r"(?<![\w-])--[A-Za-z][\w-]{0,40}|(?<![\w-])-(?:[A-Za-z]{1,2}|[b-df-hj-np-tv-z]{3,4})(?![\w-])",  # --flag, -x
    r"(?<![\w=])[A-Za-z_][\w.-]{0,60}=(?:\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^\s,;()\"']{0,80}[^\s,;()\"'.!?:])",
    r"(?<!\w)[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+(?!\w)",  # snake_case
    r"(?<!\w)[a-z]{2,30}[A-Z][A-Za-z0-9]{0,40}(?!\w)",  # camelCase; iPhone has one small letter and is a name
)
_NUMBERED = (
    r"(?<![\w-])[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}(?![\w-])",  # UUID
    r"(?<![\w:])(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}(?![\w:])",  # MAC address
    r"(?<!\w)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,128}(?!\w)",  # a hash
    r"(?<!\w)(?=[A-Za-z]{0,40}\d\w{0,40}[A-Za-z]\w{0,40}\d)[A-Za-z0-9]{12,128}(?!\w)",  # a key, a token
    r"(?<![\w.])[vV]\d+(?:\.\d+)*(?:[-+][0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*)?(?!\w)",  # v2.3.1-beta
    r"(?<!\w)(?:DD|MM|YYYY|dd|mm|yyyy)[-/.](?:DD|MM|dd|mm)[-/.](?:YYYY|YY|DD|yyyy|yy|dd)(?!\w)",  # of a form
    r"(?<!\w)(?:HH|hh):(?:MM|mm)(?::(?:SS|ss))?(?!\w)",
    r"(?<![\w.])\d+(?:\.\d+){2,}[-+](?:[A-Za-z]\w*)(?:\.\w+)*(?!\w)",  # 2.3.1-beta; but "a 6.5-inch display"
    r"(?<![\w.])\d+\.\d+[-+](?:alpha|beta|rc|RC|dev|pre|post|snapshot|SNAPSHOT|lts|LTS)\d*(?:\.\w+)*(?!\w)",
)
_WEIGHTS_AND_LENGTHS = "lbs?|oz|ft|in|yds?|mi|st|hrs?|mins?|secs?|kg|km|cm|mm|mg|ml|g|m|l"
_COMPOUND_QUANTITIES = (
    rf"(?<!\w)\d[\d.,]*\s?(?:{_WEIGHTS_AND_LENGTHS})\.(?:\s\d[\d.,]*\s?(?:{_WEIGHTS_AND_LENGTHS})\.)+",  # 5 lb. 3 oz.
)
_SUBSCRIPTS = "\u2080-\u208e\u2090-\u209c"
_SUPERSCRIPTS = "\u00b2\u00b3\u00b9\u2070\u2071\u2074-\u207f"
_CHEMICAL = (
    rf"(?<!\w)(?:[A-Z][a-z]?[{_SUBSCRIPTS}]*){{0,12}}[A-Z][a-z]?[{_SUBSCRIPTS}](?:[A-Z][a-z]?|[{_SUBSCRIPTS}{_SUPERSCRIPTS}])*",
    r"(?<!\w)(?:[HCNOFPSKIB]|Na|Mg|Al|Si|Cl|Ca|Fe|Cu|Zn|Ag|Mn|Br)\d{0,2}(?:(?:[HCNOFPSKIB]|Cl|Br)\d{0,2}){1,12}(?<=\d)(?!\w)",
    r"(?<!\w)H\d[A-Z]\w{0,6}(?!\w)",  # H2O, H2SO4
)
_LONG = (r"[!-~]{200,}",)  # no word is that long: base64 and the like
_EMOTICONS = (r"(?<![^\s(\"“‘'])(?:[:;=8xX]['’]?-?[DPpOoSX3]|[xX]D|\^_+\^|¯\\_\(ツ\)_/¯)(?![^\s).,!?\"”’'])",)

FIXED = (
    *_CODE,
    *_ADDRESSES,
    *_LATEX,
    *_PLACEHOLDERS,
    *_NAMES,
    *_PATHS,
    *_PROGRAMMING,
    *_NUMBERED,
    *_COMPOUND_QUANTITIES,
    *_CHEMICAL,
    *_EMOTICONS,
    *_LONG,
)
TAGS = (
    r"<!--[^\n]*?-->|</?[A-Za-z][\w:-]*(?:\s[^<>\n]*)?/?>",
    r"!?\[(?=[^\[\]\n]{1,500}\]\([^()\s]{1,500}\))|\]\([^()\s]{1,500}\)",  # [text](address)
)
BREAKS = (
    rf"</?(?:{_BLOCK_TAGS})(?:\s[^<>\n]*)?/?>",
    r"[ ]*(?:\t+|[ ]{3,})[ \t]*",
    r"(?<=[ ])\|(?=[ ])",
)
_EMOJI = "\U0001f000-\U0001faff\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff"
SYMBOLS = (
    "[\U0001f1e6-\U0001f1ff]{2}",  # flags
    "[0-9\\#*]\ufe0f?\u20e3",  # keys
    f"[{_EMOJI}][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*(?:\u200d[{_EMOJI}][\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]*)*"
    "[\U000e0020-\U000e007f]*",
    r"\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|~~",  # emphasis
    "[\\x00-\\x08\\x1f\\x7f-\\x84\\x86-\\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]",
)

_AMOUNT = r"\d+(?:[.,:]\d+)*"
_MONEY = "$€£¥₹¢\u20a0-\u20c0"
_TECHNICAL_UNITS = (
    "[kMGT]?Hz|[kKMGTP]i?B|[kMG]?bps|dB[Am]?|[kMGm]?Wh?|m?Ah|[kmM]?V|[kmM]?eV|[kMh]?Pa|psi|mmHg|ppm|dpi|fps|rpm|px|"
    "pt|nm|MP"
)
_RATES = (
    "(?:[kcm]?m|mi|ft|[kmµμ]?g|[mcd]?[lL]|[kMG][Bb]|[kMG]?bits?|k?W|k?J|k?cal|N|rad|mol|lb|gal)"
    "/(?:hr?|s|sec|min|day|[kc]?m|[km]?g|[md]?[lL]|mol|K)[²³]?"
)
# Left to the model first: it may write "₹500" and "3.5 GHz" itself, and word order and endings are better so.
LITERALS = (
    rf"(?:(?<![A-Za-z])(?:US|AU|CA|NZ|HK|SG|A|C|S|R))?[{_MONEY}]\s?{_AMOUNT}(?:[kKmMbB]\b)?",  # US$5
    rf"(?<![\w.,:]){_AMOUNT}\s?[{_MONEY}](?!\w)",  # 5 €
    r"(?<!\w)Rs\.?\s?\d[\d,]*/-",
    rf"(?<!\w)(?:USD|EUR|GBP|INR|JPY|CNY|AUD|CAD|CHF)\s{_AMOUNT}",
    rf"(?:(?<![^\s(])[-−+±])?(?<![\w.,:]){_AMOUNT}\s?(?:[°º]\s?[CFK]?(?!\w)|[℃℉Å]|[µμ][A-Za-zΩ]{{0,3}}|[kMm]?[ΩΩ]|"
    rf"[A-Za-z]{{1,3}}[{_SUPERSCRIPTS}]+|(?:{_RATES})(?!\w)|"
    rf"(?:{_TECHNICAL_UNITS})(?!\w))",
    # A date, with a time or without.
    r"(?<!\w)\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])",
    r"(?<![\w+])(?:\+\d{1,3}[ -]?)?\(\d{2,5}\)[ -]?\d{3,5}[ -]?\d{3,5}(?!\w)",  # telephone
    r"(?<![\w+])\+\d{1,3}(?:[ -]?\d{2,5}){2,5}(?!\w)|(?<![\w-])\d{3,4}-\d{3,4}-\d{3,6}(?![\w-])",
    r"(?<![\w-])\d{1,5}(?:-\d{1,7}){3,4}(?:-[\dX])?(?![\w-])",  # ISBN
    r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2}|:\d{2,5})?(?![\w.])",  # IP address
    r"(?<!\w)\d{1,2}['′’]\s?\d{1,2}(?:[\"″”]|'')",  # 5'10"
    r"(?<!\w)[A-Z]/[A-Z](?!\w)|(?<!\w)[A-Z]{1,4}&[A-Z]{1,4}(?!\w)",  # A/B, R&D
    r"&&|\|\||[=!<>+]=|[-=]>|<[-3]|::|(?<![^\s(\"“‘'])[:;]['’]?-?[)(](?![^\s).,!?\"”’'])",
    rf"(?<!\w)[A-Za-z\d]{{0,3}}[{_SUPERSCRIPTS}{_SUBSCRIPTS}⁺⁻]+[A-Za-z\d]{{0,3}}(?!\w)|[{_SUPERSCRIPTS}{_SUBSCRIPTS}]",
    # Every sign that is not punctuation of prose.
    "[\\\\#^|~{}`@$<>=¡-©¬®-´¶·¸¼-¾¿×÷†‡‣‰′-‷…※⁂₠-⃀℀-⅏⅐-↋∀-⋿␀-⑊■-◿⟀-⫿]|(?<!\\w)[ªºµ](?!\\w)",
)
