"""The charts of a grounding comparison, drawn by matplotlib: overall, by size, by element type, accuracy against time.

The file names are openadapt-grounding's. Unlike its charts these have intervals and n, say what sizes are measured on, and hatch
methods that look at the answer. Names come from anybody: control characters are shown, not drawn.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.results import Score
from snellen.core.text import one_line
from snellen.doors.openadapt.results import (
    AREA,
    ORIGINAL,
    PIXELS,
    SIZES,
    MethodResult,
    MethodRow,
    ordered,
    rows_of,
    unlike,
)
from snellen.exams.grounding.names import OPENADAPT, ORACLE_TITLE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE_RULES = {
    PIXELS: (
        "side of a square of the element's area, in pixels",
        {"small": "under 32 px", "medium": "32 to 100 px", "large": "over 100 px"},
    ),
    AREA: (
        "share of the screen's area (openadapt-grounding's rule)",
        {
            "small": "under 0.1% of the screen",
            "medium": "0.1 to 1% of the screen",
            "large": "1% of the screen or more",
        },
    ),
}
RULES = {
    "click": ("Click accuracy", "The predicted point lies in the element's box, edges included, no tolerance"),
    OPENADAPT: (
        "Detection rate",
        "By openadapt-grounding's rule: box score of at least 0.3, or point in the box enlarged by 0.02",
    ),
    ORIGINAL: ("Detection rate", "As the original tool counted"),
}
SEVERAL = (
    "Detection rate",
    "Each result under its own protocol, named with it: numbers of different rules do not compare",
)
TARGET_RATE, TARGET_SECONDS = 80, 2
LOG_ABOVE = 50  # times between the fastest and the slowest
LEAST_SECONDS = 0.001
PANELS_A_BAND = 5
NAME = 40
BLUE, DARK, ORANGE, GREY = "#79aede", "#173a5e", "#fbd9a0", "#5f6b7a"
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "snellen",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.size": 8.5,
}
Panel = tuple[str, list[Score]]


def draw(results: Iterable[MethodResult]) -> dict[str, Figure]:
    """Return every chart by the name of its file, without an ending."""
    given = list(results)
    rows = rows_of(given)
    if not rows:
        return {}
    rules = {row.result.rule for row in rows}
    what, rule = (
        SEVERAL
        if len(rules) > 1
        else RULES.get(rows[0].result.rule, ("Click accuracy", f"Protocol {rows[0].result.rule}"))
    )
    basis, limits = SIZE_RULES[rows[0].size_basis]
    nothing = Score(value=None, n=0)
    overall: list[Panel] = [("", [row.overall for row in rows])]
    sizes: list[Panel] = [(f"{s}: {limits[s]}", [row.sizes.get(s, nothing) for row in rows]) for s in SIZES]
    kinds = ordered(kind for row in rows for kind in row.types)
    types: list[Panel] = [(k.replace("_", " "), [row.types.get(k, nothing) for row in rows]) for k in kinds]
    notes = [*(f"{note[:1].upper()}{note[1:]}." for note in unlike(given)), *_notes(rows)]
    charts = {
        "detection_rate_overall": _bars([f"{what} by method", rule], rows, overall, notes),
        "detection_rate_by_size": _bars([f"{what} by element size", f"{rule}; size: {basis}"], rows, sizes, notes),
        "accuracy_vs_latency": _scatter([f"{what} and time", rule], rows, notes),
    }
    return charts | (
        {"detection_rate_by_type": _bars([f"{what} by element type", rule], rows, types, notes)} if types else {}
    )


def write(results: Iterable[MethodResult], folder: Path) -> list[Path]:
    """Write all charts as SVG and PNG into a folder, which is made where it is missing; return the files."""
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
            for name, figure in draw(results).items():
                for ending, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
                    written.append(folder / f"{name}.{ending}")
                    figure.savefig(written[-1], dpi=200, metadata=metadata)
        except OSError as error:
            raise SnellenError(
                f"cannot write charts to {folder} ({error.strerror}): choose another --charts_dir"
            ) from None
    return written


def _notes(rows: Sequence[MethodRow]) -> Iterator[str]:
    yield "Bars and crosses: 95% intervals, clustered by screenshot. n = elements."
    made = sorted({row.result.dataset_name for row in rows if row.result.synthetic_data})
    if made:
        yield f"Synthetic data: {', '.join(made)}."
    if any(row.result.peeks for row in rows):
        yield f"Hatched or diamonds: {ORACLE_TITLE}."
    if any(row.result.peeks and row.result.oracle is None for row in rows):
        yield "Files of the original tool do not say it, but all of its methods except UI-TARS + baseline look at the answer."


def _figure(size: tuple[float, float], heads: Sequence[str], notes: Sequence[str]) -> Figure:
    """Return a figure with its title above and its notes below."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    figure.suptitle("\n".join(_wrapped(heads, 12 * size[0])), x=0.01, ha="left", fontsize=10)
    figure.supxlabel("\n".join(_wrapped(notes, 16 * size[0])), x=0.01, ha="left", fontsize=7.5, color=GREY)
    return figure


