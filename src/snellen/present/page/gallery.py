"""The samples that a report shows: the telling ones, with the pictures that the model saw, checked against the ledger.

Marks and answers are streamed; only what is chosen is kept.
"""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import exams
from snellen.core.adaptive import Adaptive
from snellen.core.dataset import Dataset
from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.gallery import KINDS, Gallery, GalleryItem, GalleryPicture, Pick
from snellen.core.text import one_line
from snellen.core.types import Answer, Mark, Sample
from snellen.engine.ask.questions import asker
from snellen.engine.runs.data_again import unchanged
from snellen.engine.runs.run import OrderedSamples, Run
from snellen.present.model import formatting
from snellen.present.model.sample_view import MISSING, SeenAnswers, kind_of
from snellen.present.page.image_pool import ImagePool
from snellen.present.page.pictures import PagePictures, ShownQuestion

MOST_TOKENS = 400


# ---------------------------------------------------------------- choosing


class GallerySurvey(NamedTuple):
    """What one pass over all marks gave: the number of samples of each kind, and the chosen ones."""

    counts: dict[str, int]
    picks: list[Pick]

    @property
    def shown(self) -> dict[str, int]:
        """How many of each kind were chosen."""
        return {kind: sum(p.kind == kind for p in self.picks) for kind in KINDS}


def survey(run: Run, size: int, shown: Gallery) -> GallerySurvey:
    """Read all marks in step, and choose samples: kinds in the gallery's order, and of each kind the hardest or a seeded draw."""
    summaries = run.protocols
    prompts = {s.prompt: [p.protocol for p in summaries if p.prompt == s.prompt] for s in summaries}
    order = list(dict.fromkeys(formatting.group_name(g) for p in summaries for g in p.groups if g.whole))
    keys = {key for p in run.protocols for g in p.groups if g.whole for key in g.by}
    pools: dict[str, dict[tuple[int, str], _Best]] = {kind: {} for kind in KINDS}
    counts = dict.fromkeys(KINDS, 0)
    for prompt, protocols in prompts.items():
        samples = OrderedSamples(run.samples)
        for marks in _in_step(run, protocols):
            outcomes = [m.outcome for m in marks]
            kind = kind_of(outcomes)
            counts[kind] += 1
            if size:
                part = _part(samples.get(marks[0].id), keys)
                place = order.index(part) if part in order else len(order)
                best = pools[kind].setdefault((place, prompt), _Best(size))
                pick = Pick(kind, part, marks[0].id, prompt, {})
                best.offer(pick, zip(protocols, marks, strict=True), shown.hardness(pick.id, prompt))
    ranked = {kind: [best.ranked() for _name, best in sorted(pool.items())] for kind, pool in pools.items()}
    return GallerySurvey(counts, choose(ranked, size, shown.kinds))


def _part(sample: Sample | None, keys: set[str]) -> str:
    """The part of the exam that a sample is in, as the summaries name it."""
    return "" if sample is None else " · ".join(v for k, v in sample.tags.items() if k in keys)


def _in_step(run: Run, protocols: list[str]) -> Iterator[tuple[Mark, ...]]:
    """The marks of protocols that share a prompt, sample by sample."""
    again = f"{run.path}: the marks do not fit together; 'snellen remark {run.path}' makes them again"
    try:
        for marks in zip(*(run.marks(p) for p in protocols), strict=True):
            if any(m.id != marks[0].id for m in marks):
                raise SnellenError(again)
            yield marks
    except (ValueError, msgspec.MsgspecError):  # unequal lengths, or a damaged line
        raise SnellenError(again) from None


