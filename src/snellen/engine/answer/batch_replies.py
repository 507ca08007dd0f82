"""Replies out of a batch's results: read as if each had come alone, at the price of a batch."""

from __future__ import annotations

from functools import partial

from snellen.core.batch import BatchResult
from snellen.core.subject import Endpoint, Parsed, Price, Reply
from snellen.core.types import Call
from snellen.engine.call.caller import ledger, reply_from, understood
from snellen.engine.runs.batch_books import BatchedQuestion, BatchEntry


def reply_of(
    endpoint: Endpoint, result: BatchResult, inside: BatchedQuestion, entry: BatchEntry, price: Price | None
) -> Reply:
    """Return the reply that a result is, with its ledger."""
    parsed = understood(endpoint, result.status, result.body, partial(_priced, price))
    more = {"tries": 1, "left_out": entry.left_out, "batch": entry.id}
    return reply_from(ledger(endpoint, result.key, inside.images, parsed, **more), parsed)


def lost_call(endpoint: Endpoint, inside: BatchedQuestion, entry: BatchEntry) -> Call:
    """Return the ledger of a question whose result cannot be read: what it cost is not known."""
    return ledger(endpoint, inside.key, inside.images, Parsed(), tries=1, batch=entry.id)


def _priced(price: Price | None, parsed: Parsed) -> Parsed:
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
