"""A pack against test data: the scores that its task is judged by."""
