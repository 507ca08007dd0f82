"""Batches as OpenAI and Anthropic take them, on 127.0.0.1: counts paid requests, and can end the client at any exchange."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

Responder = Callable[[dict[str, Any]], tuple[int, dict[str, Any]]]


class BatchServer:
    """A batch server. `respond` answers one request's body as the plain endpoint would. A batch ends after `looks` status requests.

    `kill_at` names the exchange at which the process `victim` is killed: before or after the provider acted on it.
    """

    def __init__(self, respond: Responder, *, looks: int = 2, page: int = 100) -> None:
        self.respond, self.looks, self.page = respond, looks, page
        self.kill_at, self.victim = "", 0
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.results: dict[str, list[dict[str, Any]]] = {}
        self.seen: Counter[str] = Counter()
        self.cancelled: list[str] = []
        self.direct = 0
        self.fail_once: dict[str, int] = {}
        """Exchanges that fail once with a status, before the provider acts on them."""
        self.spoil_once: dict[str, tuple[int, bytes]] = {}
        """Exchanges that get another answer once, after the provider acted on them."""
        self.drop_once: set[str] = set()
        """Exchanges after which the connection closes once without an answer, though the provider acted on them."""
        self.skew = 0
        """Seconds by which the provider's clock is behind ours."""
        self.lag = 0
        """The number of list requests that do not yet show a new batch."""
        self.hold: dict[str, threading.Event] = {}
        """Exchanges that are not answered until their event is set."""

    def __enter__(self) -> BatchServer:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._exchange(self, "GET")

            def do_POST(self) -> None:
                outer._exchange(self, "POST")

            def log_message(self, *_args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(10)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def _exchange(self, handler: BaseHTTPRequestHandler, method: str) -> None:
        body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        path, _, self.query = handler.path.partition("?")
        name, act = self._route(method, path, body, handler.headers.get("content-type") or "")
        self.seen[name] += 1
        if self.kill_at == f"before {name}":
            return self._kill(handler)
        if self.fail_once.get(name):
            status = self.fail_once.pop(name)
            return self._send(handler, status, b'{"error": {"message": "busy"}}')
        if name in self.hold:
            self.hold[name].wait(60)
        status, said = act()
        status, said = self.spoil_once.pop(name, (status, said))
        if self.kill_at == f"after {name}":
            return self._kill(handler)
        if name in self.drop_once:
            self.drop_once.remove(name)
            handler.close_connection = True
            return None
        self._send(handler, status, said)
        if self.kill_at == f"answered {name}":
            self._kill(handler)
        return None

    def _kill(self, handler: BaseHTTPRequestHandler) -> None:
        self.kill_at = ""
        os.kill(self.victim, signal.SIGKILL)
        handler.close_connection = True

    def _send(self, handler: BaseHTTPRequestHandler, status: int, body: bytes) -> None:
        handler.send_response(status)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        try:
            handler.wfile.write(body)
        except OSError:
            handler.close_connection = True

    def _route(self, method: str, path: str, body: bytes, kind: str) -> tuple[str, Callable[[], tuple[int, bytes]]]:
        raise AssertionError(path)

    def _page(self, newest_first: list[dict[str, Any]], after: str) -> tuple[int, bytes]:
        """Return a page of the list of batches, behind the one that the query names."""
        begin = parse_qs(self.query).get(after, [""])[0]
        if newest_first and self.lag:
            self.lag, newest_first = self.lag - 1, newest_first[1:]
        ids = [b["id"] for b in newest_first]
        at = ids.index(begin) + 1 if begin else 0
        found = newest_first[at : at + self.page]
        more = at + self.page < len(newest_first)
        last = found[-1]["id"] if found else None
        return _ok({"object": "list", "data": found, "has_more": more, "last_id": last})

    def paid(self) -> list[str]:
        """Return the keys of all processed requests in batches."""
        return [line["custom_id"] for lines in self.results.values() for line in lines]


def _ok(data: Any) -> tuple[int, bytes]:
    return 200, json.dumps(data).encode()


def _lines(lines: list[dict[str, Any]]) -> tuple[int, bytes]:
    return 200, b"".join(json.dumps(line).encode() + b"\n" for line in lines)


class OpenAIBatchServer(BatchServer):
    """/v1/files and /v1/batches."""

    def _route(self, method: str, path: str, body: bytes, kind: str) -> tuple[str, Callable[[], tuple[int, bytes]]]:
        parts = path.strip("/").split("/")[1:]
        if method == "POST" and parts == ["files"]:
            return "upload", lambda: self._upload(body, kind)
        if method == "POST" and parts == ["batches"]:
            return "create", lambda: self._create(json.loads(body))
        if method == "POST" and parts[0] == "batches":
            return "cancel", lambda: self._cancel(parts[1])
        if parts == ["batches"]:
            newest_first = [self._shown(name) for name in reversed(self.batches)]
            return "list", lambda: self._page(newest_first, "after")
        if parts[0] == "batches":
            return "look", lambda: self._look(parts[1])
        if parts[0] == "files":
            return "results", lambda: (200, self.files[parts[1]])
        if method == "POST":
            return "direct", lambda: self._direct(body)
        return "models", lambda: _ok({"data": []})

    def _direct(self, body: bytes) -> tuple[int, bytes]:
        self.direct += 1
        status, said = self.respond(json.loads(body))
        return status, json.dumps(said).encode()

    def _upload(self, body: bytes, kind: str) -> tuple[int, bytes]:
        edge = b"--" + kind.partition("boundary=")[2].encode()
        fields = {}
        for piece in body.split(edge)[1:-1]:
            head, _, content = piece.partition(b"\r\n\r\n")
            fields[head.partition(b'name="')[2].partition(b'"')[0]] = content.removesuffix(b"\r\n")
        assert fields[b"purpose"] == b"batch"
        name = f"file-{len(self.files)}"
        self.files[name] = fields[b"file"]
        return _ok(
            {
                "id": name,
                "object": "file",
                "bytes": len(fields[b"file"]),
                "created_at": 1,
                "filename": "x",
                "purpose": "batch",
                "status": "processed",
            }
        )

    def _create(self, wish: dict[str, Any]) -> tuple[int, bytes]:
        assert wish["completion_window"] == "24h"
        requests = [json.loads(line) for line in self.files[wish["input_file_id"]].splitlines() if line.strip()]
        assert all(r["url"] == wish["endpoint"] and r["method"] == "POST" for r in requests)
        number = f"batch_{len(self.batches)}"
        good: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        keys = [r["custom_id"] for r in requests]
        twice = len(keys) != len(set(keys))
        requests = [] if twice else requests
        for r in requests:
            status, body = self.respond(r["body"])
            line = {
                "id": f"batch_req_{r['custom_id'][:8]}",
                "custom_id": r["custom_id"],
                "response": {"status_code": status, "request_id": "req", "body": body},
                "error": None,
            }
            (good if status == 200 else bad).append(line)
        self.results[number] = good
        self.batches[number] = {
            "id": number,
            "object": "batch",
            "endpoint": wish["endpoint"],
            "input_file_id": wish["input_file_id"],
            "completion_window": "24h",
            "status": "failed" if twice else "in_progress",
            "errors": {"object": "list", "data": [{"message": "The custom_id is a duplicate."}]} if twice else None,
            "created_at": int(datetime.now(UTC).timestamp()) - self.skew,
            "metadata": wish.get("metadata"),
            "request_counts": {"total": len(requests), "completed": 0, "failed": 0},
            "_looks": self.looks,
            "_files": (good, bad),
        }
        return _ok(self._shown(number))

    def _shown(self, number: str) -> dict[str, Any]:
        return {k: v for k, v in self.batches[number].items() if not k.startswith("_")}

    def _look(self, number: str) -> tuple[int, bytes]:
        batch = self.batches[number]
        batch["_looks"] -= 1
        if batch["_looks"] <= 0 and batch["status"] == "in_progress":
            batch["status"] = "completed"
            for name, lines in zip(("output_file_id", "error_file_id"), batch["_files"], strict=True):
                if lines:
                    batch[name] = f"{number}-{name}"
                    self.files[batch[name]] = _lines(lines)[1]
            batch["request_counts"] |= {"completed": len(batch["_files"][0]), "failed": len(batch["_files"][1])}
        return _ok(self._shown(number))

    def _cancel(self, number: str) -> tuple[int, bytes]:
        self.cancelled.append(number)
        self.batches[number]["status"] = "cancelling"
        return _ok(self._shown(number))


class AnthropicBatchServer(BatchServer):
    """/v1/messages/batches."""

    def _route(self, method: str, path: str, body: bytes, kind: str) -> tuple[str, Callable[[], tuple[int, bytes]]]:
        parts = path.strip("/").split("/")[1:]
        if method == "POST" and parts == ["messages", "batches"]:
            return "create", lambda: self._create(json.loads(body))
        if method == "POST" and parts[-1] == "cancel":
            return "cancel", lambda: self._cancel(parts[2])
        if parts == ["messages", "batches"]:
            newest_first = [self._shown(name) for name in reversed(self.batches)]
            return "list", lambda: self._page(newest_first, "after_id")
        if parts[:2] == ["messages", "batches"] and parts[-1] == "results":
            return "results", lambda: _lines(self.results[parts[2]])
        if parts[:2] == ["messages", "batches"]:
            return "look", lambda: self._look(parts[2])
        if method == "POST":
            return "direct", lambda: self._direct(body)
        return "models", lambda: _ok({"data": []})

    def _now(self) -> str:
        return (datetime.now(UTC) - timedelta(seconds=self.skew)).isoformat()

    def _direct(self, body: bytes) -> tuple[int, bytes]:
        self.direct += 1
        status, said = self.respond(json.loads(body))
        return status, json.dumps(said).encode()

    def _create(self, wish: dict[str, Any]) -> tuple[int, bytes]:
        number = f"msgbatch_{len(self.batches)}"
        keys = [r["custom_id"] for r in wish["requests"]]
        if len(keys) != len(set(keys)):
            said = {"type": "invalid_request_error", "message": "requests: custom_id must be unique"}
            return 400, json.dumps({"type": "error", "error": said}).encode()
        lines = []
        for request in wish["requests"]:
            status, body = self.respond(request["params"])
            result = {"type": "succeeded", "message": body} if status == 200 else {"type": "errored", "error": body}
            lines.append({"custom_id": request["custom_id"], "result": result})
        self.results[number] = lines
        self.batches[number] = {"looks": self.looks, "created": self._now(), "ended": False}
        return _ok(self._shown(number))

    def _shown(self, number: str) -> dict[str, Any]:
        batch, count = self.batches[number], len(self.results[number])
        good = sum(line["result"]["type"] == "succeeded" for line in self.results[number])
        ended = batch["ended"]
        return {
            "id": number,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": {
                "processing": 0 if ended else count,
                "succeeded": good if ended else 0,
                "errored": count - good if ended else 0,
                "canceled": 0,
                "expired": 0,
            },
            "created_at": batch["created"],
            "expires_at": batch["created"],
            "ended_at": batch["created"] if ended else None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{self.origin}/v1/messages/batches/{number}/results" if ended else None,
        }

    def _look(self, number: str) -> tuple[int, bytes]:
        batch = self.batches[number]
        batch["looks"] -= 1
        batch["ended"] = batch["ended"] or batch["looks"] <= 0
        return _ok(self._shown(number))

    def _cancel(self, number: str) -> tuple[int, bytes]:
        self.cancelled.append(number)
        return _ok(self._shown(number))
