"""A text as a translator's model reads it: without the short forms of messages, which are spelt out before."""

from dhyan.pack.pack import Pack
from dhyan.text.sentences import split_sentences
from dhyan.translation.checks.agreement import language_tables, with_table
from dhyan.translation.pack_languages import pack_languages


def spelt_out(pack: Pack, text: str) -> str:
    """Unchanged where there are none, and where the pack's languages have no tables."""
    source, target = map(with_table, pack_languages(pack) or ("", ""))
    if source is None or target is None or source == target:
        return text
    forms = language_tables(source).short_forms
    found = ""
    for sentence in split_sentences(text):
        bare = sentence.strip()
        before, _, behind = sentence.partition(bare) if bare else ("", "", sentence)
        found += before + forms.spelt_out(bare) + behind
    return found
