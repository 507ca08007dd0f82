"""`snellen mark`: mark the user's own rows, or mark the stored answers of runs again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import click
import msgspec

from snellen import exams
from snellen.cli import options
from snellen.cli.flags import exam_names, flags
from snellen.core.errors import SnellenError
from snellen.core.extras import rows_of
from snellen.core.outcomes import mark_answer
from snellen.core.types import Answer, Failure
from snellen.engine.remark import MissingAnswers, remark
from snellen.engine.runs.run import open_run
from snellen.present.terminal.run import print_remarked, print_run


@click.command("mark")
@click.argument("what", nargs=-1, required=True, metavar="EXAM | RUNS...", shell_complete=exam_names)
@flags("mark")
def command(what: tuple[str, ...], protocols: tuple[str, ...], source: IO[bytes] | None, as_json: bool) -> int:
    """Mark rows of EXAM under a protocol, or the stored answers of RUNS again. Calls nothing and needs no data set.

    Rows are JSON objects, one a line. A SalBench row is {"id", "split": "P3"|"O3", "answer", "response"}, a grounding row {"id",
    "width", "height", "boxes": [[x1, y1, x2, y2]], "response"} in pixels; of other exams, what is missing is named.
    "finish_reason" and "error" may be added. Out come {"id", "protocol", "outcome", "reading", "metrics"}.

    Of runs, marks and summary are written again, and what changed is printed.

    \b
    echo '{"id": 1, "split": "P3", "answer": "color", "response": "Color."}' |
      snellen mark salbench --protocol robust
    snellen mark runs/salbench_* --protocol paper,robust
    """
    if len(what) > 1 or what[0] not in exams.names():
        if source is not None:
            raise SnellenError(f"--input has rows of an exam, and {what[0]} is not one ('snellen list exams')")
        return _mark_runs([options.run_folder(Path(path), "mark") for path in what], protocols, as_json)
    if as_json:
        raise SnellenError("--json has no effect for rows: each comes out as a line of JSON")
    if len(protocols) != 1:
        raise SnellenError(f"name one protocol with --protocol ('snellen list protocols {what[0]}')")
    _mark_rows(what[0], protocols[0], source or sys.stdin.buffer)
    return 0


def _mark_runs(runs: Sequence[Path], protocols: tuple[str, ...], as_json: bool) -> int:
    documents: list[dict[str, Any]] = []
    refused: SnellenError | None = None
    for path in runs:
        try:
            done = remark(path, protocols)
        except SnellenError as error:
            if not as_json:
                raise
            # the results of the other runs are kept: every run has its document
            refused = refused or error
            lacking = error.lacking if isinstance(error, MissingAnswers) else ()
            facts = [{k: v for k, v in one._asdict().items() if k != "said"} for one in lacking]
            documents.append({"run": str(path), "error": str(error)} | ({"unasked": facts} if facts else {}))
            continue
        run = open_run(path)
        for note in done.notes:
            click.echo(f"note: {note}", err=True)
        if as_json:
            marks = {name: counts[0] for name, counts in done.counts.items()}
            changes = [change._asdict() for change in done.changes]
            documents.append(options.summary_of(run) | {"marks": marks, "changes": changes})
        else:
            print_run(run)
            print_remarked(done)
    if as_json:
        options.print_json(documents)
    if refused is not None:
        raise refused
    return 0


def _mark_rows(exam: str, protocol: str, source: IO[bytes]) -> None:
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
