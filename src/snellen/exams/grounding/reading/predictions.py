"""A grounding method's answer on one screenshot. As JSON it is the reply text that a run folder keeps.

Marking sees nothing else of a method: the point, how it was found, and the other candidates.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from snellen.core.text import one_line
from snellen.core.types import Struct

Status = Literal["found", "missed", "refused", "unparsable", "error"]
Corners = tuple[float, float, float, float]
LARGEST_REPLY = 2000
MOST_REPLIES = 16
MOST_DETECTIONS = 5000  # the most that are taken from a parser
DESCRIBED = 40
MOST_CROPS = 64
LONGEST_TEXT = 80


class Detection(Struct, frozen=True):
    """An element that a parser found: a box in pixels of the parsed picture, with its description."""

    box: Corners
    text: str = ""
    kind: str = "unknown"
    confidence: float | None = None


class Prediction(Struct, frozen=True):
    """The click, if it was `found`, or why not. `missed` is for an oracle: its rule, which knows the truth, accepted none of its points.

    `point`, `box`, `crops` and `detections` are in pixels of the whole screenshot.

    `attempts` counts pictures looked at, `calls` requests to parsers and models. Of the `detections_total` that were considered,
    `detections` describes the likeliest. `others` holds the boxes of the next ones in whole pixels, four numbers each, so that the
    detector's share can be judged later. `seconds` is the sample's own time: waiting counts only as far as it was for this sample, and a
    parse only for the sample that asked first. `failures` are looks that failed on the way to an answer.
    """

    method: str
    status: Status
    size: tuple[int, int]
    point: tuple[float, float] | None = None
    box: Corners | None = None
    text: str | None = None
    confidence: float | None = None
    attempts: int = 0
    calls: int = 0
    crops: tuple[Corners, ...] = ()
    detections: tuple[Detection, ...] = ()
    others: tuple[int, ...] = ()
    detections_total: int | None = None
    replies: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    reason: str = ""
    seconds: float | None = None
    oracle: bool = False

    @property
    def pointed(self) -> tuple[float, float] | None:
        """The point that was meant, right or not."""
        return self.point if self.status in ("found", "missed") else None

    @property
    def boxes(self) -> list[Corners]:
        """The boxes of all detections that were kept."""
        flat = self.others
        rest = [
            (float(flat[i]), float(flat[i + 1]), float(flat[i + 2]), float(flat[i + 3]))
            for i in range(0, len(flat) - 3, 4)
        ]
        return [*(d.box for d in self.detections), *rest]


_DECODER = msgspec.json.Decoder(Prediction)


def to_text(prediction: Prediction) -> str:
    """Return the JSON text of a prediction.

    >>> to_text(Prediction(method="center", status="found", size=(10, 10), point=(5.0, 5.0)))
    '{"method":"center","status":"found","size":[10,10],"point":[5.0,5.0]}'
    """
    return msgspec.json.encode(prediction).decode()


def from_text(text: str) -> Prediction | None:
    """Return the prediction in a reply text; None where it is not one. Numbers are finite, and a found one has a point."""
    try:
        prediction = _DECODER.decode(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
    numbers = (*(prediction.point or ()), *(prediction.box or ()))
    if not all(math.isfinite(n) for n in numbers):
        return None
    if prediction.status == "found" and prediction.point is None:
        return None
    return prediction


def bounded(texts: list[str]) -> tuple[str, ...]:
    """Return raw replies for storage: a bounded number, each of bounded length."""
    return tuple(t if len(t) <= LARGEST_REPLY else t[: LARGEST_REPLY - 1] + "…" for t in texts[:MOST_REPLIES])


def shortened(detections: list[Detection]) -> tuple[Detection, ...]:
    """Return the likeliest detections for storage: a bounded number, tenths of a pixel, short texts."""
    return tuple(
        Detection(
            box=_tenths(d.box),
            text=one_line(d.text, LONGEST_TEXT),
            kind=d.kind,
            confidence=None if d.confidence is None else round(d.confidence, 3),
        )
        for d in detections[:DESCRIBED]
    )


def flattened(detections: list[Detection]) -> tuple[int, ...]:
    """Return the boxes of the detections that `shortened` leaves out, up to a bound."""
    return tuple(round(v) for d in detections[DESCRIBED:MOST_DETECTIONS] for v in d.box)


def _tenths(box: Corners) -> Corners:
    x1, y1, x2, y2 = (round(v, 1) for v in box)
    return x1, y1, x2, y2
