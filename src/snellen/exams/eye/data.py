"""The sheets of an eye exam: chosen by the answers so far, and drawn from the seed. The exam has no data set on disk.

The level of a trial is decided by the trials up to a fixed place before it (`stats.adaptive.answered`). Those in between count as under
way, even if they are already answered. So the order in which answers arrive has no effect.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from snellen.core.adaptive import Adaptive
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.images import sniff
from snellen.core.options import Selection
from snellen.core.pixels import as_rgb
from snellen.core.types import Outcome, Picture, Sample
from snellen.exams.eye.prescription import SEEN
from snellen.exams.eye.trial_plans import CATCH_EVERY, Course, planned, quality
from snellen.stats.adaptive import answered, constant_level, next_level
from snellen.stats.psychometric import DialShape, Trial
from snellen.synthetic.chance import generator
from snellen.synthetic.sheets import draw, fingerprint
from snellen.synthetic.sheets.paper import GENERATOR, VERSION
from snellen.synthetic.writing import picture_file

LABEL = {"generator": GENERATOR, "version": VERSION}
"""The label of a sheet: it says that the sheet was drawn, but nothing of its seed or its answer."""
BLANK = 1_000_000
"""The offset of a blank sheet's number, so that its question differs from all others."""
TONES = 96, 160
"""The range of greys of a blank sheet. If all were the same, one cached answer would be used for all of them."""


class _TrialPlace(NamedTuple):
    """A sample of a course: its trial, or its blank sheet, by number."""

    course: Course
    number: int
    blank: bool

    @property
    def name(self) -> str:
        return f"{self.course.name}/blank-{self.number:02d}" if self.blank else f"{self.course.name}/{self.number:03d}"

    @property
    def sheet(self) -> str:
        """The kind of sheet."""
        return "blank" if self.blank else "catch" if self.course.is_catch(self.number) else "trial"

    @property
    def light(self) -> Sample:
        """The sample before its level is chosen."""
        return Sample(id=self.name, tags=self.course.tags | {"sheet": self.sheet})


class _CourseProgress:
    """The progress of a course: the levels of its trials, in order, and their outcomes."""

    def __init__(self, course: Course) -> None:
        self.course = course
        self.levels: list[float] = []
        self.outcomes: dict[int, Outcome] = {}
        self.shape = DialShape(course.faculty.levels, course.faculty.guess)

    @property
    def finished(self) -> bool:
        return len(self.levels) == self.course.trials

    def may_go_on(self, ahead: int) -> bool:
        """Return whether the level of the next trial is decided."""
        return not self.finished and all(i in self.outcomes for i in range(answered(len(self.levels), ahead)))

    def choose(self, ahead: int, constant: bool) -> int:
        """Return the level of the next trial, by its place on the ladder."""
        number, easiest = len(self.levels), len(self.shape.levels) - 1
        if self.course.is_catch(number):
            return easiest
        if constant:
            return constant_level(self.shape, number)
        known = answered(number, ahead)
        done = [
            Trial(level, SEEN.get(self.outcomes[i]))
            for i, level in enumerate(self.levels[:known])
            if self.outcomes[i] is not Outcome.ERROR
        ]
        return next_level(self.shape, done, self.levels[known:])


