"""A tag before a text: in training it tells whose hand wrote the target, afterwards it asks for that hand."""


def tagged(text: str, tag: str) -> str:
    return f"{tag} {text}" if tag else text
