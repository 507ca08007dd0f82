"""The survey of a whole file before its rows are read: whether answers are letters, indices or texts, and which columns are tags."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.data.tables import TableRow
from snellen.exams.own.columns import TableColumns
from snellen.exams.own.names import STYLE_WORDS, STYLES
from snellen.exams.own.rows import BadCell, QuestionCells, asked, chosen, text_of

MOST_VALUES, LONGEST_TAG = 20, 60


class Survey(NamedTuple):
    """The common properties of a file's rows. `style`: how answers name options."""

    style: str = ""
    several: bool = False
    tags: tuple[str, ...] = ()


def survey(rows: Iterable[TableRow], columns: TableColumns, binary: bool = False) -> Survey:
    """Read all rows once; rows that cannot be used are ignored. Raise SnellenError if answers can be read in two ways."""
    styles = [columns.style] if columns.style else list(STYLES.values())
    fits = dict.fromkeys(styles, 0)
    differ: set[tuple[str, str]] = set()
    first_unlike = ""
    several, choices = False, 0
    values: dict[str, set[str]] = {name: set() for name in columns.others}
    for row in rows:
        if row.wrong:
            continue
        for name in [n for n, seen in values.items() if not _few(seen, text_of(row.cells.get(n)))]:
            del values[name]
        try:
            found = asked(row.cells, columns, binary)
        except BadCell:
            continue
        if not found.options or found.kind in ("number", "text"):
            continue
        choices += 1
        several = several or (len(found.answers) > 1 and not found.kind)
        places = {style: _places(found, style) for style in styles}
        for style, at in places.items():
            fits[style] += at is not None
        for one in styles:
            for other in styles:
                if one < other and places[one] and places[other] and places[one] != places[other]:
                    differ.add((one, other))
                    first_unlike = first_unlike or row.place
    tags = tuple(name for name, seen in values.items() if len(seen - {""}) > 1)
    if not choices:
        return Survey(several=several, tags=tags)
    best = max(fits.values())
    likely = [style for style in styles if fits[style] == best]
    clash = next(((a, b) for a in likely for b in likely if (a, b) in differ), None)
    if clash:
        a, b = (STYLE_WORDS[style] for style in clash)
        names = " or ".join(f"'{name}'" for name, style in STYLES.items() if style in clash)
        raise SnellenError(
            f"column '{columns.answer}': the answers could name an option by {a} or by {b} (they part at {first_unlike}): "
            f"call the column {names}"
        )
    return Survey(likely[0], several, tags)


def _places(row: QuestionCells, style: str) -> frozenset[int] | None:
    """Return the options that a row's answers name in one style; None if an answer names none."""
    found = [chosen(answer, row.options, style) for answer in row.answers]
    return None if None in found else frozenset(p for p in found if p is not None)


def _few(seen: set[str], value: str) -> bool:
    """Return whether a column can still be a tag with this value: few values, and short ones."""
    seen.add(value)
    return len(seen) <= MOST_VALUES and len(value) <= LONGEST_TAG