class EyeData(Adaptive):
    """The trials and blank sheets of an exam."""

    synthetic = True

    def __init__(self, where: Path, options: Selection) -> None:
        self.options = options
        self._plan = plan = planned(options)
        self._going = {course.name: _CourseProgress(course) for course in plan.courses}
        self._places = {place.name: place for course in plan.courses for place in _places(course)}
        self._chosen: dict[str, Sample] = {}
        self._handed: set[str] = set()
        made = [[c.name, c.faculty.levels, c.faculty.guess, c.size, c.codec, c.trials] for c in plan.courses]
        decides = {
            "version": VERSION,
            "seed": plan.seed,
            "courses": made,
            "ahead": plan.ahead,
            "constant": plan.constant,
        }
        self.fingerprint = digest(decides)
        self.origin = {"generator": GENERATOR, "version": VERSION, "seed": plan.seed} | (
            {"sealed": plan.sealed} if plan.sealed else {}
        )

    def __len__(self) -> int:
        return len(self._places)

    def light(self) -> Iterator[Sample]:
        for name, place in self._places.items():
            yield self._chosen.get(name) or place.light

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        yield from (self.draw(name) for name in self._places if wanted(name))

    # ------------------------------------------------------------ choosing

    def restore(self, chosen: Iterable[Sample]) -> None:
        levels: dict[str, dict[int, float]] = {}
        for sample in chosen:
            place = self._places.get(sample.id)
            level = sample.facts.get("level")
            if place is None or not isinstance(level, int | float):
                raise SnellenError(f"samples.jsonl: '{sample.id}' is no sheet of this exam")
            self._chosen[sample.id] = sample
            self._handed.add(sample.id)
            if not place.blank:
                levels.setdefault(place.course.name, {})[place.number] = float(level)
        for name, found in levels.items():
            going = self._going[name]
            if sorted(found) != list(range(len(found))):
                raise SnellenError(f"samples.jsonl: trials of {name} are missing; --fresh begins anew")
            going.levels = [found[i] for i in range(len(found))]

    def told(self, name: str, outcome: Outcome) -> None:
        place = self._places[name]
        if not place.blank:
            self._going[place.course.name].outcomes[place.number] = outcome

    def ready(self, most: int) -> list[str]:
        found: list[str] = []
        while len(found) < most:
            free = [going for going in self._going.values() if going.may_go_on(self._plan.ahead)]
            if not free:
                break
            going = min(free, key=lambda one: len(one.levels))
            place = _TrialPlace(going.course, len(going.levels), False)
            going.levels.append(going.shape.levels[going.choose(self._plan.ahead, self._plan.constant)])
            found.append(place.name)
        found += [place.name for place in self._blanks_due()]
        self._handed.update(found)
        return found

    def _blanks_due(self) -> Iterator[_TrialPlace]:
        """Yield blank sheets whose catch trial is chosen, and that are not yet handed out themselves."""
        for going in self._going.values():
            for number in range(-(-len(going.levels) // CATCH_EVERY)):
                place = _TrialPlace(going.course, number, True)
                if place.name not in self._handed:
                    yield place

    def same(self, drawn: Sample, kept: Sample) -> bool:
        return all(kept.facts.get(name) == value for name, value in drawn.facts.items() if name != "sha256")

    @property
    def finished(self) -> bool:
        return all(going.finished for going in self._going.values()) and not any(self._blanks_due())

    # ------------------------------------------------------------ drawing

    def draw(self, name: str) -> Sample:
        place = self._places[name]
        course, levels = place.course, place.course.faculty.levels
        known = self._going[course.name].levels
        level = levels[-1] if place.blank else levels[len(levels) // 2]  # a possible level, if it is not chosen yet
        if not place.blank and place.number < len(known):
            level = known[place.number]
        number = place.number + BLANK * place.blank
        sheet = draw(course.faculty.name, level, seed=self._plan.seed, number=number, size=course.size)
        tone = generator("blank", self._plan.seed, name).randrange(*TONES)
        pictures = [_blank(data, tone) for data in sheet.pictures] if place.blank else sheet.pictures
        sent = [_encoded(data, course.codec) for data in pictures]
        marks = {
            "sha256": [hashlib.sha256(data).hexdigest() for data in sent],
            "pixels": [fingerprint(data) for data in sent],
        }
        sample = Sample(
            id=name,
            tags=place.light.tags,
            truth=sheet.truth,
            facts={"level": level, "number": place.number, "size": course.size, **marks},
        )
        if place.blank or place.number < len(known):
            self._chosen[name] = sample
        shown = tuple(Picture(data=data, name=f"{name}.{i}") for i, data in enumerate(sent, 1))
        return Sample(id=name, tags=sample.tags, truth=sample.truth, facts=sample.facts, pictures=shown)


def _places(course: Course) -> Iterator[_TrialPlace]:
    yield from (_TrialPlace(course, number, False) for number in range(course.trials))
    yield from (_TrialPlace(course, number, True) for number in range(course.blanks))


def _blank(data: bytes, tone: int) -> bytes:
    """Return a grey picture of the same size."""
    from PIL import Image

    head = sniff(data)
    return picture_file(Image.new("L", (head.width or 1, head.height or 1), tone), LABEL)


def _encoded(data: bytes, codec: str) -> bytes:
    """Return a sheet in the form in which it is sent."""
    wanted = quality(codec)
    return data if wanted is None else picture_file(as_rgb(data), LABEL, "JPEG", quality=wanted)
