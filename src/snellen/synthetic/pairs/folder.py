"""A folder of D3, as the makers write it: pictures, which of them belong together, what tells them apart, true captions.

The exam reads the same names, of real sets and of made ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from snellen.synthetic.writing import Origin, claim, label_of, making, stamped, write_bytes, write_json

PAIR = ("left", "right")
MOST = 16
"""Pictures that a set may have."""


def set_names(count: int) -> tuple[str, ...]:
    """The slots of a set: image1, image2, ..."""
    return tuple(f"image{i}" for i in range(1, count + 1))


class Group(NamedTuple):
    """Pictures that belong together, slot by slot: the files, their captions, and what is known of the difference."""

    uid: int
    images: tuple[bytes, ...]
    captions: tuple[str, ...]
    known: dict[str, str]


def write(out: Path, origin: Origin, slots: tuple[str, ...], groups: Iterable[Group]) -> list[Path]:
    """Writes pictures as they come and the three documents when all are there; gives the files."""
    made = [claim(out, origin)]
    label = label_of(origin["generator"], origin["version"], origin["seed"])
    dataset: dict[str, dict[str, Any]] = {}
    known: dict[str, dict[str, Any]] = {}
    captions: dict[str, dict[str, Any]] = {}
    with making(out):
        for group in groups:
            uid = str(group.uid)
            names = [f"images/SNELLEN_{group.uid * len(slots) + place:012d}.jpg" for place in range(len(slots))]
            made += [write_bytes(out / name, data) for name, data in zip(names, group.images, strict=True)]
            dataset[uid] = stamped({slot: f"./{name}" for slot, name in zip(slots, names, strict=True)}, label)
            known[uid] = stamped(dict(group.known), label)
            captions[uid] = stamped(dict(zip(slots, group.captions, strict=True)), label)
        made.append(write_json(out / "differences.json", known))
        made.append(write_json(out / "captions" / "reference.json", captions))
        made.append(write_json(out / "dataset.json", dataset))
    return sorted(made)
