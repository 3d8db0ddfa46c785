"""Text handled with care around any translator of single sentences.

The layout, the case, numbers, markup and the user's own terms are looked after here, so that the model only ever
sees plain sentences; `Careful` is the door. What a model returns is checked, and mended where a promise is broken.
"""

from dhyan.translation.attempts import RawTranslate
from dhyan.translation.glossary import Glossary
from dhyan.translation.pipeline import Careful, CarefulTranslation

__all__ = ["Careful", "CarefulTranslation", "Glossary", "RawTranslate"]
