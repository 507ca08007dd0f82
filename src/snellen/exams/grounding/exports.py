"""The files and tables of the seed: a result file a method, comparison.json, the console and Markdown tables; ScreenSpot's tables.

What the seed's files lack is added behind its own keys: predictions, outcomes, errors, intervals, versions. A method that looks at the
answer is marked as oracle in every one of them and stands in a block of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from snellen.core.exam import RunFacts
from snellen.core.results import GroupSummary
from snellen.core.text import for_terminal
from snellen.core.types import Answer, Mark, Outcome, Sample
from snellen.exams.grounding.compat import original as legacy
from snellen.exams.grounding.formats.base import (
    AREA_MEDIUM_BELOW,
    AREA_SMALL_BELOW,
    LARGE_ABOVE,
    SIZE_BASIS,
    SMALL_BELOW,
)
from snellen.exams.grounding.marking.marks import read_prediction
from snellen.exams.grounding.marking.screenspot import CELLS, averages, correctness, leaderboard, report
from snellen.exams.grounding.reading.predictions import Prediction

ORACLE_TITLE = "ORACLE: these look at the answer and are for comparison only"
SEED_NAMES = {"omniparser": "OmniParser", "uitars": "UI-TARS"}
SEED_CROPS = {"": "baseline", "none": "baseline", "fixed": "fixed_crop", "screenseeker": "screenseeker"}
SCREENSPOT = ("screenspot", "screenspot-pro")
SIZES = ("small", "medium", "large")
PIXEL_RULE = f"{SIZE_BASIS}: {SMALL_BELOW}, {LARGE_ABOVE}"
AREA_RULE = f"share of the screen's area: {AREA_SMALL_BELOW}, {AREA_MEDIUM_BELOW}"
Metrics = Mapping[str, Any]


def display_name(method: str) -> str:
    """How the seed's tables name a method; ours keep their own names.

    >>> display_name("uitars-fixed"), display_name("oracle/omniparser"), display_name("ocr")
    ('UI-TARS + fixed_crop', 'oracle: OmniParser + baseline', 'ocr')
    """
    plain = method.removeprefix("oracle/")
    base, _, crop = plain.partition("-")
    known = base in SEED_NAMES and crop in SEED_CROPS
    name = f"{SEED_NAMES[base]} + {SEED_CROPS[crop]}" if known else plain
    return f"oracle: {name}" if method != plain else name


# ---------------------------------------------------------------- files of a run


def exports(run: RunFacts) -> Iterator[tuple[str, bytes]]:
    """The seed's result file and comparison, both tables as text, and ScreenSpot's own where the protocol is theirs."""
    whole = next((g for g in run.groups if set(g.by) == {"part"}), None)
    if run.protocol.name in SCREENSPOT and whole is not None:
        yield "screenspot.md", screenspot_table(run.groups, _subject(run)).encode()
    if run.records is None or whole is None:
        return
    records = list(run.records())
    oracle = "oracle" in _identity(run)
    rows = [_row(sample, answer, mark, run.protocol.name, oracle) for sample, answer, mark in records]
    metrics = result_file(run, rows, whole)
    name = f"{_safe(str(metrics['method']))}_{_safe(str(metrics['dataset_name']))}.json"
    yield name, msgspec.json.format(msgspec.json.encode(metrics), indent=2)
    yield "comparison.json", msgspec.json.format(msgspec.json.encode(comparison([metrics])), indent=2)
    yield "table.txt", console_table([metrics]).encode()
    yield "table.md", (markdown_table([metrics]) + "\n").encode()
    if run.protocol.name == "screenspot-pro":
        judged = [_pro_row(sample, _said(sample, answer), mark) for sample, answer, mark in records]
        subject = _subject(run)
        full = {"details": judged, "metrics": report(judged), "oracle": metrics["oracle"], "subject": subject}
        entry = {subject: {"link": "", "description": "", "results": leaderboard(judged)}}
        yield "screenspot_pro.json", msgspec.json.format(msgspec.json.encode(full), indent=2)
        yield "screenspot_pro_leaderboard.json", msgspec.json.format(msgspec.json.encode(entry), indent=2)


def result_file(run: RunFacts, rows: Sequence[dict[str, Any]], whole: GroupSummary) -> dict[str, Any]:
    """The seed's result file, its keys first and in its order; null where it writes 0 for what is not known or not there."""
    manifest = run.manifest
    named = next((str(r["method"]) for r in rows if r["method"]), _subject(run))
    method = str(_identity(run).get("method") or named)
    dataset = PurePath(str(manifest["data"]["source"])).name or "data"
    counted = _aggregate(display_name(method), dataset, rows, run.protocol.name)
    headline = whole.metrics.get(run.protocol.headline)
    return counted | {
        "results": [{k: v for k, v in r.items() if k != "method"} for r in rows],
        "size_basis": {
            "size_category": AREA_RULE if run.protocol.name == "seed" else PIXEL_RULE,
            "size_px_category": PIXEL_RULE,
            "size_area_category": AREA_RULE,
        },
        "method": method,
        "oracle": any(r["oracle"] for r in rows),
        "protocol": {"name": run.protocol.name, "version": run.protocol.version, "headline": run.protocol.headline},
        "interval": None if headline is None else [headline.low, headline.high],
        "interval_kind": None if headline is None else headline.interval,
        "outcomes": dict(whole.outcomes),
        "errors": dict(Counter(r["error"] for r in rows if r["error"]).most_common(20)),
        "synthetic_data": manifest["data"]["synthetic"],
        "versions": {"snellen": manifest.get("snellen"), "subject": manifest["subject"].get("identity")},
        "created": manifest.get("created"),
    }


