"""One sample of a run, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from snellen.core.results import ProtocolSummary
from snellen.core.text import for_terminal, one_line
from snellen.core.types import Call, Mark
from snellen.engine.runs.run import Run
from snellen.importers.record import samples_of
from snellen.present.model import formatting
from snellen.present.model.formatting import plain
from snellen.present.model.sample_view import SampleQuestion, SampleView
from snellen.present.terminal.tables import console, say, show_rows

LONG, SHORT = 2000, 300
METRICS = 6


def print_sample(run: Run, facts: SampleView) -> None:
    """Print tags and truth, then for each question the prompt, the reply, the reading, the mark and the cost."""
    sample = facts.sample
    synthetic = " · SYNTHETIC" * run.manifest.data.synthetic
    tags = ", ".join(f"{k} {v}" for k, v in sample.tags.items())
    _heading(f"{sample.id} · {formatting.title(run.manifest)}{synthetic}")
    _fact("tags", tags)
    _fact("truth", plain(sample.truth))
    _print_imported(run, sample.id)
    summaries = {p.protocol: p for p in run.summary.protocols} if run.folder.has("summary.json") else {}
    for one in facts.asked:
        say("")
        _heading(f"Asked with '{one.prompt}'")
        _print_question(one)
        _print_answer(one)
        _print_marks(one, summaries)
    if not facts.asked:
        say("It was not asked yet.")
    say(f"Next: snellen show {run.path} --flips", soft_wrap=True)


def _print_imported(run: Run, name: str) -> None:
    """Print what the tool recorded for an imported answer, and its question if it differs from our prompt."""
    for theirs in samples_of(run.folder, name) if run.manifest.imported else ():
        verdict = "undecided" if theirs.right is None else "right" if theirs.right else "wrong"
        scores = ", ".join(f"{k} {v:g}" for k, v in theirs.scores.items())
        time = f", asked again ({theirs.repeat})" if theirs.repeat > 1 else ""
        _fact(str(run.manifest.imported.get("tool")), f"{verdict} ({scores or 'no score'}), {theirs.row}{time}")
        _fact("as the log has the question", theirs.asked or "", LONG)


def _heading(text: str) -> None:
    say(text, "bold", soft_wrap=True)


def _fact(name: str, value: str, limit: int = SHORT) -> None:
    """Print 'truth: color', or nothing without a value. Further lines are indented, so a reply cannot imitate one of our lines."""
    if value:
        line = Text(f"{name}: ", style="cyan")
        line.append(for_terminal(value, limit).replace("\n", "\n  "), style="default")
        console().print(line)


def _print_question(one: SampleQuestion) -> None:
    question = one.question
    if isinstance(question, str):
        say(f"question: not available: {question}", "yellow")
        return
    pictures = ", ".join(f"{p.name or 'without a name'}{_done(p.transforms)}" for p in question.pictures)
    for name, value in (
        ("system", question.system or ""),
        ("question", question.text),
        ("options", ", ".join(question.options)),
        ("pictures", pictures or "none"),
        ("examples", ", ".join(question.shots)),
    ):
        _fact(name, value, LONG)


def _print_answer(one: SampleQuestion) -> None:
    answer = one.answer
    if answer is None:
        return
    if answer.failure is not None:
        say(f"failed: {one_line(f'{answer.failure.kind}: {answer.failure.reason}', SHORT)}", "red")
    else:
        _fact("reply", answer.text or "(empty)", LONG)
    if answer.thinking:
        _fact(f"thinking, {len(answer.thinking):,} characters", one_line(answer.thinking, SHORT))
    ended = [f"ended by {answer.finish_reason}"] if answer.finish_reason not in (None, "stop") else []
    _fact("note", ", ".join(ended + ["refused"] * answer.refused))
    for number, call in enumerate(answer.calls, 1):
        which = f"call {number}" if len(answer.calls) > 1 else "call"
        _fact(which, "; ".join(_ledger(call)), LONG)


def _ledger(call: Call) -> Iterator[str]:
    """Yield the ledger's facts on one call."""
    returned = f", which called itself {call.model_returned}" if call.model_returned not in (None, call.model) else ""
    yield f"{call.kind}/{call.model}{returned}" + (f" by {call.provider}" if call.provider else "")
    usage = call.usage
    if usage.input_tokens is not None or usage.output_tokens is not None:
        thought = f" ({usage.reasoning_tokens:,} thinking)" if usage.reasoning_tokens else ""
        yield f"{usage.input_tokens or 0:,} + {usage.output_tokens or 0:,} tokens{thought}"
    yield "cost unknown" if call.cost is None else f"{call.cost:.6f} USD"
    if call.latency is not None:
        yield f"{call.latency:.2f} s"
    if call.tries > 1:
        yield f"{call.tries} tries"
    if call.stored:
        yield "from the store"
    if call.images:
        yield "sent " + ", ".join(f"{i.codec} {i.width} x {i.height}{_done(i.transforms)}" for i in call.images)
    if call.request_id or call.response_id:
        yield f"request {call.request_id or call.response_id}"
    if call.batch:
        yield f"batch {call.batch}"
    if call.left_out:
        yield f"left out: {', '.join(call.left_out)}"
    if call.note:
        yield call.note


def _done(transforms: tuple[str, ...]) -> str:
    return f" ({', '.join(transforms)})" if transforms else ""


def _print_marks(one: SampleQuestion, summaries: dict[str, ProtocolSummary]) -> None:
    """Print a row for each set of protocols with the same mark."""
    if not one.marks:
        say("no marks")
        return
    rows = ((name, _row(mark, summaries.get(name))) for name, mark in one.marks.items())
    cells = [[one_line(text, SHORT) for text in (str(names), *row)] for names, row in formatting.together(rows)]
    show_rows("protocol", "outcome", "read", "metrics", kept=("outcome",), rows=cells)


def _row(mark: Mark, summary: ProtocolSummary | None) -> tuple[str, str, str]:
    values = [
        f"{formatting.metric_name(summary, k)} {formatting.sample_value(summary, k, v)}"
        for k, v in mark.metrics.items()
    ]
    more = f" and {len(values) - METRICS} more" if len(values) > METRICS else ""
    return mark.outcome.value, plain(mark.reading), ", ".join(values[:METRICS]) + more
