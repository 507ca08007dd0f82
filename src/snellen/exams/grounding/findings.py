"""Sentences on where grounding's points were lost, and on which phrasing. The detector loses a target that it does not see; the chooser
loses one where it takes another box.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.core.finding import DOUBT, FACT, Finding
from snellen.core.records import Summary
from snellen.core.results import GroupSummary

WORTH_SAYING = 0.1
"""The least share of targets for which a loss is named."""


def findings(summary: Summary) -> Iterator[Finding]:
    """Yield the score of natural instructions beside plain ones, and the losses of detector and chooser, where detections are known."""
    yield from _by_phrasing([g for p in summary.plain[:1] for g in p.groups])
    whole = next((g for p in summary.plain[:1] for g in p.groups if g.whole), None)
    saw, hit = _value(whole, "detector_recall"), _value(whole, "present_accuracy") or _value(whole, "click_accuracy")
    if saw is None or hit is None:
        return
    seen = f"The detector saw {100 * saw:.1f} % of the targets"
    if saw - hit >= WORTH_SAYING:
        yield Finding(DOUBT, "detector", f"{seen}, the chooser lost {100 * (saw - hit):.1f} points of that.", "gallery")
    elif saw < 1 - WORTH_SAYING:
        yield Finding(DOUBT, "detector", f"{seen}: what it does not see no chooser can choose.", "gallery")
    else:
        yield Finding(
            FACT, "detector", f"{seen}, and the chooser lost {100 * max(0.0, saw - hit):.1f} points.", "gallery"
        )


def _by_phrasing(groups: Sequence[GroupSummary]) -> Iterator[Finding]:
    said = {g.by["phrasing"]: g for g in groups if set(g.by) == {"part", "phrasing"}}
    plain, natural = (_value(said.get(name), "click_accuracy") for name in ("plain", "natural"))
    if plain is not None and natural is not None:
        count = said["natural"].n
        text = f"Natural instructions: {100 * natural:.1f} % of {count:,}; plain ones: {100 * plain:.1f} % of {said['plain'].n:,}."
        yield Finding(FACT, "phrasing", text)


def _value(group: GroupSummary | None, metric: str) -> float | None:
    found = group.metrics.get(metric) if group is not None else None
    return found.value if found is not None else None
