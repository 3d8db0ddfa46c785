"""What a source file defines, read without running it."""

import ast
from pathlib import Path


def defined_in(file: Path) -> set[str]:
    """Functions, classes and module-level names; methods and attributes as Class.name."""
    return _names(ast.parse(file.read_text(encoding="utf-8")))


def _names(tree: ast.AST) -> set[str]:
    found = set()
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{name}" for name in _names(node)}
            found |= {f"{node.name}.{name}" for name in _attributes(node)}
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {target.id for target in targets if isinstance(target, ast.Name)}
    return found


def _attributes(tree: ast.ClassDef) -> set[str]:
    """What a method puts on `self`."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
    }
