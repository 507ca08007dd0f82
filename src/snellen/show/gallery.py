"""The samples that a report shows: the telling ones, with the pictures that the model saw, checked against the ledger.

Marks and answers are streamed; only what is chosen is kept.
"""

from __future__ import annotations

import base64
import hashlib
import heapq
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import exams as benchmarks
from snellen.core.dataset import Dataset
from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.images import MIME, sniff
from snellen.core.options import Selection
from snellen.core.text import one_line
from snellen.core.types import NON_ANSWERS, Answer, ImageSent, Mark, Outcome, Picture, Question, Sample, Text
from snellen.engine.run import Run
from snellen.show import words

KINDS = {
    "disagree": "protocols disagree",
    "no-answer": "no answer",
    "wrong": "wrong",
    "correct": "correct",
}
FAILURES_FIRST = ("wrong", "no-answer", "disagree", "correct")
WEB = frozenset({"png", "jpeg", "webp", "gif"})
MOST_BYTES = 250_000
MOST_PIXELS = 25_000_000
QUERY_SIDE = 640
SCREEN_SIDE = 1600
EXAMPLE_SIDE = 160
EXAMPLE_BYTES = 20_000
MISSING = "image not available: "
SCALED = "scaled for this page"
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
MOST_TOKENS = 400


class Whole(str):
    """A text that the page must not shorten."""

    __slots__ = ()


# ---------------------------------------------------------------- choosing


class Pick(NamedTuple):
    """A chosen sample with its marks under each protocol of one prompt."""

    kind: str
    part: str
    id: str
    prompt: str
    marks: dict[str, Mark]


class Survey(NamedTuple):
    """What one pass over all marks gave: the number of samples of each kind, and the chosen ones."""

    counts: dict[str, int]
    picks: list[Pick]

    @property
    def shown(self) -> dict[str, int]:
        """How many of each kind were chosen."""
        return {kind: sum(p.kind == kind for p in self.picks) for kind in KINDS}


def kind_of(outcomes: Iterable[Outcome]) -> str:
    """What is worth looking at in a sample, given its outcomes under all protocols."""
    found = set(outcomes)
    if Outcome.CORRECT in found and len(found) > 1:
        return "disagree"
    if found & NON_ANSWERS:
        return "no-answer"
    return "correct" if Outcome.CORRECT in found else "wrong"


Hardness = Callable[[str, str], float]


def survey(run: Run, size: int, kinds: Sequence[str] = tuple(KINDS), hardness: Hardness | None = None) -> Survey:
    """Read all marks in step, and choose samples for the gallery: kinds in the order given, and of each kind a seeded draw.

    With `hardness` (of a sample's id and prompt) the lowest values of each kind are chosen instead.
    """
    summaries = run.protocols
    prompts = {s.prompt: [p.protocol for p in summaries if p.prompt == s.prompt] for s in summaries}
    order = list(dict.fromkeys(words.group_name(g) for p in summaries for g in p.groups if words.is_whole(g, p)))
    part_of = _parts(run) if size else {}
    pools: dict[str, dict[tuple[int, str], _Best]] = {kind: {} for kind in KINDS}
    counts = dict.fromkeys(KINDS, 0)
    for prompt, protocols in prompts.items():
        for marks in _in_step(run, protocols):
            outcomes = [m.outcome for m in marks]
            kind = kind_of(outcomes)
            counts[kind] += 1
            if size:
                part = part_of.get(marks[0].id, "")
                place = order.index(part) if part in order else len(order)
                best = pools[kind].setdefault((place, prompt), _Best(size))
                pick = Pick(kind, part, marks[0].id, prompt, {})
                best.offer(pick, zip(protocols, marks, strict=True), hardness and hardness(pick.id, prompt))
    ranked = {kind: [best.ranked() for _name, best in sorted(pool.items())] for kind, pool in pools.items()}
    return Survey(counts, choose(ranked, size, kinds))


def _parts(run: Run) -> dict[str, str]:
    """The part of the exam that each sample is in, as the summaries name it."""
    keys = {key for p in run.protocols for g in p.groups if words.is_whole(g, p) for key in g.by}
    return {s.id: " · ".join(v for k, v in s.tags.items() if k in keys) for s in run.samples()}


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


class Shown(NamedTuple):
    """A picture on the page, or why there is none (`url` None).

    `beside` are the pictures that the same question shows before it. `cuts` are the regions that were asked for, in the
    picture's own pixels, where the page has only a smaller copy of it.
    """

    url: Whole | None
    alt: str
    note: str
    beside: tuple[Shown, ...] = ()
    cuts: tuple[Whole | None, ...] = ()

    @property
    def all(self) -> tuple[Shown, ...]:
        """Every picture of the question, in order."""
        return (*self.beside, self)


class Item(NamedTuple):
    """All that the gallery shows of one sample."""

    pick: Pick
    tags: dict[str, str]
    truth: Any
    answer: Answer
    prompt: list[str | Shown]
    system: str | None
    query: Shown
    facts: dict[str, Any]


