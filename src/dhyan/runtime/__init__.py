"""Pack → answers, fast, with no PyTorch: a pack is turned into CTranslate2's own format once and run there.

`convert` writes that format, `cache` keeps it, `engine` runs it; on top of them stand the things that people use
(`Translator`, `Embedder`, `Classifier`, `Writer`), which `dhyan.load` gives.
"""
