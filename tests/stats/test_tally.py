"""The one place that makes groups, means, intervals, floors and bounds, for every exam and plugin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from snellen.core.protocol import Group, JoinedItems, Key, Protocol, Seen
from snellen.core.results import Metric, Score
from snellen.core.types import Mark, Outcome, Sample
from snellen.stats.intervals import wilson
from snellen.stats.tally import Tally, summarised

Marked = list[tuple[Sample, Mark]]


def marks(*values: float, outcome: Outcome | None = None, **tags: str) -> Marked:
    found = []
    for i, value in enumerate(values):
        said = outcome or (Outcome.CORRECT if value == 1 else Outcome.WRONG)
        sample = Sample(id=f"{tags}{i}", tags={"split": "s"} | tags, truth="x")
        found.append((sample, Mark(id=sample.id, outcome=said, metrics={"score": value, "note": "a word"})))
    return found


def test_a_part_comes_first_and_then_its_breakdowns() -> None:
    groups = summarised(Protocol("p"), marks(1.0, 0.0, kind="b") + marks(1.0, kind="a"))
    assert [(g.by, g.n, g.whole) for g in groups] == [
        ({"split": "s"}, 3, True),
        ({"split": "s", "kind": "a"}, 1, False),
        ({"split": "s", "kind": "b"}, 2, False),
    ]
    assert groups[0].metrics["score"].value == pytest.approx(2 / 3)
    assert (groups[0].metrics["score"].low, groups[0].metrics["score"].high) == wilson(2, 3)
    assert list(groups[0].metrics) == ["score"], "a word is no metric"


def test_outcomes_come_in_their_fixed_order_and_bounds_count_what_was_no_answer() -> None:
    some = marks(0.0, 0.0, outcome=Outcome.ERROR) + marks(0.0, 1.0, 1.0) + marks(0.0, outcome=Outcome.REFUSED)
    (group,) = summarised(Protocol("p"), some)
    assert group.outcomes == {"correct": 2, "wrong": 1, "refused": 1, "error": 2}
    assert group.bounds == (2 / 6, 5 / 6)
    assert summarised(Protocol("p"), marks(1.0, 0.0))[0].bounds is None


def test_a_non_answer_that_scores_is_not_counted_twice() -> None:
    (group,) = summarised(Protocol("p"), marks(1.0, outcome=Outcome.TRUNCATED) + marks(0.0))
    assert group.bounds == (0.5, 0.5)


class Measured(Protocol):
    headline = "away"
    metrics = (Metric(name="away", unit="px", better="lower"), Metric(name="seconds", unit="s", interval=""))

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return Seen({"away": 30.0 if mark.outcome is Outcome.WRONG else 2.0, "seconds": 0.5}, mark.outcome)


def test_a_measurement_is_no_share_however_it_was_declared() -> None:
    one = summarised(Measured("m"), marks(0.0))[0].metrics
    assert (one["away"].value, one["away"].low, one["away"].unit) == (30.0, None, "px")
    some = summarised(Measured("m"), marks(0.0, 1.0, 0.0, 1.0))[0].metrics
    assert (some["away"].value, some["away"].interval) == (16.0, "t")
    assert some["seconds"].interval is None
    undeclared = [(s, Mark(id=m.id, outcome=m.outcome, metrics={"score": 7.0})) for s, m in marks(1.0, 1.0)]
    assert summarised(Protocol("p"), undeclared)[0].metrics["score"].value == 7.0


class Clustered(Protocol):
    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return super().seen(sample, mark)._replace(cluster=sample.tags["image"])

    def groups(self, sample: Sample) -> Iterator[Key]:
        yield (("split", "s"),)


def test_samples_that_share_an_image_have_wider_intervals() -> None:
    apart = [m for i in range(40) for m in marks(float(i % 2), image=str(i))]
    shared = [m for i in range(8) for m in marks(*[float(i % 2)] * 5, image=str(i))]
    alone, together = (summarised(Clustered("c"), some)[0].metrics["score"] for some in (apart, shared))
    assert alone.value == together.value == 0.5
    assert alone.interval == "wilson"
    assert together.high - together.low > 1.5 * (alone.high - alone.low)  # type: ignore[operator]


class Own(Protocol):
    headline = "best"
    metrics = (Metric(name="best", kind="own"), Metric(name="score"), Metric(name="of.*", label="of {}", kind="own"))

    def own_scores(self, group: object) -> dict[str, Score]:
        return {"of.b": Score(value=0.1, n=1), "best": Score(value=0.9, n=2), "of.a": Score(value=0.2, n=1)}

    def floors(self, group: object) -> dict[str, tuple[float, str]]:
        return {"best": (0.3, "always b"), "absent": (1.0, "x")}


def test_own_scores_and_floors_are_put_beside_the_means_in_the_declared_order() -> None:
    scores = summarised(Own("o"), marks(1.0, 0.0))[0].metrics
    assert list(scores) == ["best", "score", "of.b", "of.a"]
    assert (scores["best"].floor, scores["best"].floor_answer) == (0.3, "always b")


def test_the_headline_is_there_though_no_sample_has_it() -> None:
    sample = Sample(id="1", tags={})
    (group,) = summarised(Protocol("p"), [(sample, Mark(id="1", outcome=Outcome.UNMARKED, metrics={"score": None}))])
    assert group.metrics == {"score": Score(value=None, n=0)}


def test_marks_that_are_alike_are_kept_once() -> None:
    tally = Tally(Protocol("p"))
    for sample, mark in marks(*[1.0, 0.0] * 500):
        tally.add(sample, mark)
    (group,) = tally.groups()
    assert group.n == 1000
    assert len(tally._rows) == 2


class Joined(Protocol):
    """Every two marks with one image are one item, right where both are."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.extras = (JoinedItems(self._items),)

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        return super().seen(sample, mark)._replace(own=sample.tags["image"])

    def groups(self, sample: Sample) -> Iterable[Key]:
        yield (("split", "one by one"),)
        yield (("split", "together"),)

    def _items(self, group: Group) -> Iterable[tuple[Seen, int]] | None:
        if group.by["split"] != "together":
            return None
        items: dict[object, list[Seen]] = {}
        for seen, count in group.rows():
            items.setdefault(seen.own, []).extend([seen] * count)
        scores = (min(seen.values["score"] for seen in some) for some in items.values() if len(some) == 2)
        return [(Seen({"score": score}, Outcome.CORRECT if score else Outcome.WRONG), 1) for score in scores]


def test_a_protocol_may_make_one_item_of_several_marks() -> None:
    some = [*marks(1.0, 1.0, image="a"), *marks(1.0, 0.0, image="b"), *marks(1.0, image="c")]
    apart, together = summarised(Joined("j"), some)
    assert (apart.n, apart.metrics["score"].value, apart.whole) == (5, 0.8, True)
    assert (together.n, together.metrics["score"].value, together.whole) == (2, 0.5, True)
    assert together.outcomes == {"correct": 1, "wrong": 1}
    (alone,) = summarised(Joined("j"), marks(1.0, image="c"))  # nothing to join: no part
    assert alone.by == {"split": "one by one"}
