"""Only a page of ours, in a browser that came by the link, may write; and only into its own file."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.annotate.desks import Desk, boxes, draw, rows

from snellen.annotate import serving
from snellen.present.viewer.guard import Guard, Keys

BOX = {"box": [1, 2, 30, 40], "instruction": "Open it"}
SAVE = "/shot/0/save"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.png").write_bytes(b"a secret beside the folder")
    return draw(tmp_path / "shots", "a.png")


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    with boxes(folder) as found:
        yield found


def sent(desk: Desk, **more: object) -> dict[str, object]:
    known = json.loads(desk.ask("/shot/0/saved").text)
    return {"revision": known["revision"], "boxes": [BOX]} | more


def test_our_own_page_may_write(desk: Desk, folder: Path) -> None:
    reply = desk.send(SAVE, sent(desk))
    assert reply.status == 200, reply.text
    (row,) = rows(folder, "annotations.ann.jsonl")
    assert row["box"] == [1, 2, 30, 40] and row["image"] == "a.png" and row["annotator"] == "ann"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": "http://localhost:{port}"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"x_snellen_token": ""}, 403),
        ({"x_snellen_token": "wrong"}, 403),
        ({"Cookie": "snellen_annotate_{port}=wrong"}, 403),
        ({"Cookie": "snellen_view_{port}={secret}"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "application/x-www-form-urlencoded"}, 415),
        ({"content_length": "2000000"}, 413),
    ],
)
def test_anybody_else_is_refused_and_nothing_is_written(
    desk: Desk, folder: Path, headers: dict[str, str], status: int
) -> None:
    given = {k: v.format(port=desk.keys.port, secret=desk.keys.secret) for k, v in headers.items()}
    reply = desk.send(SAVE, sent(desk), **given)
    assert reply.status == status, reply.text
    assert "default-src 'none'" in reply.headers["content-security-policy"]
    assert not (folder / "annotations.ann.jsonl").exists()


def test_a_length_that_does_not_count_is_refused(desk: Desk, folder: Path) -> None:
    reply = desk.send(SAVE, b"2\r\n{}\r\n0\r\n\r\n", transfer_encoding="chunked")
    assert reply.status == 411 and not (folder / "annotations.ann.jsonl").exists()


def test_a_browser_that_leaves_amid_a_request_is_no_error(folder: Path) -> None:
    pages = serving.boxes(folder, "ann", False)
    keys = Keys(1, "annotate")
    said = {
        "host": "127.0.0.1:1",
        "origin": "http://127.0.0.1:1",
        "content-type": "application/json",
        "content-length": "100",
        "cookie": f"{keys.cookie}={keys.secret}",
        "x-snellen-token": keys.token,
    }
    headers = [(name.encode(), value.encode()) for name, value in said.items()]
    scope = {"type": "http", "method": "POST", "path": SAVE, "query_string": b"", "headers": headers}
    messages = iter([{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}])
    statuses = []

    async def receive() -> Any:
        return next(messages)

    async def send(message: Any) -> None:
        statuses.append(message.get("status"))

    with pages.files:
        asyncio.run(Guard(pages.app(keys.token), keys, writes=True)(scope, receive, send))
    assert statuses[0] == 400 and not (folder / "annotations.ann.jsonl").exists()


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_there_is_no_other_way_to_write(desk: Desk, method: str) -> None:
    assert desk.ask(SAVE, method, origin=desk.base, x_snellen_token=desk.keys.token).status == 405


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "0.0.0.0:{port}"])
def test_a_foreign_host_sees_nothing(desk: Desk, host: str) -> None:
    reply = desk.ask("/", host=host.format(port=desk.keys.port))
    assert reply.status == 403 and "a.png" not in reply.text and desk.keys.token not in reply.text


def test_without_the_link_nothing_is_shown(desk: Desk) -> None:
    for target in ("/", "/shot/0", "/shot/0/saved", "/picture/0/0", "/small/0", "/static/boxes.js"):
        reply = desk.ask(target, cookie=False)
        assert reply.status == 403 and "link that 'snellen annotate' printed" in reply.text


@pytest.mark.parametrize(
    "target",
    [
        "/picture/..%2f..%2fsecret.png/0",
        "/picture/0/1",
        "/picture/-1/0",
        "/shot/1",
        "/shot/999999999999",
        "/shot/..%2f..%2fsecret.png",
        "/static/..%2f..%2fapp.py",
        "/annotations.ann.jsonl",
        "/small/../../secret.png",
    ],
)
def test_no_address_leads_anywhere_else(desk: Desk, target: str) -> None:
    reply = desk.ask(target)
    assert reply.status in (400, 404) and "secret beside" not in reply.text


@pytest.mark.parametrize(
    "what",
    [
        b"{",
        b"[]",
        {"revision": "x"},
        {"boxes": [{"box": [1, 2, 3]}]},
        {"boxes": [{"box": [5, 5, 5, 9]}]},
        {"boxes": [{"box": [-50, 0, -1, 9]}]},
        {"boxes": [{"box": [1, 2, 30, 40], "element_type": "../../etc"}]},
        {"boxes": [{"id": "../../x", "box": [1, 2, 30, 40]}]},
        {"boxes": [{"box": [1, 2, 30, 40], "instruction": "x" * 4001}]},
        {"boxes": [{"box": [1, 2, 30, 40]}] * 1001},
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(desk: Desk, folder: Path, what: object) -> None:
    reply = desk.send(SAVE, sent(desk, **what) if isinstance(what, dict) and "revision" not in what else what)
    assert reply.status == 422 and json.loads(reply.text)["wrong"]
    assert not (folder / "annotations.ann.jsonl").exists()


def test_a_page_that_is_behind_does_not_undo_what_another_window_did(desk: Desk, folder: Path) -> None:
    old = sent(desk)
    assert desk.send(SAVE, old).status == 200
    reply = desk.send(SAVE, old | {"boxes": []})
    assert reply.status == 409 and "another window" in reply.text
    assert len(rows(folder, "annotations.ann.jsonl")) == 1
