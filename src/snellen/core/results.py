"""Metrics as protocols declare them, and the scores that a run has under them. Nothing is guessed from a metric's name.

A protocol lists its metrics in the order in which tables show them. One declaration may stand for a family: `f1.*` is the F1 of each
label, and the part under the star replaces `{}` in the declaration's label.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from snellen.core.types import Struct

Unit = Literal["", "px", "s", "nats", "cosine", "count", "kappa", "words", "looks", "calls"]
Kind = Literal["mean", "own"]
Better = Literal["higher", "lower", ""]
Interval = Literal["mean", "normal", ""]


class Metric(Struct, frozen=True):
    """A metric's declaration.

    `unit` is that of a sample's value: empty for a share between 0 and 1, shown in percent. `kind` is the source of the
    score. `mean` is the mean of the samples' values, made in one place for all exams. `own` is made by the protocol from a whole
    group (a macro F1, a quantile), and the score has its own unit. `interval` selects the interval of a mean: `mean` fits
    shares, `normal` measurements, and an empty one gives none.
    `detail` metrics are left out of short tables.
    """

    name: str
    label: str = ""
    unit: Unit = ""
    kind: Kind = "mean"
    better: Better = "higher"
    interval: Interval = "mean"
    detail: bool = False

    def fits(self, key: str) -> bool:
        """Tell whether this declares a metric: by its name, or as one of a family."""
        return key == self.name or (self.name.endswith(".*") and key.startswith(self.name[:-1]))

    def label_of(self, key: str) -> str:
        """Return the metric's name for people."""
        member = key[len(self.name) - 1 :] if self.name.endswith(".*") else ""
        label = self.label or self.name.removesuffix(".*").replace("_", " ")
        return label.format(member)


def declared(metrics: Iterable[Metric], key: str) -> Metric:
    """Return the declaration of a metric; a metric without one is a share with a plain name.

    >>> some = (Metric(name="f1.*", label="F1 of {}"), Metric(name="distance_px", label="distance", unit="px"))
    >>> [declared(some, k).label_of(k) for k in ("f1.color", "distance_px", "keywords_recall")]
    ['F1 of color', 'distance', 'keywords recall']
    """
    return next((m for m in metrics if m.fits(key)), None) or Metric(name=key)


CHANCE = "chance"


class Floor(NamedTuple):
    """The best score of a subject that never looks at the image and gives one reply to everything, of the replies that the prompt allows.

    `answer` is that reply, or `chance` if drawing among the options scores more. `forbidden` is the score of a reply that the prompt
    does not allow, such as a list where one name is wanted, if that is more. All are picked with the truths that they are scored on.
    """

    value: float
    answer: str
    forbidden: float | None = None
    forbidden_answer: str | None = None


class Spread(Struct, frozen=True):
    """The scores of the repeats, if questions were asked several times: `each` in their order, the lowest, the highest, and the standard
    deviation (by the number of repeats less one). It shows how far one repeat's score is from the next.
    """

    each: tuple[float, ...]
    low: float
    high: float
    sd: float


class Consistency(Struct, frozen=True):
    """The agreement of answers to the same question: samples that were right each time, some times and never, and samples whose
    answers were read and judged the same each time. Only samples that were asked at least twice are counted.
    """

    always: int
    sometimes: int
    never: int
    same: int

    @property
    def n(self) -> int:
        """The number of samples that were asked at least twice."""
        return self.always + self.sometimes + self.never


class Score(Struct, frozen=True):
    """A metric's value over a group with everything needed to read it: interval, n, and the fields of its `Floor`.

    Without a unit it is a share, shown in percent; with one it is shown as it is. If questions were asked several times, the value is
    the mean over samples of the mean over repeats; a score that is not a mean over samples is the mean over repeats. Then n counts
    samples, and `spread` has the scores of each repeat.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    interval: str | None = None
    floor: float | None = None
    floor_answer: str | None = None
    forbidden: float | None = None
    forbidden_answer: str | None = None
    unit: str = ""
    spread: Spread | None = None

    def above(self, floor: Floor) -> Score:
        """Return the score with its floor."""
        value, answer, forbidden, forbidden_answer = Floor(*floor)
        return msgspec.structs.replace(
            self, floor=value, floor_answer=answer, forbidden=forbidden, forbidden_answer=forbidden_answer
        )


class GroupSummary(Struct, frozen=True):
    """All scores of one group of samples. `by` names the group, e.g. {"config": "P3", "difficulty": "easy"}.

    `whole` groups are the parts of the exam (such as a split and task); the others break one of them down. `bounds` is the range of
    the bounded metric, from all non-answers wrong to all right. If questions were asked several times, `n` counts samples, `outcomes`
    every answer, and `consistency` shows how alike these are. `clusters` is the number of images (or of what the protocol calls its
    `cluster`) of the samples, if it is less than the number of samples; else 0.
    """

    by: dict[str, str]
    n: int
    outcomes: dict[str, int]
    metrics: dict[str, Score]
    bounds: tuple[float, float] | None = None
    whole: bool = False
    consistency: Consistency | None = None
    clusters: int = 0

    @property
    def answers(self) -> int:
        """Return how many answers the outcomes count: as many as samples, unless questions were asked several times."""
        return max(self.n, sum(self.outcomes.values()))


class ProtocolSummary(Struct, frozen=True):
    """One protocol's results on a run. `bounded` names the metric that the groups' bounds are of; `breakdown` the metric that tables
    show for the groups within a part. `repeats` is how often each question was asked. `cluster` is what samples share, in a word.
    """

    protocol: str
    version: str
    prompt: str
    headline: str
    groups: tuple[GroupSummary, ...]
    metrics: tuple[Metric, ...] = ()
    bounded: str = ""
    breakdown: str = ""
    repeats: int = 1
    cluster: str = "image"
