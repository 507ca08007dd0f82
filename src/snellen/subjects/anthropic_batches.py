"""Anthropic's message batches: the requests are the body, and the results are lines at an address of their own."""

from __future__ import annotations

from collections.abc import Generator
from urllib.parse import quote

import msgspec

from snellen.core.batch import BatchApi, BatchResult, BatchState, BatchStep
from snellen.subjects.remote import reading

STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The statuses of Anthropic's errors, for errors that come inside something else."""


class AnthropicBatches(BatchApi):
    """Batches of messages. They have no name of their own, so a batch whose id was lost is not looked for."""

    most = 100_000
    opening, between, closing = b'{"requests":[', b",", b"]}"

    def __init__(self, base: str = "/v1/messages/batches") -> None:
        self._base = base

    def entry(self, key: str, body: bytes) -> bytes:
        return f'{{"custom_id":"{key}","params":'.encode() + body + b"}"

    def submit(self, payload: bytes, mark: str) -> Generator[BatchStep, bytes, str]:
        made = yield BatchStep("POST", self._base, payload, makes=True)
        return self.state(made).id

    def look(self, batch: str) -> BatchStep:
        return BatchStep("GET", f"{self._base}/{quote(batch, safe='')}")

    def state(self, body: bytes) -> BatchState:
        data = reading.decoded(body)
        if not isinstance(data.get("id"), str):
            raise ValueError("no id of the batch in the reply")
        counts = data.get("request_counts")
        numbers = {k: reading.whole(v) or 0 for k, v in counts.items()} if isinstance(counts, dict) else {}
        ended = data.get("processing_status") == "ended"
        # answered requests are paid for, even if no address is given any more, as for a batch that is too old
        results = ended and bool(data.get("results_url") or numbers.get("succeeded"))
        return BatchState(
            id=data["id"],
            ended=ended,
            done=sum(numbers.values()) - numbers.get("processing", 0),
            # not the address that the batch names: behind a gateway it is on another host, which must not get the key
            results=(f"{self._base}/{quote(data['id'], safe='')}/results",) if results else (),
            failure="it ended without results" if ended and not results else "",
        )

    def cancel(self, batch: str) -> BatchStep:
        return BatchStep("POST", f"{self._base}/{quote(batch, safe='')}/cancel")

    def result(self, line: bytes) -> BatchResult:
        data = reading.decoded(line)
        key, result = str(data.get("custom_id")), data.get("result")
        kind = reading.part(result, "type")
        if kind == "succeeded":
            return BatchResult(key, 200, msgspec.json.encode(reading.part(result, "message")))
        if kind == "errored":
            error = reading.part(result, "error")
            status = STATUS.get(str(reading.part(error, "error", "type")), 400)
            return BatchResult(key, status, msgspec.json.encode(error))
        if kind in ("expired", "canceled"):
            return BatchResult(key, 503, msgspec.json.encode({"error": {"message": f"the request {kind}"}}))
        raise ValueError("no result in a line of the results")
