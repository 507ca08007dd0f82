"""The files of openadapt-grounding (one result file per method, comparison.json, the console and Markdown tables) and ScreenSpot's.

Data that the original's files lack is added behind its own keys: predictions, outcomes, errors, intervals, versions. A method that
looks at the answer is marked as oracle in every one of them and stands in a block of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from snellen.core.extras import RunFacts
from snellen.core.protocol import Protocol
from snellen.core.results import GroupSummary
from snellen.core.types import Answer, Mark, Outcome, Sample
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.marking.marks import clicked, truth_of
from snellen.exams.grounding.marking.screenspot import correctness, leaderboard, report
from snellen.exams.grounding.names import OPENADAPT
from snellen.exams.grounding.protocols import prediction_of
from snellen.exams.grounding.reading.predictions import Prediction
from snellen.exams.grounding.tables import (
    AREA_RULE,
    PIXEL_RULE,
    SIZES,
    comparison,
    console_table,
    markdown_table,
)

_ORIGINAL_NAMES = {"omniparser": "OmniParser", "uitars": "UI-TARS"}
_ORIGINAL_CROPS = {"": "baseline", "none": "baseline", "fixed": "fixed_crop", "screenseeker": "screenseeker"}
Record = tuple[Sample, Answer, Mark]


def display_name(method: str) -> str:
    """Return a method's name in the original's tables; our methods keep their own names.

    >>> display_name("uitars-fixed"), display_name("oracle/omniparser"), display_name("ocr")
    ('UI-TARS + fixed_crop', 'oracle: OmniParser + baseline', 'ocr')
    """
    plain = method.removeprefix("oracle/")
    base, _, crop = plain.partition("-")
    known = base in _ORIGINAL_NAMES and crop in _ORIGINAL_CROPS
    name = f"{_ORIGINAL_NAMES[base]} + {_ORIGINAL_CROPS[crop]}" if known else plain
    return f"oracle: {name}" if method != plain else name


# ---------------------------------------------------------------- files of a run


def exports(run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """Yield the original's result file and comparison, both tables as text, and ScreenSpot's files under its protocol."""
    if _whole(run) is None or run.records is None:
        return
    records, subject = list(run.records()), run.manifest.subject
    result = result_of(run, records)
    yield f"{safe_name(str(result['method']))}_{safe_name(str(result['dataset_name']))}.json", json_file(result)
    yield "comparison.json", json_file(comparison([result]))
    yield "table.txt", console_table([result]).encode()
    yield "table.md", (markdown_table([result]) + "\n").encode()
    if run.protocol.name == "screenspot-pro":
        judged = [_pro_row(run.protocol, *record) for record in records]
        full = {"details": judged, "metrics": report(judged), "oracle": result["oracle"], "subject": subject.spec}
        full["synthetic_data"] = result["synthetic_data"]
        about = run.manifest.data.note.strip(" ()")
        entry = {subject.spec: {"link": "", "description": about, "results": leaderboard(judged)}}
        yield "screenspot_pro.json", json_file(full)
        yield "screenspot_pro_leaderboard.json", json_file(entry)


def _whole(run: RunFacts) -> GroupSummary | None:
    return next((group for group in run.groups if set(group.by) == {"part"}), None)


def result_of(run: RunFacts, records: Sequence[Record]) -> dict[str, Any]:
    """Return the original's result file, its keys first and in its order; null where it writes 0 for an unknown or missing value."""
    manifest, whole = run.manifest, _whole(run)
    rows = [_row(*record, run.protocol, "oracle" in manifest.subject.identity) for record in records]
    named = next((str(r["method"]) for r in rows if r["method"]), manifest.subject.spec)
    method = str(manifest.subject.identity.get("method") or named)
    dataset = PurePath(manifest.data.source).name or "data"
    headline = None if whole is None else whole.metrics.get(run.protocol.headline)
    return _aggregate(display_name(method), dataset, rows, run.protocol.name) | {
        "results": [{k: v for k, v in r.items() if k != "method"} for r in rows],
        "size_basis": {
            "size_category": AREA_RULE if run.protocol.name == OPENADAPT else PIXEL_RULE,
            "size_px_category": PIXEL_RULE,
            "size_area_category": AREA_RULE,
        },
        "method": method,
        "oracle": any(r["oracle"] for r in rows),
        "protocol": {"name": run.protocol.name, "version": run.protocol.version, "headline": run.protocol.headline},
        "interval": None if headline is None else [headline.low, headline.high],
        "interval_kind": None if headline is None else headline.interval,
        "outcomes": {} if whole is None else dict(whole.outcomes),
        "errors": dict(Counter(r["error"] for r in rows if r["error"]).most_common(20)),
        "synthetic_data": manifest.data.synthetic,
        "versions": {"snellen": manifest.snellen, "subject": manifest.subject.identity},
        "created": manifest.created,
    }


