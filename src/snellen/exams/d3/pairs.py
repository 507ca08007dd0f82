"""A user's own pairs: rows of two or more pictures in CSV, JSONL, a JSON list or Parquet, or two folders `a` and `b` with pictures of the
same names.

A row may include a caption for each picture: `replay/FILE` uses them as replies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PICTURES
from snellen.data.sheets import columns, rows
from snellen.data.tables import TableRow, tables_in
from snellen.exams.d3.names import PAIR, names_in

PAIRS = (PAIR, ("a", "b"), ("image_a", "image_b"), ("left_image", "right_image"), ("image1", "image2"))
FOLDERS = ("a", "b")
ASKING = ("question", "prompt", "instruction", "answer", "options", "choices")
_CAPTION = ("caption_{}", "{}_caption")


class UncheckedEntry(NamedTuple):
    """An entry before it is checked: its name in messages, its uid, and its fields."""

    where: str
    uid: str
    value: Any


class EntrySource(NamedTuple):
    """The source of the entries: the folder, the file (or folder) that names them, its bytes, and its invalid rows."""

    root: Path
    label: str
    raw: bytes
    entries: list[UncheckedEntry]
    problems: list[Problem]


def _slots_of(present: Iterable[str]) -> tuple[str, ...] | None:
    """Return the columns that name pictures; None if there are not two, or if rows ask a question (A and B are options then)."""
    known = dict.fromkeys(present, "")
    if known.keys() & set(ASKING):
        return None
    sets = names_in({name: "" for name in known if name not in PAIR})
    if sets is not None and len(sets) > 2:
        return sets
    return next((pair for pair in PAIRS if set(pair) <= known.keys()), None)


def own_pairs(where: Path) -> EntrySource | None:
    """Return the pairs of a user's file or folder; None if it is something else."""
    files = [path for path in tables_in(where) if _slots_of(columns(path)) is not None]
    if len(files) > 1:
        raise SnellenError(
            f"{where} holds several files of pairs ({', '.join(p.name for p in files)}): name one of them"
        )
    if files:
        return _rows(files[0])
    return _folders(where) if all((where / name).is_dir() for name in FOLDERS) else None


def _rows(path: Path) -> EntrySource:
    slots = _slots_of(columns(path)) or PAIR
    names = PAIR if len(slots) == 2 else slots
    found: list[UncheckedEntry] = []
    problems: list[Problem] = []
    for number, row in enumerate(rows(path, path.name), 1):
        if isinstance(row, Problem):
            problems.append(row)
        elif lacking := [slot for slot in slots if slot not in row.cells]:
            problems.append(Problem(row.place, f"column {lacking[0]}: no picture"))
        else:
            found.append(UncheckedEntry(row.place, _uid(row.cells, number), _entry(row, slots, names)))
    return EntrySource(path.parent, path.name, path.read_bytes(), found, problems)


def _entry(row: TableRow, slots: tuple[str, ...], names: tuple[str, ...]) -> dict[str, Any]:
    """Return a row in the form of dataset.json."""
    kind = row.cells.get("kind")
    pictures = {name: row.cells[slot] for slot, name in zip(slots, names, strict=True)}
    return pictures | ({"kind": str(kind)} if kind else {})


def _uid(cells: Mapping[str, Any], number: int) -> str:
    return str(next((cells[name] for name in ("id", "uid") if name in cells), number))


def _folders(where: Path) -> EntrySource:
    """Return pictures from two folders with the same name apart from the extension."""
    sides = [{p.stem: p for p in sorted((where / name).iterdir()) if p.suffix.lower() in PICTURES} for name in FOLDERS]
    found: list[UncheckedEntry] = []
    problems: list[Problem] = []
    for stem in sorted(sides[0].keys() | sides[1].keys()):
        files = [side.get(stem) for side in sides]
        label = f"picture {stem!r}"
        if None in files:
            problems.append(Problem(label, f"is not in the folder {FOLDERS[files.index(None)]!r}"))
            continue
        entry = {slot: p.relative_to(where).as_posix() for slot, p in zip(PAIR, files, strict=True) if p is not None}
        found.append(UncheckedEntry(label, stem, entry))
    names = "\n".join(entry.uid for entry in found).encode("utf-8", "replace")
    return EntrySource(where, "a and b", names, found, problems)


def captions_in(document: Any) -> dict[str, dict[str, str]] | None:
    """Return the captions that rows of pairs bring, by uid and slot; None if the document is something else or has none."""
    if not isinstance(document, list) or not all(isinstance(row, dict) for row in document):
        return None
    found = dict(_captions(document))
    return found or None


def _captions(document: list[dict[str, Any]]) -> Iterator[tuple[str, dict[str, str]]]:
    for number, row in enumerate(document, 1):
        cells = {str(key).strip().lower(): value for key, value in row.items() if value}
        slots = _slots_of(cells)
        if slots is None:
            continue
        said = [next((cells[f] for form in _CAPTION if (f := form.format(slot)) in cells), None) for slot in slots]
        if all(isinstance(text, str) for text in said):
            names = PAIR if len(slots) == 2 else slots
            yield _uid(cells, number), dict(zip(names, map(str, said), strict=True))
