"""Corpus → pack: a recipe is completed from the data, the data is prepared, the loop runs, a pack is written.

Everything a training needs to go on lies in its folder (`my-pack.training`), so that a kill at any step loses at
most the steps since the last checkpoint. This room needs PyTorch: `pip install "dhyan[train]"`.
"""
