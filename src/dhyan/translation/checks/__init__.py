"""Checks after translation: each a small function of a source and its translation; `Agreement` is all of them."""