class _Best:
    """The first few by their value, or of a seeded shuffle, whatever the order they come in."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._heap: list[tuple[float, str, Pick]] = []

    def offer(self, pick: Pick, marks: Iterable[tuple[str, Mark]], value: float | None) -> None:
        place = -(int.from_bytes(rank(0, pick.id)[:8], "big") if value is None else value)
        if len(self._heap) < self._size:
            heapq.heappush(self._heap, (place, pick.id, pick._replace(marks=dict(marks))))
        elif place > self._heap[0][0]:
            heapq.heapreplace(self._heap, (place, pick.id, pick._replace(marks=dict(marks))))

    def ranked(self) -> list[Pick]:
        return [pick for _place, _id, pick in sorted(self._heap, key=lambda x: (-x[0], x[1]))]


def choose(pools: dict[str, list[list[Pick]]], size: int, kinds: Sequence[str] = tuple(KINDS)) -> list[Pick]:
    """Kinds in their order, parts in turn; a later kind keeps an eighth of the places, so none is crowded out."""
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


def look(run: Run, picks: list[Pick]) -> SeenAnswers:
    """Read all answers once."""
    wanted = {(p.id, p.prompt) for p in picks}
    seen, latencies = SeenAnswers(Counter(), Counter(), (), {}), array("d")
    for answer in run.answers():
        if (answer.id, answer.prompt) in wanted:
            telling = answer.tokens[:MOST_TOKENS] if any(t.entropy is not None for t in answer.tokens) else ()
            seen.answers[answer.id, answer.prompt] = msgspec.structs.replace(answer, tokens=telling)
        for call in answer.calls:
            seen.models.update([call.model_returned] if call.model_returned else ())
            seen.providers.update([call.provider] if call.provider else ())
            if call.latency is not None and not call.stored:
                latencies.append(call.latency)
    return seen._replace(latencies=array("d", sorted(latencies)))


class Sources:
    """Where pictures come from, and where they go: folders that may have the data of a run now, and the page's pool."""

    def __init__(self, pool: ImagePool, data: tuple[Path, ...] = ()) -> None:
        self.pool, self.data = pool, data
        self._last: tuple[Any, Dataset] | None = None

    def of(self, run: Run, exam: Exam) -> Dataset:
        """The data set that a run saw: in one of the folders, or where it was. The error is of the first folder."""
        known = run.manifest
        same = (exam.name, known.data.source, known.data.fingerprint, known.options, known.shard)
        if self._last is not None and self._last[0] == same:  # runs of one exam come one after the other
            return self._last[1]
        first: SnellenError | None = None
        for place in (*self.data, None):
            try:
                found = unchanged(run.folder, exam, place)
                self._last = None if isinstance(found, Adaptive) else (same, found)
                return found
            except SnellenError as error:
                first = first or error
        raise first or SnellenError("there is no data set")


def items(
    run: Run, picks: list[Pick], answers: dict[tuple[str, str], Answer], shown: Gallery, sources: Sources
) -> list[GalleryItem]:
    """Return the chosen samples with truth, answer, prompt and pictures, from the data set where it still is what the run saw."""
    ids = {p.id for p in picks}
    light = {s.id: s for s in run.samples() if s.id in ids}
    pictures = PagePictures(sources.pool, shown)
    found: dict[tuple[str, str], ShownQuestion] = {}
    reason = "the data set no longer has this sample"
    try:
        if picks:
            exam = exams.load(run.manifest.exam)
            data = sources.of(run, exam)
            prompts: dict[str, list[str]] = {}
            for pick in picks:
                prompts.setdefault(pick.id, []).append(pick.prompt)
            askers = {prompt: asker(exam, data, prompt) for prompt in {p.prompt for p in picks}}
            for sample in data.full(prompts.__contains__):
                for prompt in prompts[sample.id]:
                    answer = answers.get((sample.id, prompt))
                    found[sample.id, prompt] = pictures.question(askers[prompt](sample), sample, answer)
    except Exception as error:  # a damaged data set costs the pictures, never the page
        reason = one_line(str(error) or type(error).__name__)
    missing: ShownQuestion = [], None, GalleryPicture(None, "", MISSING + reason)
    every = []
    for pick in picks:
        answer = answers.get((pick.id, pick.prompt)) or Answer(id=pick.id, prompt=pick.prompt)
        sample = light.get(pick.id) or Sample(id=pick.id, tags={})
        asked = found.get((pick.id, pick.prompt), missing)
        every.append(GalleryItem(pick, sample.tags, sample.truth, answer, *asked, sample.facts))
    return every
