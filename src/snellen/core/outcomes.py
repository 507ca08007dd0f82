"""The outcome of one answer: failures are distinguished from wrong answers here, once for all exams."""

from __future__ import annotations

from snellen.core.errors import SnellenError, plugin_failed
from snellen.core.protocol import Protocol, ReplyContext, Verdict
from snellen.core.reply import ends_in_thought
from snellen.core.scorer import Evidence
from snellen.core.types import Answer, Mark, Outcome, Sample, Token

NO_CREDIT = frozenset({Outcome.REFUSED, Outcome.EMPTY, Outcome.TRUNCATED})
REFUSALS = ("i can't", "i cannot", "i'm sorry", "i am sorry", "i'm unable", "i am unable", "as an ai")


def mark_answer(protocol: Protocol, sample: Sample, answer: Answer, evidence: Evidence | None = None) -> Mark:
    """Return the outcome and metrics of one answer."""
    if answer.failure is not None:
        return Mark(id=sample.id, outcome=Outcome.ERROR, reading=None, metrics=protocol.blank(sample))
    return mark_reply(protocol, sample, answer.text, answer.finish_reason, answer.refused, answer.tokens, evidence)


def mark_reply(
    protocol: Protocol,
    sample: Sample,
    text: str,
    finish_reason: str | None = None,
    refused: bool = False,
    tokens: tuple[Token, ...] = (),
    evidence: Evidence | None = None,
) -> Mark:
    """Mark a reply text, like `mark_answer`."""
    verdict = _judge(protocol, sample, text, finish_reason == "length", tokens, evidence)
    if not verdict.whole and ends_in_thought(text):
        verdict = Verdict(None, False, False, protocol.blank(sample), measured=verdict.measured)
    outcome = _outcome(verdict, text, finish_reason, refused)
    if sample.truth is None and outcome is Outcome.WRONG:
        outcome = Outcome.UNMARKED
    # A blocked or empty reply is not an answer, whatever a lenient reader finds in it. (A text that only begins like a refusal is one if
    # nothing was read.) A reply that was cut off after a readable answer has that answer.
    unread = outcome in NO_CREDIT and verdict.outcome is None
    metrics = protocol.blank(sample) if unread else verdict.metrics
    if verdict.measured:
        metrics = metrics | verdict.measured
    return Mark(id=sample.id, outcome=outcome, reading=verdict.reading, metrics=metrics)


def _judge(
    protocol: Protocol, sample: Sample, text: str, cut: bool, tokens: tuple[Token, ...], evidence: Evidence | None
) -> Verdict:
    try:
        needs = protocol.needs
        context = ReplyContext(cut, tokens if "tokens" in needs else (), evidence if "evidence" in needs else None)
        return protocol.judge(text, sample, context)
    except SnellenError:
        raise
    except Exception as error:
        if not protocol.origin:
            raise
        raise plugin_failed(f"protocol {protocol.name}: judge() on sample {sample.id}", error) from error


def _outcome(verdict: Verdict, text: str, finish_reason: str | None, refused: bool) -> Outcome:
    stripped = text.strip()
    if refused or finish_reason == "content_filter":
        return Outcome.REFUSED
    if not stripped:
        return Outcome.TRUNCATED if finish_reason == "length" else Outcome.EMPTY
    if verdict.correct:
        return Outcome.CORRECT
    if verdict.outcome is not None:
        return verdict.outcome
    if not verdict.readable:
        if finish_reason == "length":
            return Outcome.TRUNCATED
        return Outcome.REFUSED if stripped.lower().startswith(REFUSALS) else Outcome.UNPARSABLE
    return Outcome.WRONG