class Seen(NamedTuple):
    """What a pass over all answers gave: names that endpoints returned, latencies, and the answers that were wanted."""

    models: Counter[str]
    providers: Counter[str]
    latencies: list[float]
    answers: dict[tuple[str, str], Answer]


def look(run: Run, picks: list[Pick]) -> Seen:
    """Read all answers once."""
    wanted = {(p.id, p.prompt) for p in picks}
    seen = Seen(Counter(), Counter(), [], {})
    for answer in run.answers():
        if (answer.id, answer.prompt) in wanted:
            telling = answer.tokens[:MOST_TOKENS] if any(t.entropy is not None for t in answer.tokens) else ()
            seen.answers[answer.id, answer.prompt] = msgspec.structs.replace(answer, tokens=telling)
        for call in answer.calls:
            seen.models.update([call.model_returned] if call.model_returned else ())
            seen.providers.update([call.provider] if call.provider else ())
            if call.latency is not None and not call.stored:
                seen.latencies.append(call.latency)
    seen.latencies.sort()
    return seen


Region = tuple[float, float, float, float]
Regions = Callable[[Sample, Answer | None], Sequence[Region]]


def items(
    run: Run, picks: list[Pick], answers: dict[tuple[str, str], Answer], regions: Regions | None = None
) -> list[Item]:
    """The chosen samples with truth, answer, prompt and pictures.

    With `regions` the pictures are screens: shown larger, and cut at those corners where the page cannot hold all pixels.
    """
    ids = {p.id for p in picks}
    light = {s.id: s for s in run.samples() if s.id in ids}
    views = _views(run, picks, answers, _Pictures(regions, run.manifest["subject"]["identity"].get("kind") == "method"))
    out = []
    for pick in picks:
        answer = answers.get((pick.id, pick.prompt)) or Answer(id=pick.id, prompt=pick.prompt)
        sample = light.get(pick.id) or Sample(id=pick.id, tags={})
        parts, system, query = views[pick.id, pick.prompt]
        out.append(Item(pick, sample.tags, sample.truth, answer, parts, system, query, sample.facts))
    return out


View = tuple[list[str | Shown], str | None, Shown]


def _views(
    run: Run, picks: list[Pick], answers: dict[tuple[str, str], Answer], pictures: _Pictures
) -> dict[tuple[str, str], View]:
    """Prompt and pictures of each pick, from the data set where it still is what the run saw."""
    views: dict[tuple[str, str], View] = {}
    reason = "the data set no longer has this sample"
    try:
        if picks:
            data = _reopen(run)
            prompts: dict[str, list[str]] = {}
            for pick in picks:
                prompts.setdefault(pick.id, []).append(pick.prompt)
            askers = {prompt: data.asker(prompt) for prompt in {p.prompt for p in picks}}
            for sample in data.full(prompts.__contains__):
                for prompt in prompts[sample.id]:
                    views[sample.id, prompt] = _view(sample, askers[prompt], answers.get((sample.id, prompt)), pictures)
    except Exception as error:  # a damaged data set costs the pictures, never the page
        reason = one_line(str(error) or type(error).__name__)
    for pick in picks:
        missing = Shown(None, "", MISSING + reason)
        views.setdefault((pick.id, pick.prompt), ([], None, missing))
    return views


def _reopen(run: Run) -> Dataset:
    """The run's data set, if it is still there and unchanged."""
    known = run.manifest["data"]
    where = Path(known["source"])
    if not where.is_dir():
        raise SnellenError(f"the data folder {where} is not there")
    options = msgspec.convert(run.manifest["options"], Selection)
    data = benchmarks.load(run.manifest["benchmark"]).open(where, options)
    if data.fingerprint != known["fingerprint"]:
        raise SnellenError(f"the data in {where} are not those of the run (another fingerprint)")
    return data


def _view(sample: Sample, ask: Callable[[Sample], Question], answer: Answer | None, pictures: _Pictures) -> View:
    """The prompt's parts in order. The question is about all its pictures; after examples, about the last one."""
    question = ask(sample)
    total = len(question.pictures)
    examples = total - 1 if question.shots else 0
    parts: list[str | Shown] = []
    asked: list[Shown] = []
    at = 0
    for part in question.parts:
        if isinstance(part, Text):
            parts.append(part.text)
            continue
        if at >= examples:
            which = f"image {at + 1} of {total}" if total - examples > 1 else "image"
            asked.append(pictures.query(part, sample, at, answer)._replace(alt=f"{which} of sample {sample.id}"))
            parts.append(Shown(None, "", f"[the {which} of this sample]"))
        else:
            name = question.shots[at] if at < len(question.shots) else f"picture {at + 1}"
            parts.append(pictures.example(part, name, at, answer))
        at += 1
    if not asked:
        return parts, question.system, Shown(None, "", "no image in this question")
    return parts, question.system, asked[-1]._replace(beside=tuple(asked[:-1]))


