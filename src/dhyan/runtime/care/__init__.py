"""Text handled with care around any translator of single sentences.

The layout, the case, numbers, markup and the user's own terms are looked after here, so that the model only ever
sees plain sentences; `Careful` is the door. What a model returns is checked, and mended where a promise is broken.
"""

from dhyan.runtime.care.careful import Careful, CarefulTranslation
from dhyan.runtime.care.glossary import Glossary
from dhyan.runtime.care.trying import RawTranslate

__all__ = ["Careful", "CarefulTranslation", "Glossary", "RawTranslate"]
