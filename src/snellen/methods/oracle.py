"""openadapt-grounding's rules, which look at the answer. Offered for comparison only, as oracle/NAME, and flagged wherever they go.

Five of its six methods are of this kind. A detector's box is chosen by its overlap with the true box; a model's point is
accepted if it is right, and asked for again elsewhere if it is not; crops are placed around the true centre. That is why a subject that
never looks gets over 90 % here. Everything else in this package works without an OracleTarget; this module alone takes one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.types import Sample
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.geometry import UNIT, Box, Crop, Point
from snellen.exams.grounding.reading.predictions import Detection, Prediction
from snellen.methods.base import Method, MethodView, Parse, ToolFailure, Tools
from snellen.methods.baselines import SlidingWindow, window_parse
from snellen.methods.looks import Locator, Look, Search
from snellen.methods.pictures import cut, noted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

STRATEGIES = {"": "baseline", "baseline": "baseline", "fixed": "fixed_crop", "screenseeker": "screenseeker"}
MOST_REGIONS = {"baseline": 1, "fixed_crop": 1 + len(original.SIZES), "screenseeker": 1 + original.MAX_REGIONS}


class OracleTarget(NamedTuple):
    """The truth that the original hands to its methods: the box as fractions (x, y, width, height), and the text."""

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
    """A rule of the original's over its regions, which are placed by the truth. `truths` has the targets by the samples' ids."""

    def __init__(self, name: str, ending: str, locator: Locator) -> None:
        self.name, self.needs, self.prompt = name, (*locator.needs, "truth"), locator.prompt
        self.identity = {"oracle": "looks at the answer; for comparison only"}
        self.truths: Mapping[str, OracleTarget] = {}
        self._strategy, self._locator = STRATEGIES[ending], locator
        self.most = MOST_REGIONS[self._strategy]

    async def locate(self, view: MethodView, tools: Tools) -> Prediction:
        """Return what the rule says. Where every single look failed, that is an error (the original counts it as a miss)."""
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
        self._last: tuple[tuple[Detection, ...], Floats] | None = None

    async def _search(self, search: Search, target: OracleTarget) -> Look:
        best, chosen, text = 0.0, None, ""
        for region, crop in self._regions(search.view, target):
            search.begin(crop)
            try:
                parse = await self._parse(search, crop)
            except (ToolFailure, SnellenError) as failure:
                search.failures.append(str(failure))
                continue
            search.saw(len(parse.detections), -1)
            if not parse.detections:
                continue
            scores, boxes = self._scores(parse, region, target)
            top = int(scores.argmax())
            if float(scores[top]) > best:
                best, chosen, text = float(scores[top]), tuple(map(float, boxes[top])), parse.detections[top].text
            if best >= original.ENOUGH:
                break
        missed = Look("missed", confidence=best, reason=f"best score {best:.3f}: nothing passed the original's rule")
        if chosen is None:
            return missed
        box = Box.from_xywh(chosen, UNIT).to(search.view.whole.parent)
        missed = missed._replace(point=box.centre, box=box)
        if best < original.FOUND:
            return missed
        return missed._replace(status="found", text=text or None, reason="chosen by the truth")

    async def _parse(self, search: Search, crop: Crop) -> Parse:
        if isinstance(self._locator, SlidingWindow):
            return window_parse(crop.inner.width, crop.inner.height)
        search.calls += 1
        return await search.tools.parse(await search.tools.compute(cut, search.view.image, crop), noted(crop))

    def _scores(self, parse: Parse, region: original.XYWH, target: OracleTarget) -> tuple[Floats, Floats]:
        """Return `original.match_score` of every detection, and its box as fractions of the screen."""
        import numpy as np

        if self._last is None or self._last[0] is not parse.detections:
            edges = np.array([d.box for d in parse.detections], dtype=np.float64)
            edges /= np.array([parse.width, parse.height, parse.width, parse.height])
            edges[:, 2:] -= edges[:, :2]
            self._last = (parse.detections, edges)
        x, y, w, h = region
        boxes = self._last[1] * np.array((w, h, w, h)) + np.array((x, y, 0.0, 0.0))
        tx, ty, tw, th = target.box
        wide = np.minimum(boxes[:, 0] + boxes[:, 2], tx + tw) - np.maximum(boxes[:, 0], tx)
        high = np.minimum(boxes[:, 1] + boxes[:, 3], ty + th) - np.maximum(boxes[:, 1], ty)
        common = np.where((wide > 0) & (high > 0), wide * high, 0.0)
        union = boxes[:, 2] * boxes[:, 3] + tw * th - common
        overlap = np.divide(common, union, out=np.zeros_like(common), where=union > 0)
        cx, cy = original.click_point(target.box)
        away = np.hypot(boxes[:, 0] + boxes[:, 2] / 2 - cx, boxes[:, 1] + boxes[:, 3] / 2 - cy)
        bonus = np.array([_bonus(d.text, target.text) for d in parse.detections])
        scores = np.clip(overlap + bonus - np.minimum(original.FARTHEST, away * original.PER_DISTANCE), 0.0, 1.0)
        return scores, boxes


def _bonus(text: str, wanted: str | None) -> float:
    if not text or not wanted:
        return 0.0
    one, other = text.lower().strip(), wanted.lower().strip()
    if one == other:
        return original.SAME_TEXT
    return original.PART_OF_TEXT if one in other or other in one else 0.0
