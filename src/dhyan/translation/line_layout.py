"""A text as its lines: what stands around the words of a line is kept, and code between fences is left alone."""

import re

_MARK = r"""(?:
    [-*+•‣▪◦●○·–—|]                        # bullets, the edge of a table
  | \d{1,3}(?:\.\d{1,3})*[.)]              # 1.  2)  1.2.
  | \((?:\d{1,3}|[A-Za-z]|[ivxIVX]{2,5})\) # (1)  (a)  (iv)
  | [a-z][.)] | [A-Z]\)                    # a.  b)  C) ; "J. " is more often somebody's initial
  | \#{1,6}                                # headings
  | \[[ xX]\]                              # boxes to tick
)(?=\s)"""
_FRONT = re.compile(rf"\s*(?:(?:>+|{_MARK})\s*)*", re.VERBOSE)
_FENCE = re.compile(r"\s*(?:>\s*)*(?:[-*+]\s+)?(`{3,}(?=[^`]*\Z)|~{3,})")


def split_lines(text: str) -> list[tuple[str, bool]]:
    """The text in pieces, in order and without loss; True says that the piece is for translation.

    Fenced code ends where its fence is closed, or with the text.
    """
    pieces: list[tuple[str, bool]] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        if fence:
            pieces.append((line, False))
            if line.lstrip("> \t").rstrip().strip(fence[0]) == "" and fence in line:
                fence = ""
        elif (opening := _FENCE.match(line)) is not None:
            pieces.append((line, False))
            fence = opening[1]
        else:
            pieces += _cut(line)
    return pieces


def _cut(line: str) -> list[tuple[str, bool]]:
    body = line.splitlines()[0]
    front = _FRONT.match(body)
    start = front.end() if front else 0
    return [(line[:start], False), (body[start:], True), (line[len(body) :], False)]
