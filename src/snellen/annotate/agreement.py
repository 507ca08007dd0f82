"""The agreement of two annotators: whether they drew the same boxes, how well these overlap, whether their answers are the same. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from snellen.annotate.rows import AnswerRow, BoxRow
from snellen.exams.grounding.geometry import UNIT, Box, iou
from snellen.stats.agreement import cohen_kappa
from snellen.stats.jackknife import jackknifed
from snellen.stats.means import of_samples, share_interval

SAME = 0.5
"""The smallest overlap at which two boxes count as the same."""


class _AgreementFigure(msgspec.Struct, frozen=True):
    """A number with its interval, and the count behind it. None if it is not defined."""

    label: str
    value: float | None
    n: int
    of: str
    low: float | None = None
    high: float | None = None


class AnnotatorAgreement(msgspec.Struct, frozen=True):
    """The agreement of two annotators about one kind of thing. `counts` describes the data in words."""

    about: str
    first: str
    second: str
    counts: str
    figures: tuple[_AgreementFigure, ...]


class _BoxPair(NamedTuple):
    """Two boxes that were probably drawn for the same thing, and their overlap."""

    image: str
    first: BoxRow
    second: BoxRow
    overlap: float


def matched(first: Sequence[BoxRow], second: Sequence[BoxRow]) -> list[_BoxPair]:
    """Return the boxes of one image in pairs, largest overlap first. Each box is in at most one pair. Some pairs overlap very little."""
    every = [(overlap_of(a, b), a, b) for a in first for b in second if a.box and b.box]
    pairs: list[_BoxPair] = []
    taken: set[int] = set()
    for overlap, a, b in sorted(every, key=lambda one: -one[0]):
        if overlap > 0 and not taken & {id(a), id(b)}:
            taken |= {id(a), id(b)}
            pairs.append(_BoxPair(a.image, a, b, overlap))
    return pairs


def overlap_of(first: BoxRow, second: BoxRow) -> float:
    """Return the overlap (IoU) of two boxes of one image."""
    # both are in pixels of the same image, so any common space works
    return iou(Box.from_xyxy(first.box, UNIT), Box.from_xyxy(second.box, UNIT))


def of_boxes(every: Mapping[str, Sequence[BoxRow]]) -> list[AnnotatorAgreement]:
    """Return the agreement of each pair of annotators about boxes, on the images where both drew any."""
    return [_boxes(a, b, every[a], every[b]) for a, b in combinations(sorted(every), 2)]


def of_answers(every: Mapping[str, Sequence[AnswerRow]], about: str = "answers") -> list[AnnotatorAgreement]:
    """Return the agreement of each pair of annotators about answers, on the questions that both answered. Case and spaces are ignored."""
    return [_answers(about, a, b, every[a], every[b]) for a, b in combinations(sorted(every), 2)]


def _boxes(first: str, second: str, ones: Sequence[BoxRow], others: Sequence[BoxRow]) -> AnnotatorAgreement:
    images = sorted({row.image for row in ones if row.box} & {row.image for row in others if row.box})
    drawn = [[row for row in rows if row.box and row.image in images] for rows in (ones, others)]
    pairs = [
        pair for image in images for pair in matched(*([row for row in rows if row.image == image] for rows in drawn))
    ]
    same = [pair for pair in pairs if pair.overlap >= SAME]
    hits = {id(row) for pair in same for row in (pair.first, pair.second)}
    boxes = [(row.image, id(row) in hits) for rows in drawn for row in rows]
    types = [(pair.first.element_type, pair.second.element_type) for pair in same]
    where = [pair.image for pair in same]
    counts = f"{len(images)} pictures with boxes of both; {first} drew {len(drawn[0])}, {second} {len(drawn[1])}"
    return AnnotatorAgreement(
        "boxes",
        first,
        second,
        counts,
        (
            _mean("boxes that both drew (IoU .5)", [float(hit) for _, hit in boxes], [i for i, _ in boxes], "boxes"),
            _mean("mean IoU of these", [pair.overlap for pair in same], where, "pairs"),
            _mean("mean IoU of all that touch", [pair.overlap for pair in pairs], [p.image for p in pairs], "pairs"),
            _kappa("kappa of their types", types, where, "pairs"),
        ),
    )


def _answers(
    about: str, first: str, second: str, ones: Sequence[AnswerRow], others: Sequence[AnswerRow]
) -> AnnotatorAgreement:
    said = {row.id: _plain(row.text) for row in others}
    pairs = [(_plain(row.text), said[row.id]) for row in ones if row.id in said]
    counts = f"{len(pairs)} questions that both answered; {first} answered {len(ones)}, {second} {len(others)}"
    alone = [""] * len(pairs)
    figures = (
        _mean("same answer", [float(a == b) for a, b in pairs], alone, "questions"),
        _kappa("Cohen's kappa", pairs, alone, "questions"),
    )
    return AnnotatorAgreement(about, first, second, counts, figures)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _mean(label: str, values: Sequence[float], clusters: Sequence[str], of: str) -> _AgreementFigure:
    """Return a mean of values between 0 and 1 with its interval. Boxes of one image form a cluster."""
    if not values:
        return _AgreementFigure(label, None, 0, of)
    found = share_interval(of_samples(values, clusters))
    return _AgreementFigure(label, sum(values) / len(values), len(values), of, found.low, found.high)


def _kappa(label: str, pairs: Sequence[tuple[str, str]], clusters: Sequence[str], of: str) -> _AgreementFigure:
    """Return kappa with its interval, from leaving out each image or question."""

    def weighed(weights: Any) -> float | None:
        return cohen_kappa(Counter(pair for pair, weight in zip(pairs, weights, strict=True) if weight))

    value = cohen_kappa(Counter(pairs))
    found = jackknifed(weighed, clusters, share=False) if value is not None and len(pairs) > 1 else None
    if found is None:
        return _AgreementFigure(label, value, len(pairs), of)
    return _AgreementFigure(label, value, len(pairs), of, max(-1.0, found.low), min(1.0, found.high))
