"""Models of other programs → packs, and packs → models of other programs."""
