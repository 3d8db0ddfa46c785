"""Pack → answers, fast, on the CPU or a GPU: packs turned into an engine's own format and run there.

Nothing lives here yet: packs are run by the training room's PyTorch until the light engine comes.
"""
