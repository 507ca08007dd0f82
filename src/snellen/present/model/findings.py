"""Findings of a run in words, most important first: does the model see, can its replies be parsed, does it use the image, where are errors.

Pure: everything comes from the summary, and from the exam's hook for what only the exam knows. There is no finding without evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from snellen import exams
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import Remarks
from snellen.core.finding import BAD, DOUBT, FACT, GOOD, WEIGHTS, Finding
from snellen.core.records import ControlRow, Manifest, Summary
from snellen.core.results import GroupSummary, ProtocolSummary, Score, declared
from snellen.core.unanswered import LOUD
from snellen.engine.runs.run import Run
from snellen.present.model import formatting

APART = 0.1
"""The smallest difference between protocols, in a part, that is reported."""
WITHOUT = {
    "none": "without the picture",
    "blank": "with a blank picture",
    "shuffled": "with another sample's picture",
}
"""Controls that remove the visual information."""
ALTERED = {"options": "with the options in another order", "swapped": "with the pictures in the other order"}
KINDS = {
    "unparsable": "cannot be read",
    "refused": "are refusals",
    "empty": "are empty",
    "truncated": "were cut off",
    "error": "failed",
}
SAID_ELSEWHERE = ("silent", "note", "incomplete", "cost")
"""Kinds that the terminal reports elsewhere."""
HEADLINES = ("floor", "score")
"""Kinds that report how high the score is."""
_some = partial(formatting.listed, most=4)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")


def findings(summary: Summary, exam: Exam | None = None, stages: Mapping[str, int] | None = None) -> list[Finding]:
    """Return all findings, heaviest first. `stages` counts the samples on which protocols disagree, by stage."""
    if not summary.plain:
        return []
    remarks = exam.extra(Remarks) if exam is not None else None
    own = list(remarks.findings(summary)) if remarks is not None else []
    headed = any(one.kind in HEADLINES for one in own)  # an exam's own finding on its headline replaces the common one
    found = [
        *_incomplete(summary),
        *_silent(summary),
        *(() if headed else _sees(summary)),
        *_apart(summary, stages or {}),
        *_controls(summary),
        *own,
        *_position(summary),
        *(Finding(DOUBT, "note", _SENTENCE.split(note)[0], "top") for note in summary.notes),
        *_cost(summary),
    ]
    return sorted(found, key=lambda one: WEIGHTS.index(one.weight))


def findings_of(run: Run) -> list[Finding]:
    """Return the findings of a run from its summary alone."""
    return findings(run.summary, loaded(run.manifest))


def loaded(manifest: Manifest) -> Exam | None:
    """Return the exam of a run, or None for a plugin that is not loaded."""
    try:
        return exams.load(manifest.exam)
    except SnellenError:
        return None


def heaviest(found: Sequence[Finding], most: int) -> list[Finding]:
    """Return the first `most` findings. The headline is one of them, whatever its weight."""
    kept = list(found[:most])
    headline = next((one for one in found if one.kind in HEADLINES), None)
    if headline is not None and headline not in kept:
        kept[-1:] = [headline]
    return kept


def _incomplete(summary: Summary) -> Iterator[Finding]:
    if not summary.complete:
        yield Finding(BAD, "incomplete", formatting.incomplete(summary), "top")


def _cost(summary: Summary) -> Iterator[Finding]:
    totals = summary.totals
    if totals.calls and (totals.cost or totals.cost_unknown):
        yield Finding(FACT, "cost", f"{formatting.counted(totals.calls, 'call')}: {formatting.money(totals)}.", "what")


# ---------------------------------------------------------------- can the replies be parsed?


class _MissingShare(NamedTuple):
    """The number of replies without an answer under a protocol, over the parts of the exam. n counts every repeat of a question."""

    protocol: str
    n: int
    kinds: Counter[str]

    @property
    def share(self) -> float:
        return self.kinds.total() / self.n if self.n else 0.0


def _missing(summary: Summary) -> list[_MissingShare]:
    """Return the share for every protocol. A refusal that may be right is not a missing answer, so only the named parts count."""
    found = []
    for p in summary.plain:
        kinds: Counter[str] = Counter()
        for row in summary.silent:
            if row.protocol == p.protocol:
                kinds.update(row.outcomes)
        found.append(_MissingShare(p.protocol, sum(g.answers for g in p.groups if g.whole), kinds))
    return found


def _silent(summary: Summary) -> Iterator[Finding]:
    """Yield the finding for the main protocol, or for the worst other one if the main one parses well, beside the one that parses most."""
    every = _missing(summary)
    main, worst, best = every[0], max(every, key=lambda one: one.share), min(every, key=lambda one: one.share)
    shown = main if main.share > LOUD else worst
    if shown.share <= LOUD:
        return
    kinds = [KINDS[k] for k, _n in shown.kinds.most_common()]
    said = f"{_percent(shown.share)} of the replies {_some(kinds)} under '{shown.protocol}'"
    if best.share < shown.share / 2:
        left = f"all but {_percent(best.share)}" if best.share > 0.005 else "nearly all of them"
        said += f"; '{best.protocol}' reads {left}"
    lost = f" Most of them in {_some([formatting.part_name(r.by) for r in summary.lost])}." if summary.lost else ""
    yield Finding(BAD if shown is main else DOUBT, "silent", f"{said}.{lost}", "outcomes")


# ---------------------------------------------------------------- does the model see?


class _FloorPart(NamedTuple):
    """A part of the exam under the main protocol: its headline, and whether any protocol scores it above its floor."""

    name: str
    score: Score
    seen: bool
    clear: bool


def _parts(summary: Summary) -> list[_FloorPart]:
    """Return the parts that have a score. A part where most questions got no answer says nothing about what the model sees."""
    main, found = summary.plain[0], []
    protocols, lost = summary.plain, [row.by for row in summary.lost]
    for part in formatting.side_by_side(protocols, whole=True):
        if next(iter(part.values())).by in lost:
            continue
        score = part[main.protocol].metrics.get(main.headline) if main.protocol in part else None
        if score is None or score.value is None or not declared(main.metrics, main.headline).better:
            continue
        above = [_above(p, part[p.protocol]) for p in protocols if p.protocol in part]
        seen = any(word != "below" for word in above)
        found.append(_FloorPart(formatting.part_name(part[main.protocol].by), score, seen, above[0] == "clear"))
    return found


def _above(protocol: ProtocolSummary, group: GroupSummary) -> str:
    """Return how a headline compares with its floor: 'below' (or at it), above it, or 'clear' with its whole interval above."""
    score = group.metrics.get(protocol.headline)
    if score is None or score.floor is None:
        return "clear"
    if formatting.floor_word(protocol, protocol.headline, score):
        return "below"
    lower = declared(protocol.metrics, protocol.headline).better == "lower"
    end = score.high if lower else score.low
    return "above" if end is not None and (end >= score.floor if lower else end <= score.floor) else "clear"


def _sees(summary: Summary) -> Iterator[Finding]:
    """Yield the headline itself, compared with its floor."""
    main, parts = summary.plain[0], _parts(summary)
    total = len(parts)
    if not summary.complete:  # the questions still open may show it
        parts = [p for p in parts if p.clear]
    if not parts:
        return
    label = f"{formatting.metric_name(main, main.headline)} ({main.protocol})"
    blind, clear = [p for p in parts if not p.seen], [p for p in parts if p.clear]
    unsure = [p for p in parts if p.seen and not p.clear]
    if len(blind) == len(parts):
        said = f"No sign of seeing: {label} is {_against(blind)}, at or below its floor{_everywhere(summary, parts)}."
        yield Finding(BAD, "floor", said)
        return
    if not clear:
        none = {1: " not", 2: " in neither part"}.get(len(parts), f" in none of {len(parts)} parts")
        said = f"No clear sign of seeing: {label} is {_against(parts)},{none} clearly above its floor."
        yield Finding(BAD, "floor", said)
        return
    if blind:
        said = f"No sign of seeing in {_some([p.name for p in blind])}: {label} is {_against(blind)}, at or below the floor."
        yield Finding(BAD, "floor", said)
    if unsure:
        said = f"Not clearly above the floor in {_some([p.name for p in unsure])}: {label} is {_against(unsure)}."
        yield Finding(DOUBT, "floor", said)
    floored = any(p.score.floor is not None for p in clear)
    where = _everywhere(summary, parts) if len(clear) == total else f" in {_some([p.name for p in clear])}"
    above = ", clearly above the floor" if floored else ""
    said = f"{label[:1].upper()}{label[1:]} is {_against(clear)}{above}{where}."
    yield Finding(GOOD if floored else FACT, "score", said)


def _everywhere(summary: Summary, parts: Sequence[_FloorPart]) -> str:
    if summary.lost:  # the other parts got no answer
        return f" in {_some([p.name for p in parts])}"
    return f" in {formatting.every(len(parts), 'part')}" if len(parts) > 1 else ""


def _against(parts: Sequence[_FloorPart]) -> str:
    """Return '93.3 to 100.0 (floor 16.7 to 50.0)'."""
    floors = [p.score for p in parts if p.score.floor is not None]
    values = formatting.span([(p.score.value or 0.0, formatting.value(p.score)) for p in parts])
    return values + (
        f" (floor {formatting.span([(s.floor or 0.0, formatting.floor(s)) for s in floors])})" if floors else ""
    )


# ---------------------------------------------------------------- does it depend on the protocol?


class _ProtocolGap(NamedTuple):
    """The gap between protocols with the same headline in a part: (value, as printed, protocol) of the highest and the lowest."""

    gap: float
    part: str
    metric: str
    high: tuple[float, str, str]
    low: tuple[float, str, str]


def protocol_gap(protocols: Sequence[ProtocolSummary], *, same_prompt: bool = False) -> _ProtocolGap | None:
    """Return the part in which protocols with the same headline differ most. With `same_prompt`, compare only protocols of one prompt."""
    found: list[_ProtocolGap] = []
    for part in formatting.side_by_side(protocols, whole=True):
        alike: dict[tuple[str, str], list[tuple[float, str, str]]] = {}
        for p in protocols:
            score = part[p.protocol].metrics.get(p.headline) if p.protocol in part else None
            if score is not None and score.value is not None and not score.unit:
                key = p.headline, p.prompt if same_prompt else ""
                alike.setdefault(key, []).append((score.value, formatting.value(score), p.protocol))
        name = formatting.part_name(next(iter(part.values())).by)
        for (metric, _prompt), scores in alike.items():
            high, low = max(scores), min(scores)
            found.append(_ProtocolGap(high[0] - low[0], name, metric, high, low))
    return max(found, key=lambda one: one.gap, default=None)


def _apart(summary: Summary, stages: Mapping[str, int]) -> Iterator[Finding]:
    """Yield the part in which protocols with the same headline differ most."""
    found = protocol_gap(summary.plain)
    if found is None or found.gap < APART:
        return
    label = formatting.metric_name(next(p for p in summary.plain if p.headline == found.metric), found.metric)
    where = f" in {found.part}" if len(formatting.side_by_side(summary.plain, whole=True)) > 1 else ""
    stage = max(stages, key=lambda s: stages[s]) if any(stages.values()) else ""
    why = f" They part most often at the {stage}." if stage else ""
    (_high, high, by_high), (_low, low, by_low) = found.high, found.low
    said = f"The protocol decides by up to {100 * found.gap:.1f} points of {label}{where}"
    yield Finding(DOUBT, "protocols", f"{said}: {high} under '{by_high}', {low} under '{by_low}'.{why}", "flips")


# ---------------------------------------------------------------- does the model use the image?


def _controls(summary: Summary) -> Iterator[Finding]:
    main = summary.plain[0].protocol
    rows: dict[str, list[ControlRow]] = {}
    lost = [row.by for row in summary.lost]
    for row in summary.controls:
        if row.protocol == main and row.by not in lost:
            rows.setdefault(row.control, []).append(row)
    better = {p.protocol: p for p in summary.plain}[main]
    for control, some in rows.items():
        if control in WITHOUT:
            yield _without(WITHOUT[control], some, better)
        elif control in ALTERED:
            yield from _altered(ALTERED[control], some, better)


def _without(how: str, rows: Sequence[ControlRow], protocol: ProtocolSummary) -> Finding:
    """Return the finding on whether the score falls when the visual information is removed."""
    sign = -1 if declared(protocol.metrics, rows[0].metric).better == "lower" else 1
    fell = [r for r in rows if (r.high if sign > 0 else -r.low) < 0]
    most = max(rows, key=lambda r: -sign * r.difference)
    where = f" in {formatting.part_name(most.by)}" if len(rows) > 1 else ""
    label = formatting.metric_name(protocol, most.metric)
    change = f"{label} {formatting.percent(most.score)} -> {formatting.percent(most.control_score)} {how}{where}"
    if not fell:
        return Finding(BAD, "controls", f"No sign that it looks: {change}, which could be chance.", "controls")
    if len(fell) == len(rows):
        every = f"; the score falls in {formatting.every(len(rows), 'part')}" if len(rows) > 1 else ""
        return Finding(GOOD, "controls", f"It looks: {change}{every}.", "controls")
    still = _some([formatting.part_name(r.by) for r in rows if r not in fell])
    return Finding(DOUBT, "controls", f"It looks ({change}), but there is no sign of that in {still}.", "controls")


def _altered(how: str, rows: Sequence[ControlRow], protocol: ProtocolSummary) -> Iterator[Finding]:
    """Yield the changes that should have no effect but do."""
    sure = [r for r in rows if r.low > 0 or r.high < 0]
    if sure:
        most = max(sure, key=lambda r: abs(r.difference))
        where = f" in {formatting.part_name(most.by)}" if len(rows) > 1 else ""
        label = formatting.metric_name(protocol, most.metric)
        change = f"{label} {formatting.percent(most.score)} -> {formatting.percent(most.control_score)} {how}{where}"
        said = f"The order matters: {change}, {formatting.difference(most)}."
        yield Finding(DOUBT, "controls", said, "controls")


def _position(summary: Summary) -> Iterator[Finding]:
    for row in summary.position[:1]:
        if row.slot.low > 0 or row.slot.high < 0:
            place = "first" if row.slot.difference > 0 else "last"
            gap = f"{abs(100 * row.slot.difference):.1f} points"
            said = f"The order of the pictures matters: the one in the {place} place is told right {gap} more often"
            yield Finding(
                DOUBT, "position", f"{said}; {row.flipped} of {row.n} are right in one order only.", "controls"
            )


# ---------------------------------------------------------------- wording


def _percent(share: float) -> str:
    """Return '30 %', '0.4 %'."""
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.1f} %"
