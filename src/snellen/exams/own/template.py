"""The output of `data init` and `data make`: a table of questions with a comment on each column, and matching drawn pictures."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import SnellenError
from snellen.core.extras import Progress
from snellen.data.folder import UNFINISHED, check_new
from snellen.synthetic.writing import making, picture_file, write_bytes, write_text

if TYPE_CHECKING:
    from PIL.Image import Image as Drawn

TABLE = "questions.jsonl"
COLOURS = {"red": "#d62728", "blue": "#1f77b4", "green": "#2ca02c", "orange": "#ff7f0e"}
SHAPES = ("circle", "square", "triangle")
_SIZE, _R = 320, 34
VERSION = 1
_HEAD = """\
# Your questions: one JSON object a line. Lines that begin with # are comments.
# image    a picture file, named from this folder; a list of several: ["a.png", "b.png"]
# question the question, in your words
"""
_CHOICE = """\
# options  a list of 2 to 26 options; they are lettered A, B, C in this order
# answer   the right option: its text, or its letter. A list of several: ["red", "blue"]
"""
_TEXT = """\
# answer   a word or short phrase; a list of all that you accept: ["sofa", "couch"]. A number is asked for as a number;
#          "tolerance": 0.5 says how far off it may be
"""
_TAIL = """\
# You may add: id, split, and columns of your own with a few values each ("topic"), by which results are broken down.
# The same works as CSV or Parquet. The pictures of these two rows are drawn: replace the rows with your own, then run
# 'snellen data check' and 'snellen run' on this folder.
"""


def choice(out: Path) -> tuple[Path, str]:
    """Write a template of multiple-choice questions."""
    return _template(out, _CHOICE, [next(_rows(seed, "choice")) for seed in (1, 2)], "baseline/chance")


def text(out: Path) -> tuple[Path, str]:
    """Write a template of questions with one-word answers."""
    rows = [next(_rows(seed, "text")) for seed in (1, 2)]
    return _template(out, _TEXT, rows, f"baseline/constant:{rows[0][0]['answer'][0]}")


def _template(out: Path, columns: str, rows: list[tuple[dict[str, Any], Drawn]], model: str) -> tuple[Path, str]:
    check_new(out)
    return _write(out, _HEAD + columns + _TAIL, rows)[0], model


def make(
    out: Path, *, count: int, seed: int, workers: int | None = None, progress: Progress | None = None
) -> list[Path]:
    """Write a synthetic set of `count` questions of each kind about drawn shapes."""
    if not (out / UNFINISHED).exists() and any((out / name).exists() for name in (TABLE, "images")):
        raise SnellenError(f"{out} holds a set already: name a new folder")
    rows = [row for kind in ("choice", "labels", "number", "text") for row in _first(_rows(seed, kind), count)]
    comment = "# Synthetic questions about drawn shapes, made by 'snellen data make own'.\n"
    with making(out):
        numbered = [({"id": f"{row['kind']}-{i}", **row}, data) for i, (row, data) in enumerate(rows)]
        return _write(out, comment, numbered, seed)


def _first(rows: Iterator[tuple[dict[str, Any], Drawn]], count: int) -> list[tuple[dict[str, Any], Drawn]]:
    return [next(rows) for _ in range(count)]


def _write(out: Path, comment: str, rows: list[tuple[dict[str, Any], Drawn]], seed: int = 0) -> list[Path]:
    (out / "images").mkdir(parents=True, exist_ok=True)
    label = {"generator": "own", "version": VERSION, "seed": seed}
    files, lines = [out / TABLE], [comment]
    for number, (row, picture) in enumerate(rows, 1):
        file = out / "images" / f"{number}.png"
        write_bytes(file, picture_file(picture, label))
        files.append(file)
        shown = {"image": f"images/{number}.png"} | row
        if "id" not in row:
            shown.pop("kind", None)  # the row itself shows its kind, so a template leaves it out
        lines.append(json.dumps(shown, ensure_ascii=False) + "\n")
    write_text(files[0], "".join(lines))
    return files


# ---------------------------------------------------------------- drawn questions


def _rows(seed: int, kind: str) -> Iterator[tuple[dict[str, Any], Drawn]]:
    """Yield questions of a kind about scattered shapes, without end."""
    draw = random.Random(f"own/{seed}/{kind}")  # noqa: S311 (drawings, not secrets)
    while True:
        names = [(draw.choice(list(COLOURS)), draw.choice(SHAPES)) for _ in range(draw.randint(2, 5))]
        picture = _drawn(draw, names)
        colours, shape = sorted({colour for colour, _ in names}), names[0][1]
        first = next(colour for colour, one in names if one == shape)
        unique = {one for one in SHAPES if sum(name == one for _, name in names) == 1}
        if kind in ("choice", "text"):
            if shape not in unique:
                continue
            options = draw.sample(list(COLOURS), len(COLOURS))
            row: dict[str, Any] = {"question": f"What colour is the {shape}?"}
            row |= {"options": options, "answer": first} if kind == "choice" else {"answer": [first]}
        elif kind == "labels":
            row = {"question": "Which colours are there?", "options": list(COLOURS), "answer": colours}
        else:
            row = {"question": "How many shapes are there?", "answer": len(names)}
        yield row | {"kind": kind}, picture


def _drawn(draw: random.Random, names: list[tuple[str, str]]) -> Drawn:
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (_SIZE, _SIZE), "white")
    pen = ImageDraw.Draw(image)
    cells = draw.sample([(x, y) for x in range(3) for y in range(3)], len(names))
    for (colour, shape), (column, row) in zip(names, cells, strict=True):
        x, y = (_SIZE * (2 * at + 1) // 6 for at in (column, row))
        box = (x - _R, y - _R, x + _R, y + _R)
        if shape == "circle":
            pen.ellipse(box, fill=COLOURS[colour])
        elif shape == "square":
            pen.rectangle(box, fill=COLOURS[colour])
        else:
            pen.polygon([(x, y - _R), (x - _R, y + _R), (x + _R, y + _R)], fill=COLOURS[colour])
    return image
