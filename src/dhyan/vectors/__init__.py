"""Texts and words as vectors: embedding, classifying, clustering, and the static baselines to compare with."""
