"""Hold the worst habits of speech in docstrings and comments of the package at zero: `make lint` runs this.

python docs/tools/english.py [FOLDER ...]      FOLDER is src/snellen; prints each place and exits 1 where there is one
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

HABITS = re.compile(r"\b((?<!there )is no(?! longer)|whoever|nobody|somebody|so many)\b", re.IGNORECASE)
BEGINNINGS = re.compile(r"(What|Whether)\b")
QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|'[^'\n]* [^'\n]*'|^\s*>>>.*$", re.MULTILINE)


def texts(source: str) -> Iterator[tuple[int, str, bool]]:
    """Yield the docstrings and comments of a module by their line; the last value tells whether it is a docstring."""
    for node in ast.walk(ast.parse(source)):
        for statement in getattr(node, "body", ()) if not isinstance(node, ast.Lambda | ast.IfExp) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield statement.lineno, value.value, True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string, False


def habits(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of each habit in a module."""
    for line, text, docstring in texts(source):
        if docstring and (found := BEGINNINGS.match(text)):
            yield line, f"begins with '{found[0]}'"
        yield from ((line, found[0]) for found in HABITS.finditer(QUOTED.sub("", text)))


def main() -> int:
    folders = [Path(name) for name in sys.argv[1:]] or [Path("src/snellen")]
    count = 0
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        for line, words in habits(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}: {words}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
