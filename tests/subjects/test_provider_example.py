"""docs/examples/lab.py: a provider with an odd header and odd errors, in about 20 lines of the public module."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint
from tests.support.own_sets import CHOICE, lines

from snellen import api
from snellen.core.errors import SnellenError
from snellen.registry import plugins

FILE = Path(__file__).parents[2] / "docs" / "examples" / "lab.py"
PAGE = FILE.parents[1] / "extending.md"
KEY = "lab-0123456789abcdef"


@pytest.fixture(autouse=True)
def lab(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(plugins.VARIABLE, "")
    monkeypatch.setenv("LAB_KEY", KEY)
    monkeypatch.setenv("LAB_WORKSPACE", "sight")
    plugins.name_files([str(FILE)])
    yield


def fails(status: int, body: bytes) -> Callable[[dict[str, Any], int], tuple[int, dict[str, str], bytes]]:
    return lambda _request, _n: (status, {}, body)


def fault(why: str, number: int) -> bytes:
    return json.dumps({"fault": {"why": why, "number": number}}).encode()


def test_it_is_short_uses_the_public_module_alone_and_the_page_shows_it() -> None:
    text = FILE.read_text(encoding="utf-8")
    code = [line for line in text.split('"""', 2)[2].splitlines() if line.strip()]
    assert len(code) <= 20
    imported = {n.module for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)}
    assert imported == {"snellen.providers"}
    assert f"```python\n{text}```" in PAGE.read_text(encoding="utf-8")


def test_it_is_asked_with_its_header_and_its_key(tmp_path: Path) -> None:
    with Endpoint(answer="B") as endpoint:
        run = api.evaluate(
            lines(tmp_path / "d", CHOICE), model="lab/small", base_url=endpoint.url, out=tmp_path / "runs"
        )
    assert run.summary.plain[0].groups[0].metrics["accuracy"].value == 1.0
    sent = {name.lower(): value for name, value in endpoint.headers[-1].items()}
    assert (sent["x-workspace"], sent["authorization"]) == ("sight", f"Bearer {KEY}")


@pytest.mark.parametrize(
    ("status", "body", "says"),
    [
        (403, fault("no such workspace", 17), "does not serve this account or place .*no such workspace"),
        (500, fault("the purse is empty", 18), "asks for payment or quota .*the purse is empty"),
        (401, fault(f"{KEY} is not known", 1), r"refused the key .*\(status 401: .{1,20} is not known"),
        (403, b"<html>a gateway</html>", "refused the key .*a gateway"),
        (403, b'{"fault": "odd"}', "refused the key .*odd"),
    ],
)
def test_its_errors_are_understood_and_what_is_none_of_its_own_is_read_in_the_common_way(
    status: int, body: bytes, says: str, tmp_path: Path
) -> None:
    where = lines(tmp_path / "d", CHOICE)
    with Endpoint(script=fails(status, body)) as endpoint, pytest.raises(SnellenError, match=says) as error:
        api.evaluate(where, model="lab/small", base_url=endpoint.url, out=tmp_path / "runs")
    assert KEY not in str(error.value)
