"""The charts of a grounding comparison, drawn by matplotlib: overall, by size, by element type, accuracy against time.

The file names are openadapt-grounding's. Unlike its charts, these have intervals and n, state what sizes are measured on, and hatch methods
that use the true answer. Names come from outside: control characters are shown, not drawn.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.results import Score
from snellen.core.text import one_line
from snellen.doors.openadapt.results import AREA, PIXELS, MethodResult, MethodRow, rows_of, unlike
from snellen.exams.grounding.names import ORACLE_TITLE
from snellen.present.files.charts import STYLE, WITHOUT_DATE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZE_RULES = {
    PIXELS: {"small": "under 32 px", "medium": "32 to 100 px", "large": "over 100 px"},
    AREA: {
        "small": "under 0.1% of the screen",
        "medium": "0.1 to 1% of the screen",
        "large": "1% of the screen or more",
    },
}
_SIZE_BASES = {PIXELS: "side of a square of its area", AREA: "share of the screen's area (openadapt-grounding's rule)"}
TARGET_RATE, TARGET_SECONDS = 80, 2
_LEAST_SECONDS = 0.001
WIDTH = 10
NAME = 40
BLUE, DARK, ORANGE, GREY = "#79aede", "#173a5e", "#fbd9a0", "#5f6b7a"


def write(results: Iterable[MethodResult], folder: Path) -> list[Path]:
    """Write all charts as SVG and PNG into a folder, which is created if it is missing. Return the files."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtra("a chart", "charts") from None
    written: list[Path] = []
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, figure in _draw(list(results)).items():
                for ending in ("svg", "png"):
                    written.append(folder / f"{name}.{ending}")
                    figure.savefig(written[-1], dpi=200, metadata=WITHOUT_DATE[ending])
        except OSError as error:
            raise SnellenError(
                f"cannot write charts to {folder} ({error.strerror}): choose another --charts_dir"
            ) from None
    return written


def _draw(given: list[MethodResult]) -> dict[str, Figure]:
    """Return every chart by the name of its file, without an extension."""
    rows = rows_of(given)
    if not rows:
        return {}
    rules = sorted({row.result.rule for row in rows})
    rate = "Click accuracy" if rules == ["click"] else "Detection rate"
    notes = [f"Protocol: {', '.join(rules)}.", *(f"{note[:1].upper()}{note[1:]}." for note in unlike(given))]
    notes += _notes(rows)
    basis = rows[0].size_basis
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.types))
    nothing = Score(value=None, n=0)
    sizes = {f"{s}: {limit}": [row.sizes.get(s, nothing) for row in rows] for s, limit in _SIZE_RULES[basis].items()}
    types = {kind.replace("_", " "): [row.types.get(kind, nothing) for row in rows] for kind in kinds}
    charts = {
        "detection_rate_overall": _bars(f"{rate} by method", rows, {"": [row.overall for row in rows]}, notes),
        "detection_rate_by_size": _bars(f"{rate} by element size: {_SIZE_BASES[basis]}", rows, sizes, notes),
        "accuracy_vs_latency": _scatter(f"{rate} and time", rows, notes),
    }
    return charts | ({"detection_rate_by_type": _bars(f"{rate} by element type", rows, types, notes)} if types else {})


def _notes(rows: Sequence[MethodRow]) -> Iterator[str]:
    yield "Bars and crosses: 95% intervals, clustered by screenshot. n = elements."
    made = sorted({row.result.dataset_name for row in rows if row.result.synthetic_data})
    if made:
        yield f"Synthetic data: {', '.join(made)}."
    if any(row.result.peeks for row in rows):
        yield f"Hatched or diamonds: {ORACLE_TITLE}."
    if any(row.result.peeks and row.result.oracle is None for row in rows):
        yield "Files of the original tool do not say it, but all of its methods except UI-TARS + baseline look at the answer."


