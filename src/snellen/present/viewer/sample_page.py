"""The list of samples, and the page of one: shown by its exam's gallery, with the request as it was sent and the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, NamedTuple

from snellen.core.arm import Arm
from snellen.core.gallery import Gallery, GalleryItem, GalleryPicture, Pick, UnshortenedText
from snellen.core.images import sniff
from snellen.core.records import Manifest
from snellen.core.types import Answer, Outcome, Picture, Question, Text
from snellen.engine.runs.sample_index import SampleRecord
from snellen.present.model import formatting
from snellen.present.model.run_facts import subject_facts
from snellen.present.model.sample_view import MISSING, ShowPicture, gallery_item, kind_of, ledger_note, marks_of
from snellen.present.viewer.run_index import RunHandle
from snellen.present.viewer.sample_filter import KINDS, PAGE, SORTS, STATES, TAG, Rows, SampleFilter

Turn = tuple[str, list[str | GalleryPicture]]


class _PagePicture(NamedTuple):
    """An image that the page holds once: its name there, its source, and its size."""

    name: str
    address: str
    width: int
    height: int


class _Block(NamedTuple):
    """One question about the sample and its answer, as the exam's gallery shows it."""

    arm: str
    about: str
    gallery: Gallery
    item: GalleryItem
    own: Any
    common: Any
    request: list[Turn]
    facts: list[tuple[str, str]]
    prints: list[_PagePicture]


def sample_blocks(
    handle: RunHandle, record: SampleRecord, loaded: Mapping[str, Question | str] | None, hook: Gallery
) -> list[_Block]:
    """Return a block for each arm that asked about the sample. Those of controls use the plain layout."""
    blocks = []
    sample = record.sample
    for number, (arm, answer) in enumerate(record.answers.items()):
        base = f"/run/{handle.entry.key}/sample/{record.row}/picture/{number}"
        parsed = Arm.parse(arm)
        question = (loaded or {}).get(arm, "the data set is being read")
        asked = question if isinstance(question, Question) else None
        every = pictures_of(asked) if asked is not None else []
        prints = [_print(picture.data, f"p{number}-{at}", f"{base}/{at}") for at, picture in every]
        show = partial(_show, prints, answer, hook.sent_in_parts)
        turns = list(_turns(asked, partial(show, 0))) if asked is not None else []
        shown = partial(show, len(prints) - len(asked.pictures) if asked is not None else 0)
        marks = marks_of(record, handle.protocols.values(), parsed)
        kind = kind_of(m.outcome for m in marks.values()) if marks else ""
        item = gallery_item(Pick(kind, "", sample.id, arm, marks), sample, answer, question, shown, shown)
        gallery = Gallery() if parsed.control else hook
        try:
            view = gallery.view([item])
        except Exception:  # a run may hold data that its exam never wrote: it is shown plainly, as with unknown exams
            gallery = Gallery()
            view = gallery.view([item])
        facts = list(_sent(handle.entry.manifest, answer))
        blocks.append(_Block(arm, parsed.about, gallery, item, view.each[0], view.common, turns, facts, prints))
    return blocks


def pictures_of(question: Question) -> list[tuple[int, Picture]]:
    """Return every image of a request in the order of sending, numbered, earlier turns first."""
    earlier = [part for turn in question.history for part in turn.parts if isinstance(part, Picture)]
    return list(enumerate((*earlier, *question.pictures)))


def thumbnail_of(question: Question) -> Picture | None:
    """Return the image that the question is about: the first, or the last after examples."""
    if not question.pictures:
        return None
    return question.pictures[-1 if question.shots else 0]


def _print(data: bytes, name: str, address: str) -> _PagePicture:
    head = sniff(data)
    return _PagePicture(name, address, head.width or 1, head.height or 1)


def _show(
    prints: Sequence[_PagePicture], answer: Answer, sent_in_parts: bool, before: int, picture: Picture, at: int
) -> GalleryPicture:
    """Return an image by its name on the page, compared with the ledger. `before` is the number of images before those that `at` counts."""
    at += before
    note = ledger_note(picture, at, answer, sent_in_parts=sent_in_parts)
    url = None if note.startswith(MISSING) else UnshortenedText(f"#{prints[at].name}")
    alt = f"picture {at + 1} of the request"
    return GalleryPicture(url, alt, note, width=prints[at].width, height=prints[at].height)


def _turns(question: Question, show: ShowPicture) -> Iterator[Turn]:
    """Yield the request turn by turn: a role, and its texts and images in order."""
    if question.system is not None:
        yield "system", [question.system]
    number = count()
    for role, parts in (*((turn.role, turn.parts) for turn in question.history), ("user", question.parts)):
        yield role, [part.text if isinstance(part, Text) else show(part, next(number)) for part in parts]


def _sent(manifest: Manifest, answer: Answer) -> Iterator[tuple[str, str]]:
    """Yield the settings of the request: endpoint, parameters as the run requested them, and what was left out."""
    if answer.calls:
        yield from subject_facts(manifest)
    left_out = sorted({name for call in answer.calls for name in call.left_out})
    if left_out:
        yield "left out, as the endpoint refused it", ", ".join(left_out)


# ---------------------------------------------------------------- the list of samples


MOST_VALUES = 400


def samples_context(
    handle: RunHandle, wanted: SampleFilter, found: Rows, pages: int, records: list[SampleRecord]
) -> dict[str, Any]:
    """Return the data for the template of a page of samples. Outcomes are grouped if several protocols agree."""
    base = f"/run/{handle.entry.key}"
    first = (wanted.page - 1) * PAGE
    flipped = handle.index.flipped(handle.plain)
    query = wanted.query(page=1)
    rows = []
    for record in records:
        marks = ((name, record.marks[name].outcome) for name in handle.plain_marks if name in record.marks)
        rows.append((record, formatting.together(marks), flipped[record.row], f"{base}/sample/{record.row}{query}"))
    return {
        "rows": rows,
        "found": len(found),
        "first": first + 1 if len(found) else 0,
        "last": min(first + PAGE, len(found)),
        "page": wanted.page,
        "pages": pages,
        "address": lambda page: f"{base}/samples{wanted.query(page=page)}",
        "version_of_data": handle.entry.manifest.data.fingerprint[:12],
    }


def form_context(handle: RunHandle, wanted: SampleFilter) -> dict[str, Any]:
    """Return the data for the filter's form, on every page about samples."""
    chosen = dict(wanted.tags)
    choices = [
        (key, TAG + key, column.values, chosen.get(key, ""))
        for key, column in handle.index.tags.items()
        if 1 < len(column.values) <= MOST_VALUES or key in chosen
    ]
    return {
        "entry": handle.entry,
        "title": formatting.title(handle.entry.manifest),
        "manifest": handle.entry.manifest,
        "wanted": wanted,
        "choices": choices,
        "protocols": handle.plain,
        "kinds": KINDS,
        "states": STATES,
        "sorts": SORTS,
        "outcomes": list(Outcome),
        "total": len(handle.index),
        "several": len(handle.index.arms) > 1,
    }
