"""openadapt-grounding's own arithmetic, kept exactly, for its protocol, its oracles, its tables and the comparison with it.

Everywhere in this package, "the original" is that implementation.

Boxes are fractions (x, y, width, height), as there. Its oddities are kept: see docs/grounding.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

XYWH = tuple[float, float, float, float]
XY = tuple[float, float]

TOLERANCE = 0.02
FOUND = 0.3
ENOUGH = 0.9
_SAME_TEXT = 0.3
_PART_OF_TEXT = 0.15
_FARTHEST = 0.2
_PER_DISTANCE = 0.5
UITARS_CONFIDENCE = 0.9
SIZES = (200, 300, 500)
MAX_REGIONS = 5


# ---------------------------------------------------------------- geometry


def iou(a: XYWH, b: XYWH) -> float:
    """Return intersection over union; touching boxes share nothing; negative sizes are not refused."""
    x1, y1 = max(a[0], b[0]), max(a[1], b[1])
    x2, y2 = min(a[0] + a[2], b[0] + b[2]), min(a[1] + a[3], b[1] + b[3])
    if x2 <= x1 or y2 <= y1:
        return 0.0
    common = (x2 - x1) * (y2 - y1)
    union = a[2] * a[3] + b[2] * b[3] - common
    return common / union if union > 0 else 0.0


def distance(a: XY, b: XY) -> float:
    """Return the Euclidean distance in fractions: a step right and a step down count the same, whatever the screen's shape."""
    try:
        return math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2)  # as the original, to the last bit
    except OverflowError:
        return math.hypot(a[0] - b[0], a[1] - b[1])


def click_point(box: XYWH) -> XY:
    """Return the middle of a box."""
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def inside(point: XY, box: XYWH, tolerance: float = TOLERANCE) -> bool:
    """Tell whether a point lies in the box, made larger on every side."""
    x, y, width, height = box
    return x - tolerance <= point[0] <= x + width + tolerance and y - tolerance <= point[1] <= y + height + tolerance


def match_score(found: XYWH, found_text: str | None, target: XYWH, target_text: str | None) -> float:
    """Return the match of a detection with the truth: overlap, a bonus for the text, less a penalty for the distance; 0 to 1."""
    bonus = 0.0
    if found_text and target_text:
        one, other = found_text.lower().strip(), target_text.lower().strip()
        if one == other:
            bonus = _SAME_TEXT
        elif one in other or other in one:
            bonus = _PART_OF_TEXT
    penalty = min(_FARTHEST, distance(click_point(found), click_point(target)) * _PER_DISTANCE)
    return max(0.0, min(1.0, iou(found, target) + bonus - penalty))


# ---------------------------------------------------------------- crops


def crop_pixels(region: XYWH, width: int, height: int) -> tuple[int, int, int, int]:
    """Return the (x, y, width, height) in whole pixels that the original cuts for a region; int() cuts fractions off."""
    x, y = int(region[0] * width), int(region[1] * height)
    wide, high = max(1, int(region[2] * width)), max(1, int(region[3] * height))
    x, y = max(0, min(x, width - 1)), max(0, min(y, height - 1))
    return x, y, min(wide, width - x), min(high, height - y)


def to_full(region: XYWH, point: XY) -> XY:
    """Map from a crop to the screen by the ideal region, not by the pixels that were cut: wrong where a crop was clipped."""
    return region[0] + point[0] * region[2], region[1] + point[1] * region[3]


def regions(strategy: str, target: XYWH, width: int, height: int, max_regions: int = MAX_REGIONS) -> list[XYWH]:
    """Return the regions that the original looks at, placed by the truth's centre: `baseline`, `fixed_crop` or `screenseeker`."""
    whole: XYWH = (0.0, 0.0, 1.0, 1.0)
    if strategy == "fixed_crop":
        return [whole, *(_around(click_point(target), size / width, size / height) for size in SIZES)]
    if strategy == "screenseeker":
        return [whole, *_panels(click_point(target))][: max_regions + 1]
    return [whole]


