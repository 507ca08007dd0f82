"""OpenAI's batches: a file of requests is uploaded, a batch is made of it, and a file of results comes out."""

from __future__ import annotations

import secrets
from collections.abc import Generator
from typing import Any
from urllib.parse import quote

import msgspec

from snellen.core.batch import BatchApi, BatchListing, BatchResult, BatchState, BatchStep
from snellen.core.text import one_line
from snellen.subjects.remote import reading

_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


class OpenAIBatches(BatchApi):
    """Batches of requests to one path, such as `/responses`. `base` is the API's path on the host."""

    unworked = (b'"batch_expired"', b'"batch_cancelled"')

    def __init__(self, path: str, base: str = "/v1") -> None:
        self._endpoint, self._base = f"/v1{path}", base

    def entry(self, key: str, body: bytes) -> bytes:
        head = f'{{"custom_id":"{key}","method":"POST","url":"{self._endpoint}","body":'
        return head.encode() + body + b"}"

    def submit(self, payload: bytes, mark: str) -> Generator[BatchStep, bytes, str]:
        edge = f"snellen-{secrets.token_hex(16)}"
        form = (
            f'--{edge}\r\nContent-Disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
            f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{mark}.jsonl"\r\n'
            "Content-Type: application/jsonl\r\n\r\n"
        ).encode()
        body = b"".join([form, payload, f"\r\n--{edge}--\r\n".encode()])
        uploaded = yield BatchStep("POST", f"{self._base}/files", body, f"multipart/form-data; boundary={edge}")
        file = _named(reading.decoded(uploaded), "the uploaded file")
        wish = {
            "input_file_id": file,
            "endpoint": self._endpoint,
            "completion_window": "24h",
            "metadata": {"snellen": mark},
        }
        made = yield BatchStep("POST", f"{self._base}/batches", msgspec.json.encode(wish), makes=True)
        return _named(reading.decoded(made), "the batch")

    def look(self, batch: str) -> BatchStep:
        return BatchStep("GET", f"{self._base}/batches/{quote(batch, safe='')}")

    def state(self, body: bytes) -> BatchState:
        return self._state(reading.decoded(body))

    def _state(self, data: dict[str, Any]) -> BatchState:
        counts = data.get("request_counts")
        done = [reading.whole(reading.part(counts, name)) or 0 for name in ("completed", "failed")]
        files = [data[name] for name in ("output_file_id", "error_file_id") if isinstance(data.get(name), str)]
        status = str(data.get("status"))
        ended = status in _ENDED
        return BatchState(
            id=_named(data, "the batch"),
            ended=ended,
            done=sum(done),
            results=tuple(f"{self._base}/files/{quote(f, safe='')}/content" for f in files if f),
            mark=str(reading.part(data, "metadata", "snellen") or ""),
            failure=_why(data, status) if ended and not files and not done[0] else "",
        )

    def listing(self, after: str = "") -> BatchStep:
        more = f"&after={quote(after, safe='')}" if after else ""
        return BatchStep("GET", f"{self._base}/batches?limit=100{more}")

    def listed(self, body: bytes) -> BatchListing:
        entries, more = reading.listed_page(body)
        states = tuple(map(self._state, entries))
        return BatchListing(states, states[-1].id if states and more else "")

    def cancel(self, batch: str) -> BatchStep:
        return BatchStep("POST", f"{self._base}/batches/{quote(batch, safe='')}/cancel")

    def result(self, line: bytes) -> BatchResult:
        data = reading.decoded(line)
        response, error = data.get("response"), data.get("error")
        if isinstance(response, dict) and type(response.get("status_code")) is int:
            return BatchResult(
                str(data.get("custom_id")), response["status_code"], msgspec.json.encode(response.get("body"))
            )
        if isinstance(error, dict):  # it was never processed: expired, or cancelled
            return BatchResult(str(data.get("custom_id")), 503, msgspec.json.encode({"error": error}))
        raise ValueError("neither a response nor an error in a line of the results")


def _named(data: dict[str, Any], what: str) -> str:
    if not isinstance(data.get("id"), str):
        raise ValueError(f"no id of {what} in the reply")
    return str(data["id"])


def _why(data: dict[str, Any], status: str) -> str:
    errors = reading.part(data, "errors", "data")
    said = [str(e.get("message")) for e in errors if isinstance(e, dict)] if isinstance(errors, list) else []
    return one_line(f"{status}: {said[0]}" if said else status, 200)
