"""Replies out of a batch's results: read as if each had come alone, at the price of a batch."""

from __future__ import annotations

import time

from snellen.core.batch import BatchResult
from snellen.core.subject import BrokenReply, Endpoint, Parsed, Price, Reply
from snellen.core.text import one_line
from snellen.core.types import Call, Failure
from snellen.engine.call.caller import GOOD, failure_cost
from snellen.engine.runs.batch_books import BatchedQuestion, BatchEntry


def reply_of(
    endpoint: Endpoint, result: BatchResult, inside: BatchedQuestion, entry: BatchEntry, price: Price | None
) -> Reply:
    """The reply that a result is, with its ledger."""
    parsed = _parsed(endpoint, result, price)
    call = Call(
        key=result.key,
        kind=endpoint.kind,
        endpoint=endpoint.connection.url,
        model=endpoint.model,
        model_returned=parsed.model,
        provider=parsed.provider,
        images=inside.images,
        usage=parsed.usage,
        cost=parsed.cost,
        cost_source=parsed.cost_source,
        tries=1,
        finish_reason=parsed.finish_reason,
        response_id=parsed.response_id,
        left_out=entry.left_out,
        batch=entry.id,
        at=int(time.time()),
        note=parsed.note,
    )
    return Reply(
        call=call,
        text=parsed.text,
        thinking=parsed.thinking,
        failure=parsed.error,
        refused=parsed.refused,
        tokens=parsed.tokens,
    )


def lost_call(endpoint: Endpoint, inside: BatchedQuestion, entry: BatchEntry) -> Call:
    """Return the ledger of a question whose result cannot be read: what it cost is not known."""
    return Call(
        key=inside.key,
        kind=endpoint.kind,
        endpoint=endpoint.connection.url,
        model=endpoint.model,
        images=inside.images,
        tries=1,
        batch=entry.id,
        at=int(time.time()),
    )


def _parsed(endpoint: Endpoint, result: BatchResult, price: Price | None) -> Parsed:
    """What a result says. What was not worked on costs nothing; what was, and cannot be read, nobody knows what."""
    worked_on = result.status in GOOD
    failed = False
    try:
        parsed = endpoint.parse(result.body) if worked_on else endpoint.explain(result.status, result.body)
        failed = parsed.error is not None
    except BrokenReply as broken:
        parsed = broken.bill._replace(error=_broken(str(broken)))
    except Exception as error:
        said = endpoint.connection.key.redact(str(error)) or type(error).__name__
        parsed, failed = Parsed(error=_broken(said)), not worked_on
    parsed = _priced(parsed, price)
    return parsed._replace(cost=failure_cost(result.status, parsed)) if failed else parsed


def _broken(said: str) -> Failure:
    return Failure(kind="broken-reply", reason=f"broken reply: {one_line(said)}")


def _priced(parsed: Parsed, price: Price | None) -> Parsed:
    """What a reply cost in a batch, where its usage and a price tell and not the provider itself."""
    if price is None or parsed.usage.input_tokens is None or parsed.cost_source not in (price.source, None):
        return parsed
    return parsed._replace(cost=price.bill(parsed.usage, in_batch=True), cost_source=f"{price.source}, in a batch")


def goes_on(entry: BatchEntry) -> str:
    """Say that a batch is still at the provider, and how to collect it."""
    if not entry.id:
        return f"whether a batch of {entry.count} questions was handed in is not known; the same command looks for it"
    return (
        f"batch {entry.id} with {entry.count} questions goes on at the provider and is paid there; the same command collects it "
        "(--cancel-batches with Ctrl-C calls it off)"
    )
