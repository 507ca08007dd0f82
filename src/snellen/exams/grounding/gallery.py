"""The samples of a grounding run for the page: each screenshot once, its overlays, and a description of each error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.gallery import FAILURES_FIRST, Gallery, GalleryItem, GalleryView, Region, UnshortenedText, ranks
from snellen.core.protocol import Protocol
from snellen.core.text import one_line
from snellen.core.types import Answer, Mark, Outcome, Sample
from snellen.exams.grounding.marking.marks import Truth, truth_of
from snellen.exams.grounding.overlays import CloseUp, Overlay, OverlayBox, close_ups, overlay
from snellen.exams.grounding.protocols import prediction_of
from snellen.exams.grounding.reading.predictions import Prediction


class _ScreenItem(NamedTuple):
    """One sample. `seen` names the shared data in `_Screens`; `views` have a cut-out where the picture is a small copy.

    `times` is the factor from the picture's sides to those of the screen on which the truth is given.
    """

    drawn: Overlay
    picture: UnshortenedText | None
    times: tuple[float, float]
    seen: int | None
    views: list[tuple[CloseUp, UnshortenedText | None]]
    instruction: str
    verdict: str
    sentences: list[str]


class _Screens(NamedTuple):
    """Data that several screens share, each held once: sets of detections."""

    detections: list[tuple[OverlayBox, ...]]


class ScreenGallery(Gallery):
    """Samples as screens. The overlay shows the prediction and verdict of the run's main protocol."""

    template = "screen.html"
    above = "layers.html"
    package = "snellen.exams.grounding"
    kinds = FAILURES_FIRST
    first = "failures first"
    sent_in_parts = True
    sorts: Mapping[str, str] = {
        "size": "by size, smallest target first",
        "type": "by type",
        "distance": "by distance, farthest miss first",
    }

    def __init__(self, protocol: Protocol | None = None) -> None:
        self._protocol = protocol or Protocol()

    def regions(self, sample: Sample, answer: Answer | None) -> Sequence[Region]:
        """Return the corners of a sample's close-ups."""
        try:
            return [close_up.view.corners for close_up in close_ups(_drawn(self._protocol, sample, answer)[2])]
        except SnellenError:
            return ()

    def view(self, items: Sequence[GalleryItem]) -> GalleryView:
        """Return a screen for each item, None for one whose truth cannot be used; and the shared data."""
        detections: dict[tuple[OverlayBox, ...], int] = {}
        each = [_screen(self._protocol, item, detections) for item in items]
        return GalleryView(each, _Screens(list(detections)), _orders(items))


def _screen(protocol: Protocol, item: GalleryItem, detections: dict[tuple[OverlayBox, ...], int]) -> _ScreenItem | None:
    try:
        truth, prediction, drawn = _drawn(protocol, item.sample, item.answer)
    except SnellenError:
        return None
    if drawn.detections:
        detections.setdefault(drawn.detections, len(detections))
    views = close_ups(drawn)
    cuts = item.query.cuts if len(item.query.cuts) == len(views) else (None,) * len(views)
    mark = next(iter(item.pick.marks.values()))
    verdict, *sentences = said(mark, truth, prediction, drawn)
    return _ScreenItem(
        drawn=drawn,
        picture=item.query.url,
        times=(drawn.width / (item.query.width or drawn.width), drawn.height / (item.query.height or drawn.height)),
        seen=detections.get(drawn.detections),
        views=list(zip(views, cuts, strict=True)),
        instruction=str(item.facts.get("instruction", "")),
        verdict=verdict,
        sentences=sentences,
    )


def _drawn(protocol: Protocol, sample: Sample, answer: Answer | None) -> tuple[Truth, Prediction | None, Overlay]:
    truth = truth_of(sample)
    prediction = None
    if answer is not None and answer.failure is None and answer.text:
        prediction = prediction_of(protocol, answer.text, sample, cut=answer.finish_reason == "length")
    return truth, prediction, overlay(truth, prediction)