def _aggregate(method: str, dataset: str, rows: Sequence[dict[str, Any]], protocol: str) -> dict[str, Any]:
    """Return the original's figures; outside its own protocol null where there is nothing to count, where it writes 0."""
    zeros = [r | {key: r[key] or 0.0 for key in ("latency_ms", "iou", "attempts")} for r in rows]
    counted = original.aggregate(method, dataset, zeros)
    counted["mean_latency_ms"] = _mean([r["latency_ms"] for r in rows])
    if protocol == OPENADAPT:
        return counted
    counted["mean_attempts"] = _mean([r["attempts"] for r in rows])
    counted["mean_iou"] = counted["mean_iou"] or None
    classes = {r["size_category"] for r in rows}
    return counted | {f"detection_rate_{s}": None for s in SIZES if s not in classes}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def _said(protocol: Protocol, sample: Sample, answer: Answer) -> Prediction:
    """Return the prediction; a blank error where there is no reply."""
    if answer.failure is not None:
        return Prediction(
            method="", status="error", size=(0, 0), reason=f"{answer.failure.kind}: {answer.failure.reason}"
        )
    return prediction_of(protocol, answer.text, sample, cut=answer.finish_reason == "length")


def _row(sample: Sample, answer: Answer, mark: Mark, protocol: Protocol, oracle: bool) -> dict[str, Any]:
    """Return one entry per target: the original's keys, then the keys that it lacked."""
    said, failed = _said(protocol, sample, answer), answer.failure is not None
    theirs = protocol.name == OPENADAPT
    overlap = mark.metrics.get("seed_iou" if theirs else "iou")
    screen = str(sample.facts.get("screen", sample.facts.get("image", sample.id)))
    pixels, area = (sample.tags.get(tag) or "unknown" for tag in ("size", "area"))
    info = {"matched_text": said.text, "confidence": said.confidence, "reason": None if failed else said.reason or None}
    return {
        "sample_id": screen,
        "element_id": sample.id.removeprefix(f"{screen}/"),
        "found": mark.outcome is Outcome.CORRECT,
        "iou": overlap if isinstance(overlap, float) else 0.0 if theirs else None,
        "latency_ms": None if said.seconds is None else round(1000 * said.seconds, 3),
        "attempts": None if failed and not theirs else said.attempts,
        "size_category": area if theirs else pixels,
        "element_type": _type(sample),
        "distance_from_target": _away(sample, said, mark, protocol.name),
        "method_info": {key: value for key, value in info.items() if value is not None},
        "method": said.method,
        "oracle": oracle or said.oracle,
        "outcome": mark.outcome.value,
        "point": said.point,
        "box": said.box,
        "calls": said.calls,
        "crops": said.crops,
        "error": said.reason if said.status == "error" else None,
        "size_px_category": pixels,
        "size_area_category": area,
        "target_boxes": sample.truth["boxes"],
    }


def _type(sample: Sample) -> str:
    """Return the element's own type; where the data does not have it, the tag by which results are broken down."""
    known = (sample.facts.get("element_type"), sample.tags.get("type"))
    return next((str(k) for k in known if k and k != "unknown"), "unknown")


def _away(sample: Sample, prediction: Prediction, mark: Mark, protocol: str) -> float | None:
    """Return the distance in fractions of the screen, as the original counts. Its 0 for a miss is kept under its own protocol only."""
    if protocol == OPENADAPT:
        value = mark.metrics.get("seed_distance")
        return value if isinstance(value, float) else 0.0
    truth = truth_of(sample)
    at = clicked(prediction, truth)
    if at is None or truth.absent:
        return None
    (x, y), centre = (at.x, at.y), truth.boxes[0].centre
    width, height = truth.space.size
    return original.distance((x / width, y / height), (centre.x / width, centre.y / height))


def _pro_row(protocol: Protocol, sample: Sample, answer: Answer, mark: Mark) -> dict[str, Any]:
    """Return a row of ScreenSpot-Pro's details."""
    said = _said(protocol, sample, answer)
    return {
        "id": sample.id,
        "img_path": str(sample.facts.get("image", "")),
        "group": str(sample.facts.get("group") or sample.tags.get("split") or ""),
        "platform": sample.tags.get("platform", ""),
        "application": sample.tags.get("application", ""),
        "lang": "en",
        "instruction_style": "instruction",
        "prompt_to_evaluate": str(sample.facts.get("instruction", "")),
        "gt_type": "negative" if sample.truth["absent"] else "positive",
        "ui_type": sample.tags.get("kind", ""),
        "task_filename": str(sample.facts.get("file", "")),
        "pred": said.point,
        "raw_response": None if answer.failure is not None else said.replies,
        "bbox": sample.truth["boxes"][0] if sample.truth["boxes"] else None,
        "correctness": correctness(said.status, mark.outcome is Outcome.CORRECT),
    }


def json_file(content: Any) -> bytes:
    """Return indented JSON."""
    return msgspec.json.format(msgspec.json.encode(content), indent=2)


def safe_name(name: str) -> str:
    """Return a file name with safe characters only."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.") or "run"
