"""The page of one sample: shown as its exam shows it, with the request as it was sent and the ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from snellen import exams, scorers
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import gallery_of
from snellen.core.gallery import Gallery, GalleryFacts, GalleryItem, GalleryPicture, Pick, UnshortenedText
from snellen.core.images import sniff
from snellen.core.records import Manifest
from snellen.core.results import ProtocolSummary
from snellen.core.types import Answer, Picture, Question, Text
from snellen.engine.mark import scoring
from snellen.engine.runs.folder import RunFolder, marked_as
from snellen.present.model.formatting import plain
from snellen.present.model.sample_view import MISSING, compare_with_ledger, kind_of
from snellen.present.viewer.pictures import LoadedQuestions
from snellen.present.viewer.records import SampleRecord
from snellen.present.viewer.run_handle import RunHandle


class PageRun(NamedTuple):
    """What the templates of galleries look at in a run."""

    number: int
    protocols: dict[str, ProtocolSummary]


class PagePicture(NamedTuple):
    """A picture that the page holds once: its name there, where it comes from, and its size."""

    name: str
    address: str
    width: int
    height: int


class Block(NamedTuple):
    """One question about the sample and its answer, as the exam's gallery shows it."""

    arm: str
    about: str
    gallery: Gallery
    item: GalleryItem
    own: Any
    common: Any
    request: list[tuple[str, list[str | GalleryPicture]]]
    facts: list[tuple[str, str]]
    prints: list[PagePicture]


def sample_blocks(
    handle: RunHandle, record: SampleRecord, loaded: LoadedQuestions | None, hook: Gallery
) -> list[Block]:
    """A block for each arm that asked about the sample; those of controls are shown plainly."""
    blocks = []
    for number, arm in enumerate(handle.index.arms):
        answer = record.answers.get(arm)
        if answer is None:
            continue
        base = f"/run/{handle.entry.key}/sample/{record.row}/picture/{number}"
        question = loaded.questions.get(arm) if loaded is not None else None
        why = "the data set is being read" if loaded is None else loaded.unknown
        prints = list(_prints(question, base, number)) if question is not None else []
        turns = list(_turns(question, answer, prints, hook)) if question is not None else []
        shown = Gallery() if Arm.parse(arm).control else hook
        item = _item(handle, record, arm, answer, question, turns, why)
        try:
            view = shown.view([item])
        except Exception:  # a run may hold what its exam never wrote: it is shown plainly, as those of unknown exams
            shown = Gallery()
            view = shown.view([item])
        about = Arm.parse(arm).about
        facts = list(_sent(handle.entry.manifest, answer))
        blocks.append(Block(arm, about, shown, item, view.each[0], view.common, turns, facts, prints))
    return blocks


def run_gallery(handle: RunHandle) -> Gallery:
    """How the run's exam shows samples; plainly where it is not installed."""
    manifest = handle.entry.manifest
    evidence = scoring.gather(RunFolder(handle.entry.path), manifest.scorers)
    synthetic = manifest.data.synthetic
    facts = GalleryFacts(
        synthetic,
        evidence=lambda sample, prompt: evidence((sample, prompt)),
        doubt=lambda scorer: "" if synthetic else scorers.doubt(scorer),
        protocols=tuple(handle.plain),
    )
    return gallery_of(_exam(manifest), facts)


def _exam(manifest: Manifest) -> Exam | None:
    try:
        return exams.load(manifest.exam)
    except SnellenError:
        return None


def pictures_of(question: Question) -> list[Picture]:
    """Every picture of a request in the order in which it was sent: earlier turns first."""
    earlier = [part for turn in question.history for part in turn.parts if isinstance(part, Picture)]
    return [*earlier, *question.pictures]


def thumbnail_of(question: Question) -> Picture | None:
    """The picture that the question is about: the first, or after examples the last."""
    if not question.pictures:
        return None
    return question.pictures[-1 if question.shots else 0]


def _prints(question: Question, base: str, number: int) -> Iterator[PagePicture]:
    """The pictures of a request, to be drawn by name."""
    for at, picture in enumerate(pictures_of(question)):
        head = sniff(picture.data)
        yield PagePicture(f"p{number}-{at}", f"{base}/{at}", head.width or 1, head.height or 1)


def _turns(
    question: Question, answer: Answer, prints: Sequence[PagePicture], hook: Gallery
) -> Iterator[tuple[str, list[str | GalleryPicture]]]:
    """The request turn by turn: who says it, and its texts and pictures in order, each compared with the ledger."""
    sent = [call.images for call in answer.calls]
    at = 0
    if question.system is not None:
        yield "system", [question.system]
    for role, parts in (*((turn.role, turn.parts) for turn in question.history), ("user", question.parts)):
        shown: list[str | GalleryPicture] = []
        for part in parts:
            if isinstance(part, Text):
                shown.append(part.text)
                continue
            said = compare_with_ledger(hashlib.sha256(part.data).hexdigest(), at, sent)
            if said.startswith(MISSING):
                said = "from the data set; parts of it were sent" if hook.sent_in_parts else said
            usable = not said.startswith(MISSING)
            one = prints[at]
            url = UnshortenedText(f"#{one.name}") if usable else None
            alt = f"picture {at + 1} of the request"
            shown.append(GalleryPicture(url, alt, said, width=one.width, height=one.height))
            at += 1
        yield role, shown


def _item(
    handle: RunHandle,
    record: SampleRecord,
    arm: str,
    answer: Answer,
    question: Question | None,
    turns: list[tuple[str, list[str | GalleryPicture]]],
    why: str,
) -> GalleryItem:
    time = Arm.parse(arm)
    marks = {
        p.protocol: mark
        for p in handle.protocols.values()
        if p.prompt == time.first.text and (mark := record.marks.get(marked_as(p.protocol, time.repeat))) is not None
    }
    pick = Pick(kind_of(m.outcome for m in marks.values()) if marks else "", "", record.sample.id, arm, marks)
    asked = [part for part in turns[-1][1] if isinstance(part, GalleryPicture)] if turns else []
    about = asked[-1:] if question is not None and question.shots else asked
    if question is None:
        query = GalleryPicture(None, "", MISSING + why)
    elif not about:
        query = GalleryPicture(None, "", "no image in this question")
    else:
        named = [one._replace(alt=_alt(i, len(about), record.sample.id)) for i, one in enumerate(about, 1)]
        query = named[-1]._replace(beside=tuple(named[:-1]))
    parts = turns[-1][1] if turns else []
    system = question.system if question is not None else None
    return GalleryItem(pick, record.sample.tags, record.sample.truth, answer, parts, system, query, record.sample.facts)


def _alt(number: int, of: int, sample: str) -> str:
    return f"image {number} of {of} of sample {sample}" if of > 1 else f"image of sample {sample}"


def _sent(manifest: Manifest, answer: Answer) -> Iterator[tuple[str, str]]:
    """What went with the request: endpoint and parameters as the run asked for them, and what was left out."""
    identity = manifest.subject.identity
    if not answer.calls:
        return
    yield "subject", manifest.subject.spec
    for name in ("endpoint", "model"):
        if identity.get(name):
            yield name, plain(identity[name])
    parameters = identity.get("parameters")
    if isinstance(parameters, dict):
        yield from ((f"parameter {key}", plain(value)) for key, value in parameters.items())
    left_out = sorted({name for call in answer.calls for name in call.left_out})
    if left_out:
        yield "left out, as the endpoint refused it", ", ".join(left_out)
