"""`snellen mark`: mark rows that the user already has."""

from __future__ import annotations

import sys
from typing import IO, Any

import click
import msgspec

from snellen import exams
from snellen.cli.flags import exam_argument, flags
from snellen.core.errors import SnellenError
from snellen.core.extras import rows_of
from snellen.core.outcomes import mark_answer
from snellen.core.types import Answer, Failure


@click.command("mark")
@exam_argument
@flags("mark")
def command(exam: str, protocol: str, source: IO[bytes]) -> int:
    """Mark rows under a protocol: one JSON object a line in and out, no data set needed.

    A SalBench row is {"id", "split": "P3"|"O3", "answer", "response"}, a grounding row {"id", "width", "height", "boxes":
    [[x1, y1, x2, y2]], "response"} in pixels; of other exams, what is missing is named. "finish_reason" and "error" may be
    added. Out come {"id", "protocol", "outcome", "reading", "metrics"}.

    \b
    echo '{"id": 1, "split": "P3", "answer": "color", "response": "Color."}' |
      snellen mark salbench --protocol robust
    """
    found = exams.load(exam)
    chosen, _arm = found.protocol(protocol)
    out = sys.stdout.buffer
    name = getattr(source, "name", "input")
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line, type=dict[str, Any])
            out.write(msgspec.json.encode(_mark(found, chosen, row)) + b"\n")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise SnellenError(f"{name} line {number}: not a JSON object ({error})") from None
        except SnellenError as error:
            raise SnellenError(f"{name} line {number}: {error}") from None
    out.flush()
    return 0


def _mark(exam: Any, protocol: Any, row: dict[str, Any]) -> dict[str, Any]:
    if "id" not in row:
        raise SnellenError('field "id" is missing')
    form = rows_of(exam)
    error, response = row.get("error"), form.reply(row)
    if response is None and "response" not in row and not error:
        raise SnellenError('field "response" (the reply, a text) is missing')
    if response is not None and not isinstance(response, str):
        raise SnellenError(f'field "response" must be a text or null, not {type(response).__name__}')
    sample = form.sample(row)
    answer = Answer(
        id=sample.id,
        prompt="",
        text=response if isinstance(response, str) else "",
        failure=Failure(kind="given", reason=str(error)) if error else None,
        finish_reason=row.get("finish_reason") if isinstance(row.get("finish_reason"), str) else None,
    )
    mark = mark_answer(protocol, sample, answer, form.evidence(row))
    return {
        "id": row["id"],
        "protocol": protocol.name,
        "outcome": mark.outcome,
        "reading": mark.reading,
        "metrics": mark.metrics,
    }
