"""Where the protocols of a run disagree, for the page: agreement of each pair, flips by stage, and telling samples."""

from __future__ import annotations

from typing import Any, NamedTuple

from snellen.core.digest import rank
from snellen.core.gallery import Gallery, GalleryPicture, Pick
from snellen.engine.mark.flips import STAGES, ProtocolComparison, ProtocolFlip, compare
from snellen.engine.runs.run import Run
from snellen.present.page import gallery
from snellen.stats.agreement import Agreement

EACH = 6  # samples of a stage that are shown
ENOUGH = 2 * EACH
"""Flips of a pair and stage to choose from: of these, no more than EACH can be taken for another pair."""


class PairRow(NamedTuple):
    """One pair of protocols."""

    first: str
    second: str
    agreement: Agreement
    stages: dict[str, int]


class FlippedCard(NamedTuple):
    """One flipped sample with its picture."""

    flip: ProtocolFlip
    tags: dict[str, str]
    truth: Any
    query: GalleryPicture


class DisagreementView(NamedTuple):
    """All that the page shows of disagreement. `counts` are samples by stage, however many pairs of protocols they flip."""

    rows: list[PairRow]
    counts: dict[str, int]
    cards: dict[str, list[FlippedCard]]
    samples: int


def parting(run: Run, size: int, sources: gallery.Sources) -> DisagreementView:
    """Agreement of all pairs, and up to `EACH` flips of each stage with their pictures (none where `size` is 0)."""
    found = compare(run, few=ENOUGH)
    empty = dict.fromkeys(STAGES, 0)
    rows = [PairRow(a, b, agreement, found.stages.get((a, b), empty)) for (a, b), agreement in found.agreements.items()]
    return DisagreementView(rows, found.counts, _cards(run, found, sources) if size else {}, found.samples)


def _cards(run: Run, found: ProtocolComparison, sources: gallery.Sources) -> dict[str, list[FlippedCard]]:
    chosen = {stage: choose([f for f in found.flips if f.stage == stage], EACH) for stage in STAGES}
    picks = [Pick("", "", f.id, f.first.prompt, {}) for some in chosen.values() for f in some]
    answers = gallery.look(run, picks).answers if picks else {}
    shown = iter(gallery.items(run, picks, answers, Gallery(), sources) if picks else ())
    cards: dict[str, list[FlippedCard]] = {}
    for stage, some in chosen.items():
        cards[stage] = [FlippedCard(f, item.tags, item.truth, item.query) for f, item in zip(some, shown, strict=False)]
    return {stage: some for stage, some in cards.items() if some}


def choose(flips: list[ProtocolFlip], size: int) -> list[ProtocolFlip]:
    """A seeded few, pairs in turn, each sample once."""
    queues: dict[tuple[str, str], list[ProtocolFlip]] = {}
    for flip in sorted(flips, key=lambda f: rank(0, f.id)):
        queues.setdefault(flip.pair, []).append(flip)
    chosen: list[ProtocolFlip] = []
    seen: set[str] = set()
    while queues and len(chosen) < size:
        for pair in list(queues):
            left = [f for f in queues[pair] if f.id not in seen]
            if not left:
                del queues[pair]
            elif len(chosen) < size:
                chosen.append(left[0])
                seen.add(left[0].id)
    return chosen
