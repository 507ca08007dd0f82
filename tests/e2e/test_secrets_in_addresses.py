"""Logins in addresses, and keys that a server repeats, reach no file, page or terminal."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import snellen
from tests.support.endpoint import Endpoint, completion
from tests.support.remote import base_address
from tests.support.sets import write_set

from snellen.cli.main import app
from snellen.core.errors import SnellenError
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.core.secret import redact_all
from snellen.engine.plan.plan import Plan, make_plan
from snellen.engine.plan.request import RunRequest
from snellen.engine.run import run_plan
from snellen.engine.runs.folder import RunFolder
from snellen.exams.grounding.exam import EXAM as GROUNDING
from snellen.methods.wire_omniparser import OmniParserEndpoint

PASSWORD = "hunter2secret"
KEY = "sk-canary-0123456789abcdef"
ADDRESSES = [
    f"http://user:{PASSWORD}@127.0.0.1:9",
    f"http://{PASSWORD}@127.0.0.1:9/parse/",
    f"user:{PASSWORD}@127.0.0.1:9",
    f"http://127.0.0.1:9/?token={PASSWORD}",
]


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("build", [OmniParserEndpoint, lambda address: base_address("api", address)])
def test_an_address_with_a_login_is_refused_and_not_repeated(build: Any, address: str) -> None:
    with pytest.raises(SnellenError, match="must hold no user name") as caught:
        build(address)
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize("given", ["option", "variable"])
def test_a_method_does_not_keep_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    maker_of(GROUNDING).make(tmp_path / "set", count=1, seed=1, workers=1, progress=None)
    monkeypatch.chdir(tmp_path)
    options: dict[str, Any] = {}
    if given == "option":
        options["omniparser_url"] = ADDRESSES[0]
    else:
        monkeypatch.setenv("EVAL_OMNIPARSER_URL", ADDRESSES[0])
    request = RunRequest("grounding", "method/omniparser", tmp_path / "set", options=options, out=tmp_path / "runs")
    with pytest.raises(SnellenError, match="must hold no user name") as caught:
        make_plan(request)
    assert PASSWORD not in str(caught.value)
    assert not (tmp_path / "runs").exists()


class Forbidding(BaseHTTPRequestHandler):
    """A hub that refuses everything; the hub's library then names the whole address."""

    def do_GET(self) -> None:
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_args: Any) -> None:
        """Quiet."""


def test_the_hubs_address_is_shown_without_its_login(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Forbidding) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        hub = f"http://user:{PASSWORD}@127.0.0.1:{server.server_port}"
        done = snellen(
            *("data", "get", "salbench", "--out", tmp_path / "set"),
            cache=tmp_path / "cache",
            HF_ENDPOINT=hub,
            HF_HUB_OFFLINE="0",
        )
        server.shutdown()
    assert done.returncode == 2
    assert f"[login]@127.0.0.1:{server.server_port}" in done.stderr
    assert PASSWORD not in done.stdout + done.stderr
    assert PASSWORD not in redact_all(f"unexpected: cannot reach {hub}/api")


# ---------------------------------------------------------------- a server that repeats the key


def run(tmp_path: Path, endpoint: Endpoint) -> Plan:
    options = {"base_url": endpoint.url, "api_key": KEY, "logprobs": 2}
    request = RunRequest("salbench", "vllm/m", tmp_path / "set", ("paper",), options=options, selection=Selection())
    plan = make_plan(request._replace(out=tmp_path / "runs"))
    finished = run_plan(plan)
    assert finished.stopped is None
    assert any("repeated the API key" in note for note in finished.notes) == (endpoint.script is not None)
    return plan


def nowhere(tmp_path: Path) -> None:
    """The key is in no file but the data's."""
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file


def test_in_the_model_list(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 4)
    listed = {"id": "m", "owned_by": f"Bearer {KEY}", "root": {"key": KEY}, "canonical_slug": "x" * 5000, "created": 5}
    with Endpoint(models=[listed]) as endpoint:
        plan = run(tmp_path, endpoint)
        assert plan.subject.identity["listed"]["owned_by"] == "Bearer [key]"
        assert len(plan.subject.identity["listed"]["canonical_slug"]) == 300
        unknown = RunRequest("salbench", "vllm/other", tmp_path / "set", ("paper",), options={"base_url": endpoint.url})
        endpoint.models = [{"id": KEY}]
        with pytest.raises(SnellenError, match="has no model 'other'") as caught:
            run_plan(
                make_plan(unknown._replace(out=tmp_path / "runs", options=dict(unknown.options) | {"api_key": KEY}))
            )
        assert KEY not in str(caught.value)
    nowhere(tmp_path)


def logprobs(*words: str, top: str = "x") -> dict[str, Any]:
    return {
        "content": [
            {
                "token": w,
                "logprob": -0.1,
                "top_logprobs": [{"token": w, "logprob": -0.1}, {"token": top, "logprob": -3}],
            }
            for w in words
        ]
    }


@pytest.mark.parametrize(
    "said",
    [logprobs("Color", top=KEY), logprobs(KEY), logprobs(*KEY), logprobs("Col", *KEY[:9], KEY[9:], "or")],
    ids=["alternative", "token", "letters", "pieces"],
)
def test_in_tokens_and_their_alternatives(tmp_path: Path, said: dict[str, Any]) -> None:
    write_set(tmp_path / "set", 4)

    def script(_request: Any, _times: int) -> Any:
        body = completion("Color")
        body["choices"][0]["logprobs"] = said
        return 200, {}, json.dumps(body).encode()

    with Endpoint(models=[{"id": "m"}], script=script) as endpoint:
        plan = run(tmp_path, endpoint)
    kept = list(RunFolder(plan.folder).answers())
    assert all("taken out" in str(a.calls[0].note) for a in kept)
    assert KEY not in "".join(t.text for a in kept for t in a.tokens)
    nowhere(tmp_path)
    from click.testing import CliRunner

    shown = CliRunner().invoke(app, ["report", str(plan.folder), "--out", str(tmp_path / "page.html")])
    assert shown.exit_code == 0, shown.output
    nowhere(tmp_path)
