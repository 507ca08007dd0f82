"""The tables of a paper: models as rows, parts as columns, one protocol's headline. An exam's own paper may define another `Layout`.

A table holds only comparable results: one exam, one protocol of one version and prompt, and either real or synthetic data. The tables are
plain text. `latex.py` and `markdown.py` write them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from snellen.core.errors import SnellenError, unknown
from snellen.core.figures import between, number
from snellen.core.layout import By, Column, Layout
from snellen.core.prescription import BOUNDS, CREDIBLE
from snellen.engine.runs.tidy import ScoreRow, statuses
from snellen.present.model import formatting

NOTHING = "–"
Layouts = Callable[[str, str, Sequence[By]], Iterable[Layout]]
"""The layouts of an exam's tables, given its name, a protocol, and the available groups of samples."""
Group = tuple[tuple[str, str], ...]


class PaperFigure(NamedTuple):
    """A cell: a value, its interval, a note on it, and 'at floor' or 'below floor' if that applies."""

    value: str
    interval: str = ""
    notes: tuple[str, ...] = ()
    floor_word: str = ""


class PaperLine(NamedTuple):
    """A row of the table: the model, its number of examples, its status, and a figure for each column.

    `name` tells rows apart: it includes the shots, and the folder if a subject has several runs.
    """

    name: str
    status: str
    figures: tuple[PaperFigure, ...]
    subject: str = ""
    shots: int = 0


class Head(NamedTuple):
    """The heading of a column, and the heading above it that it shares with its neighbours."""

    name: str
    group: str = ""

    @property
    def whole(self) -> str:
        """Return both on one line."""
        return f"{self.group} {self.name}".strip()


class PaperTable(NamedTuple):
    """A table with its caption. `name` is the name of its layout. `floors` is empty if no column has a floor."""

    exam: str
    protocol: str
    name: str
    heads: tuple[Head, ...]
    lines: tuple[PaperLine, ...]
    floors: tuple[str, ...]
    published: tuple[PaperLine, ...]
    caption: tuple[str, ...]


def paper_tables(rows: Sequence[ScoreRow], table: str = "", layouts: Layouts = lambda *_: ()) -> list[PaperTable]:
    """Return the tables of each exam (and version of the protocol), by the first protocol that all its runs have.

    `table` is the name of a layout. Without a name, or if the exam has no such layout for these runs, the parts are columns.
    """
    tables: list[PaperTable] = []
    for exam in dict.fromkeys(r.exam for r in rows):
        own = sorted((r for r in rows if r.exam == exam and not r.published), key=lambda r: bool(r.control))
        name = common_protocol(exam, list(_protocols(own).values()))  # a control arm only if there is no other
        own = [r for r in rows if (r.exam, r.protocol) == (exam, name)]
        parts = list({_group(r): r.by for r in own if not r.published}.values())
        known = list(layouts(exam, name.partition("@")[0], parts)) if table else []
        found = [layout for layout in known if layout.name == table]
        if known and not found:
            raise unknown("table", table, dict.fromkeys(layout.name for layout in known), of=exam)
        for key in dict.fromkeys(_key(r) for r in own if not r.published):
            tables += _tables([r for r in own if _key(r) == key], found)
    if not tables:
        raise SnellenError("these runs have no scores yet: 'snellen mark RUN' marks what was answered")
    return tables


def check_protocol(rows: Iterable[ScoreRow], protocol: str) -> None:
    """Refuse a protocol under which one of the runs was not marked."""
    for run, names in _protocols(rows).items():
        if run and protocol not in names:
            raise unknown("protocol", protocol, names, of=run)


