"""The lines of a record of Every Eval Ever: each sample under each protocol, with what was asked, said, read and scored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container, Iterator, Sequence
from typing import Any

import msgspec

from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.results import ProtocolSummary
from snellen.core.types import NON_ANSWERS, Answer, Mark, Outcome, Question, Sample
from snellen.engine.ask.questions import questions
from snellen.engine.runs.data_again import unchanged
from snellen.engine.runs.folder import Scan
from snellen.engine.runs.run import Run
from snellen.engine.runs.tidy import ScoreRow
from snellen.present.files.portable import exam_of, part_id

Questions = dict[tuple[str, str], Question]


def instances(run: Run, rows: Sequence[ScoreRow], evaluation: str, model: str, schema: str) -> Iterator[bytes]:
    """Yield one line for each answer and protocol that `rows` are of. The data set has to be there: a line says what was asked.

    A sample has several lines where its question was asked several times.
    """
    exam = exam_of(run)
    wanted = {r.protocol for r in rows}
    protocols = [p for p in run.protocols if p.protocol in wanted]
    scan = run.folder.scan()
    asked = _asked(run, exam, protocols, scan.last)
    samples = {s.id: s for s in run.samples()}
    names = {"schema_version": schema, "evaluation_id": evaluation, "model_id": model}
    for summary in protocols:
        protocol, _arm = exam.protocol(summary.protocol)
        own = {tuple(r.by.items()): r for r in rows if r.protocol == summary.protocol and r.metric == _metric(summary)}
        for answer, mark in _answered(run, scan, summary):
            sample = samples[answer.id]
            row = next((own[key] for key in map(tuple, protocol.groups(sample)) if key in own), None)
            part = {"evaluation_name": f"{exam.name}.{summary.protocol}"}
            if row is not None:
                part = {"evaluation_name": part_id(row), "evaluation_result_id": f"{part_id(row)}.{row.metric}"}
            line = _line(sample, asked[sample.id, summary.prompt], answer, mark, summary)
            yield json.dumps(names | part | line, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _answered(run: Run, scan: Scan, summary: ProtocolSummary) -> Iterator[tuple[Answer, Mark]]:
    """Yield every answer with its mark, each time that questions were asked."""
    for arm in Arm.parse(summary.prompt).times(summary.repeats):
        marks = {m.id: m for m in run.marks(summary.protocol, arm.repeat)}
        for answer in run.folder.answers(scan, [(i, arm.text) for i in marks]):
            yield answer, marks[answer.id]


def _asked(
    run: Run, exam: Exam, protocols: Sequence[ProtocolSummary], answered: Container[tuple[str, str]]
) -> Questions:
    arms = [Arm.parse(prompt) for prompt in dict.fromkeys(p.prompt for p in protocols)]
    try:
        data = unchanged(run.folder, exam)
    except SnellenError as error:
        raise SnellenError(f"{run.path}: samples say what was asked, and {error}") from None
    every = questions(
        exam, data, arms, lambda one: one in answered, lambda _arm, _sample: True, run.manifest.options.seed
    )
    return {(q.id, q.prompt): q for q in every}


def _metric(summary: ProtocolSummary) -> str:
    """Return the metric that a sample's score is of: a headline over a whole group (a macro F1) has no sample's value."""
    return summary.bounded or summary.headline


def _line(sample: Sample, asked: Question, answer: Answer, mark: Mark, summary: ProtocolSummary) -> dict[str, Any]:
    value = mark.metrics.get(_metric(summary))
    right = mark.outcome == Outcome.CORRECT
    given = {"raw": asked.text, "reference": _references(sample.truth)}
    failure = f"{answer.failure.kind}: {answer.failure.reason}" if answer.failure is not None else None
    return {
        "sample_id": sample.id,
        "sample_hash": hashlib.sha256(json.dumps(given, sort_keys=True, separators=(",", ":")).encode()).hexdigest(),
        "interaction_type": "single_turn",
        "input": given | {"choices": list(asked.options) or None},
        "output": {"raw": [answer.text], "reasoning_trace": [answer.thinking] if answer.thinking else None},
        "messages": None,
        "answer_attribution": _attribution(mark, summary),
        "evaluation": {"score": float(value) if isinstance(value, int | float) else float(right), "is_correct": right},
        "token_usage": _tokens(answer),
        "performance": _performance(answer),
        "error": failure or (str(mark.outcome) if mark.outcome in NON_ANSWERS else None),
        "metadata": {
            **sample.tags,
            **({"repeat": str(Arm.parse(answer.prompt).repeat)} if summary.repeats > 1 else {}),
            "outcome": str(mark.outcome),
            "images_sha256": " ".join(i.sha256 for call in answer.calls[:1] for i in call.images),
        },
    }


def _references(truth: Any) -> list[str]:
    return list(map(_text, truth if isinstance(truth, list | tuple) else [truth]))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _attribution(mark: Mark, summary: ProtocolSummary) -> list[dict[str, Any]]:
    """Return what was read out of the reply; nothing where it could not be read."""
    if mark.outcome in NON_ANSWERS or mark.reading is None:
        return []
    return [
        {
            "turn_idx": 0,
            "source": "output.raw",
            "extracted_value": _text(mark.reading),
            "extraction_method": f"snellen protocol {summary.protocol} version {summary.version}",
            "is_terminal": True,
        }
    ]


def _tokens(answer: Answer) -> dict[str, int] | None:
    """Return the tokens of all calls; nothing where one of them does not say, since the schema wants all or none."""
    used = [call.usage for call in answer.calls]
    given, made = [u.input_tokens for u in used], [u.output_tokens for u in used]
    if not used or None in given or None in made:
        return None
    total, replied = sum(n or 0 for n in given), sum(n or 0 for n in made)
    return {"input_tokens": total, "output_tokens": replied, "total_tokens": total + replied}


def _performance(answer: Answer) -> dict[str, float] | None:
    times = [call.latency for call in answer.calls]
    return {"latency_ms": 1000 * sum(t or 0.0 for t in times)} if times and None not in times else None
