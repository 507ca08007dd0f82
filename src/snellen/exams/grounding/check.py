"""Problems of a grounding set: records that cannot be used, instructions that fit two targets, boxes that overlap."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations, islice, product
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.data.files import PictureFolders
from snellen.exams.grounding.data import recognise, repeated_ids, root_of, size_problem
from snellen.exams.grounding.formats.base import Screen, Target


def check(where: Path, images: str = "", box_format: str = "") -> Iterator[Problem]:
    """Yield every problem of a folder. Ambiguity and overlap, which only make a target harder to judge, are notes."""
    kind, files = recognise(where)
    screens: list[Screen] = []
    seen: dict[bytes, str] = {}
    try:
        for one in kind.read(PictureFolders(root_of(where), images), files, box_format):
            if isinstance(one, Problem):
                yield one
                continue
            screens.append(one)
            yield from _image(one, seen)
            yield from _ambiguous(one)
            yield from _overlapping(one)
    except SnellenError as error:
        yield Problem(kind.title, str(error))
    yield from repeated_ids(screens)


def _image(screen: Screen, seen: dict[bytes, str]) -> Iterator[Problem]:
    """Check the picture of a screen. Adds it to the pictures `seen` so far."""
    from snellen.core.pixels import decode_problem

    try:
        data = screen.read()
    except OSError as error:
        yield Problem(screen.image, f"cannot be read ({error.strerror})")
        return
    problem = decode_problem(data) or size_problem(screen, data)
    if problem:
        yield Problem(screen.image, problem)
    elif screen.image != (first := seen.setdefault(hashlib.sha256(data).digest(), screen.image)):
        yield Problem(screen.image, f"the same picture as {first}: not an independent screenshot", False)


def _ambiguous(screen: Screen) -> Iterator[Problem]:
    """Yield targets of one screenshot whose instructions have the same words, unless they accept the same boxes."""
    same: dict[str, list[Target]] = defaultdict(list)
    for target in screen.targets:
        same[" ".join(target.instruction.lower().split())].append(target)
    for targets in same.values():
        answers = {frozenset(target.boxes) for target in targets}
        if len(answers) > 1:
            says = one_line(targets[0].instruction, 80)
            for target in targets:
                yield Problem(target.where, f"ambiguous: '{says}' fits {len(targets)} targets of {screen.image}", False)
    for target in screen.targets:
        if not target.instruction.strip():
            yield Problem(target.where, "no instruction")


def _overlapping(screen: Screen) -> Iterator[Problem]:
    """Yield different boxes of one screenshot that share an area, so that one click hits both."""
    for a, b in combinations([t for t in screen.targets if t.boxes], 2):
        shared = ((x, y) for x, y in product(a.boxes, b.boxes) if x != y and x.overlap(y) is not None)
        for box, other in islice(shared, 1):
            how = "contains" if box.covers(other) else "lies in" if other.covers(box) else "overlaps"
            yield Problem(a.where, f"its box {how} that of {b.id}", False)
