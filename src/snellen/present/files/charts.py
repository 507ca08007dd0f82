"""The chart of runs for a paper or a talk: every part's score of every run as a dot with its interval, and the floor. Needs matplotlib.

Text stays text in SVG and PDF, the colours are told apart by people who see few of them and in grey by their markers, and the same runs
give the same bytes. Names come from anybody: nothing of them is read as mathematics, and control characters are shown, not drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.comparison.thresholds import thresholds_of
from snellen.core.errors import MissingExtra, SnellenError, unknown
from snellen.core.records import DataEntry
from snellen.core.results import ProtocolSummary, Score, declared
from snellen.core.text import one_line
from snellen.core.unanswered import silent_parts
from snellen.engine.mark.integrity import mismatch
from snellen.engine.runs.run import Run
from snellen.present.model import formatting

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


class ChartPoint(NamedTuple):
    """A subject's score of a part; `under` where it is at or below its floor, `silent` where many questions got no answer."""

    run: int
    score: Score
    under: bool
    silent: str = ""


class ChartPart(NamedTuple):
    """A part of an exam with the scores of all runs that have it."""

    name: str
    n: int
    points: list[ChartPoint]


class ScoreChart(NamedTuple):
    """What is drawn: who the runs are, the parts, what is measured, and what has to be said below it."""

    title: str
    runs: list[str]
    parts: list[ChartPart]
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


def chart_of(runs: Sequence[Run], protocol: str | None = None) -> ScoreChart:
    """The scores of runs under one protocol of each exam: the one named, or the first that its runs share."""
    data = {run.manifest.data.synthetic for run in runs}
    if len(data) > 1:
        raise SnellenError("some runs are on synthetic data and some on real data: they do not belong in one chart")
    by_exam: dict[str, list[int]] = {}
    for at, run in enumerate(runs):
        by_exam.setdefault(run.manifest.exam, []).append(at)
    names = [_name(run, [runs[i] for i in by_exam[run.manifest.exam]]) for run in runs]
    known = list(dict.fromkeys(names))
    parts: list[ChartPart] = []
    measured: list[str] = []
    for exam, own in by_exam.items():
        results = {known.index(names[at]): _protocol(runs, own, at, protocol) for at in own}
        first = next(iter(results.values()))
        measured.append(f"{exam}: {formatting.metric_name(first, first.headline)} under '{first.protocol}'")
        parts += _parts(results, f"{exam} · " if len(by_exam) > 1 else "")
    if not parts:
        page = ": 'snellen report RUN...' draws thresholds" if any(thresholds_of(run.manifest) for run in runs) else ""
        raise SnellenError(f"these runs have no scores in percent to draw{page}")
    one = len(measured) == 1
    notes = [*([] if one else [f"{line}." for line in measured]), *_notes(runs, parts)]
    return ScoreChart(measured[0] if one else "Scores by exam and part", known, parts, notes)


def _protocol(runs: Sequence[Run], own: Sequence[int], at: int, wanted: str | None) -> ProtocolSummary:
    shared = [p.protocol for p in runs[own[0]].protocols]
    others = [{p.protocol for p in runs[i].protocols} for i in own]
    shared = [name for name in shared if all(name in other for other in others)]
    if wanted is not None and wanted not in shared:
        raise unknown("protocol", wanted, shared, of="these runs")
    if not shared:
        raise SnellenError(
            f"the runs of {runs[at].manifest.exam} have no protocol in common: "
            "'snellen remark RUN --protocol P' marks them by one more"
        )
    return next(p for p in runs[at].protocols if p.protocol == (wanted or shared[0]))


