"""openadapt-grounding's comparison and tables of several results, character by character.

Unlike there, an unknown value is a dash, size classes name their measure, and methods that look at the answer stand apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from snellen.core.text import for_terminal
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.formats import base
from snellen.exams.grounding.names import ORACLE_TITLE

SIZES = ("small", "medium", "large")
PIXEL_RULE = f"{base.SIZE_BASIS}: {base.SMALL_BELOW}, {base.LARGE_ABOVE}"
AREA_RULE = f"share of the screen's area: {base.AREA_SMALL_BELOW}, {base.AREA_MEDIUM_BELOW}"
Metrics = Mapping[str, Any]


def comparison(metrics: Sequence[Metrics]) -> dict[str, Any]:
    """Return the original's comparison of blind methods; those that look at the answer stand in a block of their own."""
    blind, oracles = _apart(metrics)
    found = _compared(blind) if blind or not oracles else {}
    if oracles:
        found = found | {"oracle": {"note": ORACLE_TITLE} | _compared(oracles)}
    note = _made(metrics)
    return found | {"synthetic_data": note} if note else found


def _apart(metrics: Sequence[Metrics]) -> tuple[list[Metrics], list[Metrics]]:
    """Return methods that do not look at the answer, and those that do."""
    return [m for m in metrics if not m.get("oracle")], [m for m in metrics if m.get("oracle")]


def _compared(metrics: Sequence[Metrics]) -> dict[str, Any]:
    """Compare as the original does; the best of nothing, or of two size rules, is null."""
    found = original.compare(metrics)
    for size in SIZES if metrics else ():
        if len({_by_pixels(m) for m in metrics}) > 1 or all(m[f"detection_rate_{size}"] is None for m in metrics):
            found["size_analysis"][f"{size}_best"] = None
    return found


def _by_pixels(metrics: Metrics) -> bool:
    """Tell whether the size classes of a result go by pixels; the original's own files do not say, and go by area."""
    return (metrics.get("size_basis") or {}).get("size_category") == PIXEL_RULE


def console_table(metrics: Sequence[Metrics]) -> str:
    """Return the original's console tables, character by character; an unknown value is a dash, and oracles follow apart."""
    if not metrics:
        return "No results to display.\n"
    titles = ("EVALUATION RESULTS", ORACLE_TITLE)
    parts = [_console(title, some) for title, some in zip(titles, _apart(metrics), strict=True) if some]
    note = _made(metrics)
    return "".join([*parts, f"{note}\n"] if note else parts)


def _console(title: str, metrics: Sequence[Metrics]) -> str:
    lines = ["", "=" * 90, title, "=" * 90]
    lines.append(f"{'Method':<28}{'Dataset':<12}{'Det.Rate':<10}{'IoU':<8}{'Latency':<10}{'Attempts':<8}{'Total':<8}")
    lines.append("-" * 90)
    for m in metrics:
        rate, latency = f"{m['detection_rate'] * 100:.1f}%", _or_dash(m["mean_latency_ms"], ".0f", "ms")
        lines.append(
            f"{_name(m):<28}{for_terminal(m['dataset_name'])[:11]:<12}{rate:<10}{_or_dash(m['mean_iou'], '.3f'):<8}{latency:<10}"
            f"{_or_dash(m['mean_attempts'], '.1f'):<8}{m['total_elements']:<8}"
        )
    lines.append("=" * 90)
    mixed = len({_by_pixels(m) for m in metrics}) > 1
    for pixels, rule in ((True, f" ({PIXEL_RULE})"), (False, f" ({AREA_RULE})" if mixed else "")):
        alike = [m for m in metrics if _by_pixels(m) is pixels]
        if not alike:
            continue
        lines += ["", f"Detection Rate by Element Size{rule}:", "-" * 70]
        lines += [f"{'Method':<28} {'Small':<12} {'Medium':<12} {'Large':<12}", "-" * 70]
        for m in alike:
            small, medium, large = (_percent(m[f"detection_rate_{s}"], "%") for s in SIZES)
            lines.append(f"{_name(m):<28} {small:>9} {medium:>11} {large:>11}")
    return "\n".join([*lines, "", ""])


def markdown_table(metrics: Sequence[Metrics]) -> str:
    """Return the original's Markdown table; oracles follow in one of their own."""
    if not metrics:
        return "No results available."
    blind, oracles = _apart(metrics)
    parts = [_markdown(blind)] if blind else []
    if oracles:
        parts.append(f"**{ORACLE_TITLE}**\n\n{_markdown(oracles)}")
    return "\n\n".join(part for part in (*parts, _made(metrics)) if part)


def _markdown(metrics: Sequence[Metrics]) -> str:
    lines = [
        "| Method | Dataset | Detection Rate | Mean IoU | Latency (ms) | Attempts |",
        "|--------|---------|----------------|----------|--------------|----------|",
    ]
    lines += [
        f"| {_cell(m['method_name'])} | {_cell(m['dataset_name'])} | {m['detection_rate'] * 100:.1f}% | {_or_dash(m['mean_iou'], '.3f')} | "
        f"{_or_dash(m['mean_latency_ms'], '.0f')} | {_or_dash(m['mean_attempts'], '.1f')} |"
        for m in metrics
    ]
    return "\n".join(lines)


def _made(metrics: Sequence[Metrics]) -> str:
    """Return a sentence on the data sets that are synthetic; nothing where none is marked so."""
    names = dict.fromkeys(_cell(m["dataset_name"]) for m in metrics if m.get("synthetic_data"))
    return f"Synthetic data: {', '.join(names)}. Do not compare with published results." if names else ""


def _name(metrics: Metrics) -> str:
    return for_terminal(metrics["method_name"])[:27]


def _cell(text: object) -> str:
    return for_terminal(str(text)).replace("|", "\\|").replace("\n", " ")


def _or_dash(value: float | None, form: str, unit: str = "") -> str:
    return "–" if value is None else format(value, form) + unit


def _percent(value: float | None, unit: str = "") -> str:
    return _or_dash(None if value is None else 100 * value, ".1f", unit)
