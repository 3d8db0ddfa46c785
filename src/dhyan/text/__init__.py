"""The room where text becomes numbers: corpora are read and cleaned, pieces are learned, ids are stored.

Nothing is lost on the way: the ids of a text always give the text back, in any script.
Everything streams, so ten million lines need no more memory than ten thousand.
"""
