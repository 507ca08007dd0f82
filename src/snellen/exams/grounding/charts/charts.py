"""The charts of a grounding comparison: overall, by size, by element type, accuracy against time. As SVG, and as PNG of the same name.

The file names are openadapt-grounding's. Unlike its charts these have intervals and n, sizes say what they are measured on, and
methods that look at the answer are hatched and apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.exams.grounding.charts.bars import BarColumn, bars
from snellen.exams.grounding.charts.results import (
    AREA,
    ORIGINAL,
    PIXELS,
    SIZES,
    MethodResult,
    MethodRow,
    Rate,
    ordered,
    rows_of,
    unlike,
)
from snellen.exams.grounding.charts.scatter import scatter
from snellen.exams.grounding.charts.shapes import ChartDrawing, to_svg
from snellen.exams.grounding.names import OPENADAPT
from snellen.synthetic.writing import write_bytes

OVERALL = "detection_rate_overall"
BY_SIZE = "detection_rate_by_size"
BY_TYPE = "detection_rate_by_type"
LATENCY = "accuracy_vs_latency"
SIZE_RULES = {
    PIXELS: (
        "side of a square of the element's area, in pixels",
        {"small": "under 32 px", "medium": "32 to 100 px", "large": "over 100 px"},
    ),
    AREA: (
        "share of the screen's area (openadapt-grounding's rule)",
        {
            "small": "under 0.1 % of the screen",
            "medium": "0.1 to 1 % of the screen",
            "large": "1 % of the screen or more",
        },
    ),
}
RULES = {
    "click": ("Click accuracy", "the predicted point lies in the element's box, edges included, no tolerance"),
    OPENADAPT: (
        "Detection rate",
        "openadapt-grounding's rule: box score of at least 0.3, or point in the box enlarged by 0.02",
    ),
    ORIGINAL: ("Detection rate", "as the original tool counted"),
}


def draw(results: Iterable[MethodResult]) -> dict[str, ChartDrawing]:
    """Every chart by the name of its file, without an ending."""
    given = list(results)
    rows = rows_of(given)
    if not rows:
        return {}
    what, rule = _rule(rows)
    notes = [*(f"{note[:1].upper()}{note[1:]}." for note in unlike(given)), *_notes(rows)]
    nothing = Rate(None, 0)
    basis, limits = SIZE_RULES[rows[0].size_basis]
    types = ordered(t for row in rows for t in row.types)
    sizes = [BarColumn(s, limits[s], tuple(r.sizes.get(s, nothing) for r in rows)) for s in SIZES]
    kinds = [BarColumn(t.replace("_", " "), "", tuple(r.types.get(t, nothing) for r in rows)) for t in types]
    charts = {
        OVERALL: bars(f"{what} by method", rule, rows, [BarColumn("", "", tuple(r.overall for r in rows))], notes),
        BY_SIZE: bars(f"{what} by element size", f"{rule}; size: {basis}", rows, sizes, notes),
        LATENCY: scatter(f"{what} and time", rule, what, rows, notes),
    }
    return charts | ({BY_TYPE: bars(f"{what} by element type", rule, rows, kinds, notes)} if kinds else {})


def write(results: Iterable[MethodResult], folder: Path) -> list[Path]:
    """All charts as SVG and PNG in a folder, which is made where it is missing; gives the files."""
    from snellen.exams.grounding.charts.png import to_png

    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, picture in draw(results).items():
            for ending, content in (("svg", to_svg(picture).encode()), ("png", to_png(picture))):
                written.append(write_bytes(folder / f"{name}.{ending}", content))
    except OSError as error:
        raise SnellenError(f"cannot write charts to {folder} ({error.strerror}): choose another --charts_dir") from None
    return written


def _rule(rows: Sequence[MethodRow]) -> tuple[str, str]:
    """What the axis is called and what counts; results of several protocols are not one number."""
    name, *others = {row.protocol for row in rows}
    if others:
        several = "each result under its own protocol, named with it: numbers of different rules do not compare"
        return "Detection rate", several
    return RULES.get(name, ("Click accuracy", f"protocol {name}"))


def _notes(rows: Sequence[MethodRow]) -> list[str]:
    notes = []
    made = sorted({row.dataset for row in rows if row.synthetic})
    if made:
        notes.append(f"Synthetic data: {', '.join(made)}.")
    if any(row.original and row.oracle for row in rows):
        notes.append(
            "Files of the original tool do not say it, but all of its methods except UI-TARS + baseline look at the answer."
        )
    return notes
