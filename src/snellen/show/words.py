"""How numbers and groups are put into words, the same in the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from snellen import exams as benchmarks
from snellen.core.errors import SnellenError
from snellen.core.results import GroupSummary, ProtocolSummary, Score

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
    "(n=...): where it is not the n above or beside. Non-answers count as wrong."
)
CONTROLS = (
    "controls: the same questions without the image (none), with a grey one (blank), with another's (shuffled), or with the "
    "options in another order; difference in points [95 % interval, paired]"
)
POSITION = "position bias: the same pictures in the other order; differences in points [95 % interval, paired]"
SYNTHETIC = (
    "SYNTHETIC DATA made by snellen: these scores say nothing about the real benchmark and stand beside no paper's."
)


def metric_name(key: str) -> str:
    """A metric's key for people.

    >>> metric_name("f1.color"), metric_name("distance_px"), metric_name("within_5_px")
    ('F1 of color', 'distance, px', 'within 5 px')
    """
    kind, dot, label = key.partition(".")
    if dot:
        return f"{'F1' if kind == 'f1' else kind} of {label}"
    unit = unit_of(key)
    plain = key.replace("_px", "") if unit else key
    return NAMES.get(key, plain.replace("_", " ") + (f", {unit}" if unit not in ("", "count") else ""))


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
    if key.endswith("auroc") or key.startswith("within_"):
        return ""
    return next((unit for part, unit in UNITS.items() if part in key), "")


def number(value: float | str | None, unit: str = "") -> str:
    """A value for people: a share in percent, anything else with two decimals."""
    if not unit or value is None or isinstance(value, str):
        return percent(value)
    return f"{value:.4f}" if unit == "cosine" else f"{value:.2f}"


def value(metric: Score) -> str:
    """A metric's value; its unit is in its name where it is no percentage."""
    return number(metric.value, metric.unit)


def signed(value: float | None) -> str:
    """A difference in percentage points, with its sign."""
    return "–" if value is None else f"{100 * value:+.1f}"


def difference(row: Mapping[str, Any]) -> str:
    """'-12.5 [-20.1, -3.0]', of a paired difference."""
    return f"{signed(row['difference'])} [{signed(row['low'])}, {signed(row['high'])}]"


def interval(metric: Score) -> str:
    """'[55.1, 67.0]', or nothing."""
    if metric.low is None or metric.high is None:
        return ""
    return f"[{number(metric.low, metric.unit)}, {number(metric.high, metric.unit)}]"


def floor(metric: Score) -> str:
    """The floor in percent, or nothing."""
    return "" if metric.floor is None else number(metric.floor, metric.unit)


def group_name(group: GroupSummary) -> str:
    """'P3_box · easy'."""
    return " · ".join(group.by.values())


def outcomes(group: GroupSummary) -> str:
    """'31 correct, 5 wrong, 2 error'."""
    return ", ".join(f"{n} {name}" for name, n in group.outcomes.items())


def bounds(group: GroupSummary) -> str:
    """How far the share of right samples could be, were the non-answers all wrong or all right."""
    return "" if group.bounds is None else f"{percent(group.bounds[0])} to {percent(group.bounds[1])}"


def bounded(protocols: Iterable[ProtocolSummary]) -> str:
    """The name of the metric that the bounds are of: the exact match where an exam has one, else the headline."""
    names = {
        metric_name("exact_match" if any("exact_match" in g.metrics for g in p.groups) else p.headline)
        for p in protocols
    }
    return f"{names.pop() if len(names) == 1 else 'headline'} could be"


def other_n(metric: Score, n: int) -> str:
    """'(n=5)' where a metric has not the n that stands above or beside it."""
    return "" if metric.n == n else f"(n={metric.n})"


def side_by_side(protocols: Sequence[ProtocolSummary], *, whole: bool) -> list[dict[str, GroupSummary]]:
    """The whole parts of an exam, or the groups within them: each with its summaries by protocol, of those that have it."""
    found: dict[tuple[tuple[str, str], ...], dict[str, GroupSummary]] = {}
    for p in protocols:
        for g in p.groups:
            if is_whole(g, p) is whole:
                found.setdefault(tuple(g.by.items()), {})[p.protocol] = g
    return list(found.values())


def most(groups: Iterable[GroupSummary]) -> int:
    """The n of a part: that of the protocol that asks about most of it."""
    return max(g.n for g in groups)


def title(manifest: dict[str, Any]) -> str:
    """'salbench · baseline/pixels · 3 shots', without shots for exams that have none (or have them in their prompts)."""
    name, shots = manifest["benchmark"], manifest["options"].get("shots", 0)
    try:
        has_shots = benchmarks.load(name).shots != (0,)
    except SnellenError:
        has_shots = False  # a plugin that is not at hand
    return f"{name} · {manifest['subject']['spec']}" + (f" · {shots} shots" if shots or has_shots else "")


def scored_by(summary: dict[str, Any]) -> list[str]:
    """'scored by siglip (padding to the full length, as trained)', for each scorer, the main one first."""
    lines = []
    for one in summary.get("scorers", ()):
        open_ones = f"; {one['unscored']} answers not scored" if one.get("unscored") else ""
        lines.append(f"scored by {one['name']} (padding {one['identity'].get('padding', 'unknown')}){open_ones}")
    return lines


def incomplete(summary: dict[str, Any]) -> str:
    """What a run that is not done has, and what it lacks."""
    wanted = summary.get("questions", summary["samples"] * len(summary["asked"]))
    tried = sum(summary["asked"].values())
    failed = summary["failed"]
    unscored = sum(one.get("unscored", 0) for one in summary.get("scorers", ())[:1])
    if tried - failed == wanted and unscored:
        return f"INCOMPLETE: {unscored} of {wanted} answers are not scored yet; the same command scores the rest."
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