# ---------------------------------------------------------------- pictures


class _Pictures:
    """Pictures for the page, each encoded once, after comparing them with what the ledger says was sent.

    A method (`cuts_out`) may send parts of a picture only, so that the ledger does not have the whole.
    """

    def __init__(self, regions: Regions | None = None, cuts_out: bool = False) -> None:
        self._embedded: dict[tuple[str, int], Shown] = {}
        self._regions, self._cuts_out = regions, cuts_out

    def query(self, picture: Picture, sample: Sample, at: int, answer: Answer | None) -> Shown:
        """The image that the question is about."""
        shown = self._show(picture, at, answer, SCREEN_SIDE if self._regions else QUERY_SIDE, MOST_BYTES)
        if self._regions is None or shown.url is None or SCALED not in shown.note:
            return shown
        return shown._replace(cuts=cut(picture.data, self._regions(sample, answer)))

    def example(self, picture: Picture, name: str, at: int, answer: Answer | None) -> Shown:
        """The image of a few-shot example, small."""
        return self._show(picture, at, answer, EXAMPLE_SIDE, EXAMPLE_BYTES)._replace(alt=f"example {name}")

    def _show(self, picture: Picture, at: int, answer: Answer | None, side: int, most_bytes: int) -> Shown:
        sha = hashlib.sha256(picture.data).hexdigest()
        said = compare(sha, at, [c.images for c in answer.calls] if answer else [])
        if said.startswith(MISSING) and self._cuts_out:
            said = "from the data set; the method sent parts of it"
        if said.startswith(MISSING):
            return Shown(None, "", said)
        if (sha, side) not in self._embedded:
            self._embedded[sha, side] = embed(picture.data, side, most_bytes)
        shown = self._embedded[sha, side]
        return shown if shown.url is None else shown._replace(note="; ".join(x for x in (said, shown.note) if x))


def compare(sha: str, at: int, sent: list[tuple[ImageSent, ...]]) -> str:
    """How picture number `at` of the question stands to the images that the ledger records, in words."""
    everything = [image for images in sent for image in images]
    if any(image.sha256 == sha for image in everything):
        return "as sent: equal to the ledger"
    if not everything:
        return "from the data set; the ledger records no image sent"
    for images in sent:
        if at < len(images) and images[at].transforms:
            return f"the original, before it was sent as: {', '.join(images[at].transforms)}"
    return f"{MISSING}the data set's image is not the one in the ledger"


def embed(data: bytes, side: int = QUERY_SIDE, most_bytes: int = MOST_BYTES) -> Shown:
    """A picture as a data URL: the original bytes of a small web image, otherwise a copy scaled for the page."""
    head = sniff(data)
    if head.codec not in MIME:
        return Shown(None, "", MISSING + "not a known image format")
    if head.codec in WEB and len(data) <= most_bytes and 0 < head.width * head.height <= MOST_PIXELS:
        return Shown(_url(data, MIME[head.codec]), "", "")
    try:
        small, codec = _scaled(data, side)
    except Exception as error:  # Pillow has many ways to say that a file is damaged
        why = one_line(f"{type(error).__name__}: {error}", 120)
        return Shown(None, "", f"{MISSING}it does not decode ({why})")
    return Shown(_url(small, MIME[codec]), "", SCALED)


def cut(data: bytes, regions: Sequence[Region], side: int = QUERY_SIDE) -> tuple[Whole | None, ...]:
    """Parts of a picture in its own pixels (or `side` of them at most); None where a part cannot be had."""
    from PIL import Image

    found: list[Whole | None] = []
    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        for region in regions:
            x1, y1, x2, y2 = (round(v) for v in region)
            if not (0 <= x1 < x2 <= image.width and 0 <= y1 < y2 <= image.height):
                found.append(None)
                continue
            part = image.crop((x1, y1, x2, y2)).convert("RGB")
            part.thumbnail((side, side))
            out = io.BytesIO()
            part.save(out, "JPEG", quality=85)
            found.append(_url(out.getvalue(), MIME["jpeg"]))
    return tuple(found)


def _scaled(data: bytes, side: int) -> tuple[bytes, str]:
    from PIL import Image

    with Image.open(io.BytesIO(data), formats=FORMATS) as image:
        image.draft("RGB", (side, side))
        clear = "A" in image.getbands() or "transparency" in image.info
        copy = image.convert("RGBA" if clear else "RGB")
    copy.thumbnail((side, side))
    out = io.BytesIO()
    if clear:
        copy.save(out, "PNG")
    else:
        copy.save(out, "JPEG", quality=85)
    return out.getvalue(), "png" if clear else "jpeg"


def _url(data: bytes, mime: str) -> Whole:
    return Whole(f"data:{mime};base64,{base64.b64encode(data).decode('ascii')}")
