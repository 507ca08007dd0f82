"""VCR's official `{train,val,test}.jsonl`: token lists in which a list of numbers refers to objects, and boxes in files of their own.

The numbers are 0-based and stay so: `[2]` becomes `<det2>`. (The `*_orig` texts of the same records count from 1 and are not
used.) `test.jsonl` has no labels: its samples have no truth.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.data.synthetic_marker import MARK, label_from
from snellen.exams.vqa_nle.formats import base
from snellen.exams.vqa_nle.formats.base import BadRecord, VqaRecord
from snellen.exams.vqa_nle.formats.json_files import boxes_of, size_of

Tokens = list[str | list[int]]
CHOICES = 4


class _Line(msgspec.Struct):
    """The fields that are used; the others are skipped while decoding."""

    annot_id: str
    img_fn: str
    objects: list[str]
    question: Tokens
    answer_choices: list[Tokens]
    metadata_fn: str = ""
    img_id: str = ""
    answer_label: int | None = None
    rationale_choices: list[Tokens] = []
    rationale_label: int | None = None
    origin: Any = msgspec.field(name=MARK, default=None)


class _Metadata(msgspec.Struct):
    """A metadata file: boxes `[x1, y1, x2, y2, score]`, class names, and the size that the boxes refer to."""

    boxes: list[list[float]]
    names: list[str] = []
    width: float = 0
    height: float = 0


class VcrBoxes(NamedTuple):
    """Boxes of the objects (in the order of their numbers), class names, and the image size that the boxes refer to."""

    boxes: tuple[base.Box, ...] = ()
    names: tuple[str, ...] = ()
    size: tuple[float, float] | None = None


_LINES = msgspec.json.Decoder(_Line)
_METADATA = msgspec.json.Decoder(_Metadata)


def read(path: Path, label: str) -> Iterator[base.Item]:
    """Every line."""
    with base.readable(label), path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield _record(_LINES.decode(line.removeprefix(base.BYTE_ORDER_MARK) if number == 1 else line))
            except (BadRecord, *base.UNDECODABLE) as error:
                yield base.unusable(f"{label} line {number}", error)


def _record(line: _Line) -> VqaRecord:
    if not line.annot_id or not line.img_fn:
        raise BadRecord(f"empty {'img_fn' if line.annot_id else 'annot_id'}")
    if len(line.answer_choices) != CHOICES:
        raise BadRecord(f"{len(line.answer_choices)} answer choices, not {CHOICES}")
    objects = tuple(line.objects)
    choices = tuple(sentence(c, len(objects)) for c in line.answer_choices)
    label = base.label_of(line.answer_label, CHOICES)
    reason = base.label_of(line.rationale_label, len(line.rationale_choices))
    rationales = tuple(sentence(c, len(objects)) for c in line.rationale_choices)
    explanation = "" if reason is None else rationales[reason]
    question = sentence(line.question, len(objects))
    if not question or not all(choices):
        raise BadRecord("empty question" if not question else "empty answer choice")
    return VqaRecord(
        key=line.annot_id,
        images=(line.img_fn,),
        image_id=line.img_id,
        question=question,
        choices=choices,
        answers=() if label is None else (choices[label],),
        label=label,
        explanations=(explanation,) if explanation else (),
        rationales=rationales if len(rationales) == CHOICES and all(rationales) else (),
        rationale=reason,
        objects=objects,
        metadata=line.metadata_fn,
        origin=label_from(line.origin),
    )


_CLOSING = re.compile(r" (?=(?:[,.?!;:%)]|n't\b|'(?:s|re|ve|ll|d|m)(?!\w)))")


def sentence(tokens: Sequence[Any], objects: int) -> str:
    """Tokens as a sentence, object references as tags.

    >>> sentence(["Is", [0, 2], "'s", "friend", "here", "?"], 3)
    "Is <det0> and <det2>'s friend here?"
    """
    words = []
    for token in tokens:
        if isinstance(token, str):
            words.append(token)
            continue
        if not isinstance(token, list) or not all(isinstance(i, int) for i in token):
            raise BadRecord(f"a token must be a text or a list of object numbers, not {str(token)[:40]}")
        wrong = [i for i in token if not 0 <= i < objects]
        if wrong or not token:
            raise BadRecord(f"refers to object {wrong[0]}, but there are {objects}" if wrong else "an empty reference")
        tags = [f"<det{i}>" for i in token]
        words.append(" and ".join(([", ".join(tags[:-1])] if tags[:-1] else []) + tags[-1:]))
    return _CLOSING.sub("", " ".join(" ".join(words).split()))


def read_metadata(path: Path, label: str) -> VcrBoxes:
    """A metadata file; raises SnellenError where it is not one, or has a box that is none."""
    data = base.read_bytes(path, label)
    try:
        found = _METADATA.decode(data)
        return VcrBoxes(boxes_of(found.boxes) or (), tuple(found.names), size_of(found.width, found.height))
    except BadRecord as error:
        raise SnellenError(f"{label}: {error}") from None
    except base.UNDECODABLE as error:
        raise SnellenError(f"{label}: not a VCR metadata file ({error or 'nested too deeply'})") from None


OFFICIAL = base.VqaFormat("official", "vcr", ("lines",), (("img_fn",), ("answer_choices",), ("question",)), read)
