"""An explanation in the sentences that a person would say. Pure."""

from __future__ import annotations

from snellen.comparison.choices import AS_WRONG, BY_PART, BY_SAMPLE
from snellen.comparison.explained import Explanation, FigureCheck, Reading
from snellen.comparison.verdict import amount
from snellen.core.figures import between, percent

LIKELY = 0.05
"""The chance of a coincidence from which on it is said."""


def verdict(found: Explanation) -> tuple[str, ...]:
    """The closing sentences: of every figure, or of the readings where none was named."""
    if not found.figures:
        return tuple(_of_all(found))
    return tuple(sentence for one in found.figures for sentence in _of_figure(one, found))


def described(reading: Reading, found: Explanation) -> str:
    """The choices of a reading in words: the metric, the protocol, and what is not as the run has it."""
    said = [f"{reading.label} under '{reading.protocol}'"]
    if len({r.prompt for r in found.readings}) > 1:
        said.append(f"prompt '{reading.prompt}'")
    if len(found.parts) > 1:
        said.append(reading.part)
    if reading.samples:
        said.append(f"{reading.samples} only")
    if reading.average not in (BY_SAMPLE, BY_PART) or "average" in reading.changes:
        said.append(f"mean {reading.average}")
    if reading.non_answers != AS_WRONG:
        said.append(f"non-answers: {reading.non_answers}")
    return ", ".join(said)


def _of_all(found: Explanation) -> list[str]:
    if found.values == 1:
        return [f"Every reading of these answers gives {percent(found.headline.value)}."]
    said = []
    if found.swings and found.swings[0].size > 0:
        top = found.swings[0]
        said.append(
            f"What moves the number most is the {top.choice}: from {percent(top.lowest.value)} to "
            f"{percent(top.highest.value)}, all else being as the run has it."
        )
    same = sum(abs(r.value - found.headline.value) < 5e-4 for r in found.readings)
    above = len(found.readings) - found.below - same
    said.append(f"Of {len(found.readings)} readings {found.below} are below the run's own number, {above} above it.")
    return said


def _of_figure(one: FigureCheck, found: Explanation) -> list[str]:
    name = f"{one.text} ({one.source})" if one.source else one.text
    if one.hits:
        best, more = one.hits[0], len(one.hits) - 1
        others = {0: "", 1: " One other reading gives it, too."}.get(more, f" {more} other readings give it, too.")
        own = "" if best.changes else "the run's own number: "
        return [f"{name} is {own}{described(best, found)}.{others}", *_of_luck(one)]
    near = one.nearest[0]
    off = amount(abs(near.value - one.value), "", " points")
    said = [
        f"None: no choice gives {name}. The nearest of {one.searched:,} readings is {percent(near.value)}, {off} off: "
        f"{described(near, found)}."
    ]
    if one.low is None or one.high is None:
        return said
    bounds = f"At n = {near.n:,} the interval of that is {between(one.low, one.high)}, which"
    if one.holds:
        return [*said, f"{bounds} holds {one.text}: other samples of the same kind could give it."]
    return [
        *said,
        f"{bounds} does not hold it: other answers would be needed (another model, prompt, decoding or data), not another reading.",
    ]


def _of_luck(one: FigureCheck) -> list[str]:
    if one.coincidence < LIKELY:
        return []
    return [
        f"That may be a coincidence: {one.simple:,} readings are as simple, and {100 * one.coincidence:.0f} % of all figures between "
        "the lowest and the highest of them land on one."
    ]
