"""A stand-in for vLLM and SGLang, which cannot be installed where tests run: their command lines, /health and the chat API.

It writes its arguments and its end to the file that STAND_IN_LOG names. STAND_IN_FAILS makes it end before it is ready.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BEGIN = time.monotonic()


def note(word: str) -> None:
    with Path(os.environ["STAND_IN_LOG"]).open("a") as file:
        file.write(f"{word}\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args: object) -> None:
        pass

    def reply(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        if self.path == "/health":
            self.reply(200 if time.monotonic() - BEGIN > 0.7 else 503, {})
        else:
            self.reply(200, {"data": [{"id": model()}]})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        time.sleep(float(os.environ.get("STAND_IN_DELAY", "0")))
        if "STAND_IN_DIES" in os.environ:
            print("CUDA error: an illegal memory access", flush=True)
            os._exit(7)
        message = {"role": "assistant", "content": "Color"}
        self.reply(200, {"model": model(), "choices": [{"message": message, "finish_reason": "stop"}], "usage": {}})


def model() -> str:
    words = sys.argv[1:]
    return words[words.index("--model-path") + 1] if "--model-path" in words else words[1]


def ended(*_args: object) -> None:
    note("ended")
    os._exit(0)


def main() -> None:
    note(" ".join(sys.argv[1:]))
    print("loading", os.environ.get("VLLM_API_KEY", "no key"), flush=True)
    if "STAND_IN_FAILS" in os.environ:
        print("ValueError: no GPU was found", flush=True)
        sys.exit(1)
    signal.signal(signal.SIGTERM, ended)
    port = int(sys.argv[sys.argv.index("--port") + 1])
    host = sys.argv[sys.argv.index("--host") + 1]
    ThreadingHTTPServer((host, port), Handler).serve_forever()


if __name__ == "__main__":
    main()
