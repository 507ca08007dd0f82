"""The chart of runs for a paper or a talk: every part's score of every run as a dot with its interval, and the floor. Needs matplotlib.

Text stays text in SVG and PDF, the colours are told apart by people who see few of them and in grey by their markers, and the same runs
give the same bytes. Names come from anybody: nothing of them is read as mathematics, and control characters are shown, not drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.comparison.thresholds import thresholds_of
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.text import one_line
from snellen.engine.runs.run import Run
from snellen.engine.runs.tidy import ScoreRow, statuses
from snellen.present.model import formatting
from snellen.present.model.paper_table import common_protocol, silent_share

FORMATS = ("svg", "png", "pdf")
INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = "osD^vP*X"
ROW, HEAD, LEGEND = 0.17, 0.3, 0.17  # inches
NAME = 60
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "snellen",
    "pdf.fonttype": 42,
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 8.5,
}
WITHOUT_DATE: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


class _ChartPoint(NamedTuple):
    """A run's score of a part; `under` where it is at or below its floor, `silent` where many questions got no answer."""

    run: int
    row: ScoreRow
    under: bool
    silent: str


class _ChartPart(NamedTuple):
    """A part of an exam with the scores of all runs that have it."""

    name: str
    n: int
    points: list[_ChartPoint]


class _ScoreChart(NamedTuple):
    """What is drawn: the runs, the parts, what is measured, and what has to be said below it."""

    title: str
    runs: list[str]
    parts: list[_ChartPart]
    notes: list[str]


def write_chart(runs: Sequence[Run], path: Path, protocol: str | None = None) -> None:
    """Draw the headline of all parts of some runs into a file whose ending says the format."""
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise SnellenError(
            f"{path}: a chart is written as {', '.join('.' + f for f in FORMATS)}: name a file with such an ending"
        )
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra("a chart", "charts") from None
    chart = chart_of(runs, protocol)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _draw(chart, path, ending)
    except OSError as error:
        raise SnellenError(f"cannot write {path}: {error.strerror or error}") from None


# ---------------------------------------------------------------- what is drawn


def chart_of(runs: Sequence[Run], protocol: str | None = None) -> _ScoreChart:
    """Return the scores of runs under one protocol of each exam: the one named, or the first that its runs share."""
    if len({run.manifest.data.synthetic for run in runs}) > 1:
        raise SnellenError("some runs are on synthetic data and some on real data: they do not belong in one chart")
    names = [_name(run, [one for one in runs if one.manifest.exam == run.manifest.exam]) for run in runs]
    known = list(dict.fromkeys(names))
    exams: dict[str, list[tuple[int, ScoreRow]]] = {}
    for name, run in zip(names, runs, strict=True):
        for row in run.score_rows():
            if not row.control:
                exams.setdefault(row.exam, []).append((known.index(name), row))
    parts: dict[str, _ChartPart] = {}
    measured = []
    for exam, own in exams.items():
        chosen = common_protocol(exam, [row for _run, row in own], protocol)
        shown = [(at, row) for at, row in own if row.protocol == chosen and row.whole and row.headline]
        measured += [f"{exam}: {row.label} under '{chosen}'" for _run, row in shown[:1]]
        for at, row in shown:
            if row.value is not None and not row.unit:
                label = f"{exam} · {row.part}" if len(exams) > 1 else row.part
                under = formatting.against_floor(row.value, row.floor, row.unit, row.better) != ""
                part = parts.setdefault(label, _ChartPart(label, row.part_n or 0, []))
                part.points.append(_ChartPoint(at, row, under, silent_share(row)))
    if not parts:
        page = ": 'snellen report RUN...' draws thresholds" if any(thresholds_of(run.manifest) for run in runs) else ""
        raise SnellenError(f"these runs have no scores in percent to draw{page}")
    points = [point for part in parts.values() for point in part.points]
    title, lines = (measured[0], []) if len(measured) == 1 else ("Scores by exam and part", measured)
    return _ScoreChart(title, known, list(parts.values()), [*(f"{line}." for line in lines), *_notes(points)])


