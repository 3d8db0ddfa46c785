"""An SVG as PNG."""

from dhyan.core.errors import DhyanError


def png(svg: str) -> bytes:
    """Twice as large as the SVG says, so that it is sharp on paper. Fonts are the system's.

    By a library that shapes Devanagari: drawing letter by letter would tear words apart.
    """
    import resvg_py

    try:
        drawn = resvg_py.svg_to_bytes(svg_string=svg, zoom=2, font_family="Noto Sans")
    except ValueError as error:
        raise DhyanError(f"the figure could not be drawn as PNG ({error}); write an .svg instead.") from None
    return bytes(drawn)
