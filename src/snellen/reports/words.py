"""How numbers and groups are put into words, the same in the terminal and on the page."""

from __future__ import annotations

from typing import Any

from snellen.core.types import GroupSummary, Metric, ProtocolSummary

NAMES = {
    "exact_match": "exact match",
    "precision": "precision (sample)",
    "recall": "recall (sample)",
    "f1": "F1 (sample)",
    "macro_f1": "macro F1",
    "macro_precision": "macro precision",
    "macro_recall": "macro recall",
}
LEGEND = (
    "floor: the best that any constant answer would score (chance, where there is none). *: the protocol's headline. "
    "Non-answers count as wrong."
)
SYNTHETIC = (
    "SYNTHETIC DATA made by snellen: these scores say nothing about the real benchmark and stand beside no paper's."
)


def metric_name(key: str) -> str:
    """A metric's key for people: 'f1.color' is 'F1 of color'."""
    kind, dot, label = key.partition(".")
    if dot:
        return f"{'F1' if kind == 'f1' else kind} of {label}"
    unit = unit_of(key)
    return NAMES.get(key, key.replace("_px", "").replace("_", " ") + (f", {unit}" if unit not in ("", "count") else ""))


def percent(value: float | str | None) -> str:
    """One decimal, in percent; a dash where there is no value; a word (such as a bucket) as it is."""
    if isinstance(value, str):
        return value
    return "–" if value is None else f"{100 * value:.1f}"


UNITS = {
    "entropy": "nats",
    "_px": "px",
    "attempts": "count",
    "calls": "count",
    "margin": "cosine",
    "words": "count",
    "seconds": "s",
}


def unit_of(key: str) -> str:
    """The unit that a metric's name implies, for values of single samples; nothing for a share."""
    return "" if key.endswith("auroc") else next((unit for part, unit in UNITS.items() if part in key), "")


def number(value: float | str | None, unit: str = "") -> str:
    """A value for people: a share in percent, anything else with two decimals."""
    if not unit or value is None or isinstance(value, str):
        return percent(value)
    return f"{value:.4f}" if unit == "cosine" else f"{value:.2f}"


def value(metric: Metric) -> str:
    """A metric's value; its unit is in its name where it is no percentage."""
    return number(metric.value, metric.unit)


def signed(value: float | None) -> str:
    """A difference in percentage points, with its sign."""
    return "–" if value is None else f"{100 * value:+.1f}"


def interval(metric: Metric) -> str:
    """'[55.1, 67.0]', or nothing."""
    if metric.low is None or metric.high is None:
        return ""
    return f"[{number(metric.low, metric.unit)}, {number(metric.high, metric.unit)}]"


def floor(metric: Metric) -> str:
    """The floor in percent, or nothing."""
    return "" if metric.floor is None else number(metric.floor, metric.unit)


def group_name(group: GroupSummary) -> str:
    """'P3_box · easy'."""
    return " · ".join(group.by.values())


def outcomes(group: GroupSummary) -> str:
    """'31 correct, 5 wrong, 2 error'."""
    return ", ".join(f"{n} {name}" for name, n in group.outcomes.items())


def bounds(group: GroupSummary) -> str:
    """How far the exact match could be, were the non-answers all wrong or all right."""
    return "" if group.bounds is None else f"{percent(group.bounds[0])} to {percent(group.bounds[1])}"


def incomplete(summary: dict[str, Any]) -> str:
    """What a run that is not done has, and what it lacks."""
    wanted = summary.get("questions", summary["samples"] * len(summary["asked"]))
    tried = sum(summary["asked"].values())
    failed = summary["failed"]
    return (
        f"INCOMPLETE: {tried - failed} of {wanted} questions answered, {failed} failed; the same command asks the rest."
    )


def money(totals: dict[str, float]) -> str:
    """What a run cost, and whether that is all of it."""
    if not totals.get("calls"):
        return "no calls paid"
    if not totals.get("cost") and totals.get("cost_unknown"):
        return "cost unknown"
    return f"{totals['cost']:.4f} USD" + (
        f" (and {totals['cost_unknown']} calls of unknown cost)" if totals.get("cost_unknown") else ""
    )


def is_whole(group: GroupSummary, protocol: ProtocolSummary) -> bool:
    """Whether a group is a whole part of the exam (such as a split and task), not a breakdown of one."""
    return len(group.by) == min(len(g.by) for g in protocol.groups)


def breakdown_metric(protocol: ProtocolSummary) -> str:
    """Macro scores mean little within one category, so breakdowns show the sample F1."""
    macro = protocol.headline.startswith("macro") and all("f1" in g.metrics for g in protocol.groups)
    return "f1" if macro else protocol.headline
