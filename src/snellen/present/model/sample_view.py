"""Everything that a run records of one sample: the question as it was asked, the replies, each protocol's mark, and the ledger."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from snellen import exams, scorers
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.extras import gallery_of
from snellen.core.gallery import Gallery, GalleryFacts, GalleryItem, GalleryPicture, Pick
from snellen.core.records import Manifest
from snellen.core.results import ProtocolSummary
from snellen.core.text import one_line
from snellen.core.types import NON_ANSWERS, Answer, Mark, Outcome, Picture, Question, Sample, Text
from snellen.data.line_offsets import Key
from snellen.engine.ask.questions import to_ask
from snellen.engine.mark import scoring
from snellen.engine.runs.data_again import DataAgain
from snellen.engine.runs.folder import RunFolder, marked_as
from snellen.engine.runs.run import Run
from snellen.engine.runs.sample_index import SampleRecord
from snellen.present.model.findings import loaded

CLOSE = 3
ShowPicture = Callable[[Picture, int], GalleryPicture]
"""Shows an image of a question, which has a place among all of them."""
MISSING = "image not available: "


class SampleQuestion(NamedTuple):
    """One question about the sample: its text (or why that is no longer known), the answer, and its marks by protocol."""

    prompt: str
    question: Question | str
    answer: Answer | None
    marks: Mapping[str, Mark]


class SampleView(NamedTuple):
    """One sample of a run, under every arm that asked about it."""

    sample: Sample
    asked: tuple[SampleQuestion, ...]


def sample_view(run: Run, name: str) -> SampleView:
    """Look up a sample. If it does not exist, the error suggests close names."""
    record = run.index.named([name]).get(name)
    if record is None:
        raise _unknown(run, name)
    asked = dict(asked_again(run.folder, [(name, arm) for arm in record.answers], DataAgain()))
    protocols = run.summary.protocols if run.folder.has("summary.json") else ()
    return SampleView(
        record.sample,
        tuple(
            SampleQuestion(arm, asked[name, arm], answer, marks_of(record, protocols, Arm.parse(arm)))
            for arm, answer in record.answers.items()
        ),
    )


def _unknown(run: Run, name: str) -> SnellenError:
    ids = [s.id for s in run.samples()]
    close = [i for i in ids if name in i][:CLOSE] or difflib.get_close_matches(name, ids[:5000], n=CLOSE, cutoff=0.6)
    hint = (
        f"did you mean {' or '.join(map(repr, close))}?" if close else f"'snellen show {run.path} --wrong' lists some"
    )
    return SnellenError(f"{run.path} has no sample '{name}' among its {len(ids):,}: {hint}")


def marks_of(record: SampleRecord, protocols: Iterable[ProtocolSummary], arm: Arm) -> dict[str, Mark]:
    """Return the marks of the answer to an arm, by protocol."""
    names = [p.protocol for p in protocols if p.prompt == arm.first.text]
    return {name: record.marks[key] for name in names if (key := marked_as(name, arm.repeat)) in record.marks}


def asked_again(folder: RunFolder, keys: Collection[Key], data: DataAgain) -> Iterator[tuple[Key, Question | str]]:
    """Yield what was asked of samples under arms, or why that is no longer known."""
    if not keys:
        return
    manifest, left = folder.manifest(), dict.fromkeys(keys)
    why = "the data set no longer has this sample"
    try:
        exam = exams.load(manifest.exam)
        arms = [Arm.parse(arm) for arm in dict.fromkeys(arm for _name, arm in keys)]
        every = to_ask(exam, data.of(folder, exam), arms, left.__contains__, lambda _a, _s: True, manifest.options.seed)
        for one in every:
            key = one.id, one.arm.text
            try:
                found: Question | str = one.make()
            except Exception as error:  # a sample that a prompt cannot handle affects only itself
                found = _reason(error)
            left.pop(key, None)
            yield key, found
    except Exception as error:  # a damaged data set costs the questions, nothing else
        why = _reason(error)
    yield from ((key, why) for key in left)


def _reason(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__)


def document(facts: SampleView) -> dict[str, Any]:
    """Return the sample as plain values, without the bytes of images."""
    return {
        "id": facts.sample.id,
        "tags": facts.sample.tags,
        "truth": msgspec.to_builtins(facts.sample.truth),
        "asked": [
            {
                "prompt": one.prompt,
                "question": None if isinstance(one.question, str) else _plain_question(one.question),
                "question_unknown": one.question if isinstance(one.question, str) else None,
                "answer": msgspec.to_builtins(one.answer),
                "marks": msgspec.to_builtins(one.marks),
            }
            for one in facts.asked
        ],
    }


def _plain_question(question: Question) -> dict[str, Any]:
    return {
        "system": question.system,
        "text": question.text,
        "options": question.options,
        "pictures": [p.name for p in question.pictures],
        "shots": question.shots,
    }


# ---------------------------------------------------------------- beside a sample


def kind_of(outcomes: Iterable[Outcome]) -> str:
    """Return the kind of a sample, by its outcomes under all protocols."""
    found = set(outcomes)
    if Outcome.CORRECT in found and len(found) > 1:
        return "disagree"
    if found & NON_ANSWERS:
        return "no-answer"
    return "correct" if Outcome.CORRECT in found else "wrong"


def ledger_note(picture: Picture, at: int, answer: Answer | None, *, sent_in_parts: bool) -> str:
    """Return how image number `at` of the question compares with the images in the ledger."""
    sent = [call.images for call in answer.calls] if answer is not None else []
    sha = hashlib.sha256(picture.data).hexdigest()
    if any(image.sha256 == sha for images in sent for image in images):
        return "as sent (the SHA-256 is the one in the ledger)"
    if not any(sent):
        return "from the data set; no image was sent to an endpoint"
    for images in sent:
        if at < len(images) and images[at].transforms:
            return f"from the data set; before sending: {', '.join(images[at].transforms)}"
    if sent_in_parts:
        return "from the data set; parts of it were sent"
    return f"{MISSING}the data set's image is not the one that was sent"


def gallery_item(
    pick: Pick, sample: Sample, answer: Answer, question: Question | str, query: ShowPicture, example: ShowPicture
) -> GalleryItem:
    """Return a sample as galleries show it. `query` shows an image that the question is about, `example` an image of an example."""
    about = pick, sample.tags, sample.truth, answer
    if isinstance(question, str):
        return GalleryItem(*about, [], None, GalleryPicture(None, "", MISSING + question), sample.facts)
    prompt, shown = _shown_prompt(question, sample.id, query, example)
    return GalleryItem(*about, prompt, question.system, shown, sample.facts)


def _shown_prompt(
    question: Question, name: str, query: ShowPicture, example: ShowPicture
) -> tuple[list[str | GalleryPicture], GalleryPicture]:
    """Return the prompt's parts in order, and the images that the question is about: all of them, or the last one after examples."""
    total = len(question.pictures)
    examples = total - 1 if question.shots else 0
    parts: list[str | GalleryPicture] = []
    asked: list[GalleryPicture] = []
    at = 0
    for part in question.parts:
        if isinstance(part, Text):
            parts.append(part.text)
            continue
        if at >= examples:
            which = f"image {at + 1} of {total}" if total - examples > 1 else "image"
            asked.append(query(part, at)._replace(alt=f"{which} of sample {name}"))
            parts.append(GalleryPicture(None, "", f"[the {which} of this sample]"))
        else:
            shot = question.shots[at] if at < len(question.shots) else f"picture {at + 1}"
            parts.append(example(part, at)._replace(alt=f"example {shot}"))
        at += 1
    if not asked:
        return parts, GalleryPicture(None, "", "no image in this question")
    return parts, asked[-1]._replace(beside=tuple(asked[:-1]))


def run_gallery(folder: RunFolder, manifest: Manifest, protocols: Iterable[str]) -> Gallery:
    """Return the gallery of the run's exam, or a plain one if the exam is not installed."""
    evidence = scoring.gather(folder, manifest.scorers)
    synthetic = manifest.data.synthetic
    facts = GalleryFacts(
        synthetic,
        evidence=lambda sample, prompt: evidence((sample, prompt)),
        doubt=lambda scorer: "" if synthetic else scorers.doubt(scorer),
        protocols=tuple(protocols),
    )
    return gallery_of(loaded(manifest), facts)
