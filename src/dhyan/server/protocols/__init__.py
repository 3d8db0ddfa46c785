"""The protocols of other programs, so that their clients work here unchanged: a file for each."""
