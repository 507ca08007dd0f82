"""Everything wrong in a data folder of the explanation tasks: every split, every record, every image decoded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import read_picture
from snellen.exams.vqa_nle.formats.find import AnnotationFile, find
from snellen.exams.vqa_nle.formats.images import ImageIndex
from snellen.exams.vqa_nle.formats.records import VqaRecord, place, problem
from snellen.exams.vqa_nle.formats.sample import BoxFinder
from snellen.exams.vqa_nle.formats.tags import mentioned


def check(task: str, where: Path) -> Iterator[Problem]:
    """Yield every problem, with file and record. Notes (not fatal) are what a run can live with."""
    files = find(task, where)
    yield from files.problems
    index = ImageIndex(task, where)
    ground = BoxFinder(index)
    decoded: set[str] = set()
    for split in files.splits:
        yield from _check_file(files.sources[split], index, ground, decoded)


def _check_file(source: AnnotationFile, index: ImageIndex, ground: BoxFinder, decoded: set[str]) -> Iterator[Problem]:
    count = 0
    try:
        for record in source.records():
            count += 1
            if isinstance(record, Problem):
                yield record
                continue
            where = place(source.label, record.key)
            if record.repeats:
                yield problem(where, "the key repeats", fatal=False)
            for what, fatal in _record_problems(index.task, record, ground):
                yield problem(where, what, fatal)
            yield from _image_problems(where, record, index, decoded)
    except SnellenError as error:
        yield problem(source.label, str(error).removeprefix(f"{source.label}: "))
        return
    if not count:
        yield Problem(source.label, "no records")


def _record_problems(task: str, record: VqaRecord, ground: BoxFinder) -> Iterator[tuple[str, bool]]:
    if record.truth is None:
        yield "no gold answer: it is asked and not marked", False
    elif not record.explanations:
        yield "no explanation", False
    if task != "vcr":
        return
    try:
        found = ground(record)
    except SnellenError as error:
        yield str(error), True
        return
    objects = len(record.objects or found.names)
    used = mentioned([record.text, *record.choices])
    wrong = [n for n in used if n >= objects]
    if objects and wrong:
        yield f"names object {wrong[0]}, but there are {objects}", True
    if used and not found.boxes:
        yield "no boxes (metadata file missing): the prompts with boxes cannot show it", False


def _image_problems(where: str, record: VqaRecord, index: ImageIndex, decoded: set[str]) -> Iterator[Problem]:
    from snellen.core.pixels import decode_problem

    image = index.find(record)
    if image is None:
        yield problem(where, f"image {index.expected(record)} is missing under {index.root}")
        return
    if image in decoded:
        return
    decoded.add(image)
    try:
        broken = decode_problem(read_picture(index.path(image)))
    except OSError as error:
        broken = f"cannot be read ({error.strerror})"
    if broken:
        yield problem(image, broken)
