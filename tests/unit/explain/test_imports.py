"""Inside explain imports go one way too: record, then analyses, then views; late and type-only imports count."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import dhyan.explain

ROOM = Path(dhyan.explain.__file__).parent


def modules_that_it_imports(file):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("dhyan.explain"):
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_there_is_no_cycle():
    files = {
        ".".join(("dhyan", "explain", *file.relative_to(ROOM).with_suffix("").parts)): file
        for file in ROOM.rglob("*.py")
        if file.stem != "__init__"
    }
    graph = {name: {one for one in modules_that_it_imports(file) if one in files} for name, file in files.items()}
    order = list(TopologicalSorter(graph).static_order())  # raises CycleError
    assert order.index("dhyan.explain.explanation") < order.index("dhyan.explain.analyses.occlusion")
    for name, imported in graph.items():
        if "analyses" in name:
            assert not any("views" in one for one in imported), name