def _aggregate(method: str, dataset: str, rows: Sequence[dict[str, Any]], protocol: str) -> dict[str, Any]:
    """The seed's figures; outside its own protocol null where there is nothing to count, and it writes 0."""
    zeros = [r | {key: r[key] or 0.0 for key in ("latency_ms", "iou", "attempts")} for r in rows]
    counted = legacy.aggregate(method, dataset, zeros)
    counted["mean_latency_ms"] = _mean([r["latency_ms"] for r in rows])
    if protocol == "seed":
        return counted
    counted["mean_attempts"] = _mean([r["attempts"] for r in rows])
    counted["mean_iou"] = counted["mean_iou"] or None
    classes = {r["size_category"] for r in rows}
    return counted | {f"detection_rate_{s}": None for s in SIZES if s not in classes}


def _mean(values: Sequence[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else None


def _said(sample: Sample, answer: Answer) -> Prediction | None:
    return None if answer.failure is not None else read_prediction(answer.text, sample)


def _row(sample: Sample, answer: Answer, mark: Mark, protocol: str, oracle: bool) -> dict[str, Any]:
    """One entry a target: the seed's keys, then what it lacked."""
    prediction = _said(sample, answer)
    seed = protocol == "seed"
    overlap = mark.metrics.get("seed_iou" if seed else "iou")
    screen = str(sample.facts.get("screen", sample.facts.get("image", sample.id)))
    pixels, area = (sample.tags.get(tag) or "unknown" for tag in ("size", "area"))
    seconds = None if prediction is None else prediction.seconds
    return {
        "sample_id": screen,
        "element_id": sample.id.removeprefix(f"{screen}/"),
        "found": mark.outcome is Outcome.CORRECT,
        "iou": overlap if isinstance(overlap, float) else 0.0 if seed else None,
        "latency_ms": None if seconds is None else round(1000 * seconds, 3),
        "attempts": prediction.attempts if prediction is not None else 0 if seed else None,
        "size_category": area if seed else pixels,
        "element_type": _type(sample),
        "distance_from_target": _away(sample, prediction, mark, protocol),
        "method_info": _info(prediction),
        "method": "" if prediction is None else prediction.method,
        "oracle": oracle or (prediction is not None and prediction.oracle),
        "outcome": mark.outcome.value,
        "point": None if prediction is None else prediction.point,
        "box": None if prediction is None else prediction.box,
        "calls": 0 if prediction is None else prediction.calls,
        "crops": [] if prediction is None else prediction.crops,
        "error": _error(answer, prediction),
        "size_px_category": pixels,
        "size_area_category": area,
        "target_boxes": sample.truth["boxes"],
    }


def _type(sample: Sample) -> str:
    """The element's own type; where the data does not say, what results are broken down by."""
    known = (sample.facts.get("element_type"), sample.tags.get("type"))
    return next((str(k) for k in known if k and k != "unknown"), "unknown")


def _away(sample: Sample, prediction: Prediction | None, mark: Mark, protocol: str) -> float | None:
    """In fractions of the screen, as the seed counts; its 0 for a miss is kept under its own protocol only."""
    if protocol == "seed":
        value = mark.metrics.get("seed_distance")
        return value if isinstance(value, float) else 0.0
    boxes = sample.truth["boxes"]
    if prediction is None or prediction.pointed is None or not boxes:
        return None
    width, height = float(sample.facts["width"]), float(sample.facts["height"])
    x1, y1, x2, y2 = boxes[0]
    at = (prediction.pointed[0] / width, prediction.pointed[1] / height)
    return legacy.distance(at, ((x1 + x2) / 2 / width, (y1 + y2) / 2 / height))


def _info(prediction: Prediction | None) -> dict[str, Any]:
    if prediction is None:
        return {}
    known = {"matched_text": prediction.text, "confidence": prediction.confidence, "reason": prediction.reason or None}
    return {key: value for key, value in known.items() if value is not None}


def _error(answer: Answer, prediction: Prediction | None) -> str | None:
    if answer.failure is not None:
        return f"{answer.failure.kind}: {answer.failure.reason}"
    return prediction.reason if prediction is not None and prediction.status == "error" else None


def _pro_row(sample: Sample, prediction: Prediction | None, mark: Mark) -> dict[str, Any]:
    """A row of ScreenSpot-Pro's details."""
    absent = bool(sample.truth["absent"])
    status = "error" if prediction is None else prediction.status
    right = mark.outcome is Outcome.CORRECT
    return {
        "id": sample.id,
        "img_path": str(sample.facts.get("image", "")),
        "group": str(sample.facts.get("group") or sample.tags.get("split") or ""),
        "platform": sample.tags.get("platform", ""),
        "application": sample.tags.get("application", ""),
        "lang": "en",
        "instruction_style": "instruction",
        "prompt_to_evaluate": str(sample.facts.get("instruction", "")),
        "gt_type": "negative" if absent else "positive",
        "ui_type": sample.tags.get("kind", ""),
        "task_filename": str(sample.facts.get("file", "")),
        "pred": None if prediction is None or prediction.point is None else list(prediction.point),
        "raw_response": None if prediction is None else list(prediction.replies),
        "bbox": sample.truth["boxes"][0] if sample.truth["boxes"] else None,
        "correctness": correctness(status, right),
    }


def _subject(run: RunFacts) -> str:
    return str(run.manifest["subject"]["spec"])


def _identity(run: RunFacts) -> Mapping[str, Any]:
    return run.manifest["subject"].get("identity") or {}


def _safe(name: str) -> str:
    """A file name without surprises."""
    return re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.") or "run"


# ---------------------------------------------------------------- comparison and tables


def comparison(metrics: Sequence[Metrics]) -> dict[str, Any]:
    """The seed's comparison of blind methods; those that look at the answer in a block of their own."""
    blind, oracles = [m for m in metrics if not m.get("oracle")], [m for m in metrics if m.get("oracle")]
    found = _compared(blind) if blind or not oracles else {}
    if oracles:
        found = found | {"oracle": {"note": ORACLE_TITLE} | _compared(oracles)}
    return {key: _finite(value) for key, value in found.items()}


def _compared(metrics: Sequence[Metrics]) -> dict[str, Any]:
    """As the seed compares; what is not known is not the best, and the best of nothing, or of two size rules, is null."""
    found = legacy.compare([_known(m) for m in metrics])
    for size in SIZES if metrics else ():
        if len({_by_pixels(m) for m in metrics}) > 1 or all(m[f"detection_rate_{size}"] is None for m in metrics):
            found["size_analysis"][f"{size}_best"] = None
    return found


def _known(metrics: Metrics) -> dict[str, Any]:
    time = metrics["mean_latency_ms"]
    rates = {key: -1.0 for key in (f"detection_rate_{s}" for s in SIZES) if metrics[key] is None}
    return dict(metrics) | {"mean_latency_ms": float("inf") if time is None else time} | rates


def _by_pixels(metrics: Metrics) -> bool:
    """Whether the size classes of a result go by pixels; the seed's own files do not say, and go by area."""
    return (metrics.get("size_basis") or {}).get("size_category") == PIXEL_RULE


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if value == float("inf") else value


def console_table(metrics: Sequence[Metrics]) -> str:
    """The seed's console tables, character by character; an unknown value is a dash, and oracles follow apart."""
    if not metrics:
        return "No results to display.\n"
    blind, oracles = [m for m in metrics if not m.get("oracle")], [m for m in metrics if m.get("oracle")]
    parts = [_console("EVALUATION RESULTS", blind)] if blind else []
    if oracles:
        parts.append(_console(ORACLE_TITLE, oracles))
    return "".join(parts)


def _console(title: str, metrics: Sequence[Metrics]) -> str:
    lines = ["", "=" * 90, title, "=" * 90]
    lines.append(f"{'Method':<28}{'Dataset':<12}{'Det.Rate':<10}{'IoU':<8}{'Latency':<10}{'Attempts':<8}{'Total':<8}")
    lines.append("-" * 90)
    for m in metrics:
        rate, latency = f"{m['detection_rate'] * 100:.1f}%", _ms(m["mean_latency_ms"], "ms")
        lines.append(
            f"{_name(m):<28}{for_terminal(m['dataset_name'])[:11]:<12}{rate:<10}{_or_dash(m['mean_iou'], '.3f'):<8}{latency:<10}"
            f"{_or_dash(m['mean_attempts'], '.1f'):<8}{m['total_elements']:<8}"
        )
    lines.append("=" * 90)
    mixed = len({_by_pixels(m) for m in metrics}) > 1
    for pixels, rule in ((True, f" ({PIXEL_RULE})"), (False, f" ({AREA_RULE})" if mixed else "")):
        alike = [m for m in metrics if _by_pixels(m) is pixels]
        if not alike:
            continue
        lines += ["", f"Detection Rate by Element Size{rule}:", "-" * 70]
        lines += [f"{'Method':<28} {'Small':<12} {'Medium':<12} {'Large':<12}", "-" * 70]
        for m in alike:
            small, medium, large = (_rate(m[f"detection_rate_{s}"]) for s in SIZES)
            lines.append(f"{_name(m):<28} {small:>9} {medium:>11} {large:>11}")
    return "\n".join([*lines, "", ""])


def markdown_table(metrics: Sequence[Metrics]) -> str:
    """The seed's Markdown table; oracles follow in one of their own."""
    if not metrics:
        return "No results available."
    blind, oracles = [m for m in metrics if not m.get("oracle")], [m for m in metrics if m.get("oracle")]
    parts = [_markdown(blind)] if blind else []
    if oracles:
        parts.append(f"**{ORACLE_TITLE}**\n\n{_markdown(oracles)}")
    return "\n\n".join(parts)


def _markdown(metrics: Sequence[Metrics]) -> str:
    lines = [
        "| Method | Dataset | Detection Rate | Mean IoU | Latency (ms) | Attempts |",
        "|--------|---------|----------------|----------|--------------|----------|",
    ]
    lines += [
        f"| {_cell(m['method_name'])} | {_cell(m['dataset_name'])} | {m['detection_rate'] * 100:.1f}% | {_or_dash(m['mean_iou'], '.3f')} | "
        f"{_ms(m['mean_latency_ms'])} | {_or_dash(m['mean_attempts'], '.1f')} |"
        for m in metrics
    ]
    return "\n".join(lines)


def screenspot_table(groups: Sequence[GroupSummary], subject: str) -> str:
    """The six cells and both averages, each said for what it is: published tables mix the two."""
    shares: dict[tuple[str, str], tuple[int, int]] = {}
    for group in groups:
        if set(group.by) == {"part", "split", "kind"}:
            right = group.outcomes.get(Outcome.CORRECT.value, 0)
            shares[group.by["split"], group.by["kind"]] = (right, group.n)
    whole = next(g for g in groups if set(g.by) == {"part"})
    cells = CELLS if any(c in shares for c in CELLS) else tuple(sorted(shares))
    _samples, plain = averages(shares)
    samples = whole.outcomes.get(Outcome.CORRECT.value, 0) / whole.n
    oracle = "" if whole.by["part"] == "all" else f" — {ORACLE_TITLE}"
    head = [f"{place} {kind}" for place, kind in cells]
    values = [_percent(shares[c][0] / shares[c][1]) if c in shares else "–" for c in cells]
    counts = [str(shares[c][1]) if c in shares else "0" for c in cells]
    lines = [
        f"{_cell(subject)}{oracle}",
        "",
        "| " + " | ".join([*head, "average over samples", "average of the six cells"]) + " |",
        "|" + " --- |" * (len(head) + 2),
        "| " + " | ".join([*values, _percent(samples), _percent(plain)]) + " |",
        "| " + " | ".join([*(f"n = {n}" for n in counts), f"n = {whole.n}", ""]) + " |",
    ]
    return "\n".join(lines) + "\n"


def _name(metrics: Metrics) -> str:
    return for_terminal(metrics["method_name"])[:27]


def _cell(text: object) -> str:
    return for_terminal(str(text)).replace("|", "\\|").replace("\n", " ")


def _ms(value: float | None, unit: str = "") -> str:
    return "–" if value is None else f"{value:.0f}{unit}"


def _or_dash(value: float | None, form: str) -> str:
    return "–" if value is None else format(value, form)


def _rate(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}%"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"
