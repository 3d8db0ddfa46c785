"""A trace for people: figures, tables, the walk-through, a report, the terminal."""
