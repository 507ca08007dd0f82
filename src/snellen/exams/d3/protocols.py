"""The protocols of D3: the captions are read in one way, and an exact tie counts as right (as the original has it) or as wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from snellen.core.protocol import Verdict
from snellen.core.results import GroupSummary
from snellen.core.types import Mark, Metrics, Outcome, Sample
from snellen.exams.d3.reading import Captions, position_words, read, speaks_of_images, words_in
from snellen.exams.d3.retrieval import retrieve, scored
from snellen.exams.d3.slots import names_of

HITS = ("both", "recall")
OF_CAPTIONS = ("margin", "words", "position_words", "position_captions", "position_wide", "truncated")
"""Metrics that only captions have: nothing, not 0, where there are none."""


class D3Protocol:
    """One protocol. It needs what a scorer said of the captions; without that it can only read them."""

    prompt = "pair"
    headline = "both"

    def __init__(self, name: str, version: str, about: str, *, ties: bool) -> None:
        self.name, self.version, self.about, self.ties = name, version, about, ties

    def judge(self, reply: str, sample: Sample) -> Verdict:
        """Without a scorer: what was read and what can be said of its words, unmarked."""
        return self.judge_evidence(reply, sample, None)

    def judge_evidence(self, reply: str, sample: Sample, evidence: Mapping[str, Any] | None) -> Verdict:
        """Read the captions and see whether each finds its picture. `evidence` has the scorers' tables.

        The table's rows and columns are in the order in which the pictures were shown, and so are `left` and `right`.
        """
        names = names_of(sample)
        captions = read(reply, names)
        if captions is None:
            return Verdict(None, False, False, self.blank(sample))
        reading = dict(zip(names, captions.texts, strict=True))
        said = _said(captions)
        if evidence is None:
            return Verdict(reading, True, False, dict.fromkeys(self.blank(sample)) | said, Outcome.UNMARKED)
        main, *others = scored(evidence, len(names))
        found = retrieve(main.table, ties=self.ties)
        metrics: Metrics = {"both": found.both, "recall": found.recall}
        metrics |= {name: float(hit) for name, hit in zip(names, found.hits, strict=True)}
        metrics |= {"image_to_text": found.image_to_text, "margin": found.margin}
        metrics |= said | {"truncated": float(any(main.truncated))}
        for other in others:
            also = retrieve(other.table, ties=self.ties)
            metrics |= {
                f"both.{other.name}": also.both,
                f"recall.{other.name}": also.recall,
                f"margin.{other.name}": also.margin,
            }
        return Verdict(reading, True, found.both == 1.0, metrics)

    def blank(self, sample: Sample) -> Metrics:
        """No captions: nothing is found, and there is nothing to measure."""
        zeros: Metrics = dict.fromkeys((*HITS, *names_of(sample), "image_to_text"), 0.0)
        return zeros | dict.fromkeys(OF_CAPTIONS)

    def summarise(self, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
        from snellen.exams.d3.summary import summarise

        return summarise(marked)


def _said(captions: Captions) -> Metrics:
    """What the words of captions tell without any scorer."""
    places = position_words(captions.texts)
    return {
        "words": sum(map(words_in, captions.texts)) / len(captions.texts),
        "position_words": float(places > 0),
        "position_captions": float(places),
        "position_wide": float(sum(map(speaks_of_images, captions.texts))),
    }


PROTOCOLS = {
    p.name: p
    for p in (
        D3Protocol(
            "original",
            "1",
            "each caption against all images of its pair; both must fit their own best; an exact tie is right",
            ties=True,
        ),
        D3Protocol("strict", "1", "as original, but an exact tie is wrong", ties=False),
    )
}
