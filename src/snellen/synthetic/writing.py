"""Writing of a synthetic set into a folder: never over other files, and never half a file under its final name.

Every set states its origin: generator, version, seed, count, and everything else that decides its bytes. A folder of loose
files states it in a small marker file (`claim`), parquet files in their metadata (tables.py). A folder with another origin,
or none, is left alone. While a set is being made, its folder is marked as unfinished.

Every picture and every record bears a label too (data/synthetic_marker.py), without the count: sample i is the same whatever the number
of samples.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import SnellenError
from snellen.data.folder import UNFINISHED, unfinished
from snellen.data.synthetic_marker import MARK, MARKER, Label, labelled

if TYPE_CHECKING:
    from PIL.Image import Image

VERSION = 2
"""The version of all makers here."""

Origin = Mapping[str, Any]
"""The origin of a set; `seed` and `count` are always in it."""


def origin_of(generator: str, *, seed: int, count: int) -> dict[str, Any]:
    """Return an origin that nothing but these decides."""
    return {"generator": generator, "version": VERSION, "seed": seed, "count": count}


def label_of(generator: str, seed: int) -> Label:
    """Return the label that every picture and record of a set bears."""
    return {"generator": generator, "version": VERSION, "seed": seed}


def stamped(record: dict[str, Any], label: Label) -> dict[str, Any]:
    """Return a record with the label as its last field."""
    return record | {MARK: label}


def picture_file(image: Image, label: Label, kind: str = "PNG", **how: Any) -> bytes:
    """Return a picture as a file that bears a label; `how` are Pillow's options for its compression."""
    sink = io.BytesIO()
    image.save(sink, kind, **how)
    return labelled(sink.getvalue(), label)


def making(out: Path) -> AbstractContextManager[None]:
    """Mark the folder as unfinished until the set is whole."""
    return unfinished(out, "snellen data make")


def check_numbers(*, seed: int, count: int) -> None:
    """Refuse numbers that no set can be made with."""
    if count < 1:
        raise SnellenError(f"count must be at least 1, not {count}")
    if seed < 0:
        raise SnellenError(f"seed must not be negative, and {seed} is")


def check_place(out: Path, origin: Origin) -> None:
    """Refuse a set that cannot be made and a place that is not a folder, before anything is written."""
    check_numbers(seed=origin["seed"], count=origin["count"])
    if out.exists() and not out.is_dir():
        raise SnellenError(f"{out} is not a folder: choose another --out folder")


def check_same(out: Path, found: Origin, wanted: Origin) -> None:
    """Refuse a folder with another set than the requested one."""
    if found != wanted:
        here, there = (", ".join(f"{name} {o.get(name)}" for name in wanted) for o in (found, wanted))
        raise SnellenError(f"{out} holds another synthetic set ({here}; wanted: {there}): choose another folder")


def claim(out: Path, origin: Origin, *, indent: int = 1) -> Path:
    """Make the folder and return its marker file; refuse a folder with anything except (part of) the same set.

    The marker comes first, so an interrupted set is recognised as ours and made again.
    """
    check_place(out, origin)
    marker = out / MARKER
    if marker.exists():
        check_same(out, _read(marker), origin)
    elif out.exists() and any(path.name != UNFINISHED for path in out.iterdir()):
        raise SnellenError(f"{out} holds something that was not made here: choose another folder for the synthetic set")
    return write_json(marker, origin, indent=indent)


def _read(marker: Path) -> dict[str, Any]:
    try:
        found = json.loads(marker.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict):
        raise SnellenError(f"{marker} cannot be read: choose another folder for the synthetic set")
    return found


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path to write to; the file gets its own name when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(path.name + ".part")
    try:
        yield draft
        draft.replace(path)
    except BaseException as error:
        draft.unlink(missing_ok=True)
        if isinstance(error, OSError) and not error.filename:  # the error of a full disk does not name the file
            error.filename = str(path)
        raise


def write_bytes(path: Path, data: bytes) -> Path:
    """Write a complete file."""
    with whole(path) as draft:
        draft.write_bytes(data)
    return path


def write_text(path: Path, text: str) -> Path:
    """Write text as UTF-8, with line ends unchanged."""
    return write_bytes(path, text.encode())


def write_json(path: Path, value: Any, *, indent: int = 1) -> Path:
    """Write JSON, always in the same form."""
    return write_text(path, json.dumps(value, indent=indent, ensure_ascii=False) + "\n")
