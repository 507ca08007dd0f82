"""The original ACT-X files `exp_{train,val,test}_split.json`: key -> {"iid", "ans", "exp"}, labels with their comma part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from snellen.exams.vqa_nle.formats.base import (
    BadRecord,
    Fields,
    Format,
    Item,
    Record,
    explanations_of,
    name_text,
    need_text,
    read_json,
)


def original(key: str, fields: Fields) -> Record:
    """`iid` is the image, `ans` the label, `exp` the explanations."""
    image_id = name_text(fields, ("iid",))
    if not image_id:
        raise BadRecord("no image id (field iid)")
    name = image_id if image_id.lower().endswith((".jpg", ".jpeg", ".png")) else f"{image_id}.jpg"
    return Record(
        key=key,
        images=(name,),
        image_id=image_id,
        answers=(need_text(fields, ("ans",), "label"),) if fields.get("ans") is not None else (),
        explanations=explanations_of(fields),
    )


def read(path: Path, label: str) -> Iterator[Item]:
    """One file."""
    return read_json(path, label, original)


ORIGINAL = Format("original", "actx", ("object", "list"), (("iid",), ("exp",)), read)
