"""The lines of a record of Every Eval Ever: each sample under each protocol, with question, reply, reading and score."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.results import ProtocolSummary
from snellen.core.types import NON_ANSWERS, Outcome, Question
from snellen.engine.ask.questions import questions
from snellen.engine.runs.data_again import DataAgain
from snellen.engine.runs.run import Run
from snellen.engine.runs.tidy import SampleRow, ScoreRow
from snellen.present.files.portable import exam_of, part_id


def instances(run: Run, rows: Sequence[ScoreRow], evaluation: str, model: str, schema: str) -> Iterator[bytes]:
    """Yield one line for each answer and protocol in `rows`. The data set must be available: a line contains the question.

    A sample has several lines if its question was asked several times.
    """
    exam = exam_of(run)
    wanted = {r.protocol for r in rows}
    protocols = {p.protocol: p for p in run.protocols if p.protocol in wanted}
    asked = _asked(run, exam, [p.prompt for p in protocols.values()])
    samples = {s.id: s for s in run.samples()}
    sent = {
        (a.id, a.prompt): [image.sha256 for call in a.calls[:1] for image in call.images] for a in run.folder.answers()
    }
    own = {(r.protocol, *r.by.items()): r for r in rows if r.metric == _metric(protocols[r.protocol])}
    names = {"schema_version": schema, "evaluation_id": evaluation, "model_id": model}
    for one in run.sample_rows():
        summary = protocols.get(one.protocol)
        if summary is None:
            continue
        groups = exam.protocol(one.protocol)[0].groups(samples[one.id])
        row = next((own[key] for group in groups if (key := (one.protocol, *group)) in own), None)
        part = {"evaluation_name": f"{exam.name}.{one.protocol}"}
        if row is not None:
            part = {"evaluation_name": part_id(row), "evaluation_result_id": f"{part_id(row)}.{row.metric}"}
        images = sent.get((one.id, Arm.parse(summary.prompt)._replace(repeat=one.repeat).text), [])
        line = _line(one, asked[one.id, summary.prompt], images, summary)
        yield json.dumps(names | part | line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _asked(run: Run, exam: Exam, prompts: Sequence[str]) -> dict[tuple[str, str], Question]:
    try:
        data = DataAgain().of(run.folder, exam)
    except SnellenError as error:
        raise SnellenError(f"{run.path}: samples say what was asked, and {error}") from None
    answered = run.folder.scan().last
    arms = [Arm.parse(prompt) for prompt in dict.fromkeys(prompts)]
    every = questions(
        exam, data, arms, lambda one: one in answered, lambda _arm, _sample: True, run.manifest.options.seed
    )
    return {(q.id, q.prompt): q for q in every}


def _metric(summary: ProtocolSummary) -> str:
    """Return the metric of a sample's score. A headline over a whole group (a macro F1) has no value for a sample."""
    return summary.bounded or summary.headline


def _line(row: SampleRow, asked: Question, images: Sequence[str], summary: ProtocolSummary) -> dict[str, Any]:
    value, right = row.metrics.get(_metric(summary)), row.outcome == Outcome.CORRECT
    silent = row.outcome in NON_ANSWERS
    truths = row.truth if isinstance(row.truth, list | tuple) else [row.truth]
    given = {"raw": asked.text, "reference": list(map(_text, truths))}
    read = {
        "turn_idx": 0,
        "source": "output.raw",
        "extracted_value": _text(row.reading),
        "extraction_method": f"snellen protocol {row.protocol} version {row.version}",
        "is_terminal": True,
    }
    tokens = None  # the schema wants all of them or none
    if row.input_tokens is not None and row.output_tokens is not None:
        total = row.input_tokens + row.output_tokens
        tokens = {"input_tokens": row.input_tokens, "output_tokens": row.output_tokens, "total_tokens": total}
    return {
        "sample_id": row.id,
        "sample_hash": hashlib.sha256(json.dumps(given, sort_keys=True, separators=(",", ":")).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": given | {"choices": list(asked.options) or None},
        "output": {"raw": [row.reply], "reasoning_trace": [row.thinking] if row.thinking else None},
        "messages": None,
        "answer_attribution": [] if silent or row.reading is None else [read],
        "evaluation": {"score": float(value) if isinstance(value, int | float) else float(right), "is_correct": right},
        "token_usage": tokens,
        "performance": {"latency_ms": 1000 * row.latency} if row.latency is not None else None,
        "error": row.failure or (row.outcome if silent else None),
        "metadata": {
            **row.tags,
            **({"repeat": str(row.repeat)} if summary.repeats > 1 else {}),
            "outcome": row.outcome,
            "images_sha256": " ".join(images),
        },
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