def _name(run: Run, of_exam: Sequence[Run]) -> str:
    """Return the subject; with the end of its folder's name where another run of the exam has the same."""
    said = formatting.title(run.manifest).partition(" · ")[2]
    if sum(formatting.title(other.manifest) == formatting.title(run.manifest) for other in of_exam) > 1:
        said += f" ({run.path.name.rpartition('_')[2]})"
    return one_line(said, NAME) + (" (ORACLE: looks at the answer)" if run.manifest.oracle else "")


def _notes(points: Sequence[_ChartPoint]) -> Iterator[str]:
    floors = " Upright lines: floors, what never looking gets; hollow: at or below it."
    yield "Bars: 95 % intervals." + floors * any(p.row.floor is not None for p in points)
    if any(p.silent for p in points):
        yield "No answer: refused, cut off or unreadable under this protocol; counted as wrong."
    said = statuses(p.row.status for p in points).split(", ")
    if "SYNTHETIC" in said:
        yield "SYNTHETIC DATA: not comparable with published results."
    if "INCOMPLETE" in said:
        yield "Some runs are incomplete."
    if "STALE" in said:
        yield "STALE: some runs have answers that are not in these scores."


# ---------------------------------------------------------------- drawing


def _draw(chart: _ScoreChart, path: Path, ending: str) -> None:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    rows = sum(len(part.points) for part in chart.parts)
    high = ROW * rows + HEAD * len(chart.parts)
    below = LEGEND * (len(chart.runs) + len(chart.notes)) + 0.62
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(6.5, high + below + 0.4), layout=None)
        total = figure.get_figheight()
        wide = 0.82 if any(p.silent for part in chart.parts for p in part.points) else 0.96
        axes = figure.add_axes((0.02, below / total, wide, high / total))
        y = 0.0
        for part in chart.parts:
            y = _part(axes, part, y)
        axes.set_xlim(-1, 101)
        axes.set_ylim(y, 0)
        axes.set_xticks(range(0, 101, 25))
        axes.set_yticks([])
        axes.grid(axis="x", color="#d5d8dd", linewidth=0.6)
        axes.set_axisbelow(True)
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.set_xlabel("percent")
        figure.suptitle(chart.title, fontsize=9.5, fontweight="bold", x=0.02, y=1 - 0.08 / total, ha="left", va="top")
        marks = [
            Line2D([], [], linewidth=2, markersize=5, label=name, **_look(at)) for at, name in enumerate(chart.runs)
        ]
        place: Any = {"loc": "upper left", "bbox_to_anchor": (0.02, (below - 0.45) / total)}
        figure.legend(handles=marks, frameon=False, borderpad=0, labelspacing=0.35, **place)
        for at, note in enumerate(reversed(chart.notes)):
            figure.text(0.02, (0.06 + LEGEND * at) / total, note, fontsize=7.5, color="#444444")
        figure.savefig(path, format=ending, dpi=300, metadata=WITHOUT_DATE[ending])


def _look(run: int) -> dict[str, Any]:
    """Return the colour and the marker of a run."""
    return {"color": INKS[run % len(INKS)], "marker": MARKERS[run % len(MARKERS)]}


def _part(axes: Any, part: _ChartPart, y: float) -> float:
    """Draw a heading and a row for each run; return where the next part begins."""
    axes.text(0, y + HEAD * 0.62, f"{one_line(part.name, NAME)} (n = {part.n:,})", fontweight="bold", va="center")
    y += HEAD
    for point in part.points:
        row, look, at = point.row, _look(point.run), y + ROW / 2
        if row.low is not None and row.high is not None:
            ends = [100 * row.low, 100 * row.high]
            axes.plot(ends, [at, at], color=look["color"], linewidth=2.4, alpha=0.55, solid_capstyle="round")
        if row.floor is not None:
            axes.plot([100 * row.floor] * 2, [at - ROW / 2, at + ROW / 2], color="#333333", linewidth=1.1)
        inside = "white" if point.under else look["color"]
        axes.plot(
            [100 * (row.value or 0.0)],
            [at],
            linestyle="",
            markersize=5.5,
            markerfacecolor=inside,
            clip_on=False,
            **look,
        )
        if point.silent:  # in the margin, where no score can be
            axes.text(102.5, at, point.silent, color=look["color"], fontsize=7.5, va="center")
        y += ROW
    return y
