"""e-ViL's JSON lists for e-SNLI-VE and VCR, which MVE reads too: `sent`, `label`, `img_id`, `explanation`.

In VCR's texts `<|det2|>` is the object with index 2 in `objects`. The image is `raw_img_id`; `img_id` names a feature file
(`.npz`), from which the image's name follows where it must.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from snellen.exams.vqa_nle.formats.base import (
    BadRecord,
    Fields,
    Format,
    Item,
    Record,
    canonical_tags,
    class_names,
    entailment_of,
    explanations_of,
    first,
    label_of,
    name_text,
    need_text,
    read_json,
    texts,
)
from snellen.exams.vqa_nle.formats.nlxgpt import RELATION_FIELDS

_FEATURES = re.compile(r"(?:flickr30k_)?0*(\d+)\.(?:npz|jpg)$")


def esnlive(key: str, fields: Fields) -> Record:
    """`question_id` is the pairID where the file keeps it; the image is the part before its `#`."""
    gold = entailment_of(first(fields, RELATION_FIELDS))
    images = flickr_names(key, name_text(fields, ("image_name", "img_id")))
    if not images:
        raise BadRecord("no image (field img_id)")
    return Record(
        key=key,
        images=images,
        image_id=images[0].rpartition("/")[2].rpartition(".")[0],
        hypothesis=need_text(fields, ("sent", "hypothesis"), "hypothesis"),
        answers=() if gold is None else (gold,),
        explanations=explanations_of(fields),
    )


def flickr_names(key: str, image: str) -> tuple[str, ...]:
    """Names that the image may have, best first.

    >>> flickr_names("17", "flickr30k_000003416050.npz")
    ('3416050.jpg', '000003416050.jpg', 'flickr30k_000003416050.jpg')
    >>> flickr_names("34.jpg#4r1c", "")
    ('34.jpg',)
    """
    names = [key.partition("#")[0]] if ".jpg#" in key else []
    if image.endswith(".jpg"):
        names.append(image)
    elif image:
        stem = image.removesuffix(".npz")
        found = _FEATURES.fullmatch(image if image.endswith(".npz") else f"{image}.npz")
        if found:
            names.append(f"{found.group(1)}.jpg")
        names += [f"{stem.removeprefix('flickr30k_')}.jpg", f"{stem}.jpg"]
    return tuple(dict.fromkeys(names))


def vcr(key: str, fields: Fields) -> Record:
    """Four choices and the index of the right one."""
    choices = tuple(canonical_tags(c) for c in texts(first(fields, ("answer_choices", "answers")), "choice"))
    if len(choices) != 4:
        raise BadRecord(f"{len(choices)} answer choices, not 4")
    label = label_of(fields.get("label", fields.get("answer_label")), 4)
    return Record(
        key=key,
        images=(vcr_image(fields),),
        image_id=name_text(fields, ("img_id",)),
        question=canonical_tags(need_text(fields, ("sent", "question"), "question")),
        choices=choices,
        answers=() if label is None else (choices[label],),
        label=label,
        explanations=tuple(canonical_tags(e) for e in explanations_of(fields)),
        objects=_objects(fields.get("objects")),
    )


def vcr_image(fields: Fields) -> str:
    """The image's path below `vcr1images`."""
    name = name_text(fields, ("raw_img_id", "raw_img", "img_fn"))
    if not name:
        name = re.sub(r"\.npz$", ".jpg", name_text(fields, ("img_id",)))
    if not name:
        raise BadRecord("no image (field raw_img_id or img_id)")
    return name


def _objects(value: Any) -> tuple[str, ...]:
    """Class names; some copies of the files hold the list as a text."""
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value.replace("'", '"'))
        except msgspec.MsgspecError:
            return ()
    return class_names(value)


def read_esnlive(path: Path, label: str) -> Iterator[Item]:
    """`esnlive_{train,dev,test}.json`."""
    return read_json(path, label, esnlive)


def read_vcr(path: Path, label: str) -> Iterator[Item]:
    """`vcr_train_split.json`, `vcr_dev_split.json`, `vcr_valtest.json`."""
    return read_json(path, label, vcr)


ESNLIVE = Format("e-vil", "esnlive", ("list", "object"), (("sent",),), read_esnlive, ("answer_choices",))
VCR = Format(
    "e-vil",
    "vcr",
    ("list", "object"),
    (("sent", "question"), ("answer_choices", "answers"), ("raw_img_id", "raw_img", "img_id")),
    read_vcr,
    ("img_fn", "rationale_choices", "img_name"),
)
