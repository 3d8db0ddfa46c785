"""Ids → logits: the Transformer of the notes as PyTorch, one file a concept.

The three shapes (encoder–decoder, encoder-only, decoder-only) are put together from the same parts. A weight's
name is its address: `enc.2.self.W_Q` in Python, in the pack and in the trace. Only `architecture` is free of
torch, because packs and the NumPy reference need it too.
"""
