"""A class name stands for one thing: it exists once in the package."""

import ast
from collections import defaultdict
from pathlib import Path

import snellen

PACKAGE = Path(snellen.__file__).resolve().parent


def test_a_class_name_exists_once() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(file.relative_to(PACKAGE)))
    assert not {name: places for name, places in found.items() if len(places) > 1}
