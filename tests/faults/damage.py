"""Damage by chance: to bytes, to JSON values, to files of a folder."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

DEEP = "[" * 20_000 + "]" * 20_000
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 3, 1.5, -0.0, 1e308, 10**30, -(10**400), 2**63, "", " ", "a", "A", "0", "nan", "\0"),
    *(
        "\ud800",
        "\u202e",
        "é" * 300,
        "x" * 70_000,
        "../../etc/passwd",
        "/etc/passwd",
        "=1+1",
        "<script>alert(1)</script>",
    ),
    *([], {}, [None], [[]], [1, 2, 3, 4], [[1, 2, 3, 4]], ["a", "b"], {"a": 1}, [{}], {"bytes": None}, {"": {"": []}}),
)


def bytes_damaged(draw: Random, data: bytes) -> bytes:
    """The same bytes with one thing wrong: cut, flipped, doubled, overwritten, put in, emptied."""
    at = draw.randrange(len(data) + 1)
    length = min(len(data) - at, draw.choice((1, 2, 8, 100, 4000)))
    how = draw.randrange(8)
    if how == 0:
        return data[:at]
    if how == 1 and data:
        spot = min(at, len(data) - 1)
        return data[:spot] + bytes([data[spot] ^ (1 << draw.randrange(8))]) + data[spot + 1 :]
    if how == 2:
        return data[:at] + data[at : at + length] * 2 + data[at + length :]
    if how == 3:
        return data[:at] + draw.randbytes(length) + data[at + length :]
    if how == 4:
        return data[:at] + data[at + length :]
    if how == 5:
        return (
            data[:at]
            + draw.choice((b"\xff\xfe", b"\0" * 40, b"caf\xe9", b'"', b"\n", b"}{", b"\xed\xa0\x80"))
            + data[at:]
        )
    return b"" if how == 6 else draw.randbytes(len(data) % 5000)


def value_damaged(draw: Random, value: Any) -> Any:
    """The same JSON value with one part of it, at any depth, replaced, taken away or put in."""
    if isinstance(value, dict) and value and draw.random() < 0.85:
        key = draw.choice(sorted(value))
        how = draw.randrange(10)
        if how == 0:
            return {k: v for k, v in value.items() if k != key}
        if how == 1:
            return {(draw.choice(("", "a", "\ud800", key.upper())) if k == key else k): v for k, v in value.items()}
        return {**value, key: value_damaged(draw, value[key])}
    if isinstance(value, list) and value and draw.random() < 0.85:
        at = draw.randrange(len(value))
        how = draw.randrange(10)
        if how < 2:
            return value[:at] + value[at + how : at + 1] * 2 + value[at + 1 :]
        return [*value[:at], value_damaged(draw, value[at]), *value[at + 1 :]]
    return draw.choice(ODD)


def json_damaged(draw: Random, data: bytes, *, lines: bool = False) -> bytes:
    """JSON, or JSON lines, with a wrong part that is still JSON (or nested very deeply)."""
    rows = data.decode().splitlines() if lines else [data.decode()]
    if not any(row.strip() for row in rows):
        return b"null\n"
    at = draw.choice([i for i, row in enumerate(rows) if row.strip()])
    if draw.random() < 0.05:
        rows[at] = rows[at].rstrip()[:-1] + f', "deep": {DEEP}' + rows[at].rstrip()[-1:]
    else:
        rows[at] = json.dumps(value_damaged(draw, json.loads(rows[at])))
    return ("\n".join(rows) + "\n").encode()


def file_damaged(draw: Random, path: Path) -> str:
    """Damages one file in its place, by what it holds; gives what was done."""
    data = path.read_bytes()
    how = draw.random()
    if how < 0.04:
        path.unlink()
        return "taken away"
    if how < 0.08:
        path.unlink()
        path.mkdir()
        return "a folder in its place"
    if how < 0.1:
        path.unlink()
        path.symlink_to(path.name)
        return "a link to itself"
    if path.suffix in (".json", ".jsonl") and how < 0.75:
        path.write_bytes(json_damaged(draw, data, lines=path.suffix == ".jsonl"))
        return "a wrong value"
    path.write_bytes(bytes_damaged(draw, data))
    return "wrong bytes"


def copied(source: Path, place: Path) -> Path:
    """A fresh copy of a folder."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(source, place, symlinks=True)
    return place


def listing(folder: Path) -> dict[str, bytes | None]:
    """Every file below a folder and what it holds, links and folders by name alone."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() if p.is_file() and not p.is_symlink() else None
        for p in sorted(folder.rglob("*"))
    }