def _wrapped(lines: Sequence[str], letters: float) -> list[str]:
    return [part for line in lines for part in textwrap.wrap(one_line(line), int(letters))]


def _bars(heads: Sequence[str], rows: Sequence[MethodRow], panels: Sequence[Panel], notes: Sequence[str]) -> Figure:
    """Draw a row for each method and a panel for each kind of element, many panels in several bands."""
    bands = math.ceil(len(panels) / PANELS_A_BAND)
    across = math.ceil(len(panels) / bands)
    high = 0.55 * len(rows) + 0.7
    figure = _figure((max(7.5, 2.6 + 2.4 * across), bands * high + 1.2), heads, notes)
    grid = figure.subplots(bands, across, sharex=True, sharey=True, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.axis("off")
    for axes, (heading, rates) in zip(grid.flat, panels, strict=False):
        axes.set_title(one_line(heading, NAME), loc="left", fontsize=8.5)
        axes.grid(axis="x", color="#dfe4ea")
        axes.set_axisbelow(True)
        for place, (row, rate) in enumerate(zip(rows, rates, strict=True)):
            _bar(axes, place, rate, row.result.peeks)
    mixed = len({row.result.rule for row in rows}) > 1
    grid[0, 0].set_yticks(range(len(rows)), [f"{one_line(row.method, NAME)}\n{_about(row, mixed)}" for row in rows])
    grid[0, 0].set(xlim=(0, 100), ylim=(len(rows) - 0.4, -0.6), xticks=range(0, 101, 25))
    for axes in grid[-1]:
        axes.set_xlabel("percent")
    return figure


def _bar(axes: Any, place: int, rate: Score, peeks: bool) -> None:
    if rate.value is not None:
        colours = {
            "color": ORANGE if peeks else BLUE,
            "hatch": "///" if peeks else "",
            "edgecolor": GREY,
            "ecolor": DARK,
        }
        axes.barh(
            place + 0.1, 100 * rate.value, xerr=_errors(rate, 100), height=0.34, linewidth=0.5, capsize=2, **colours
        )
    axes.text(1, place - 0.2, _said(rate), fontsize=7.5)


def _scatter(heads: Sequence[str], rows: Sequence[MethodRow], notes: Sequence[str]) -> Figure:
    """Draw every method whose time is known at its mean time and rate, and name the others."""
    drawn = [row for row in rows if row.overall.value is not None and row.latency_ms.value is not None]
    unknown = ", ".join(row.method for row in rows if row not in drawn)
    more = [f"Without a known time or without elements, not shown: {unknown}."] if unknown else []
    targets = f"Dashed: openadapt-grounding's targets, {TARGET_RATE}% and {TARGET_SECONDS} s."
    figure = _figure((10, max(4.5, 1.5 + 0.4 * len(drawn))), heads, [*notes, targets, *more])
    axes: Any = figure.subplots()
    mixed = len({row.result.rule for row in rows}) > 1
    times = [max(LEAST_SECONDS, (row.latency_ms.value or 0.0) / 1000) for row in drawn]
    for number, (row, time) in enumerate(zip(drawn, times, strict=True), 1):
        rate = 100 * (row.overall.value or 0.0)
        name = f"{number}: {one_line(row.method, NAME)}\n{_about(row, mixed)}, {_said(row.overall)}, {time:.3g} s"
        marker, crosses = (
            "D" if row.result.peeks else "o",
            {"xerr": _errors(row.latency_ms, 0.001), "yerr": _errors(row.overall, 100)},
        )
        axes.errorbar(time, rate, **crosses, fmt=marker, label=name, color=f"C{number - 1}", linewidth=1.2)
        axes.annotate(str(number), (time, rate), xytext=(5, 5), textcoords="offset points", color=f"C{number - 1}")
    axes.axhline(TARGET_RATE, color=GREY, linestyle="--", linewidth=0.8)
    axes.axvline(TARGET_SECONDS, color=GREY, linestyle="--", linewidth=0.8)
    far = bool(times) and max(times) > LOG_ABOVE * min(times)
    axes.set(ylim=(0, 100), ylabel="percent", xlabel="mean seconds per element", xscale="log" if far else "linear")
    if not far:
        axes.set_xlim(left=0)
    if drawn:
        figure.legend(loc="outside right upper", frameon=False, fontsize=7.5)
    return figure


def _errors(score: Score, scale: float) -> list[list[float]] | None:
    """Return how far the ends of an interval are from its value, as matplotlib wants them."""
    if score.value is None or score.low is None or score.high is None:
        return None
    return [[max(0.0, scale * (score.value - score.low))], [max(0.0, scale * (score.high - score.value))]]


def _about(row: MethodRow, mixed: bool) -> str:
    """Return the data set of a row, and its rule where the chart has several."""
    rule = "original rule" if row.result.rule == ORIGINAL else f"protocol {row.result.rule}"
    return one_line(f"{row.result.dataset_name} · {rule}" if mixed else row.result.dataset_name, NAME)


def _said(rate: Score) -> str:
    if rate.value is None:
        return "no elements"
    interval = (
        "no interval" if rate.low is None or rate.high is None else f"[{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
    )
    return f"{100 * rate.value:.1f}% {interval}, n = {rate.n}"
