"""A model that is easy to fool: a local OpenAI-compatible endpoint whose replies depend on the words of the question.

python easily_fooled.py PORT [SALT]     answers until it is stopped; another salt deals the replies otherwise

The replies are of the kinds that readers disagree about: a bare word, a word with a full stop, a sentence, a list, nothing.
"""

from __future__ import annotations

import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REPLIES = (
    "Color",
    "Orientation",
    "Size",
    "color",
    "Size.",
    "**Orientation**",
    "The object differs in color.",
    "Color, Shape",
    "[Orientation]",
    "It is not the size but the color that differs.",
    "size",
    "",
)


def reply_to(body: dict[str, Any], salt: str) -> str:
    """Return a reply chosen by the question and the pictures; the same request gets the same reply."""
    asked = salt + json.dumps(body.get("messages"), sort_keys=True)
    return REPLIES[int.from_bytes(hashlib.sha256(asked.encode()).digest()[:4], "big") % len(REPLIES)]


class Handler(BaseHTTPRequestHandler):
    """Chat completions and nothing else."""

    salt = ""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = {"role": "assistant", "content": reply_to(body, self.salt)}
        usage = {"prompt_tokens": 800, "completion_tokens": 4, "total_tokens": 804}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        found = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": body.get("model"),
            "choices": [choice],
            "usage": usage,
        }
        raw = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing."""


if __name__ == "__main__":
    Handler.salt = sys.argv[2] if len(sys.argv) > 2 else ""
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
