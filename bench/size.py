"""The size of the package in what line breaks cannot hide: tokens, statements and public names, by room.

python bench/size.py [SOURCE] [--depth 2] [--against PATH]      SOURCE is src/snellen; PATH is another checkout

Tokens are those of Python's tokenizer without comments and line breaks. A public name is a class, function or method whose name, and
that of everything around it, does not begin with an underscore; functions inside functions do not count.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter, defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
COLUMNS = ("files", "lines", "statements", "tokens", "names")
Sizes = dict[str, Counter[str]]


def public_names(body: list[ast.stmt]) -> int:
    """Count the public definitions of a module or a class."""
    found = 0
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            found += 1 + (public_names(node.body) if isinstance(node, ast.ClassDef) else 0)
    return found


def size_of(path: Path) -> Counter[str]:
    """Measure one file."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return Counter(
        files=1,
        lines=text.count("\n"),
        statements=sum(isinstance(node, ast.stmt) for node in ast.walk(tree)),
        tokens=sum(token.type not in SKIPPED for token in tokens),
        names=public_names(tree.body),
    )


def rooms(source: Path, depth: int) -> Sizes:
    """Measure a tree by its folders, and all of it together."""
    found: Sizes = defaultdict(Counter)
    for path in sorted(source.rglob("*.py")):
        folders = path.relative_to(source).parts[:-1]
        size = size_of(path)
        found["/".join(folders[:depth]) or "."].update(size)
        found["all"].update(size)
    return found


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="The size of Snellen by room.")
    parser.add_argument("source", nargs="?", type=Path, default=HERE.parent / "src" / "snellen")
    parser.add_argument("--depth", type=int, default=1, help="how many folders make a room")
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout, whose figures stand first")
    given = parser.parse_args()
    now = rooms(given.source, given.depth)
    before = rooms(given.against / "src" / "snellen", given.depth) if given.against else {}
    print(f"{'room':28}" + "".join(f"{column:>20}" for column in COLUMNS))
    for room in sorted({*now, *before}, key=lambda r: now.get(r, before.get(r, Counter()))["tokens"]):
        line = f"{room:28}"
        for column in COLUMNS:
            value = f"{now.get(room, Counter())[column]:,}"
            if given.against:
                value = f"{before.get(room, Counter())[column]:,} -> {value}"
            line += f"{value:>20}"
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
