"""One file per claim of the notes; where a claim is shown live, its NumPy half stands beside it."""
