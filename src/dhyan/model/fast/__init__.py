"""The same numbers, faster on a GPU: kernels, packed sequences, CUDA graphs. Nothing in `model/` depends on it."""
