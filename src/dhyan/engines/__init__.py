"""Pack → answers, fast, with no PyTorch: a pack is converted to CTranslate2's own format once and run there.

`convert` writes that format, `converted_cache` keeps it, `base` starts the engine that fits the device.
"""
