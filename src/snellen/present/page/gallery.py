"""The samples that a report shows: the most informative ones, with the images that the model saw, checked against the ledger.

Marks and answers are streamed. Only the chosen ones are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from snellen.core.digest import rank
from snellen.core.gallery import KINDS, Gallery, GalleryItem, Pick
from snellen.core.types import Answer, Mark
from snellen.data.line_offsets import Key
from snellen.engine.mark.flips import STAGES, ProtocolFlip, compare
from snellen.engine.runs.data_again import DataAgain
from snellen.engine.runs.run import Run
from snellen.present.model import formatting
from snellen.present.model.sample_view import asked_again, gallery_item, kind_of
from snellen.present.model.table_view import TableView, headings
from snellen.present.page.image_pool import ImagePool, PagePictures

MOST_TOKENS = 400


# ---------------------------------------------------------------- choosing


Ranked = tuple[float, str, Pick]
"""A candidate sample: its value, its id, and the pick itself. The lowest come first."""


class GallerySurvey(NamedTuple):
    """The result of one pass over all marks: the number of samples of each kind, and the chosen ones."""

    counts: dict[str, int]
    picks: list[Pick]

    @property
    def shown(self) -> dict[str, int]:
        """Return how many of each kind were chosen."""
        return {kind: sum(p.kind == kind for p in self.picks) for kind in KINDS}


def survey(run: Run, size: int, shown: Gallery) -> GallerySurvey:
    """Read all marks in step and choose samples: kinds in the gallery's order, and within each kind the hardest or a seeded draw."""
    prompts = {p.protocol: p.prompt for p in run.protocols}
    whole = [g for p in run.protocols for g in p.groups if g.whole]
    order = list(dict.fromkeys(formatting.part_name(g.by) for g in whole))
    keys = {key for g in whole for key in g.by}
    pools: dict[str, dict[tuple[int, str], list[Ranked]]] = {kind: {} for kind in KINDS}
    counts = dict.fromkeys(KINDS, 0)
    for sample, row in run.folder.marked([(name, 1) for name in prompts]):
        by_prompt: dict[str, dict[str, Mark]] = {}
        for (protocol, _repeat), mark in row.items():
            by_prompt.setdefault(prompts[protocol], {})[protocol] = mark
        for prompt, marks in by_prompt.items():
            kind = kind_of(mark.outcome for mark in marks.values())
            counts[kind] += 1
            if not size:
                continue
            part = " · ".join(v for k, v in sample.tags.items() if k in keys)
            hardness = shown.hardness(sample.id, prompt)
            place = int.from_bytes(rank(0, sample.id)[:8], "big") if hardness is None else hardness
            pool = pools[kind].setdefault((order.index(part) if part in order else len(order), prompt), [])
            pool.append((place, sample.id, Pick(kind, part, sample.id, prompt, marks)))
            if len(pool) > 8 * size:
                pool[:] = sorted(pool, key=_by_rank)[:size]
    ranked = {
        kind: [[pick for *_rank, pick in sorted(pool, key=_by_rank)[:size]] for _name, pool in sorted(own.items())]
        for kind, own in pools.items()
    }
    return GallerySurvey(counts, choose(ranked, size, shown.kinds))


def _by_rank(one: Ranked) -> tuple[float, str]:
    return one[:2]


def choose(pools: dict[str, list[list[Pick]]], size: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Pick]:
    """Choose samples: kinds in their order, parts in turn. Each later kind keeps an eighth of the places, so none is crowded out."""
    reserve, left = size // 8, size
    chosen: list[Pick] = []
    for i, kind in enumerate(kinds):
        lists = pools.get(kind, [])
        later = sum(min(reserve, sum(map(len, pools.get(k, [])))) for k in kinds[i + 1 :])
        places = min(sum(map(len, lists)), left - later)
        rounds = sorted((turn, which) for which, one in enumerate(lists) for turn in range(len(one)))
        chosen += [lists[which][turn] for which, turn in sorted((which, turn) for turn, which in rounds[:places])]
        left -= places
    return chosen


# ---------------------------------------------------------------- the evidence behind the chosen samples


class Sources(NamedTuple):
    """The sources of images: the page's pool, and the data sets of runs."""

    pool: ImagePool
    data: DataAgain


