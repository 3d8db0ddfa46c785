"""Ids → logits: the Transformer of the notes as PyTorch, one file per concept.

To read it: architecture, masks, attention, positions, layers, transformer. `backends` is where something faster may
answer; `generation` writes token by token; `fast` has the same numbers for a GPU, and nothing here depends on it.

The three shapes (encoder–decoder, encoder-only, decoder-only) are put together from the same parts. A weight's
name is its address: `enc.2.self.W_Q` in Python, in the pack and in the trace. `architecture` is
free of torch, because packs and the NumPy model need it too.
"""
