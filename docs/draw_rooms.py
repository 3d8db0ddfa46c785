"""Draws the rooms of src/dhyan and the imports between them: python docs/draw_rooms.py writes docs/rooms.svg.

An arrow is an import that really exists. Arrows that follow from others are left out, so that it can be read.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "dhyan"
PICTURE = Path(__file__).with_name("rooms.svg")
BOX, STEP, MARGIN = (104, 34), (136, 80), 20  # pixels
AT = {  # column and row: by hand, so that no arrow runs behind a box
    "api": (4.25, 0),
    "cli": (2.5, 0),
    "browser": (0.25, 1),
    "server": (0.75, 2),
    "evaluation": (1.75, 1),
    "bulk": (3.4, 1),
    "interchange": (3.25, 3),
    "loading": (1.75, 2),
    "lab": (0, 3),
    "translation": (1.25, 3),
    "vectors": (2.25, 3),
    "engines": (1.25, 4),
    "training": (4, 4),
    "explain": (0.5, 5),
    "pack": (1.25, 6),
    "data": (3, 6),
    "model": (0.5, 7),
    "text": (2.25, 7),
    "documents": (5, 7),
    "core": (1.75, 8),
}
NOT_ROOMS = {"__init__", "__main__", "_version"}


def imports_between_rooms() -> dict[str, set[str]]:
    """room → the rooms that any of its files imports, late or early."""
    found: dict[str, set[str]] = {}
    for file in sorted(SOURCE.rglob("*.py")):
        room = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room in NOT_ROOMS:
            continue
        others = found.setdefault(room, set())
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            others |= {name.split(".")[1] for name in names if name.startswith("dhyan.")} - {room} - NOT_ROOMS
    return found


def reachable(graph: dict[str, set[str]], room: str) -> set[str]:
    return set().union(*({other} | reachable(graph, other) for other in graph[room]))


def without_shortcuts(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The transitive reduction: a → c goes when there is a → b → … → c."""
    return {
        room: {one for one in others if not any(one in reachable(graph, other) for other in others)}
        for room, others in graph.items()
    }


def drawn(graph: dict[str, set[str]]) -> str:
    place = {room: tuple(MARGIN + at * step for at, step in zip(AT[room], STEP, strict=True)) for room in graph}
    place = {room: (x + BOX[0] / 2, y + BOX[1] / 2) for room, (x, y) in place.items()}  # the middle of each box
    width, tall = (
        int(max(axis)) + MARGIN + size // 2 for axis, size in zip(zip(*place.values(), strict=True), BOX, strict=True)
    )
    lines = []
    for room, others in without_shortcuts(graph).items():
        for other in sorted(others):
            (x, y), (to_x, to_y) = place[room], place[other]
            y, to_y = y + BOX[1] / 2, to_y - BOX[1] / 2 - 6
            middle = (y + to_y) / 2
            lines.append(
                f'<path d="M{x:.0f} {y:.0f} C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {to_y:.0f}"'
                ' fill="none" stroke="#8a8f98" marker-end="url(#end)"/>'
            )
    for room, (x, y) in sorted(place.items()):
        lines.append(
            f'<rect x="{x - BOX[0] / 2:.0f}" y="{y - BOX[1] / 2:.0f}" width="{BOX[0]}" height="{BOX[1]}" rx="6"'
            ' fill="#f4f1ea" stroke="#3b4a6b"/>'
            f'<text x="{x:.0f}" y="{y + 5:.0f}" text-anchor="middle">{room}</text>'
        )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {tall}" width="{width}" height="{tall}"'
            ' font-family="system-ui, sans-serif" font-size="14" fill="#1c2430">',
            '<defs><marker id="end" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7"'
            ' orient="auto">'
            '<path d="M0 0 L8 4 L0 8 z" fill="#8a8f98"/></marker></defs>',
            f'<rect width="{width}" height="{tall}" fill="white"/>',
            *lines,
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(drawn(imports_between_rooms()), encoding="utf-8")
    print(PICTURE)
