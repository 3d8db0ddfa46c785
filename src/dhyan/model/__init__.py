"""Ids → logits: the Transformer of the notes as PyTorch. Read: masks, attention, positions, layers, transformer.

One set of parts makes three shapes: encoder–decoder, encoder-only, decoder-only. `architecture` has their settings,
free of torch, because packs and the NumPy model need it too. A weight's name is its address: `enc.2.self.W_Q` in
Python, in the pack and in the trace. `backends` is where something faster may answer, such as `fast`; nothing here
depends on that. `generation` writes token by token.
"""
