"""The protocols of UI grounding: the way from a prediction to a mark, for each implementation and for ours. One prompt serves all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from snellen.core.protocol import TEXT_ALONE, Protocol, ReplyContext, Verdict
from snellen.core.results import Metric
from snellen.core.types import Metrics, Outcome, Sample
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.marking import metrics as measures
from snellen.exams.grounding.marking.marks import NOTHING, PLAIN, Truth, is_right, metrics, read_prediction, truth_of
from snellen.exams.grounding.marking.osworld import LMMS, lmms_hits, lmms_place, lmms_point, lmms_refuses
from snellen.exams.grounding.marking.screenspot import correctness
from snellen.exams.grounding.names import OPENADAPT
from snellen.exams.grounding.reading.predictions import Prediction, from_text
from snellen.exams.grounding.reading.seeclick import SEECLICK, seeclick_point
from snellen.exams.grounding.summary import GroundingSummary

Rule = Callable[[Prediction, Truth, Sample], tuple[bool, Metrics]]
Reader = Callable[[str, tuple[int, int]], Prediction]
"""Another implementation's reading of a plain reply about a screenshot of some size."""
VERSION = "4"
"""The version of all five. 1 read plain replies otherwise (docs/grounding.md says how). 2 took a target that a parser did not see for a
refusal. In the three that read as we do, 2 also took a minus sign for a bullet, and 3 read "(- 9, 4)" without its sign.
"""


class GroundingProtocol(GroundingSummary):
    """One protocol: its reading of a reply, its rule for a right answer, and the values that it keeps beside the common ones."""

    prompt = "instruction"

    def __init__(
        self,
        name: str,
        about: str,
        *,
        rule: Rule,
        metrics: tuple[Metric, ...] = measures.OF_CLICK,
        reader: Reader | None = None,
        own_files: bool = False,
    ) -> None:
        self.name, self.about, self.metrics = name, about, metrics
        self.version = VERSION
        self.headline = metrics[0].name
        self.needs = ("records",) if own_files else ()
        self._reader, self._rule = reader, rule

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        """Read and mark one reply. A method's prediction is whole, though it may hold any words."""
        verdict = self._verdict(self.prediction(reply, sample, context.cut), sample)
        return verdict._replace(whole=from_text(reply) is not None)

    def prediction(self, reply: str, sample: Sample, cut: bool = False) -> Prediction:
        """Return the prediction in a reply. Ours takes the point of one that was cut off only where it is known to be whole."""
        if self._reader is None:
            return read_prediction(reply, sample, cut)
        return from_text(reply) or self._reader(reply, (int(sample.facts["width"]), int(sample.facts["height"])))

    def _verdict(self, prediction: Prediction, sample: Sample) -> Verdict:
        truth = truth_of(sample)
        right, own = self._rule(prediction, truth, sample)
        values = metrics(prediction, truth) | own
        outcome = None
        if prediction.status == "refused" and not right:
            # without a reply of a model, the method itself did not find a target that is there: a wrong answer
            asked = prediction.replies or prediction.method in (PLAIN, LMMS)
            outcome = Outcome.REFUSED if asked else Outcome.WRONG
        return Verdict(_reading_of(prediction), prediction.status in ("found", "missed"), right, values, outcome)

    def blank(self, sample: Sample) -> Metrics:
        truth = truth_of(sample)
        return metrics(None, truth) | self._rule(NOTHING, truth, sample)[1]


def prediction_of(protocol: Protocol, reply: str, sample: Sample, cut: bool = False) -> Prediction:
    """Return the prediction that a protocol reads in a reply; a plugin's own protocol is assumed to read as `click` does."""
    reads = protocol.prediction if isinstance(protocol, GroundingProtocol) else read_prediction
    return reads(reply, sample, cut)


def _reading_of(prediction: Prediction) -> dict[str, Any]:
    """Return the part of a prediction that a mark keeps: its status and place, and why there is none."""
    reading: dict[str, Any] = {"status": prediction.status}
    if prediction.point is not None:
        reading["point"] = [round(v, 2) for v in prediction.point]
    if prediction.box is not None:
        reading["box"] = [round(v, 2) for v in prediction.box]
    if prediction.status != "found" and prediction.reason:
        reading["reason"] = prediction.reason
    if prediction.oracle:
        reading["oracle"] = True
    return reading


