"""Does more resolution help? A faculty with sheets of several sizes or codecs, and in words where detail stops being passed on.

A letter of so many pixels is as high in a large sheet as in a small one. Who sees all pixels reads it in both. Who gets every sheet made
smaller to one size needs letters that grow with the sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from snellen.core.exam import Exam
from snellen.core.extras import Thresholds
from snellen.core.prescription import Range, Threshold, figure
from snellen.present.model import threshold_text as said
from snellen.present.page.prescription_charts import Bar, by_size

PIXELS = "px"


class SentThreshold(NamedTuple):
    """A threshold as it was sent; `share` is that in percent of the sheet's side, of a dial in pixels."""

    row: Threshold
    size: int
    codec: str
    share: str
    bar: Bar | None


class Resolution(NamedTuple):
    """One faculty at several sizes or codecs, and what that says."""

    title: str
    unit: str
    sent: list[SentThreshold]
    says: list[str]


def resolutions(exam: Exam, rows: Sequence[Threshold], sizes: Mapping[str, int]) -> list[Resolution]:
    """Every faculty that was sent in several ways."""
    found = []
    for faculty in dict.fromkeys(row.faculty for row in rows):
        own = [row for row in rows if row.faculty == faculty]
        if len(own) < 2:
            continue
        bars = by_size(own)
        sent = [_sent(row, sizes.get(row.name, 0), bar) for row, bar in zip(own, bars, strict=True)]
        found.append(Resolution(own[0].title, own[0].unit, sent, list(_says(exam, sent))))
    return found


def _sent(row: Threshold, size: int, bar: Bar | None) -> SentThreshold:
    share = ""
    if row.unit == PIXELS and row.threshold is not None and size:
        share = f"{figure(100 * row.threshold.value / size)} %"
    return SentThreshold(row, size, row.sent_as.rpartition(" ")[2], share, bar)


def _says(exam: Exam, sent: Sequence[SentThreshold]) -> Iterator[str]:
    for codec in dict.fromkeys(one.codec for one in sent):
        same = sorted((one for one in sent if one.codec == codec), key=lambda one: one.size)
        behind = f" ({codec})" if len({one.codec for one in sent}) > 1 else ""
        for small, large in pairwise(same):
            if small.size != large.size:
                yield f"From {small.size} to {large.size} px{behind} {_step(exam, small, large)}"
    for size in dict.fromkeys(one.size for one in sent):
        first, *others = (one for one in sent if one.size == size)
        for other in others:
            behind = f" at {size} px" if len({one.size for one in sent}) > 1 else ""
            yield f"{other.codec} instead of {first.codec}{behind}: {_codec(exam, first, other)}"


def between(exam: Exam, first: Threshold, second: Threshold) -> Range | None:
    """The ratio of two thresholds of one run, the second over the first."""
    finds = exam.extra(Thresholds)
    found = finds.compared([[replace(first, sent_as="")], [replace(second, sent_as="")]]) if finds is not None else ()
    return found[0].ratios[0] if found else None


def _step(exam: Exam, small: SentThreshold, large: SentThreshold) -> str:
    """What a larger sheet changes."""
    ratio = between(exam, small.row, large.row)
    if ratio is None:
        return "nothing can be told: one of the thresholds is not known."
    sides = large.size / small.size
    is_same, grows = (ratio.low <= at <= ratio.high for at in (1.0, sides))
    measured = f"{said.ratio(ratio)} times the threshold for {figure(sides)} times the side"
    if small.row.unit != PIXELS:
        return f"the threshold {'does not clearly change' if is_same else 'changes'}: {measured}."
    if is_same and grows:
        return f"it cannot be told whether detail is passed on: {measured}."
    if grows:
        return f"more resolution does not help: {measured}. The detail is not passed on, as if sheets were made smaller on the way."
    if is_same:
        return f"detail is passed on: the same pixels are enough, {measured}."
    if ratio.high < 1:
        return f"more resolution helps even beyond its pixels: {measured}."
    return (
        f"{'some of the detail is lost' if ratio.high < sides else 'more than the gained detail is lost'}: {measured}."
    )


def _codec(exam: Exam, first: SentThreshold, other: SentThreshold) -> str:
    ratio = between(exam, first.row, other.row)
    if ratio is None:
        return "nothing can be told, as one of the thresholds is not known."
    clear = "no clear difference" if ratio.low <= 1 <= ratio.high else "a clear difference"
    return f"{clear}, {said.ratio(ratio)} times the threshold."
