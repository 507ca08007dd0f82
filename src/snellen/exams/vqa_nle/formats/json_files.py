"""The JSON formats of the four tasks: nlxgpt's objects (key -> record), e-ViL's lists, and the original files of ACT-X.

The field names that MVE's loaders take are taken too. VCR in nlxgpt's form has a free-text answer and no choices; object names carry
their 0-based number (`person2`). In e-ViL's VCR `<|det2|>` is the object with index 2; the image is `raw_img_id`, and `img_id`
names a feature file (`.npz`), from which the image's name follows where it must.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import msgspec

from snellen.exams.vqa_nle.formats import base
from snellen.exams.vqa_nle.formats.base import BadRecord, Fields, VqaRecord, first, name_text, need_text

IMAGE_FIELDS = ("image_name", "image", "filename")
ACTIVITY_FIELDS = ("answers", "label", "activity", "class", "label_name")
RELATION_FIELDS = ("answers", "label", "gold_label", "relation")
_FEATURES = re.compile(r"(?:flickr30k_)?0*(\d+)\.(?:npz|jpg)$")


# ---------------------------------------------------------------- nlxgpt


def vqax(key: str, fields: Fields) -> VqaRecord:
    """Key = question id; ten answers with confidences, or plain texts."""
    name, image_id = name_text(fields, IMAGE_FIELDS), name_text(fields, ("image_id",))
    if not name and not image_id.isdecimal():
        raise BadRecord("no image_name, and image_id is not a number")
    answer_type = fields.get("answer_type")
    return VqaRecord(
        key=key,
        images=(name,) if name else (),
        image_id=image_id,
        question=need_text(fields, ("question",), "question"),
        answers=base.texts(first(fields, ("answers", "answer")), "answer", "answer"),
        explanations=base.explanations_of(fields),
        answer_type=answer_type if answer_type in ("yes/no", "number", "other") else "",
    )


def actx(key: str, fields: Fields) -> VqaRecord:
    """The label is one text; where `answers` is a list, the next name is tried, as MVE does."""
    label = next((v.strip() for n in ACTIVITY_FIELDS if isinstance(v := fields.get(n), str) and v.strip()), None)
    return VqaRecord(
        key=key,
        images=_image(fields, IMAGE_FIELDS),
        image_id=name_text(fields, ("image_id",)),
        answers=() if label is None else (label,),
        explanations=base.explanations_of(fields),
    )


def esnlive(key: str, fields: Fields) -> VqaRecord:
    """No premise and no pairID: the key is the number of the row in the CSV."""
    return VqaRecord(
        key=key,
        images=_image(fields, (*IMAGE_FIELDS, "Flickr30kID")),
        hypothesis=need_text(fields, ("hypothesis",), "hypothesis"),
        answers=base.entailment_of(first(fields, RELATION_FIELDS)),
        explanations=base.explanations_of(fields),
    )


def vcr(key: str, fields: Fields) -> VqaRecord:
    """Key = the number in `annot_id`, which is the better key and is used."""
    objects = base.class_names(fields.get("objects"))
    answer = first(fields, ("answers", "answer"))
    return VqaRecord(
        key=name_text(fields, ("annot_id",)) or key,
        images=_image(fields, ("img_name", "img_fn", "image_name")),
        image_id=name_text(fields, ("img_id",)),
        question=tags_from_names(need_text(fields, ("question",), "question"), objects),
        answers=tuple(tags_from_names(a, objects) for a in base.texts(answer, "answer")),
        explanations=tuple(tags_from_names(e, objects) for e in base.explanations_of(fields)),
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


def boxes_of(value: Any) -> tuple[base.Box, ...] | None:
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


# ---------------------------------------------------------------- e-ViL


def e_vil_esnlive(key: str, fields: Fields) -> VqaRecord:
    """`question_id` is the pairID where the file keeps it; the image is the part before its `#`."""
    images = flickr_names(key, name_text(fields, ("image_name", "img_id")))
    if not images:
        raise BadRecord("no image (field img_id)")
    return VqaRecord(
        key=key,
        images=images,
        hypothesis=need_text(fields, ("sent", "hypothesis"), "hypothesis"),
        answers=base.entailment_of(first(fields, RELATION_FIELDS)),
        explanations=base.explanations_of(fields),
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
        found = _FEATURES.fullmatch(f"{stem}.npz")
        if found:
            names.append(f"{found.group(1)}.jpg")
        names += [f"{stem.removeprefix('flickr30k_')}.jpg", f"{stem}.jpg"]
    return tuple(dict.fromkeys(names))


def e_vil_vcr(key: str, fields: Fields) -> VqaRecord:
    """Four choices and the index of the right one. Some copies of the files hold the class names as a text."""
    choices = tuple(base.canonical_tags(c) for c in base.texts(first(fields, ("answer_choices", "answers")), "choice"))
    if len(choices) != 4:
        raise BadRecord(f"{len(choices)} answer choices, not 4")
    label = base.label_of(fields.get("label", fields.get("answer_label")), 4)
    image = name_text(fields, ("raw_img_id", "raw_img", "img_fn"))
    image = image or re.sub(r"\.npz$", ".jpg", name_text(fields, ("img_id",)))
    if not image:
        raise BadRecord("no image (field raw_img_id or img_id)")
    objects = fields.get("objects")
    if isinstance(objects, str):
        try:
            objects = msgspec.json.decode(objects.replace("'", '"'))
        except msgspec.MsgspecError:
            objects = None
    return VqaRecord(
        key=key,
        images=(image,),
        image_id=name_text(fields, ("img_id",)),
        question=base.canonical_tags(need_text(fields, ("sent", "question"), "question")),
        choices=choices,
        answers=() if label is None else (choices[label],),
        label=label,
        explanations=tuple(base.canonical_tags(e) for e in base.explanations_of(fields)),
        objects=base.class_names(objects),
    )


# ---------------------------------------------------------------- ACT-X


def actx_original(key: str, fields: Fields) -> VqaRecord:
    """`exp_{split}_split.json`: `iid` is the image, `ans` the label (with its comma part), `exp` the explanations."""
    image_id = name_text(fields, ("iid",))
    if not image_id:
        raise BadRecord("no image id (field iid)")
    name = image_id if image_id.lower().endswith((".jpg", ".jpeg", ".png")) else f"{image_id}.jpg"
    return VqaRecord(
        key=key,
        images=(name,),
        image_id=image_id,
        answers=(need_text(fields, ("ans",), "label"),) if fields.get("ans") is not None else (),
        explanations=base.explanations_of(fields),
    )


# ---------------------------------------------------------------- how they are known


def _format(
    name: str, task: str, parse: base.Parser, *needs: tuple[str, ...], without: tuple[str, ...] = ()
) -> base.VqaFormat:
    return base.VqaFormat(name, task, ("object", "list"), needs, partial(base.read_json, parse=parse), without)


_ANSWERS = ("answers", "answer")
_IMAGES = (*IMAGE_FIELDS, "image_id")
_E_VIL_VCR = (("sent", "question"), ("answer_choices", "answers"), ("raw_img_id", "raw_img", "img_id"))

VQAX = _format("nlxgpt", "vqax", vqax, ("question",), _ANSWERS, _IMAGES)
ACTX = _format(
    "nlxgpt", "actx", actx, ACTIVITY_FIELDS, _IMAGES, base.EXPLANATION_FIELDS, without=("question", "hypothesis")
)
ESNLIVE = _format("nlxgpt", "esnlive", esnlive, ("hypothesis",), (*_IMAGES, "Flickr30kID"))
VCR = _format("nlxgpt", "vcr", vcr, ("question",), _ANSWERS, ("img_name",), without=("answer_choices", "sent"))
E_VIL_ESNLIVE = _format("e-vil", "esnlive", e_vil_esnlive, ("sent",), without=("answer_choices",))
E_VIL_VCR = _format("e-vil", "vcr", e_vil_vcr, *_E_VIL_VCR, without=("img_fn", "rationale_choices", "img_name"))
ACTX_ORIGINAL = _format("original", "actx", actx_original, ("iid",), ("exp",))
