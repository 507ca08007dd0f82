"""A folder of D3, as the makers write it: pictures, which of them belong together, what tells them apart, true captions.

The exam reads the same names, of real sets and of made ones.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from snellen.data.synthetic_marker import Label
from snellen.synthetic.documents import OBJECT, member, write_records
from snellen.synthetic.pool import Progress
from snellen.synthetic.writing import Origin, claim, label_of, making, stamped, write_bytes

PAIR = ("left", "right")
DOCUMENTS = ("dataset.json", "differences.json", "captions/reference.json")
MOST = 16
"""Pictures that a set may have."""


def set_names(count: int) -> tuple[str, ...]:
    """The slots of a set: image1, image2, ..."""
    return tuple(f"image{i}" for i in range(1, count + 1))


class PictureGroup(NamedTuple):
    """Pictures that belong together, slot by slot: the files, their captions, and what is known of the difference."""

    uid: int
    images: tuple[bytes, ...]
    captions: tuple[str, ...]
    known: dict[str, str]


class Key(NamedTuple):
    """Which group of which set, with so many pictures a group."""

    number: int
    size: int
    seed: int


class GroupPlace(NamedTuple):
    """Where a group is written, what it bears, and the names of its pictures."""

    out: Path
    label: Label
    slots: tuple[str, ...]


def write(
    out: Path,
    origin: Origin,
    slots: tuple[str, ...],
    draw: Callable[[Key], PictureGroup],
    workers: int | None,
    progress: Progress | None,
) -> list[Path]:
    """Writes pictures as they are drawn; the three documents get their names when all are there. Gives the files.

    `draw` must be a function of a module: it runs in other processes.
    """
    marker = claim(out, origin)
    where = GroupPlace(out, label_of(origin["generator"], origin["seed"]), slots)
    keys = [Key(number, len(slots), origin["seed"]) for number in range(origin["count"])]
    documents = {out / name: OBJECT for name in DOCUMENTS}
    with making(out):
        return sorted([marker, *write_records(partial(_written, where, draw), [(documents, keys)], workers, progress)])


def _written(
    where: GroupPlace, draw: Callable[[Key], PictureGroup], key: Key
) -> tuple[list[Path], tuple[str, str, str]]:
    """Draws a group and writes its pictures (it runs in other processes); gives the files, and what each document says of it."""
    group, (out, label, slots) = draw(key), where
    names = [f"images/SNELLEN_{group.uid * len(slots) + place:012d}.jpg" for place in range(len(slots))]
    files = [write_bytes(out / name, data) for name, data in zip(names, group.images, strict=True)]
    listed = {slot: f"./{name}" for slot, name in zip(slots, names, strict=True)}
    captions = dict(zip(slots, group.captions, strict=True))
    listed_text, known_text, caption_text = (
        member(str(group.uid), stamped(dict(said), label)) for said in (listed, group.known, captions)
    )
    return files, (listed_text, known_text, caption_text)
