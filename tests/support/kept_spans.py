"""What must come through a translation exactly, kind by kind, and sentences that are made of it."""

import random

KEPT = {
    "sign": r"^ # | \ ~ ± × ÷ ≤ ≥ ≠ ≈ ∞ → ⇒ § ¶ † ‡ ‰ © ° µ № ¬ √ ∑ ℃ ₿ ¿ … ★ ✓".split(),  # noqa: SIM905
    "formula": [
        "x^2 + y^2 = z^2",
        "a_i ≤ b",
        "E = mc^2",
        "f(x) = 2x + 1",
        "y = mx + b",
        "PV = nRT",
        "a² + b² = c²",
        "p < 0.05",
        "sin(x) + cos(x) = 1",
        "2H₂ + O₂ → 2H₂O",
        "A ∪ B ⊂ C",
        "x ≠ 0",
        "n = 20",
        "O(n log n)",
        "f(x)",
        "∑_{i=1}^{n} x_i = 0",
        "$E = mc^2$",
        "$$a+b$$",
        r"\(x_1\)",
        r"\[a = b\]",
        r"\alpha",
        r"\frac{a}{b}",
        "H₂O",
        "CO₂",
        "C6H12O6",
        "SO₄²⁻",
    ],
    "programming": [
        "C#",
        "C++",
        "F#",
        ".NET",
        "ASP.NET",
        "Node.js",
        "foo()",
        "obj.method()",
        "range(10)",
        "A|B",
        "snake_case",
        "camelCase",
        "--flag",
        "-x",
        "--out=dir",
        "Ctrl+C",
        "Ctrl+Shift+T",
        "key=value",
        "std::vector",
        "os.path.join",
        "x == y",
        "`git commit`",
        r"\n",
        r"\*",
        "%PATH%",
        "$HOME",
        "[^1]",
    ],
    "placeholder": ["{name}", '{"a": 1}', "{0}", "{{user}}", "${x}", "%s", "%d", "%(count)d", "%1$s", "&nbsp;"],
    "quantity": [
        "5 µm",
        "30 ℃",
        "30 °C",
        "-5 °C",
        "10 km/h",
        "5 lb. 3 oz.",
        "20 m²",
        "9.8 m/s²",
        "3.5 GHz",
        "16 GB",
        "4000 mAh",
        "5'10\"",
        "10 kΩ",
        "60 fps",
    ],
    "price": ["€5", "£4", "¥600", "₹20", "₹1,50,000", "$5", "US$99", "5 €", "$3.50", "USD 50", "₩900"],
    "number": [
        "v2.3.1-beta",
        "2.0.0-rc.1",
        "2024-05-12",
        "2024-05-12T10:30:00Z",
        "+91 98765 43210",
        "(555) 123-4567",
        "978-3-16-148410-0",
        "192.168.0.1",
        "550e8400-e29b-41d4-a716-446655440000",
        "d41d8cd98f00b204e9800998ecf8427e",
    ],
    "address": [
        "https://example.org/a?b=c",
        "help@x.org",
        "www.example.com",
        "@anna_b",
        "#hashtag",
        "/etc/hosts",
        "~/notes",
        r"C:\Users\me\a.txt",
        "report.pdf",
        r"src\main",
    ],
    "foreign": [
        "東京",
        "Москва",
        "السلام عليكم",
        "Αθήνα",
        "서울",
        "こんにちは 世界",
        "תל אביב",
        "বাংলা",
        "தமிழ்",
        "π",
        "Ω",
    ],
    "name": ["Acme™", "Coca-Cola®", "R&D", "AT&T", "A/B"],
    "emoji": ["😀", "👍🏽", "👨‍👩‍👧", "🇮🇳", "1️⃣", ":)", ":D", "<3"],
}
EVERY = [span for spans in KEPT.values() for span in spans]
TEMPLATES = [
    "{} is good.",
    "The word {} is new.",
    "Please visit {} now.",
    "I have {} and the river is open.",
    "Write to {}",
    "We wait for {}, please.",
    "Good morning ({})",
    "Use {} and {} now.",
    "The bank ({}) is open at {}.",
    "{} and {} and {}",
    "Is {} open?",
    "hello {} world",
    "HELLO {} WORLD",
    "- the price is {}\n- the line is {}",
    "“{}” is the first line",
    "{}",
]


def sentences(count, seed):
    """So many sentences, each with the spans that were put into it; no span of one sentence holds another."""
    chosen = random.Random(seed)
    made = []
    while len(made) < count:
        template = chosen.choice(TEMPLATES)
        spans = [chosen.choice(EVERY) for _ in range(template.count("{}"))]
        if all(one is other or one not in other for one in spans for other in spans) and len(set(spans)) == len(
            spans
        ):
            made.append((template.format(*spans), spans))
    return made
