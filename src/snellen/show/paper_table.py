"""The table of a paper: models as rows, parts as columns, one protocol's headline. Plain texts; `latex.py`, `markdown.py` write them.

Only what may stand side by side shares a table: one exam, one protocol of one version and prompt, and either real or synthetic data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import NamedTuple

from snellen.core.errors import SnellenError, unknown
from snellen.core.figures import between, number
from snellen.engine.runs.tidy import ScoreRow
from snellen.show import words

NOTHING = "–"
Parts = dict[tuple[tuple[str, str], ...], str]
"""Parts by what they are grouped by, with their names."""


class Figure(NamedTuple):
    """A cell: a value, its interval, what else must be said of it, and 'at floor' or 'below floor' where that is so."""

    value: str
    interval: str = ""
    notes: tuple[str, ...] = ()
    floor_word: str = ""


class Line(NamedTuple):
    """A row of the table: who, what nobody may overlook, and a figure for each part."""

    name: str
    status: str
    figures: tuple[Figure, ...]


class PaperTable(NamedTuple):
    """A table with its caption. `floors` is empty where no part has one."""

    exam: str
    protocol: str
    parts: tuple[str, ...]
    lines: tuple[Line, ...]
    floors: tuple[str, ...]
    published: tuple[Line, ...]
    caption: tuple[str, ...]


def paper_tables(rows: Sequence[ScoreRow]) -> list[PaperTable]:
    """A table for each exam (and version of the protocol), by the first protocol that all its runs have."""
    tables: list[PaperTable] = []
    for exam in dict.fromkeys(r.exam for r in rows):
        own = [r for r in rows if r.exam == exam]
        name = _common(exam, own)
        headlines = [r for r in own if r.protocol == name and r.headline and r.whole]
        keys = dict.fromkeys(_key(r) for r in headlines if not r.published)
        tables += [_table([r for r in headlines if _key(r) == key]) for key in keys]
    if not tables:
        raise SnellenError("these runs have no scores yet: 'snellen remark RUN' marks what was answered")
    return tables


def check_protocol(rows: Iterable[ScoreRow], protocol: str) -> None:
    """Refuse a protocol that one of the runs was not marked by."""
    known: dict[str, dict[str, None]] = {}
    for row in rows:
        known.setdefault(row.run, {})[row.protocol] = None
    for run, names in known.items():
        if run and protocol not in names:
            raise unknown("protocol", protocol, names, of=run)


def _common(exam: str, rows: Sequence[ScoreRow]) -> str:
    """The first protocol that all runs of an exam have; a control arm only where there is nothing else."""
    by_run: dict[str, dict[str, None]] = {}
    for row in sorted(rows, key=lambda r: bool(r.control)):
        if not row.published:
            by_run.setdefault(row.run, {})[row.protocol] = None
    first, *others = by_run.values()
    found = next((name for name in first if all(name in names for names in others)), None)
    if found is None:
        raise SnellenError(
            f"the runs of {exam} have no protocol in common: 'snellen remark RUN --protocol P' marks them by one more"
        )
    return found


def _key(row: ScoreRow) -> tuple[str, ...]:
    return (row.version, row.prompt, row.control, row.metric, row.unit, str(row.synthetic))


# ---------------------------------------------------------------- one table


def _table(rows: list[ScoreRow]) -> PaperTable:
    parts = {tuple(r.by.items()): r.part for r in rows if not r.published}
    runs: dict[str, list[ScoreRow]] = {}
    papers: dict[str, list[ScoreRow]] = {}
    for row in rows:
        if row.published:
            papers.setdefault(row.subject, []).append(row)
        else:
            runs.setdefault(row.run, []).append(row)
    names = [_name(some[0]) for some in runs.values()]
    lines = tuple(
        _line(name if names.count(name) == 1 else f"{name} · {PurePath(run).name}", parts, some)
        for name, (run, some) in zip(names, runs.items(), strict=True)
    )
    names_of_parts = tuple(_told_apart(parts))
    floors = tuple(_floor([r for r in rows if tuple(r.by.items()) == by]) for by in parts)
    return PaperTable(
        exam=rows[0].exam,
        protocol=rows[0].protocol,
        parts=names_of_parts,
        lines=lines,
        floors=floors if any(f != NOTHING for f in floors) else (),
        published=tuple(_line(name, parts, some) for name, some in papers.items()),
        caption=tuple(_caption(rows, dict(zip(parts, names_of_parts, strict=True)))),
    )


def _name(row: ScoreRow) -> str:
    shots = row.options.get("shots")
    return row.subject + (f" · {shots} shots" if shots else "")


def _told_apart(parts: Parts) -> Iterable[str]:
    """The names of parts; where two have one name, with what they are grouped by."""
    names = list(parts.values())
    for by, name in parts.items():
        yield name if names.count(name) == 1 else " · ".join(f"{key} {value}" for key, value in by)


def _line(name: str, parts: Parts, rows: Sequence[ScoreRow]) -> Line:
    by_part = {tuple(r.by.items()): r for r in rows}
    said = dict.fromkeys(word for r in rows for word in r.status.split(", ") if word and word != "SYNTHETIC")
    figures = tuple(_figure(by_part[part]) if part in by_part else Figure(NOTHING) for part in parts)
    return Line(name, ", ".join(said), figures)


def _figure(row: ScoreRow) -> Figure:
    notes = []
    if row.n != row.part_n:
        notes.append(f"n = {row.n}")
    if row.silence in ("many", "most") and row.part_n:
        notes.append(f"{100 * (row.non_answers or 0) / row.part_n:.0f} % no answer")
    return Figure(number(row.value, row.unit), between(row.low, row.high, row.unit), tuple(notes), _floor_word(row))


def _floor_word(row: ScoreRow) -> str:
    """'at floor' or 'below floor', as the printed figures have it."""
    if row.value is None or row.floor is None or not row.better:
        return ""
    if number(row.value, row.unit) == number(row.floor, row.unit):
        return "at floor"
    worse = row.value > row.floor if row.better == "lower" else row.value < row.floor
    return "below floor" if worse else ""


def _floor(rows: Sequence[ScoreRow]) -> str:
    """The floor of a part; from the lowest to the highest where runs did not see the same samples."""
    found = sorted({r.floor for r in rows if r.floor is not None})
    figures = list(dict.fromkeys(number(f, rows[0].unit) for f in found))
    return NOTHING if not figures else figures[0] if len(figures) == 1 else f"{figures[0]}–{figures[-1]}"


def _caption(rows: Sequence[ScoreRow], parts: Parts) -> Iterable[str]:
    own = [r for r in rows if not r.published]
    first = own[0]
    unit = f"in {first.unit}" if first.unit else "in percent"
    interval = " with 95 % intervals" if any(r.low is not None for r in own) else ""
    control = f" under the control {first.control}" if first.control else ""
    yield (
        f"{first.exam}: {first.label} {unit}{interval}, by protocol {first.protocol} (version {first.version}, "
        f"prompt {first.prompt}{control})."
    )
    yield f"{_counts(own, parts)} Non-answers count as wrong."
    if any(r.floor is not None for r in own):
        yield "Floor: the best that never looking gets, by one constant answer or by chance."
    if len({r.data_fingerprint for r in own}) > 1:
        yield "The runs did not see the same data."
    sources = dict.fromkeys(r.source for r in rows if r.published)
    if sources:
        yield f"Published figures, not measured here: {'; '.join(sources)}."
    if first.synthetic:
        yield words.SYNTHETIC


def _counts(rows: Sequence[ScoreRow], parts: Parts) -> str:
    """'n = 45 in each part.', or the n of every part."""
    by_part = {name: sorted({r.part_n or 0 for r in rows if tuple(r.by.items()) == by}) for by, name in parts.items()}
    said = {part: str(ns[0]) if len(ns) == 1 else f"{ns[0]}–{ns[-1]}" for part, ns in by_part.items()}
    if len(set(said.values())) == 1:
        return f"n = {next(iter(said.values()))}{' in each part' if len(said) > 1 else ''}."
    return f"n: {', '.join(f'{part} {n}' for part, n in said.items())}."
