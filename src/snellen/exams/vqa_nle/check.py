"""The check of a data folder of the explanation tasks: every split, every record, with every image decoded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.pixels import decode_problem
from snellen.data.files import read_picture
from snellen.exams.vqa_nle.formats.find import AnnotationFile, find
from snellen.exams.vqa_nle.formats.images import ImageIndex
from snellen.exams.vqa_nle.formats.records import VqaRecord, problem
from snellen.exams.vqa_nle.formats.tags import mentioned


def check(task: str, where: Path) -> Iterator[Problem]:
    """Yield every problem, with file and record. A run can continue despite notes (not fatal)."""
    files = find(task, where)
    yield from (found for _split, found in files.problems)
    index = ImageIndex(task, where)
    decoded: set[str] = set()
    for source in files.sources.values():
        try:
            yield from _check_file(source, index, decoded)
        except SnellenError as error:
            yield problem(source.label, str(error).removeprefix(f"{source.label}: "))


def _check_file(source: AnnotationFile, index: ImageIndex, decoded: set[str]) -> Iterator[Problem]:
    for record in source.records():
        if isinstance(record, Problem):
            yield record
            continue
        where = f"{source.label} record {record.key!r}"
        for what, fatal in _record_problems(index, record):
            yield problem(where, what, fatal)
        image = index.find(record)
        if image is None:
            yield problem(where, f"image {index.expected(record)} is missing under {index.root}")
        elif image not in decoded:
            decoded.add(image)
            try:
                broken = decode_problem(read_picture(index.path(image)))
            except OSError as error:
                broken = f"cannot be read ({error.strerror})"
            if broken:
                yield problem(image, broken)


def _record_problems(index: ImageIndex, record: VqaRecord) -> Iterator[tuple[str, bool]]:
    if record.repeats:
        yield "the key repeats", False
    if record.truth is None:
        yield "no gold answer: it is asked and not marked", False
    elif not record.explanations:
        yield "no explanation", False
    if index.task != "vcr":
        return
    try:
        found = index.boxes(record)
    except SnellenError as error:
        yield str(error), True
        return
    objects = len(record.objects or found.names)
    used = mentioned([record.text, *record.choices])
    if objects and used and used[-1] >= objects:
        yield f"names object {used[-1]}, but there are {objects}", True
    if used and not found.boxes:
        yield "no boxes (metadata file missing): the prompts with boxes cannot show it", False
