"""Where the protocols of a run disagree, for the page: agreement of each pair, flips by stage, and telling samples."""

from __future__ import annotations

from typing import NamedTuple

from snellen.core.digest import rank
from snellen.core.gallery import GalleryItem
from snellen.engine.mark.flips import STAGES, ProtocolFlip, compare
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.table_view import Heading, TableView
from snellen.present.page import gallery

EACH = 6  # samples of a stage that are shown
ENOUGH = 2 * EACH
"""Flips of a pair and stage to choose from: of these, no more than EACH can be taken for another pair."""


class FlippedCard(NamedTuple):
    """One flipped sample with its picture."""

    flip: ProtocolFlip
    item: GalleryItem


class DisagreementView(NamedTuple):
    """All that the page shows of disagreement. `counts` are samples by stage, however many pairs of protocols they flip."""

    pairs: TableView
    counts: dict[str, int]
    cards: dict[str, list[FlippedCard]]
    samples: int


def parting(run: Run, size: int, sources: gallery.Sources) -> DisagreementView:
    """Return the agreement of all pairs, and up to `EACH` flips of each stage with their pictures (none where `size` is 0)."""
    found = compare(run, few=ENOUGH)
    rows = []
    for (first, second), a in found.agreements.items():
        kappa = "–" if a.kappa is None else f"{a.kappa:.2f}"
        flipped = found.stages.get((first, second), dict.fromkeys(STAGES, 0))
        numbers = (a.n, formatting.percent(a.share), kappa, a.first, a.second, *flipped.values())
        rows.append((first, second, *map(str, numbers)))
    names = ("samples", "agree", "kappa", "only first correct", "only second correct")
    by_stage = (f"flipped by {stage}" for stage in found.counts)
    headings = (Heading("first", "name"), Heading("second"), *(Heading(name, "number") for name in (*names, *by_stage)))
    pairs = TableView("Each pair of protocols over the samples that both marked", headings, tuple(rows))
    cards: dict[str, list[FlippedCard]] = {}
    if size:
        chosen = [flip for stage in STAGES for flip in choose([f for f in found.flips if f.stage == stage], EACH)]
        items = gallery.plain_items(run, [(flip.id, flip.first.prompt) for flip in chosen], sources)
        for flip, item in zip(chosen, items, strict=True):
            cards.setdefault(flip.stage, []).append(FlippedCard(flip, item))
    return DisagreementView(pairs, found.counts, cards, found.samples)


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
