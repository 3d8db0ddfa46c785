"""Shared by every room: errors, settings, special tokens, atomic files, locks, paths, progress. Imports no room."""
