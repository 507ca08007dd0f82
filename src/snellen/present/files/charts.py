"""The chart of runs for a paper or a talk: each run's score on each part as a dot with its interval, and the floor. Needs matplotlib.

Text stays text in SVG and PDF. Colours can be told apart by colour-blind readers, and markers tell runs apart in grey. The same runs give
the same bytes. Names come from outside: none is read as mathematics, and control characters are shown as escapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.text import one_line
from snellen.engine.runs.run import Run
from snellen.engine.runs.writing import writing_to
from snellen.present.model.paper_table import common_protocol
from snellen.present.model.run_view import OverviewRow, RunView, run_view

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


class _ScoreChart(NamedTuple):
    """The content of the chart: the runs, each part with run numbers and scores, the metric, and the notes below."""

    title: str
    runs: list[str]
    parts: dict[str, list[tuple[int, OverviewRow]]]
    notes: list[str]


def write_chart(runs: Sequence[Run], path: Path, form: str, protocol: str | None = None) -> None:
    """Draw the headline scores of all parts of some runs into a file."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra("a chart", "charts") from None
    chart = chart_of(runs, protocol)
    with writing_to(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        _draw(chart, path, form)


# ---------------------------------------------------------------- the content of the chart


def chart_of(runs: Sequence[Run], protocol: str | None = None) -> _ScoreChart:
    """Return the scores of runs under one protocol of each exam: the named one, or the first that its runs share."""
    if len({run.manifest.data.synthetic for run in runs}) > 1:
        raise SnellenError("some runs are on synthetic data and some on real data: they do not belong in one chart")
    views = [run_view(run) for run in runs]
    names = [_name(view, views) for view in views]
    known = list(dict.fromkeys(names))
    several = len({view.manifest.exam for view in views}) > 1
    parts: dict[str, list[tuple[int, OverviewRow]]] = {}
    measured: dict[str, str] = {}
    for name, view in zip(names, views, strict=True):
        exam = view.manifest.exam
        chosen = common_protocol(exam, [one.protocols for one in views if one.manifest.exam == exam], protocol)
        for row in view.overview:
            if chosen in row.names:
                measured.setdefault(exam, f"{exam}: {row.metric} under '{chosen}'")
                if row.cell is not None and row.cell.score.value is not None and not row.cell.score.unit:
                    label = f"{exam} · {row.part}" if several else row.part
                    parts.setdefault(label, []).append((known.index(name), row))
    if not parts:
        page = ": 'snellen report RUN...' draws thresholds" if any(view.thresholds for view in views) else ""
        raise SnellenError(f"these runs have no scores in percent to draw{page}")
    notes = [*_notes(views, [row for points in parts.values() for _run, row in points])]
    if len(measured) == 1:
        return _ScoreChart(next(iter(measured.values())), known, parts, notes)
    return _ScoreChart("Scores by exam and part", known, parts, [*(f"{line}." for line in measured.values()), *notes])


def _name(view: RunView, views: Sequence[RunView]) -> str:
    """Return the subject, with the end of its folder's name where another run of the exam has the same subject."""
    said = view.title.partition(" · ")[2]
    if sum(other.title == view.title for other in views) > 1:
        said += f" ({view.path.name.rpartition('_')[2]})"
    return one_line(said, NAME) + (" (ORACLE: looks at the answer)" if view.manifest.oracle else "")


def _notes(views: Sequence[RunView], rows: Sequence[OverviewRow]) -> Iterator[str]:
    floors = " Upright lines: floors, what never looking gets; hollow: at or below it."
    yield "Bars: 95 % intervals." + floors * any(row.cell is not None and row.cell.floor for row in rows)
    if any(row.silent for row in rows):
        yield "No answer: refused, cut off or unreadable under this protocol; counted as wrong."
    if any(view.summary.synthetic for view in views):
        yield "SYNTHETIC DATA: not comparable with published results."
    if not all(view.summary.complete for view in views):
        yield "Some runs are incomplete."
    if any(view.stale for view in views):
        yield "STALE: some runs have answers that are not in these scores."


# ---------------------------------------------------------------- drawing


def _draw(chart: _ScoreChart, path: Path, ending: str) -> None:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    rows = sum(map(len, chart.parts.values()))
    high = ROW * rows + HEAD * len(chart.parts)
    below = LEGEND * (len(chart.runs) + len(chart.notes)) + 0.62
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        figure = Figure(figsize=(6.5, high + below + 0.4), layout=None)
        total = figure.get_figheight()
        wide = 0.82 if any(row.silent for points in chart.parts.values() for _run, row in points) else 0.96
        axes = figure.add_axes((0.02, below / total, wide, high / total))
        y = 0.0
        for name, points in chart.parts.items():
            y = _part(axes, name, points, y)
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


def _part(axes: Any, name: str, points: Sequence[tuple[int, OverviewRow]], y: float) -> float:
    """Draw a heading and a row for each run; return where the next part begins."""
    sizes = list(dict.fromkeys(row.size for _run, row in points))
    title = f"{one_line(name, NAME)} (n = {', '.join(map(str, sizes))})"
    axes.text(0, y + HEAD * 0.62, title, fontweight="bold", va="center")
    y += HEAD
    for run, row in points:
        look, at = _look(run), y + ROW / 2
        cell = row.cell
        if cell is None:
            continue
        score = cell.score
        if score.low is not None and score.high is not None:
            ends = [100 * score.low, 100 * score.high]
            axes.plot(ends, [at, at], color=look["color"], linewidth=2.4, alpha=0.55, solid_capstyle="round")
        if score.floor is not None:
            axes.plot([100 * score.floor] * 2, [at - ROW / 2, at + ROW / 2], color="#333333", linewidth=1.1)
        inside = "white" if cell.floor_word else look["color"]
        place = {"linestyle": "", "markersize": 5.5, "markerfacecolor": inside, "clip_on": False}
        axes.plot([100 * (score.value or 0.0)], [at], **place, **look)
        if row.silent:  # in the margin, away from any score
            axes.text(102.5, at, row.silent, color=look["color"], fontsize=7.5, va="center")
        y += ROW
    return y
