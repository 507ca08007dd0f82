"""From records to samples: tags, truth and facts, the same for every published format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.types import Picture, Sample
from snellen.exams.vqa_nle.formats.files import UNDECODABLE, read_bytes
from snellen.exams.vqa_nle.formats.images import ImageIndex
from snellen.exams.vqa_nle.formats.records import VqaRecord
from snellen.exams.vqa_nle.names import RATIONALE, tags_of

_LARGEST = 1e7


class _VcrMetadata(msgspec.Struct):
    """A metadata file: boxes `[x1, y1, x2, y2, score]`, class names, and the size that the boxes refer to."""

    boxes: list[list[float]]
    names: list[str] = []
    width: float = 0
    height: float = 0


class BoxFinder:
    """Finds the boxes of records. The last metadata file is remembered: the questions on an image are neighbours."""

    def __init__(self, index: ImageIndex) -> None:
        self._index = index
        self._last: tuple[str, _VcrMetadata] | None = None

    def __call__(self, record: VqaRecord) -> _VcrMetadata:
        """Return the boxes of a record's metadata file; none where there is no such file."""
        file = self._index.metadata(record)
        if file is None:
            return _VcrMetadata([])
        if self._last is None or self._last[0] != file:
            self._last = file, _read_metadata(self._index.path(file), file)
        found = self._last[1]
        if record.objects and len(found.boxes) != len(record.objects):
            raise SnellenError(
                f"{file}: {len(found.boxes)} boxes, but {len(record.objects)} objects in record {record.key!r}"
            )
        return found


def _read_metadata(path: Path, label: str) -> _VcrMetadata:
    """Read a metadata file; raise SnellenError where it is not one. A score after a box is dropped."""
    try:
        found = msgspec.json.decode(read_bytes(path, label), type=_VcrMetadata)
    except UNDECODABLE as error:
        raise SnellenError(f"{label}: not a VCR metadata file ({error or 'nested too deeply'})") from None
    for at, box in enumerate(found.boxes):
        if len(box) < 4 or not all(abs(number) < _LARGEST for number in box[:4]):
            raise SnellenError(f"{label}: box {at} must be four numbers x1, y1, x2, y2, not {str(box)[:60]}")
    found.boxes = [[round(number, 1) for number in box[:4]] for box in found.boxes]
    return found


def sample_of(record: VqaRecord, index: ImageIndex, ground: BoxFinder, picture: Picture | None = None) -> Sample:
    """Return a record as a Sample, light without a picture. Its facts are what the question needs and the tables show."""
    task = index.task
    name = index.expected(record).partition("/")[2]  # without the image folder
    base = name.rpartition("/")[2]
    image_id = record.image_id or base.rpartition(".")[0]
    facts: dict[str, Any] = {"key": record.key, "image_id": image_id, "image_name": name if task == "vcr" else base}
    if record.text:
        facts["hypothesis" if task == "esnlive" else "question"] = record.text
    if task == "vcr":
        found = ground(record)
        facts |= {"choices": list(record.choices), "objects": list(record.objects or found.names)}
        facts["boxes"] = _fit(found, picture)
    said = {"answer_type": record.answer_type} if record.answer_type else {}
    return Sample(
        id=record.id,
        tags=tags_of(task, record.split, record.answers) | said,
        truth=record.truth,
        facts=facts,
        pictures=() if picture is None else (picture,),
    )


def can_be_reasoned(record: VqaRecord) -> bool:
    """Return whether VCR's QA->R can be asked: the right answer is known, and there are four rationales with a right one."""
    return record.label is not None and bool(record.rationales) and record.rationale is not None


def rationale_id(ident: str) -> str:
    """Return the id of a sample's QA->R. What follows the first slash is the same, so that both are chosen together."""
    return f"vcr-rationale/{ident.partition('/')[2]}"


def rationale_of(sample: Sample, record: VqaRecord) -> Sample:
    """Return QA->R of a VCR sample: the question with its right answer, and four rationales to choose from."""
    label, reason = record.label or 0, record.rationale or 0  # neither is missing where it can be asked
    return Sample(
        id=rationale_id(sample.id),
        tags={"split": sample.tags["split"], "task": RATIONALE},
        truth={"answers": [record.rationales[reason]], "explanations": [], "label": reason},
        facts=sample.facts | {"answer": record.choices[label], "choices": list(record.rationales)},
        pictures=sample.pictures,
    )


def _fit(found: _VcrMetadata, picture: Picture | None) -> list[list[float]]:
    """Return the boxes in pixels of the picture at hand, which may be a resized copy."""
    head = sniff(picture.data) if picture is not None else None
    known = 0 < found.width < _LARGEST and 0 < found.height < _LARGEST
    if not known or head is None or head.width <= 0 or (head.width, head.height) == (found.width, found.height):
        return found.boxes
    x, y = head.width / found.width, head.height / found.height
    return [[round(x1 * x, 1), round(y1 * y, 1), round(x2 * x, 1), round(y2 * y, 1)] for x1, y1, x2, y2 in found.boxes]
