"""Text that a notebook shows as what it is: a picture, or a piece of a page. Everywhere else it is a plain `str`."""

from pathlib import Path

from dhyan.core.arguments import check_path
from dhyan.core.atomic import write_atomic
from dhyan.core.png import png


class _Shown(str):
    """Its `repr` is short: a notebook keeps it beside what it shows."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} characters; print() it, or .save(a file)>"

    def save(self, path: str | Path) -> Path:
        """Write it to a file; one that is there already is replaced."""
        file = check_path(path, "the file")
        write_atomic(file, str(self))
        return file


class Svg(_Shown):
    """A picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write it to a file, as PNG where the name ends so; one that is there already is replaced."""
        file = check_path(path, "the picture")
        if file.suffix.lower() == ".png":
            write_atomic(file, png(self))
            return file
        return super().save(file)


class Html(_Shown):
    """A piece of a page that needs nothing from elsewhere."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return str(self)

    def save(self, path: str | Path) -> Path:
        """Write it to a file as a page of its own; one that is there already is replaced."""
        file = check_path(path, "the page")
        write_atomic(file, f'<!doctype html>\n<meta charset="utf-8">\n{self}\n')
        return file
