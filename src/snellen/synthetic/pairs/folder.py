"""A folder of D3, as the makers write it: pictures in groups, their differences, and true captions.

The exam reads the same names, of real sets and of made ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from snellen.data.synthetic_marker import Label
from snellen.synthetic.documents import OBJECT, Written, member, write_set
from snellen.synthetic.pool import Progress
from snellen.synthetic.writing import label_of, origin_of, stamped, write_bytes

PAIR = ("left", "right")
DOCUMENTS = ("dataset.json", "differences.json", "captions/reference.json")
MOST = 16
"""The most pictures that a set may have."""


def set_names(count: int) -> tuple[str, ...]:
    """Return the slots of a set: image1, image2, ..."""
    return tuple(f"image{i}" for i in range(1, count + 1))


class PictureGroup(NamedTuple):
    """Pictures that belong together, slot by slot: the files, their captions, and the known facts about the difference."""

    images: tuple[bytes, ...]
    captions: tuple[str, ...]
    known: dict[str, str]


def write(
    out: Path,
    generator: str,
    slots: tuple[str, ...],
    draw: Callable[[int, int], PictureGroup],
    *,
    count: int,
    seed: int,
    workers: int | None,
    progress: Progress | None,
) -> list[Path]:
    """Write a set and return its files. `draw` (of a seed and a number) must be a function of a module: it runs in other processes."""
    work = partial(_written, draw, out, slots, label_of(generator, seed))
    parts = [(dict.fromkeys(DOCUMENTS, OBJECT), range(count))]
    return write_set(out, origin_of(generator, seed=seed, count=count), work, parts, workers, progress)


def _written(
    draw: Callable[[int, int], PictureGroup], out: Path, slots: tuple[str, ...], label: Label, number: int
) -> Written:
    group = draw(label["seed"], number)
    names = [f"images/SNELLEN_{number * len(slots) + place:012d}.jpg" for place in range(len(slots))]
    files = [write_bytes(out / name, data) for name, data in zip(names, group.images, strict=True)]
    listed = dict(zip(slots, (f"./{name}" for name in names), strict=True))
    captions = dict(zip(slots, group.captions, strict=True))
    return files, tuple(member(str(number), stamped(said, label)) for said in (listed, group.known, captions))
