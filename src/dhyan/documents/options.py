"""What a user may say about a document: its format, and which parts of it hold the texts."""

from typing import Annotated

from pydantic import BeforeValidator, Field

from dhyan.core.settings import Settings


def _listed(names: object) -> object:
    """a,b as it stands on a command line."""
    return tuple(part.strip() for part in names.split(",") if part.strip()) if isinstance(names, str) else names


Names = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class DocumentOptions(Settings):
    format: Annotated[str | None, Field(description="how the file is laid out; else its suffix says so")] = None
    style: Annotated[
        str | None, Field(description="how its texts are translated, such as 'ui'; else the format decides")
    ] = None
    wrapped: Annotated[
        bool | None,
        Field(
            description="txt: lines that follow each other are one paragraph; else it is found out",
            json_schema_extra={"off": "per_line"},
        ),
    ] = None
    columns: Annotated[
        Names,
        Field(description="csv, tsv: the columns to translate, by name or number, a,b,…; else all with prose"),
    ] = ()
    header: Annotated[bool, Field(description="csv, tsv: the first row names the columns and is kept")] = True
    delimiter: Annotated[
        str | None, Field(description="csv: what stands between the cells (or 'tab'); else it is found out")
    ] = None
    keys: Annotated[
        Names,
        Field(
            description="json, yaml, jsonl: the keys to translate, 'a.b' for b inside a, '*' for all; else all, or "
            "'text' in jsonl"
        ),
    ] = ()
    kept_elements: Annotated[Names, Field(description="html: elements that are left alone, by name")] = ()
    fuzzy: Annotated[bool, Field(description="po: what is filled in is marked as fuzzy, for somebody to check")] = (
        True
    )
    source_language: Annotated[str | None, Field(description="its code, such as en: marks of it are replaced")] = None
    target_language: Annotated[
        str | None, Field(description="its code, such as hi, for the marks of the language; else they stay")
    ] = None
    made_by: Annotated[
        str, Field(description="what translates: the pack and its settings; other ones do not resume this work")
    ] = ""
