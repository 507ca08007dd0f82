"""openadapt-grounding's rules, which look at the answer. Offered for comparison only, as oracle/NAME, and flagged wherever they go.

Five of its six methods are of this kind. A detector's box is chosen by its overlap with the true box. A model's point is
accepted if it is right, and asked for again elsewhere if it is not. Crops are placed around the true center. That is why a subject that
never looks gets over 90% here. Everything else in this package works without an OracleTarget; only this module takes one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.geometry import UNIT, Box, Crop, Point
from snellen.exams.grounding.reading.predictions import Prediction
from snellen.methods.base import Locator, Look, Method, MethodView, Parse, Search, ToolFailure, Tools
from snellen.methods.baselines import SlidingWindow, window_parse
from snellen.methods.pictures import cut, noted

STRATEGIES = {"": "baseline", "fixed": "fixed_crop", "screenseeker": "screenseeker"}
_MOST_REGIONS = {"baseline": 1, "fixed_crop": 1 + len(original.SIZES), "screenseeker": 1 + original.MAX_REGIONS}


class OracleTarget(NamedTuple):
    """The truth that the original passes to its methods: the box as fractions (x, y, width, height), and the text."""

    box: original.XYWH
    text: str | None


def target_of(sample: Sample) -> OracleTarget:
    """Return the truth of a sample, for an oracle."""
    boxes = sample.truth["boxes"]
    if not boxes:
        raise SnellenError(f"sample {sample.id} has no box: an absent target cannot be asked of an oracle")
    x1, y1, x2, y2 = boxes[0]
    width, height = sample.facts["width"], sample.facts["height"]
    box = (x1 / width, y1 / height, (x2 - x1) / width, (y2 - y1) / height)
    return OracleTarget(box, sample.facts.get("text"))


class OracleMethod(Method):
    """One of the original's rules over its regions, which are placed by the truth. `truths` has the targets by the samples' ids."""

    def __init__(self, name: str, ending: str, locator: Locator) -> None:
        self.name, self.needs, self.prompt = name, (*locator.needs, "truth"), locator.prompt
        self.identity = {"oracle": "looks at the answer; for comparison only"}
        self.truths: Mapping[str, OracleTarget] = {}
        self._strategy, self._locator = STRATEGIES[ending], locator
        self.most = _MOST_REGIONS[self._strategy]

    async def locate(self, view: MethodView, tools: Tools) -> Prediction:
        """Return the rule's answer. Where every look failed, that is an error (the original counts it as a miss)."""
        search = Search(view, self._locator, tools)
        look = await self._search(search, self.truths[view.id])
        if look.status == "missed" and search.failures and len(search.failures) == search.attempts:
            look = Look("error", reason=search.failures[0])
        return search.prediction(self.name, look, oracle=True)

    @abstractmethod
    async def _search(self, search: Search, target: OracleTarget) -> Look: ...

    def _regions(self, view: MethodView, target: OracleTarget) -> Iterator[tuple[original.XYWH, Crop]]:
        for region in original.regions(self._strategy, target.box, view.width, view.height):
            x, y, wide, high = original.crop_pixels(region, view.width, view.height)
            yield region, Crop(view.whole.parent, x, y, x + wide, y + high)


class PointOracle(OracleMethod):
    """The original's UI-TARS rule: ask region by region until a point lies in the true box, made larger by 0.02."""

    async def _search(self, search: Search, target: OracleTarget) -> Look:
        answer = Look("missed", reason="no point passed the original's rule, which knows the truth")
        for region, crop in self._regions(search.view, target):
            try:
                look = await search.look(crop)
            except SnellenError as failure:  # a screenshot that does not decode
                search.failures.append(str(failure))
                continue
            if look.point is None:
                continue
            within = crop.into(look.point).to(UNIT)
            full = original.to_full(region, (within.x, within.y))
            point = Point(*full, UNIT).to(search.view.whole.parent)
            if original.inside(full, target.box):
                return Look("found", point, confidence=original.UITARS_CONFIDENCE, reason="accepted by the truth")
            answer = answer._replace(point=point)
        return answer


class DetectionOracle(OracleMethod):
    """The original's OmniParser rule: of all detections in all regions, the one that overlaps most with the true box."""

    def __init__(self, name: str, ending: str, locator: Locator) -> None:
        super().__init__(name, ending, locator)
        self.prompt = ("", 0)

    async def _search(self, search: Search, target: OracleTarget) -> Look:
        best = Look("missed", confidence=0.0)
        for region, crop in self._regions(search.view, target):
            search.begin(crop)
            try:
                parse = await self._parse(search, crop)
            except (ToolFailure, SnellenError) as failure:
                search.failures.append(str(failure))
                continue
            for score, box, text in _scored(parse, region, target):
                if score > (best.confidence or 0.0):
                    shown = Box.from_xywh(box, UNIT).to(search.view.whole.parent)
                    best = best._replace(confidence=score, point=shown.centre, box=shown, text=text or None)
            if (best.confidence or 0.0) >= original.ENOUGH:
                break
        if (best.confidence or 0.0) >= original.FOUND:
            return best._replace(status="found", reason="chosen by the truth")
        return best._replace(text=None, reason=f"best score {best.confidence:.3f}: nothing passed the original's rule")

    async def _parse(self, search: Search, crop: Crop) -> Parse:
        if isinstance(self._locator, SlidingWindow):
            return window_parse(crop.inner.width, crop.inner.height)
        search.calls += 1
        return await search.tools.parse(await search.tools.compute(cut, search.view.image, crop), noted(crop))


def _scored(parse: Parse, region: original.XYWH, target: OracleTarget) -> Iterator[tuple[float, original.XYWH, str]]:
    """Yield the score of every detection that can have one, its box in fractions of the screen, and its text."""
    left, top, wide, high = region
    x, y, w, h = target.box
    x1, x2 = ((v - left) / wide * parse.width for v in (x, x + w))
    y1, y2 = ((v - top) / high * parse.height for v in (y, y + h))
    for found in parse.detections:
        a, b, c, d = found.box
        if found.text or (a < x2 and c > x1 and b < y2 and d > y1):  # with neither text nor overlap the score is 0
            px, py, pw, ph = a / parse.width, b / parse.height, (c - a) / parse.width, (d - b) / parse.height
            box = (left + px * wide, top + py * high, pw * wide, ph * high)
            yield original.match_score(box, found.text, target.box, target.text), box, found.text
