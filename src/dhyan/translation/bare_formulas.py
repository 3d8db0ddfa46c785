"""Formulas in running text, without any markup: `x^2 + y^2 = z^2`, `a_i ≤ b`, `2H₂ + O₂ → 2H₂O`.

A formula is a chain of operands with operators between them, of which one is a sure sign of mathematics: what joins
"5-10" or "and/or" is not. An operand is a number, a name of one to three letters that is no word, a call such as
f(x), or a group in brackets. `OPAQUE` stands for something that was found before and may be an operand too.
"""

import re

OPAQUE = "\ue000"

_INDICES = "\u00b2\u00b3\u00b9\u2070-\u209c"  # superscripts and subscripts
_GREEK = "\u0391-\u03a9\u03b1-\u03d6"
_FUNCTIONS = (
    "sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|lg|exp|lim|max|min|sqrt|det|gcd|lcm|mod"
)
# Two letters that are more often a word than a product of two variables.
_WORDS = "am|an|as|at|be|by|do|go|he|hi|if|in|is|it|me|my|no|of|oh|ok|on|or|so|to|up|us|we"
_SCRIPT = rf"\{{[^{{}}\n]{{1,40}}\}}|\([^()\n]{{1,40}}\)|[-+−]?[A-Za-z0-9{_GREEK}]{{1,3}}|{OPAQUE}+"
_SUFFIX = rf"(?:[_^](?:{_SCRIPT})|[{_INDICES}⁺⁻]{{1,8}}|['′″!])"
_GROUP = r"\((?=[^()\n]{1,60}\))(?![^()\n]*[A-Za-z]{4})[^()\n]{1,60}\)"
_NAME = (
    rf"(?:(?:{_FUNCTIONS})(?![A-Za-z])[ ]?|(?!(?:{_WORDS})(?![A-Za-z]))"
    rf"(?:[A-Za-z{_GREEK}∞ℏℓ]{{1,2}}|[b-df-hj-np-tv-z]{{3}}|[a-z]?[A-Z]{{2,3}}|[A-Z][a-z]?[A-Z][a-z]?)(?![A-Za-z]))"
)
_PREFIX = rf"(?:[-−+±√∂∇Δ∑∏∫¬∀∃]{_SUFFIX}{{0,2}}[ ]?)?"
_NUMBER = rf"\d{{1,12}}(?:[.,]\d{{1,12}})*{_SUFFIX}{{0,4}}(?:{_NAME})?"
_OPERAND = (
    rf"{_PREFIX}(?:{_NUMBER}|{_NAME}(?:\d{{1,3}})?|{_GROUP}|[∑∏∫∅ℝℕℤℚℂ]|{OPAQUE}+){_SUFFIX}{{0,4}}"
    rf"(?:(?:{_GROUP}|{_NAME}){_SUFFIX}{{0,4}}){{0,4}}(?:[ ]d[a-z](?!\w))?"
)
_OPERATOR = r"[ ]?(?:<=>|<=|>=|!=|==|:=|->|=>|<-|[=≠≈≡≅≃∼≤≥<>≪≫±∓×÷·∙⋅*/+−^|→←↔⇌⇒⇐⇔∈∉∋∪∩⊂⊆⊃⊇∝∧∨⊕⊗∘∥⊥-])[ ]?"
_BEFORE = r"(?<![\w.,@#$%&'’\ue000-])(?<!\d[ ])"  # 9.8 m/s² is a measure
_CHAIN = re.compile(rf"{_BEFORE}{_OPERAND}(?:{_OPERATOR}{_OPERAND})+(?!\w)|{_BEFORE}[A-Za-z]{_GROUP}(?!\w)")
_SURE = re.compile(
    rf"[=≠≈≡≅≃∼≤≥<>^√∂∇∑∏∫×÷±∓⋅∙→←↔⇌⇒⇐⇔∈∉∋∪∩⊂⊆⊃⊇∝∧∨⊕⊗∘{_INDICES}{_GREEK}]|[A-Za-z)\ue000][ ][+*][ ]|[A-Za-z]\("
)
_INDEFINITE_ARTICLE = "a(n)"


def formula_ranges(text: str) -> list[tuple[int, int]]:
    """Where formulas begin and end."""
    if not _SURE.search(text):
        return []
    return [
        found.span()
        for found in _CHAIN.finditer(text)
        if _SURE.search(found[0]) and found[0] != _INDEFINITE_ARTICLE and found[0].strip(OPAQUE)
    ]
