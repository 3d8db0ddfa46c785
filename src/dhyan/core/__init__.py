"""What every room stands on: errors, settings, special tokens, safe files, locks, progress. Imports no other room."""