def _click(prediction: Prediction, truth: Truth, sample: Sample) -> tuple[bool, Metrics]:
    return is_right(prediction, truth), {}


def _screenspot(prediction: Prediction, truth: Truth, sample: Sample) -> tuple[bool, Metrics]:
    right = is_right(prediction, truth)
    return right, {"wrong_format": float(correctness(prediction.status, right) == "wrong_format")}


def _openadapt(prediction: Prediction, truth: Truth, sample: Sample) -> tuple[bool, Metrics]:
    """Apply openadapt-grounding's two rules: a box by its score against the truth, a point by the box made larger by 0.02.

    A method that answers with a box is judged as its OmniParser, one that answers with a point as its UI-TARS. A missing overlap or
    distance is 0, as there.
    """
    found, overlap, away, score = False, 0.0, 0.0, None
    if prediction.status == "found" and prediction.point is not None and truth.boxes:
        width, height = truth.space.size
        target = _fractions(truth.boxes[0].corners, width, height)
        point = (prediction.point[0] / width, prediction.point[1] / height)
        if prediction.box is not None:
            box = _fractions(prediction.box, width, height)
            score = original.match_score(box, prediction.text, target, sample.facts.get("text"))
            found, overlap = score >= original.FOUND, original.iou(box, target)
        else:
            found = original.inside(point, target)
        if found:
            away = original.distance(point, original.click_point(target))
    values: Metrics = {
        "detection_rate": float(found),
        "match_score": score,
        "seed_iou": overlap if found else 0.0,
        "seed_distance": away,
    }
    return found, values


def _fractions(box: Sequence[float], width: float, height: float) -> original.XYWH:
    x1, y1, x2, y2 = box
    return x1 / width, y1 / height, (x2 - x1) / width, (y2 - y1) / height


def _osworld(prediction: Prediction, truth: Truth, sample: Sample) -> tuple[bool, Metrics]:
    if truth.absent:
        return is_right(prediction, truth), {}
    right = prediction.status == "found" and prediction.point is not None and lmms_hits(prediction.point, truth)
    # the edges of a polygon count differently than under `click`
    return right, {"click_accuracy": float(right), "present_accuracy": float(right)}


def _read_lmms(reply: str, size: tuple[int, int]) -> Prediction:
    """Read a plain reply as lmms-eval reads it."""
    point = lmms_point(reply)
    if point is None:
        return Prediction(method=LMMS, status="unparsable", size=size, reason="no two numbers in the reply")
    if lmms_refuses(point):
        return Prediction(method=LMMS, status="refused", size=size, reason="both numbers are negative")
    return Prediction(method=LMMS, status="found", size=size, point=lmms_place(point, size))


def _read_seeclick(reply: str, size: tuple[int, int]) -> Prediction:
    """Read a plain reply as SeeClick's evaluation reads it."""
    point = seeclick_point(reply)
    if point is None:
        return Prediction(method=SEECLICK, status="unparsable", size=size, reason="neither two nor four numbers")
    return Prediction(method=SEECLICK, status="found", size=size, point=(point[0] * size[0], point[1] * size[1]))


PROTOCOLS = {
    p.name: p
    for p in (
        GroundingProtocol(
            "click",
            "the point lies in a right box (or polygon), edges included, no tolerance; a target that is not there must be refused",
            rule=_click,
        ),
        GroundingProtocol(
            OPENADAPT,
            "as openadapt-grounding marks: a box by its score of 0.3 (overlap, text, distance), a point by the box made larger by 0.02",
            rule=_openadapt,
            metrics=measures.OF_OPENADAPT,
            own_files=True,
        ),
        GroundingProtocol(
            "screenspot",
            "point in box, edges included; six cells of platform and kind, averaged over samples and over cells",
            rule=_screenspot,
            reader=_read_seeclick,
            metrics=measures.OF_SCREENSPOT,
        ),
        GroundingProtocol(
            "screenspot-pro",
            "point in box, edges included; correct, wrong or wrong_format; averaged over samples; by group and application",
            rule=_screenspot,
            metrics=measures.OF_SCREENSPOT_PRO,
            own_files=True,
        ),
        GroundingProtocol(
            "osworld-g",
            "point in box or polygon; a target that is not there must be refused; scores with and without those",
            rule=_osworld,
            reader=_read_lmms,
        ),
    )
}
