"""Only OmniParser counts as OmniParser, not whatever answers on its port."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from tests.support.omniparser import OmniParserServer

from snellen.methods.kind import KIND


class Other(BaseHTTPRequestHandler):
    """A server of something else: it knows one page."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/probe/" and self.server.server_name == "kind" else 404)
        self.send_header("Content-Length", "13")
        self.end_headers()
        self.wfile.write(b"<p>Hello.</p>")

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@pytest.fixture(params=["unknown", "kind"])
def other(request: pytest.FixtureRequest) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        server.server_name = request.param
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def needs(name: str) -> str:
    return str(next(row["needs"] for row in KIND.catalogue() if row["name"] == name))


def test_another_server_is_not_omniparser(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVAL_OMNIPARSER_URL", other)
    monkeypatch.setenv("EVAL_UITARS_URL", f"{other}/v1")
    assert "(there)" not in needs("omniparser")
    assert "it is not OmniParser: status" in needs("omniparser")
    assert "it is not a model server: status 404" in needs("uitars")


def test_omniparser_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVAL_UITARS_URL", "http://127.0.0.1:9/v1")
    with OmniParserServer(lambda _image: []) as server:
        monkeypatch.setenv("EVAL_OMNIPARSER_URL", server.url)
        assert f"a server at {server.url} (there)" in needs("omniparser")
