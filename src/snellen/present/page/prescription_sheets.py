"""Sheets around a threshold, drawn again, to show what the model saw and what it could not see.

Close-ups are in the sheet's own pixels and lossless: faint or small details would not survive otherwise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

from snellen.comparison.thresholds import AskedTrial, RunThresholds
from snellen.core.adaptive import Adaptive
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import Thresholds
from snellen.core.gallery import GalleryPicture, Region, UnshortenedText
from snellen.core.pixels import decoded
from snellen.core.prescription import Threshold, amount
from snellen.core.text import one_line
from snellen.core.types import Outcome, Sample
from snellen.engine.runs.data_again import opened_again
from snellen.present.model.formatting import plain
from snellen.present.page.image_pool import ImagePool

SHOWN = 5
SIDE = 200
"""The side of a whole sheet on the page."""
ENLARGED = 120
"""Close-ups narrower than this are also shown enlarged."""
REPLY = 300
EXAMPLES = 2


class PageSheet(NamedTuple):
    """A sheet on the page: its level, its images (or why there are none), the truth, and the answer."""

    id: str
    level: str
    pictures: list[GalleryPicture]
    close: bool
    truth: str
    reply: UnshortenedText
    outcome: str
    right: str

    @property
    def small(self) -> bool:
        return self.close and all(shown.width < ENLARGED for shown in self.pictures)


def around(row: Threshold, trials: Iterable[AskedTrial], most: int = SHOWN) -> list[AskedTrial]:
    """Return trials of different levels around a threshold, easiest first, with as many finer as coarser ones if possible.

    A level is represented by a trial with the outcome of most of its trials.
    """
    mostly = {rung.level: rung.right * 2 >= rung.n for rung in row.rungs}
    own = [t for t in trials if t.course == row.name and t.kind != "blank" and t.mark.outcome is not Outcome.ERROR]
    typical = sorted(own, key=lambda t: (t.mark.outcome is Outcome.CORRECT) != mostly.get(t.level, False))
    by_level = {trial.level: trial for trial in reversed(typical)}
    levels = [level for level in row.ladder if level in by_level]
    if not levels:
        return []
    middle = row.threshold.value if row.threshold is not None else row.ladder[-1]
    at = min(range(len(levels)), key=lambda i: abs(log(levels[i] / middle)))
    first = max(0, min(at - most // 2, len(levels) - most))
    return [by_level[level] for level in reversed(levels[first : first + most])]


def sheets(
    one: RunThresholds, exam: Exam, row: Threshold, chosen: Sequence[AskedTrial], pool: ImagePool
) -> list[PageSheet]:
    """Return chosen trials as the page shows them."""
    prompt = one.summary.plain[0].prompt
    records = one.run.index.named(t.mark.id for t in chosen)
    finds = exam.extra(Thresholds)
    drawn, why = _drawn(one, exam, [trial.sample.id for trial in chosen])
    found = []
    for trial in chosen:
        sample = drawn.get(trial.sample.id)
        region = finds.close_up(trial.sample, one.seed) if sample is not None and finds is not None else None
        shown = _pictures(sample, region, pool) if sample is not None else [GalleryPicture(None, "", why)]
        rung = next((r for r in row.rungs if r.level == trial.level), None)
        answer = records[trial.sample.id].answers.get(prompt)
        said = answer.text if answer is not None and answer.failure is None else ""
        found.append(
            PageSheet(
                trial.sample.id,
                amount(trial.level, row.unit),
                shown,
                region is not None,
                _truth(trial.sample.truth),
                UnshortenedText(one_line(said, REPLY) or "(empty)"),
                trial.mark.outcome.value,
                f"{rung.right} of {rung.n} right" if rung is not None else "",
            )
        )
    return found


def examples(row: Threshold, trials: Iterable[AskedTrial]) -> list[AskedTrial]:
    """Return the easiest sheets that were not right, for a faculty that could not be measured."""
    of_it = [t for t in trials if t.course == row.name and t.kind == "catch" and t.mark.outcome is not Outcome.ERROR]
    failed = [t for t in of_it if t.mark.outcome is not Outcome.CORRECT]
    return (failed or of_it)[:EXAMPLES]


def _truth(truth: object) -> str:
    """Return the right answer, or the middle of a box.

    >>> _truth("K"), _truth("532.125,276.875,547.25,292")
    ('K', '540,284')
    """
    parts = str(truth).split(",")
    if len(parts) != 4:
        return plain(truth)
    left, top, right, bottom = (float(part) for part in parts)
    return f"{(left + right) / 2:.0f},{(top + bottom) / 2:.0f}"


def _drawn(one: RunThresholds, exam: Exam, ids: Sequence[str]) -> tuple[dict[str, Sample], str]:
    """Return sheets drawn again from the record, by name, or why that failed. An image that differs from the recorded one is left out."""
    try:
        data = opened_again(one.run.folder, exam)
        if not isinstance(data, Adaptive) or data.fingerprint != one.manifest.data.fingerprint:
            return {}, "picture not available: this version draws other sheets"
        found = {name: data.draw(name) for name in ids}
    except (SnellenError, KeyError, ValueError) as error:  # a damaged record costs the images, never the page
        return {}, f"picture not available: {one_line(str(error), 160)}"
    recorded = {trial.sample.id: trial.sample.facts.get("sha256") for trial in one.trials}
    same = {name: s for name, s in found.items() if recorded[name] in (None, s.facts.get("sha256"))}
    return same, "picture not available: the sheet drawn again is not the one that was asked"


def _pictures(sample: Sample, region: Region | None, pool: ImagePool) -> list[GalleryPicture]:
    """Return a part of each image in its own pixels, or the whole image made smaller. The page shows nothing else of the sheet."""
    shown = []
    for at, picture in enumerate(sample.pictures, 1):
        which = f", picture {at} of {len(sample.pictures)}" if len(sample.pictures) > 1 else ""
        with decoded(picture.data) as image:
            part = (image if region is None else image.crop(region)).convert("RGB")
        if region is None and max(part.size) > SIDE:
            side = SIDE / max(part.size)
            part = part.resize((max(1, round(part.width * side)), max(1, round(part.height * side))))
        place = (0.0, 0.0, float(part.width), float(part.height))
        held = pool.hold(hashlib.sha256(picture.data).hexdigest(), part, place)
        url = UnshortenedText(f"#{held.name}")
        shown.append(GalleryPicture(url, f"sheet {sample.id}{which}", "", width=held.width, height=held.height))
    return shown
