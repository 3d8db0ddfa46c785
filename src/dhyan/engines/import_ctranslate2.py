"""CTranslate2 without the PyTorch that it would load where that is installed: nothing here needs it.

It saves more than a second at every start.
"""

import sys

_absent = "torch" not in sys.modules
if _absent:
    sys.modules["torch"] = None  # type: ignore[assignment]  # an import of it now fails, which CTranslate2 expects
try:
    import ctranslate2
    from ctranslate2.specs import common_spec, model_spec, transformer_spec
finally:
    if _absent:
        del sys.modules["torch"]

__all__ = ["common_spec", "ctranslate2", "model_spec", "transformer_spec"]
