"""The notes' claims as small experiments, measured and plotted.

Nothing lives here yet.
"""