def _around(centre: XY, wide: float, high: float) -> XYWH:
    x = max(0, min(centre[0] - wide / 2, 1 - wide))
    y = max(0, min(centre[1] - high / 2, 1 - high))
    return x, y, wide, high


def _panels(centre: XY) -> list[XYWH]:
    x, y = centre
    found: list[XYWH] = []
    if y < 0.15:
        found.append((0.0, 0.0, 1.0, 0.15))
    if x < 0.25:
        found.append((0.0, 0.0, 0.3, 1.0))
    if x > 0.75:
        found.append((0.7, 0.0, 0.3, 1.0))
    if y > 0.9:
        found.append((0.0, 0.85, 1.0, 0.15))
    found.append((0.15, 0.1, 0.7, 0.8))
    found.append((0.0 if x < 0.5 else 0.5, 0.0 if y < 0.5 else 0.5, 0.5, 0.5))
    return found


# ---------------------------------------------------------------- aggregates


def aggregate(method: str, dataset: str, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the original's metrics of a list of element results: zeros, not nulls, where a value is not defined."""
    total = len(results)
    found = [r for r in results if r["found"]]
    overlaps = [r["iou"] for r in found if r["iou"] > 0]
    types = list(dict.fromkeys(r["element_type"] for r in results))
    return {
        "method_name": method,
        "dataset_name": dataset,
        "detection_rate": _rate(results),
        "mean_iou": sum(overlaps) / len(overlaps) if overlaps else 0.0,
        "mean_latency_ms": sum(r["latency_ms"] for r in results) / total if total else 0.0,
        "mean_attempts": sum(r["attempts"] for r in results) / total if total else 0.0,
        **{
            f"detection_rate_{s}": _rate([r for r in results if r["size_category"] == s])
            for s in ("small", "medium", "large")
        },
        "detection_rate_by_type": {t: _rate([r for r in results if r["element_type"] == t]) for t in types},
        "total_elements": total,
        "detected_elements": len(found),
    }


def _rate(results: Sequence[Mapping[str, Any]]) -> float:
    return sum(1 for r in results if r["found"]) / len(results) if results else 0.0


def compare(metrics: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the original's `comparison.json`: ranks over all methods and data sets, the first of equals first.

    Unlike there, a value may be null; it is worse than any other.
    """
    if not metrics:
        return {"error": "No metrics provided"}
    best, by_latency = _best(metrics, "detection_rate"), sorted(metrics, key=_latency)
    by_dataset: dict[str, list[Mapping[str, Any]]] = {}
    for one in metrics:
        by_dataset.setdefault(one["dataset_name"], []).append(one)
    return {
        "summary": {
            "total_methods": len({m["method_name"] for m in metrics}),
            "total_datasets": len(by_dataset),
            "best_overall": best["method_name"],
            "best_overall_rate": best["detection_rate"],
            "fastest_method": by_latency[0]["method_name"],
            "fastest_latency_ms": by_latency[0]["mean_latency_ms"],
        },
        "best_per_dataset": {
            name: {
                "method": top["method_name"],
                "detection_rate": top["detection_rate"],
                "latency_ms": top["mean_latency_ms"],
            }
            for name, group in by_dataset.items()
            for top in [_best(group, "detection_rate")]
        },
        "ranking_by_detection_rate": [
            {"method": m["method_name"], "dataset": m["dataset_name"], "rate": m["detection_rate"]}
            for m in sorted(metrics, key=lambda m: -m["detection_rate"])
        ],
        "ranking_by_latency": [
            {"method": m["method_name"], "dataset": m["dataset_name"], "latency_ms": m["mean_latency_ms"]}
            for m in by_latency
        ],
        "size_analysis": {
            f"{s}_best": _best(metrics, f"detection_rate_{s}")["method_name"] for s in ("small", "medium", "large")
        },
    }


def _best(metrics: Sequence[Mapping[str, Any]], key: str) -> Mapping[str, Any]:
    return max(metrics, key=lambda m: -1.0 if m[key] is None else m[key])


def _latency(metrics: Mapping[str, Any]) -> float:
    known = metrics["mean_latency_ms"]
    return math.inf if known is None else float(known)
