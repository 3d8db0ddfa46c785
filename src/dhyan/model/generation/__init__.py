"""Ids → more ids, step by step: the KV cache, greedy search, beam search, sampling."""
