"""Pack → a trace of every intermediate number, in plain NumPy that reads like the notes.

This room is the reference: PyTorch and the runtime are tested against it, number by number. It needs no torch.
`Explainer(pack).explain(text)` is the door; the terminal, figure, table and HTML views all read what it gives.
"""
