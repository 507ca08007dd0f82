"""A run against its data set: the samples and truths that the run kept, and images by the digests in the ledger."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from snellen.core.adaptive import Adaptive
from snellen.core.arm import Arm
from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import traits_of
from snellen.core.records import Manifest
from snellen.core.seals import seal
from snellen.core.types import ImageSent, Picture, Question, Sample
from snellen.data.line_offsets import Key
from snellen.engine.ask.questions import to_ask
from snellen.engine.mark.differing import ABSENT, Plain, VerifyResult
from snellen.engine.runs.data_again import opened_again
from snellen.engine.runs.folder import RunFolder, Scan

_GIVEN_AWAY = "image of "
"""The prefix by which a control says that an image is another sample's. Its bytes are unchanged."""


def compare_data(
    folder: RunFolder,
    exam: Exam,
    known: Manifest,
    scan: Scan,
    where: Path | None,
    found: VerifyResult,
) -> None:
    """Compare samples and images if the data set is at hand. Add to what was compared and what could not be."""
    if known.truth_from_log:
        found.unchecked.append("samples: their truths came from the log that was imported, not from a data set")
        return
    try:
        data = opened_again(folder, exam, where)
    except SnellenError as error:
        if where is not None:
            raise
        found.unchecked.append(f"samples and pictures: {error}; --data DIR says where it is now")
        return
    if data.fingerprint != known.data.fingerprint:
        found.add("run.json", "data.fingerprint", known.data.fingerprint, data.fingerprint)
    sealed = str(known.options.own.get("sealed", ""))
    if sealed and seal(known.options.seed) != sealed.lower():
        found.add("run.json", "options.seed, by its seal", sealed, seal(known.options.seed))
    samples = _compare_samples(folder, exam, data, found, whole=not known.imported)
    found.checked.append(f"{samples:,} samples")
    sent = {
        (a.id, a.prompt): tuple(image for call in a.calls for image in call.images)
        for a in folder.answers(scan)
        if any(call.images for call in a.calls)
    }
    if sent:
        _compare_pictures(folder, exam, known, data, sent, found)
    else:
        found.unchecked.append("pictures: the ledger has none, as nothing was sent to an endpoint")


# ---------------------------------------------------------------- samples


def _compare_samples(folder: RunFolder, exam: Exam, data: Dataset, found: VerifyResult, *, whole: bool) -> int:
    """Compare ids, tags, truths and facts of samples.jsonl, by id. Return how many samples the run has.

    If it is not the `whole` set, samples of the data set may be missing.
    """
    kept = {sample.id: sample for sample in folder.samples()}
    left = set(kept)
    drawn = isinstance(data, Adaptive)  # only the run says what is in it, so all of it is drawn again
    whole = whole and not drawn
    for sample in data.full(kept.__contains__) if drawn else data.light():
        was = kept.get(sample.id)
        left.discard(sample.id)
        if was is None:
            if whole:
                found.add("samples.jsonl", f"sample {sample.id}", ABSENT, Plain("a sample of the data set"))
        else:
            facts = traits_of(exam).keeps_facts and bool(was.facts)
            now = was if isinstance(data, Adaptive) and data.same(sample, was) else sample
            now = msgspec.structs.replace(sample, facts=now.facts)
            found.compare("samples.jsonl", f"sample {sample.id}", _plain(was, facts), _plain(now, facts))
    for name in sorted(left):
        found.add("samples.jsonl", f"sample {name}", Plain("a sample"), ABSENT)
    return len(kept)


def _plain(sample: Sample, facts: bool) -> dict[str, Any]:
    """Return a sample in the form of a file of samples, without facts if the run kept none."""
    made = Sample(id=sample.id, tags=sample.tags, truth=sample.truth, facts=sample.facts if facts else {})
    document: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(made, order="deterministic"))
    return document


# ---------------------------------------------------------------- pictures


def _compare_pictures(
    folder: RunFolder,
    exam: Exam,
    known: Manifest,
    data: Dataset,
    sent: dict[Key, tuple[ImageSent, ...]],
    found: VerifyResult,
) -> None:
    same = altered = unmade = 0
    # sheets that were drawn again and are the same to the pixel, in the encoding of that time
    vouched = {s.id: s.facts.get("sha256", ()) for s in folder.samples()} if isinstance(data, Adaptive) else {}
    for key, shown in _shown(exam, known, data, sent):
        if shown is None:
            unmade += 1
            continue
        for number, image in enumerate(sent[key], 1):
            if image.sha256 in shown or image.sha256 in vouched.get(key[0], ()):
                same += 1
            elif any(not step.startswith(_GIVEN_AWAY) for step in image.transforms):
                # drawn or encoded anew, which another version of the imaging library does with other bytes
                altered += 1
            else:
                there = shown[number - 1] if number <= len(shown) else ABSENT
                found.add("answers.jsonl", f"sample {key[0]}, {key[1]}, image {number}", image.sha256, there)
    found.checked.append(f"{same:,} pictures as sent")
    if altered:
        found.unchecked.append(f"{altered:,} pictures that were altered before they were sent")
    if unmade:
        found.unchecked.append(f"pictures of {unmade:,} questions that cannot be made any more")


def _shown(
    exam: Exam, known: Manifest, data: Dataset, sent: dict[Key, tuple[ImageSent, ...]]
) -> Iterator[tuple[Key, list[str] | None]]:
    """Yield the images of every question that sent some, by digest, or None if the question cannot be made."""
    arms = [Arm.parse(text) for text in dict.fromkeys(prompt for _id, prompt in sent)]
    usable = [arm for arm in arms if arm.prompt in exam.prompts]
    done = set()
    for one in to_ask(exam, data, usable, sent.__contains__, lambda _arm, _sample: True, known.options.seed):
        key = (one.id, one.arm.text)
        done.add(key)
        try:
            yield key, [hashlib.sha256(p.data).hexdigest() for p in _all(one.make())]
        except Exception:  # a plugin's prompt fails, or an image is damaged by now: the samples say which
            yield key, None
    yield from ((key, None) for key in sent if key not in done)


def _all(question: Question) -> list[Picture]:
    """Return every image of a question in the order of sending, those of earlier turns first."""
    parts = [part for turn in question.history for part in turn.parts] + list(question.parts)
    return [part for part in parts if isinstance(part, Picture)]
