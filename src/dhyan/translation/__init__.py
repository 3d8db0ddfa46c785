"""Pre- and post-processing around a translator of single sentences: layout, case, numbers, markup, glossary.

The model only ever sees plain sentences. What it returns is checked, and repaired where something is missing or
changed that must not be. `TextPipeline` does it all; `Translator` is a pack with its engine and a pipeline around it.
"""

from dhyan.translation.attempts import TranslateSentences
from dhyan.translation.glossary import Glossary
from dhyan.translation.pipeline import TextPipeline
from dhyan.translation.translated import TranslatedSentence, Translation

__all__ = ["Glossary", "TextPipeline", "TranslateSentences", "TranslatedSentence", "Translation"]
