"""The declared metrics of grounding: names, labels, units, which way is better, and the source of their scores.

Keys that begin with `seed_` follow openadapt-grounding's own rule; marks have been stored under them from the start.
"""

from __future__ import annotations

from snellen.core.results import Better, Metric, Unit
from snellen.exams.grounding.marking.marks import IOUS, TOLERANCES

ACC_IOU = tuple(f"acc_iou_{t}" for t in IOUS)
QUANTILES = (("distance_px", 0.5), ("distance_box_px", 0.5), ("seconds", 0.5), ("seconds", 0.95))
IMAGE_QUANTILES = (0.5, 0.95)


def _measured(name: str, label: str, unit: Unit, better: Better = "lower") -> Metric:
    return Metric(name=name, label=label, unit=unit, better=better)


def _quantile(name: str, label: str, unit: Unit) -> Metric:
    return Metric(name=name, label=label, unit=unit, kind="own", better="lower", interval="", detail=True)


CLICK = Metric(name="click_accuracy")
CELLS = Metric(name="mean_of_six_cells", kind="own", interval="")
_PRESENCE = (
    Metric(name="present_accuracy"),
    Metric(name="refusal_accuracy"),
    Metric(name="false_refusal", better="lower"),
)
DETECTION = Metric(name="detection_rate")
_WRONG_FORMAT = Metric(name="wrong_format", better="lower")
PLACES = (
    *(Metric(name=f"within_{t}_px", detail=True) for t in TOLERANCES),
    Metric(name="iou", label="IoU"),
    *(Metric(name=name, label=f"IoU of at least 0.{t}", detail=True) for name, t in zip(ACC_IOU, IOUS, strict=True)),
    Metric(name="detector_recall", detail=True),
    Metric(name="detector_recall_iou_50", label="detector recall, IoU of at least 0.50", detail=True),
)
_MATCH = Metric(name="match_score", detail=True)
_MEASURED = (
    _measured("distance_px", "distance to the middle", "px"),
    _quantile("distance_px_p50", "distance to the middle p50", "px"),
    _measured("distance_box_px", "distance to the target", "px"),
    _quantile("distance_box_px_p50", "distance to the target p50", "px"),
    _measured("attempts", "looks", "looks"),
    _measured("calls", "calls", "calls"),
    _measured("seconds", "time", "s"),
    _quantile("seconds_p50", "time p50", "s"),
    _quantile("seconds_p95", "time p95", "s"),
    _quantile("seconds_image_p50", "time for a screenshot p50", "s"),
    _quantile("seconds_image_p95", "time for a screenshot p95", "s"),
)
# values of single samples alone: tables do not show their mean
_SAMPLE_ONLY = (
    Metric(name="seed_iou", label="IoU (openadapt)", kind="own", interval="", detail=True),
    Metric(name="seed_distance", label="distance (openadapt)", kind="own", better="lower", interval="", detail=True),
)

# in the order of the tables
OF_CLICK = (CLICK, *_PRESENCE, *PLACES, *_MEASURED)
OF_OPENADAPT = (DETECTION, CLICK, *_PRESENCE, *PLACES, _MATCH, *_MEASURED, *_SAMPLE_ONLY)
OF_SCREENSPOT = (CLICK, CELLS, *_PRESENCE, _WRONG_FORMAT, *PLACES, *_MEASURED)
OF_SCREENSPOT_PRO = (CLICK, *_PRESENCE, _WRONG_FORMAT, *PLACES, *_MEASURED)