def _parts(results: dict[int, ProtocolSummary], before: str) -> list[ChartPart]:
    found: dict[str, ChartPart] = {}
    for at, p in results.items():
        silent = {tuple(row.by.items()): f"{100 * row.share:.0f} % no answer" for row in silent_parts([p])}
        for group in p.groups:
            score = group.metrics.get(p.headline)
            if not group.whole or score is None or score.value is None or score.unit:
                continue
            name = f"{before}{formatting.part_name(group.by)}"
            under = bool(declared(p.metrics, p.headline).better and formatting.floor_word(p, p.headline, score))
            part = found.setdefault(name, ChartPart(name, group.n, []))
            part.points.append(ChartPoint(at, score, under, silent.get(tuple(group.by.items()), "")))
    return list(found.values())


def _name(run: Run, of_exam: Sequence[Run]) -> str:
    """The subject; with the end of its folder's name where another run of the exam has the same."""
    said = formatting.title(run.manifest).partition(" · ")[2]
    if sum(formatting.title(other.manifest) == formatting.title(run.manifest) for other in of_exam) > 1:
        said += f" ({run.path.name.rpartition('_')[2]})"
    return one_line(said, NAME) + (" (ORACLE: looks at the answer)" if run.manifest.oracle else "")


def _notes(runs: Sequence[Run], parts: Sequence[ChartPart]) -> list[str]:
    notes = ["Bars: 95 % intervals."]
    if any(p.score.floor is not None for part in parts for p in part.points):
        notes[0] += " Upright lines: floors, what never looking gets; hollow: at or below it."
    if any(p.silent for part in parts for p in part.points):
        notes.append("No answer: refused, cut off or unreadable under this protocol; counted as wrong.")
    entries: list[DataEntry] = [run.manifest.data for run in runs]
    if entries[0].synthetic:
        notes.append("SYNTHETIC DATA: not comparable with published results.")
    if not all(run.summary.complete for run in runs):
        notes.append("Some runs are incomplete.")
    if any(mismatch(run, run.summary) for run in runs):
        notes.append("STALE: some runs have answers that are not in these scores.")
    return notes


# ---------------------------------------------------------------- drawing


def _draw(chart: ScoreChart, path: Path, ending: str) -> None:
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
            Line2D([], [], color=_ink(i), marker=_marker(i), linewidth=2, markersize=5, label=name)
            for i, name in enumerate(chart.runs)
        ]
        legend_at = (0.02, (below - 0.45) / total)
        figure.legend(
            handles=marks, loc="upper left", bbox_to_anchor=legend_at, frameon=False, borderpad=0, labelspacing=0.35
        )
        for at, note in enumerate(reversed(chart.notes)):
            figure.text(0.02, (0.06 + LEGEND * at) / total, note, fontsize=7.5, color="#444444")
        figure.savefig(path, format=ending, dpi=300, metadata=WITHOUT_DATE[ending])


def _part(axes: Any, part: ChartPart, y: float) -> float:
    """A heading and a row for each run; gives where the next part begins."""
    axes.text(0, y + HEAD * 0.62, f"{one_line(part.name, NAME)} (n = {part.n:,})", fontweight="bold", va="center")
    y += HEAD
    for point in part.points:
        score, ink, at = point.score, _ink(point.run), y + ROW / 2
        if score.low is not None and score.high is not None:
            axes.plot(
                [100 * score.low, 100 * score.high],
                [at, at],
                color=ink,
                linewidth=2.4,
                alpha=0.55,
                solid_capstyle="round",
            )
        if score.floor is not None:
            axes.plot([100 * score.floor] * 2, [at - ROW / 2, at + ROW / 2], color="#333333", linewidth=1.1)
        face = "white" if point.under else ink
        axes.plot(
            [100 * (score.value or 0.0)],
            [at],
            _marker(point.run),
            color=ink,
            markerfacecolor=face,
            markersize=5.5,
            clip_on=False,
        )
        if point.silent:  # in the margin, where no score can be
            axes.text(102.5, at, point.silent, color=ink, fontsize=7.5, va="center")
        y += ROW
    return y


def _ink(run: int) -> str:
    return INKS[run % len(INKS)]


def _marker(run: int) -> str:
    return MARKERS[run % len(MARKERS)]