def _protocols(rows: Iterable[ScoreRow]) -> dict[str, dict[str, None]]:
    """Return the protocols of each run."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        found.setdefault(row.run, {})[row.protocol] = None
    return found


def common_protocol(exam: str, runs: Sequence[Collection[str]], wanted: str | None = None) -> str:
    """Return the wanted protocol that all runs of an exam have, or the first one. `runs` are the ordered protocols of each run."""
    found = [name for name in runs[0] if all(name in names for names in runs)]
    if wanted is not None and wanted not in found:
        raise unknown("protocol", wanted, found, of="these runs")
    if not found:
        raise SnellenError(
            f"the runs of {exam} have no protocol in common: 'snellen mark RUN --protocol P' marks them by one more"
        )
    return wanted or found[0]


def _silent_share(row: ScoreRow) -> str:
    """Return '50 % no answer' for a part with many non-answers, else an empty text."""
    if row.silence not in ("many", "most") or not row.answers:
        return ""
    return f"{100 * (row.non_answers or 0) / row.answers:.0f} % no answer"


def _key(row: ScoreRow) -> tuple[str, ...]:
    return (row.version, row.prompt, row.control, str(row.synthetic))


def _group(row: ScoreRow | Column) -> Group:
    return tuple(sorted(row.by.items()))


# ---------------------------------------------------------------- one table


def _tables(rows: list[ScoreRow], layouts: Sequence[Layout]) -> Iterator[PaperTable]:
    """Yield the tables that contain a figure of some run, or the plain table if no layout has any."""
    made = 0
    for layout in layouts:
        own = {(_group(r), r.metric) for r in rows if not r.published}
        columns = [c for c in layout.columns if (_group(c), c.metric) in own]
        if columns:
            made += 1
            yield _table(rows, layout.columns if layout.whole else columns, layout.about, layout.name)
    if not made:
        plain = [r for r in rows if r.headline and r.whole]
        for metric, unit in dict.fromkeys((r.metric, r.unit) for r in plain if not r.published):
            some = [r for r in plain if (r.metric, r.unit) == (metric, unit)]
            parts = list({_group(r): r.by for r in some if not r.published}.values())
            named = zip(formatting.told_apart(parts), parts, strict=True)
            columns = [Column(name, by, metric) for name, by in named]
            yield _table(some, columns, some[0].label)


def _table(rows: list[ScoreRow], columns: Sequence[Column], about: str, name: str = "") -> PaperTable:
    places = {(_group(c), c.metric): c for c in columns}
    shown = [r for r in rows if (_group(r), r.metric) in places]
    runs: dict[str, list[ScoreRow]] = {}
    papers: dict[str, list[ScoreRow]] = {}
    for row in shown:
        if row.published:
            papers.setdefault(_name(row), []).append(row)
        else:
            runs.setdefault(row.run, []).append(row)
    names = [_name(some[0]) for some in runs.values()]
    lines = tuple(
        _line(name, places, some, "" if names.count(name) == 1 else f" · {PurePath(run).name}")
        for name, (run, some) in zip(names, runs.items(), strict=True)
    )
    floors = tuple(_floor([r for r in shown if (_group(r), r.metric) == place]) for place in places)
    return PaperTable(
        exam=rows[0].exam,
        protocol=rows[0].protocol,
        name=name,
        heads=tuple(Head(c.name, c.group) for c in columns),
        lines=lines,
        floors=floors if any(f != NOTHING for f in floors) else (),
        published=tuple(_line(name, places, some) for name, some in papers.items()),
        caption=tuple(_caption(shown, about)),
    )


def _name(row: ScoreRow) -> str:
    shots = shots_of(row)
    return row.subject + (f" · {shots} shots" if shots else "")


def shots_of(row: ScoreRow) -> int:
    """Return the number of examples that were shown."""
    return int(row.options.get("shots") or 0)


def _line(name: str, places: Iterable[tuple[Group, str]], rows: Sequence[ScoreRow], folder: str = "") -> PaperLine:
    """Return a run's line. `folder` tells runs of one subject apart."""
    found = {(_group(r), r.metric): r for r in rows}
    said = [word for word in statuses(r.status for r in rows).split(", ") if word and word != "SYNTHETIC"]
    figures = tuple(_figure(found[place]) if place in found else PaperFigure(NOTHING) for place in places)
    return PaperLine(name + folder, ", ".join(said), figures, rows[0].subject + folder, shots_of(rows[0]))


def _figure(row: ScoreRow) -> PaperFigure:
    notes = [row.interval] if row.interval in BOUNDS else []
    floor_word = formatting.against_floor(row.value, row.floor, row.unit, row.better)
    if row.n != row.part_n:
        notes.append(f"n = {row.n}")
    notes += filter(None, [_silent_share(row)])
    return PaperFigure(number(row.value, row.unit), between(row.low, row.high, row.unit), tuple(notes), floor_word)


def _floor(rows: Sequence[ScoreRow]) -> str:
    """Return the floor of a part, or its range if the runs did not see the same samples."""
    found = [(r.floor, number(r.floor, rows[0].unit)) for r in rows if r.floor is not None]
    return formatting.span(found, "–") if found else NOTHING


def _caption(rows: Sequence[ScoreRow], about: str) -> Iterator[str]:
    own = [r for r in rows if not r.published]
    first = own[0]
    units = dict.fromkeys(r.unit or "percent" for r in own)
    interval = " with 95 % intervals" if any(r.low is not None for r in own) else ""
    control = f" under the control {first.control}" if first.control else ""
    yield (
        f"{first.exam}: {about} in {' and '.join(units)}{interval}, by protocol {first.protocol} "
        f"(version {first.version}, prompt {first.prompt}{control})."
    )
    drawn = any(r.interval == CREDIBLE or r.interval in BOUNDS for r in own)  # thresholds
    yield f"{_counts(own)} Non-answers count as {'guesses' if drawn else 'wrong'}."
    times = [r.repeats or 1 for r in own]
    if max(times) > 1:
        often = formatting.span((n, str(n)) for n in times)
        yield f"Every question was asked {often} times; scores are means over these, and n counts samples."
    if any(r.floor is not None for r in own):
        yield "Floor: the best that never looking gets, by one constant answer or by chance."
    if len({r.data_fingerprint for r in own}) > 1:
        yield "The runs did not see the same data."
    sources = dict.fromkeys(r.source for r in rows if r.published)
    if sources:
        yield f"Published figures, not measured here: {'; '.join(sources)}."
    if first.synthetic:
        yield formatting.SYNTHETIC


def _counts(rows: Sequence[ScoreRow]) -> str:
    """Return 'n = 45 in each part.', or the n of every part."""
    parts = {_group(r): r.by for r in rows}
    named = dict(zip(parts, formatting.told_apart(list(parts.values())), strict=True))
    by_part = {name: [r.part_n or 0 for r in rows if _group(r) == by] for by, name in named.items()}
    said = {part: formatting.span(((n, str(n)) for n in ns), "–") for part, ns in by_part.items()}
    if len(set(said.values())) == 1:
        return f"n = {next(iter(said.values()))}{' in each part' if len(said) > 1 else ''}."
    return f"n: {', '.join(f'{part} {n}' for part, n in said.items())}."
