"""The protocols of D3: all read captions in the same way; an exact tie counts as right (as in the D3 script) or as wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.protocol import TEXT_ALONE, Group, Key, MetricRoles, Protocol, ReplyContext, Verdict
from snellen.core.results import Floor, Metric, Score
from snellen.core.types import Metrics, Outcome, Sample
from snellen.data.declared import declared
from snellen.exams.d3 import summary
from snellen.exams.d3.names import names_of
from snellen.exams.d3.reading import read, says_position, speaks_of_images
from snellen.exams.d3.retrieval import fitting, retrieve

HITS = ("both", "recall")
OF_CAPTIONS = ("margin", "words", "position_words", "position_captions", "position_wide", "truncated")
"""Metrics of captions only: absent, not 0, if there are none."""


METRICS = declared("snellen.exams.d3", "metrics.toml", dict[str, tuple[Metric, ...]])["metrics"]


class D3Protocol(Protocol):
    """One protocol. It needs a scorer's evidence on the captions; without it, it can only read them."""

    headline = "both"
    metrics = METRICS
    needs = ("evidence",)
    extras = (MetricRoles(reported=(*HITS, "image_to_text", *(f"{name}.*" for name in HITS))),)

    def __init__(self, name: str, about: str, *, ties: bool) -> None:
        super().__init__(name, about, version="4", prompt="pair")
        self.ties = ties

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        """Read the captions and test whether each finds its picture. Without a scorer's evidence they are unmarked.

        A table's rows and columns, and also `left` and `right`, are in the order in which the pictures were shown.
        """
        names = names_of(sample)
        captions = read(reply, names)
        if captions is None:
            return Verdict(None, False, False, self.blank(sample))
        reading = dict(zip(names, captions, strict=True))
        said = _said(captions)
        if context.evidence is None:
            return Verdict(reading, True, False, dict.fromkeys(self.blank(sample)) | said, Outcome.UNMARKED)
        main, *others = fitting(context.evidence, len(names))
        found = retrieve(main.table, ties=self.ties)
        metrics: Metrics = {"both": found.both, "recall": found.recall}
        metrics |= {name: float(hit) for name, hit in zip(names, found.hits, strict=True)}
        metrics |= {"image_to_text": found.image_to_text, "margin": found.margin}
        metrics |= said | {"truncated": float(any(main.truncated))}
        for other in others:
            also = retrieve(other.table, ties=self.ties)
            metrics |= {
                f"both.{other.scorer}": also.both,
                f"recall.{other.scorer}": also.recall,
                f"margin.{other.scorer}": also.margin,
            }
        return Verdict(reading, True, found.both == 1.0, metrics)

    def blank(self, sample: Sample) -> Metrics:
        """Return the metrics of a reply without captions: no hits, and nothing to measure."""
        zeros: Metrics = dict.fromkeys((*HITS, *names_of(sample), "image_to_text"), 0.0)
        return zeros | dict.fromkeys(OF_CAPTIONS)

    def order(self, key: Key) -> Any:
        """Return the sort key: each task with its kinds of difference."""
        return key[:2], len(key), key

    def floors(self, group: Group) -> Mapping[str, Floor]:
        return summary.floors(group)

    def own_scores(self, group: Group) -> Mapping[str, Score]:
        return summary.own_scores(group)


def _said(captions: tuple[str, ...]) -> Metrics:
    """Return the metrics of the captions' words, which need no scorer."""
    places = sum(map(says_position, captions))
    return {
        "words": sum(len(caption.split()) for caption in captions) / len(captions),
        "position_words": float(places > 0),
        "position_captions": float(places),
        "position_wide": float(sum(map(speaks_of_images, captions))),
    }


PROTOCOLS = {
    p.name: p
    for p in (
        D3Protocol(
            "original",
            "each caption against all images of its pair; both must fit their own best; an exact tie is right",
            ties=True,
        ),
        D3Protocol("strict", "as original, but an exact tie is wrong", ties=False),
    )
}