def _figure(high: float, title: str, notes: Sequence[str]) -> Figure:
    """Return a figure with its title above and its notes below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, high), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    below = [part for line in notes for part in textwrap.wrap(one_line(line), 16 * WIDTH)]
    figure.supxlabel("\n".join(below), x=0.01, ha="left", fontsize=7.5, color=GREY)
    return figure


def _bars(title: str, rows: Sequence[MethodRow], parts: dict[str, list[Score]], notes: Sequence[str]) -> Figure:
    """Draw a bar for each method, below the name of each kind of element."""
    figure = _figure(1.5 + 0.3 * len(parts) * (1 + len(rows)), title, notes)
    axes: Any = figure.subplots()
    labels: list[str] = []
    for heading, rates in parts.items():
        labels.append(one_line(heading, NAME))
        for row, rate in zip(rows, rates, strict=True):
            if rate.value is not None:
                colour, hatch = (ORANGE, "///") if row.result.peeks else (BLUE, "")
                error = _errors(rate, 100)
                [bar] = axes.barh(len(labels), 100 * rate.value, 0.6, xerr=error, color=colour, ecolor=DARK)
                bar.set(hatch=hatch, edgecolor=GREY)
            labels.append(f"{_name(row)}: {_said(rate)}")
    axes.set_yticks(range(len(labels)), labels)
    axes.set(xlim=(0, 100), ylim=(len(labels) - 0.4, -0.6), xlabel="percent")
    axes.grid(axis="x", color="#dfe4ea")
    axes.set_axisbelow(True)
    return figure


def _scatter(title: str, rows: Sequence[MethodRow], notes: Sequence[str]) -> Figure:
    """Draw every method with a known time at its mean time and rate, and name the others."""
    drawn = [row for row in rows if row.overall.value is not None and row.latency_ms.value is not None]
    unknown = ", ".join(row.method for row in rows if row not in drawn)
    more = [f"Without a known time or without elements, not shown: {unknown}."] if unknown else []
    targets = f"Dashed: openadapt-grounding's targets, {TARGET_RATE}% and {TARGET_SECONDS} s."
    figure = _figure(max(4.5, 1.5 + 0.4 * len(drawn)), title, [*notes, targets, *more])
    axes: Any = figure.subplots()
    for row in drawn:
        time, rate = max(_LEAST_SECONDS, (row.latency_ms.value or 0.0) / 1000), 100 * (row.overall.value or 0.0)
        axes.errorbar(
            time,
            rate,
            xerr=_errors(row.latency_ms, 0.001),
            yerr=_errors(row.overall, 100),
            fmt="D" if row.result.peeks else "o",
            label=f"{_name(row)}: {_said(row.overall)}, {time:.3g} s",
        )
    axes.axhline(TARGET_RATE, color=GREY, linestyle="--", linewidth=0.8)
    axes.axvline(TARGET_SECONDS, color=GREY, linestyle="--", linewidth=0.8)
    axes.set(ylim=(0, 100), ylabel="percent", xlabel="mean seconds per element", xscale="log")
    axes.xaxis.set_major_formatter("{x:g}")  # not as powers of 10
    axes.xaxis.set_minor_formatter("")
    if drawn:
        figure.legend(loc="outside right upper", frameon=False, fontsize=7.5)
    return figure


def _errors(score: Score, scale: float) -> list[list[float]] | None:
    """Return the distances of an interval's ends from its value, as matplotlib expects them."""
    if score.value is None or score.low is None or score.high is None:
        return None
    return [[max(0.0, scale * (score.value - score.low))], [max(0.0, scale * (score.high - score.value))]]


def _name(row: MethodRow) -> str:
    return f"{one_line(row.method, NAME)} ({one_line(f'{row.result.dataset_name}, {row.result.rule}', NAME)})"


def _said(rate: Score) -> str:
    if rate.value is None:
        return "no elements"
    known = rate.low is not None and rate.high is not None
    interval = f"[{100 * (rate.low or 0):.1f}, {100 * (rate.high or 0):.1f}]" if known else "no interval"
    return f"{100 * rate.value:.1f}% {interval}, n = {rate.n}"
