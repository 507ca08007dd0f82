"""What draws knows no exam: imports of `snellen.synthetic` go down only, also those inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import snellen.synthetic

BELOW = {"snellen.synthetic", "snellen.workers", "snellen.stats", "snellen.data", "snellen.core"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}: name modules in full"
            yield from (f"{node.module}.{name.name}" for name in node.names)


def test_synthetic_imports_only_what_is_below_it() -> None:
    files = sorted(Path(snellen.synthetic.__path__[0]).rglob("*.py"))
    assert len(files) > 40
    for path in files:
        ours = {name for name in imported(path) if name.split(".")[0] == "snellen"}
        assert {".".join(name.split(".")[:2]) for name in ours} <= BELOW, path
