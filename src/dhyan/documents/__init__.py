"""Whole files translated, with everything that is not prose kept exactly as it was.

A reader for each format cuts a document into units, fixed ones and texts; the texts go to the translator many at
a time, and the result is written beside its place, with a journal that lets an interrupted run go on. Gigabytes
stream through: no file is ever held in memory.
"""
