"""From records to samples: tags, truth and facts, the same for every published format."""

from __future__ import annotations

from typing import Any

from snellen.core.images import sniff
from snellen.core.types import Picture, Sample
from snellen.exams.vqa_nle.formats.images import LARGEST, ImageIndex, VcrMetadata
from snellen.exams.vqa_nle.formats.records import VqaRecord
from snellen.exams.vqa_nle.names import RATIONALE, tags_of


def sample_of(record: VqaRecord, index: ImageIndex, picture: Picture | None = None) -> Sample:
    """Return a record as a Sample, light without a picture. Its facts are the content for the question and for the tables."""
    task = index.task
    name = index.expected(record).partition("/")[2]  # without the image folder
    base = name.rpartition("/")[2]
    image_id = record.image_id or base.rpartition(".")[0]
    facts: dict[str, Any] = {"key": record.key, "image_id": image_id, "image_name": name if task == "vcr" else base}
    if record.text:
        facts["hypothesis" if task == "esnlive" else "question"] = record.text
    if task == "vcr":
        found = index.boxes(record)
        facts |= {"choices": list(record.choices), "objects": list(record.objects or found.names)}
        facts["boxes"] = _fit(found, picture)
    tags = tags_of(task, record.split, record.answers)
    if record.answer_type:
        tags["answer_type"] = record.answer_type
    return Sample(
        id=record.id,
        tags=tags,
        truth=record.truth,
        facts=facts,
        pictures=() if picture is None else (picture,),
    )


def can_be_reasoned(record: VqaRecord) -> bool:
    """Return whether VCR's QA->R can be asked: the right answer is known, and there are four rationales with a right one."""
    return record.label is not None and record.rationale is not None


def rationale_id(ident: str) -> str:
    """Return the id of a sample's QA->R. The part after the first slash is the same, so that both are selected together."""
    return f"vcr-rationale/{ident.partition('/')[2]}"


def rationale_of(sample: Sample, record: VqaRecord) -> Sample:
    """Return QA->R of a VCR sample: the question with its right answer, and four rationales to choose from."""
    label, reason = record.label or 0, record.rationale or 0  # both are known if QA->R can be asked
    return Sample(
        id=rationale_id(sample.id),
        tags={"split": sample.tags["split"], "task": RATIONALE},
        truth={"answers": [record.rationales[reason]], "explanations": [], "label": reason},
        facts=sample.facts | {"answer": record.choices[label], "choices": list(record.rationales)},
        pictures=sample.pictures,
    )


def _fit(found: VcrMetadata, picture: Picture | None) -> list[list[float]]:
    """Return the boxes in pixels of the given picture, which may be a resized copy."""
    head = sniff(picture.data) if picture is not None else None
    known = 0 < found.width < LARGEST and 0 < found.height < LARGEST
    if not known or head is None or head.width <= 0:
        return found.boxes
    x, y = head.width / found.width, head.height / found.height
    return [[round(x1 * x, 1), round(y1 * y, 1), round(x2 * x, 1), round(y2 * y, 1)] for x1, y1, x2, y2 in found.boxes]