def items(run: Run, picks: Sequence[Pick], shown: Gallery, sources: Sources) -> list[GalleryItem]:
    """Return the chosen samples with truth, answer, prompt and images, if the data set still is what the run saw."""
    keys = [(p.id, p.prompt) for p in picks]
    records = run.index.named(p.id for p in picks)
    by_key = dict(zip(keys, picks, strict=True))
    made: dict[Key, GalleryItem] = {}
    for (name, prompt), question in asked_again(run.folder, keys, sources.data):
        pick, sample, answer = by_key[name, prompt], records[name].sample, records[name].answers.get(prompt)
        pictures = PagePictures(sources.pool, shown, sample, answer)
        answered = Answer(id=name, prompt=prompt) if answer is None else _with_telling_tokens(answer)
        made[name, prompt] = gallery_item(pick, sample, answered, question, pictures.query, pictures.example)
    return [made[key] for key in keys]


def _with_telling_tokens(answer: Answer) -> Answer:
    """Return an answer with the first of its tokens if they show the model's confidence."""
    telling = answer.tokens[:MOST_TOKENS] if any(t.entropy is not None for t in answer.tokens) else ()
    return msgspec.structs.replace(answer, tokens=telling)


def plain_items(run: Run, asked: Sequence[Key], sources: Sources) -> list[GalleryItem]:
    """Return samples in a plain layout, named with the prompt that asked about them."""
    return items(run, [Pick("", "", name, prompt, {}) for name, prompt in asked], Gallery(), sources)


# ---------------------------------------------------------------- where protocols disagree


EACH = 6  # samples shown for each stage
ENOUGH = 2 * EACH
"""Flips of a pair and stage to choose from: no more than EACH of these can be taken for another pair."""


class DisagreementView(NamedTuple):
    """Everything that the page shows of disagreement. `counts` are samples by stage, counted once however many pairs of protocols they
    flip.
    """

    pairs: TableView
    counts: dict[str, int]
    cards: dict[str, list[tuple[ProtocolFlip, GalleryItem]]]
    samples: int


def parting(run: Run, size: int, sources: Sources) -> DisagreementView:
    """Return the agreement of all pairs, and up to `EACH` flips of each stage with their images (none if `size` is 0)."""
    found = compare(run, few=ENOUGH)
    rows = []
    for (first, second), a in found.agreements.items():
        kappa = "–" if a.kappa is None else f"{a.kappa:.2f}"
        flipped = found.stages.get((first, second), dict.fromkeys(STAGES, 0))
        numbers = (a.n, formatting.percent(a.share), kappa, a.first, a.second, *flipped.values())
        rows.append((first, second, *map(str, numbers)))
    names = ("samples", "agree", "kappa", "only first correct", "only second correct")
    by_stage = (f"flipped by {stage}" for stage in found.counts)
    heads = (*headings("", "first", "second"), *headings("number", *names, *by_stage))
    pairs = TableView("Each pair of protocols over the samples that both marked", heads, tuple(rows))
    cards: dict[str, list[tuple[ProtocolFlip, GalleryItem]]] = {}
    if size:
        chosen = [flip for stage in STAGES for flip in _few([f for f in found.flips if f.stage == stage])]
        items = plain_items(run, [(flip.id, flip.first.prompt) for flip in chosen], sources)
        for flip, item in zip(chosen, items, strict=True):
            cards.setdefault(flip.stage, []).append((flip, item))
    return DisagreementView(pairs, found.counts, cards, found.samples)


def _few(flips: Sequence[ProtocolFlip]) -> list[ProtocolFlip]:
    """Return a few flips by seed, pairs in turn, each sample once."""
    queues: dict[tuple[str, str], list[ProtocolFlip]] = {}
    for flip in sorted(flips, key=lambda f: rank(0, f.id)):
        queues.setdefault(flip.pair, []).append(flip)
    chosen: dict[str, ProtocolFlip] = {}
    while queues and len(chosen) < EACH:
        for pair in list(queues):
            found = next((f for f in queues[pair] if f.id not in chosen), None)
            if found is None:
                del queues[pair]
            else:
                chosen[found.id] = found
    return list(chosen.values())[:EACH]
