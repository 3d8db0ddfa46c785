"""The notes' claims as small experiments, measured and plotted.

One file is one experiment: it measures one case with one seed at a time, and concludes from what was measured whether
the claim held. Measurements are kept, so that a run that was stopped goes on and a finished one is only read.
"""