# ---------------------------------------------------------------- in words


def said(mark: Mark, truth: Truth, prediction: Prediction | None, drawn: Overlay) -> list[str]:
    """Return a description of the outcome: first the verdict, then its explanation."""
    found = [_verdict(mark, truth, prediction)]
    if prediction is not None and prediction.pointed is not None:
        at = ", ".join(f"{v:.0f}" if abs(v) < 1e6 else f"{v:.3g}" for v in prediction.pointed)
        edge = drawn.click is not None and drawn.click.outside
        off = f", off the screen of {drawn.width} x {drawn.height}; drawn at its edge" if edge else ""
        on = f", on what the method took for '{one_line(prediction.text, 80)}'" if prediction.text else ""
        found.append(f"Click at ({at}){off}{on}.")
    if (target := drawn.nearest) is not None:
        more = f" (the nearest of {len(drawn.targets)} right ones)" if len(drawn.targets) > 1 else ""
        found.append(f"The target is {target.width:.0f} x {target.height:.0f} px{more}.")
    if prediction is None:
        return found
    recall, total, shown = mark.metrics.get("detector_recall"), prediction.detections_total, len(prediction.detections)
    if mark.outcome is not Outcome.CORRECT and recall is not None:
        seen = "saw the target: the wrong thing was chosen" if recall else "did not see the target"
        found.append(f"The detector {seen} ({total} detections).")
    if (total or 0) > shown:
        found.append(f"{shown} of {total} detections are drawn.")
    if prediction.crops:
        found.append(f"{len(prediction.crops)} crops tried in {prediction.attempts} looks.")
    if prediction.failures:
        found.append(f"{len(prediction.failures)} looks failed, the first: {one_line(prediction.failures[0], 200)}.")
    return found


def _verdict(mark: Mark, truth: Truth, prediction: Prediction | None) -> str:
    if prediction is None:
        return "No prediction: the method failed." if mark.outcome is Outcome.ERROR else "No prediction."
    if prediction.status != "found":
        why = f": {one_line(prediction.reason, 200)}" if prediction.reason else "."
        if prediction.status == "refused":
            absent = "target is not there"
            return (f"Rightly said that the {absent}" if truth.absent else f"Said that the {absent}, but it is") + why
        if prediction.status == "missed":
            return "The original's rule, which knows the answer, accepted nothing" + why
        return f"No point could be read ({prediction.status}){why}"
    if truth.absent:
        return "Clicked, but the target is not on this screen."
    away = mark.metrics.get("distance_box_px")
    if mark.outcome is Outcome.CORRECT:
        return "Hit."
    if not isinstance(away, float) or away == 0:
        return "Marked as wrong, though the click is on the target." if away == 0 else "Marked as wrong."
    return f"Missed by {away:.0f} px." if away >= 1 else "Missed by less than a pixel."


# ---------------------------------------------------------------- orders


def _orders(items: Sequence[GalleryItem]) -> list[dict[str, int]]:
    """Return the places of all items under each sort; items without a size or distance come last."""
    columns = {
        "size": ranks([(_area(item),) for item in items]),
        "type": ranks([(item.tags.get("type", ""),) for item in items]),
        "distance": ranks([(-_distance(item),) for item in items]),
    }
    return [dict(zip(columns, places, strict=True)) for places in zip(*columns.values(), strict=True)]


def _area(item: GalleryItem) -> float:
    """Return the area of the smallest right box in square pixels."""
    try:
        boxes = truth_of(item.sample).boxes
    except SnellenError:
        boxes = ()
    return min((box.area for box in boxes), default=math.inf)


def _distance(item: GalleryItem) -> float:
    """Return the distance of the click from the target, under the first protocol that measured it."""
    found = [m.metrics.get("distance_box_px") for m in item.pick.marks.values()]
    return next((v for v in found if isinstance(v, float)), -math.inf)
