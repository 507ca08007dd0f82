"""nlxgpt's JSON for the four tasks: one object, key -> record. The field names that MVE's loaders also take are taken too.

VCR in this form has a free-text answer and no choices; object names carry their 0-based number (`person2`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from snellen.exams.vqa_nle.formats.base import (
    EXPLANATION_FIELDS,
    BadRecord,
    Box,
    Fields,
    Format,
    Item,
    Record,
    class_names,
    entailment_of,
    explanations_of,
    first,
    name_text,
    need_text,
    read_json,
    texts,
)

IMAGE_FIELDS = ("image_name", "image", "filename")
ACTIVITY_FIELDS = ("answers", "label", "activity", "class", "label_name")
RELATION_FIELDS = ("answers", "label", "gold_label", "relation")


def vqax(key: str, fields: Fields) -> Record:
    """Key = question id; ten answers with confidences, or plain texts."""
    name, image_id = name_text(fields, IMAGE_FIELDS), name_text(fields, ("image_id",))
    if not name and not image_id.isdecimal():
        raise BadRecord("no image_name, and image_id is not a number")
    answer_type = fields.get("answer_type")
    return Record(
        key=key,
        images=(name,) if name else (),
        image_id=image_id,
        question=need_text(fields, ("question",), "question"),
        answers=texts(first(fields, ("answers", "answer")), "answer", "answer"),
        explanations=explanations_of(fields),
        answer_type=answer_type if answer_type in ("yes/no", "number", "other") else "",
    )


def actx(key: str, fields: Fields) -> Record:
    """The label is one text; where `answers` is a list, the next name is tried, as MVE does."""
    label = next((v.strip() for n in ACTIVITY_FIELDS if isinstance(v := fields.get(n), str) and v.strip()), None)
    return Record(
        key=key,
        images=_image(fields, IMAGE_FIELDS),
        image_id=name_text(fields, ("image_id",)),
        answers=() if label is None else (label,),
        explanations=explanations_of(fields),
    )


def esnlive(key: str, fields: Fields) -> Record:
    """No premise and no pairID: the key is the number of the row in the CSV."""
    images = _image(fields, (*IMAGE_FIELDS, "Flickr30kID"))
    gold = entailment_of(first(fields, RELATION_FIELDS))
    return Record(
        key=key,
        images=images,
        image_id=images[0].rpartition("/")[2].rpartition(".")[0],
        hypothesis=need_text(fields, ("hypothesis",), "hypothesis"),
        answers=() if gold is None else (gold,),
        explanations=explanations_of(fields),
    )


def vcr(key: str, fields: Fields) -> Record:
    """Key = the number in `annot_id`, which is the better key and is used."""
    objects = class_names(fields.get("objects"))
    answer = first(fields, ("answers", "answer"))
    return Record(
        key=name_text(fields, ("annot_id",)) or key,
        images=_image(fields, ("img_name", "img_fn", "image_name")),
        image_id=name_text(fields, ("img_id",)),
        question=tags_from_names(need_text(fields, ("question",), "question"), objects),
        answers=tuple(tags_from_names(a, objects) for a in texts(answer, "answer")),
        explanations=tuple(tags_from_names(e, objects) for e in explanations_of(fields)),
        objects=objects,
        boxes=boxes_of(fields.get("boxes_data")),
        size=size_of(fields.get("image_w"), fields.get("image_h")),
    )


def _image(fields: Fields, names: tuple[str, ...]) -> tuple[str, ...]:
    name = name_text(fields, names)
    image_id = name_text(fields, ("image_id",))
    if not name and not image_id:
        raise BadRecord(f"no image name (field {' or '.join(names)})")
    return (name or f"{image_id}.jpg",)


def tags_from_names(text: str, objects: tuple[str, ...]) -> str:
    """nlxgpt's names back to tags; only a name that belongs to that number is one.

    >>> tags_from_names("does person2 feel car2", ("person", "person", "person", "car"))
    'does <det2> feel car2'
    """
    for at, name in enumerate(objects):
        text = re.sub(rf"(?<!\w){re.escape(name.lower())}{at}(?!\w)", f"<det{at}>", text, flags=re.IGNORECASE)
    return text


def boxes_of(value: Any) -> tuple[Box, ...] | None:
    """Boxes as x1, y1, x2, y2 (a score after them is dropped); None where there are none."""
    if value is None:
        return None
    if not isinstance(value, list):
        raise BadRecord("boxes are not a list")
    found = []
    for at, box in enumerate(value):
        numbers = box[:4] if isinstance(box, list) else []
        if len(numbers) < 4 or not all(_is_finite(n) for n in numbers):
            raise BadRecord(f"box {at} must be four numbers x1, y1, x2, y2, not {str(box)[:60]}")
        found.append(tuple(round(float(n), 1) for n in numbers))
    return tuple(found)


def size_of(width: Any, height: Any) -> tuple[float, float] | None:
    """Width and height where both are sizes."""
    if _is_finite(width) and _is_finite(height) and width > 0 and height > 0:
        return float(width), float(height)
    return None


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e7


def read_vqax(path: Path, label: str) -> Iterator[Item]:
    """`vqaX_{split}.json`."""
    return read_json(path, label, vqax)


def read_actx(path: Path, label: str) -> Iterator[Item]:
    """`actX_{split}.json`."""
    return read_json(path, label, actx)


def read_esnlive(path: Path, label: str) -> Iterator[Item]:
    """`esnlive_{split}.json` as nlxgpt's notebook derives it."""
    return read_json(path, label, esnlive)


def read_vcr(path: Path, label: str) -> Iterator[Item]:
    """`vcr_{split}.json` as nlxgpt's notebook derives it."""
    return read_json(path, label, vcr)


_BOTH = ("object", "list")
_ALL_IMAGES = (*IMAGE_FIELDS, "image_id")

VQAX = Format("nlxgpt", "vqax", _BOTH, (("question",), ("answers", "answer"), _ALL_IMAGES), read_vqax)
ACTX = Format(
    "nlxgpt", "actx", _BOTH, (ACTIVITY_FIELDS, _ALL_IMAGES, EXPLANATION_FIELDS), read_actx, ("question", "hypothesis")
)
ESNLIVE = Format("nlxgpt", "esnlive", _BOTH, (("hypothesis",), (*_ALL_IMAGES, "Flickr30kID")), read_esnlive)
VCR = Format(
    "nlxgpt", "vcr", _BOTH, (("question",), ("answers", "answer"), ("img_name",)), read_vcr, ("answer_choices", "sent")
)
