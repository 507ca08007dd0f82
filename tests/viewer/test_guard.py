"""The viewer answers this machine, to whoever has its link, from its folder, and to nobody else."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path

import pytest
from tests.viewer.served import Served, served

from snellen.present.viewer.guard import POLICY
from snellen.present.viewer.serving import listening

SECRET = "a secret beside the folder of runs"


def safe(headers: dict[str, str]) -> bool:
    return (
        headers["content-security-policy"] == POLICY
        and headers["x-content-type-options"] == "nosniff"
        and headers["referrer-policy"] == "no-referrer"
        and headers["cross-origin-resource-policy"] == "same-origin"
        and headers["cross-origin-opener-policy"] == "same-origin"
    )


def test_the_policy_allows_our_own_files_and_no_inline_script() -> None:
    assert POLICY.startswith("default-src 'none'; ")
    assert "unsafe" not in POLICY and "data:" not in POLICY and "*" not in POLICY
    assert "frame-ancestors 'none'" in POLICY and "base-uri 'none'" in POLICY


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", "0.0.0.0:{port}", ""]
)
def test_a_foreign_host_is_refused(viewer: Served, host: str) -> None:
    reply = viewer.ask("/", host=host.format(port=viewer.keys.port))
    assert reply.status in (400, 403) and "salbench" not in reply.text
    if reply.status == 403:
        assert safe(reply.headers)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_this_machine_by_its_own_names_is_served(viewer: Served, name: str) -> None:
    assert viewer.ask("/", host=f"{name}:{viewer.keys.port}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1"])
def test_a_foreign_origin_is_refused(viewer: Served, origin: str) -> None:
    reply = viewer.ask("/", origin=origin.format(port=viewer.keys.port))
    assert reply.status == 403 and safe(reply.headers) and "salbench" not in reply.text
    assert viewer.ask("/", origin=viewer.base).status == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_from_elsewhere_cannot_embed_or_link(viewer: Served, site: str) -> None:
    assert viewer.ask("/static/view.js", sec_fetch_site=site).status == 403
    assert viewer.ask(f"/?key={viewer.keys.secret}", cookie=False, sec_fetch_site=site).status == 403
    assert viewer.ask("/", sec_fetch_site="same-origin").status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_it_only_shows_things(viewer: Served, method: str) -> None:
    reply = viewer.ask("/", method=method)
    assert reply.status == 405 and safe(reply.headers)


def test_head_says_the_same_without_a_body(viewer: Served) -> None:
    reply = viewer.ask("/", method="HEAD")
    assert reply.status == 200 and reply.body == b"" and safe(reply.headers)


def test_without_the_link_nothing_is_shown(viewer: Served, keys: list[str]) -> None:
    for target in ("/", f"/run/{keys[0]}", f"/run/{keys[0]}/sample/0/small", "/static/view.js"):
        for cookie in ("", f"{viewer.keys.cookie}=wrong", f"other={viewer.keys.secret}"):
            reply = viewer.ask(target, cookie=False, Cookie=cookie)
            assert reply.status == 403 and "link that 'snellen view' printed" in reply.text and safe(reply.headers)
    assert viewer.ask("/?key=wrong", cookie=False).status == 403


def test_the_link_lets_in_with_a_cookie_that_scripts_cannot_read(viewer: Served) -> None:
    reply = viewer.ask("/?key=" + viewer.keys.secret, cookie=False)
    assert reply.status == 303 and reply.headers["location"] == "/"
    cookie = reply.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie and str(viewer.keys.port) in cookie
    assert viewer.ask("/", cookie=False, Cookie=f"junk; a=b=c; {cookie.partition(';')[0]}").status == 200


def test_the_link_that_is_opened_works_once(viewer: Served) -> None:
    target = viewer.keys.link_once().removeprefix(viewer.base)
    assert viewer.keys.secret not in target
    assert [viewer.ask(target, cookie=False).status for _ in range(2)] == [303, 403]


def test_only_this_machine_can_reach_it() -> None:
    with listening(0) as found:
        assert found.getsockname()[0] == "127.0.0.1"


def test_connections_that_ask_nothing_keep_nobody_out(viewer: Served) -> None:
    held = []
    for half in (b"", b"GET / HTTP/1.1\r\nHost: 127") * 150:
        held.append(socket.create_connection(("127.0.0.1", viewer.keys.port)))
        held[-1].sendall(half)
    refused = b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % viewer.keys.port
    for one in held[-20::2]:  # one question was answered, and the next is a half one
        one.sendall(refused + b"GET /")
    assert [viewer.ask("/").status for _ in range(3)] == [200, 200, 200]
    for one in held:
        one.close()


def test_a_port_that_is_taken_is_an_error_or_another_one() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(Exception, match="choose another --port"):
            listening(other.getsockname()[1])


# ---------------------------------------------------------------- nothing outside the folder


@pytest.fixture
def folder(runs: Path, tmp_path: Path) -> Path:
    """A folder with one run, and a secret beside it."""
    (tmp_path / "secret.txt").write_text(SECRET)
    (tmp_path / "secret.jsonl").write_text(f'{{"id":"{SECRET}","tags":{{}}}}\n')
    shutil.copytree(next(runs.glob("*chance*")), tmp_path / "runs" / "mine")
    shutil.copytree(next(runs.glob("*constant*")), tmp_path / "outside")
    return tmp_path / "runs"


TARGETS = [
    "/../secret.txt",
    "/static/../../secret.txt",
    "/static/..%2f..%2fsecret.txt",
    "/static/%2e%2e/%2e%2e/secret.txt",
    "/static/%2e%2e%2f%2e%2e%2fsecret.txt",
    "/static/%252e%252e%252fsecret.txt",
    "/static/..\\..\\secret.txt",
    "/static//etc/passwd",
    "/static/view.js%00.txt",
    "/run/..",
    "/run/../../secret.txt",
    "/run/%2e%2e%2fsecret.txt",
    "/run/..%2f..%2foutside",
    "/run/outside/samples",
    "/run/mine",
    "/run/%2fetc%2fpasswd/samples",
    "/run/{key}/sample/..%2f..%2fsecret.txt",
    "/run/{key}/sample/0/picture/0/..%2f..%2fsecret.txt",
    "/run/{key}/sample/-1",
    "/run/{key}/sample/999999999999",
    "/compare?run=../outside&run={key}",
    "http://127.0.0.1/../secret.txt",
]


@pytest.mark.parametrize("target", TARGETS)
def test_no_address_leads_out_of_the_folder(folder: Path, target: str) -> None:
    with served(folder) as viewer:
        (entry,) = viewer.viewer.run_index.found().runs
        reply = viewer.ask(target.format(key=entry.key))
        assert reply.status in (400, 403, 404), reply.text
        assert SECRET not in reply.text and "root:" not in reply.text
        assert (reply.status == 400 and "content-security-policy" not in reply.headers) or safe(reply.headers)


def test_links_out_of_the_folder_are_not_followed(folder: Path) -> None:
    outside = folder.parent / "outside"
    (folder / "linked").symlink_to(outside)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "etc").symlink_to("/etc")
    for name in ("samples.jsonl", "answers.jsonl", "run.json", "summary.json", "marks"):
        copy = Path(shutil.copytree(folder / "mine", folder / f"with-{name}"))
        if (copy / name).is_dir():
            shutil.rmtree(copy / name)
        else:
            (copy / name).unlink()
        (copy / name).symlink_to(outside / name)
    with served(folder) as viewer:
        found = viewer.viewer.run_index.found()
        assert [run.path.name for run in found.runs] == ["mine"]
        assert len([one for one in found.passed if one.kind == "linked out"]) == 8
        page = viewer.page("/")
        assert "a link to a place outside the folder" in page and "constant" not in page


def test_a_protocol_with_a_path_for_a_name_reads_nothing_outside(folder: Path) -> None:
    import msgspec

    from snellen.core.records import written
    from snellen.engine.runs.folder import RunFolder

    run = RunFolder(folder / "mine")
    summary = run.summary()
    bad = msgspec.structs.replace(summary.protocols[0], protocol="../../../secret")
    record = msgspec.structs.replace(summary, protocols=(bad, *summary.protocols[1:]))
    (folder / "mine" / "summary.json").write_bytes(written(record))
    with served(folder) as viewer:
        (entry,) = viewer.viewer.run_index.found().runs
        reply = viewer.ask(f"/run/{entry.key}/samples")
        assert reply.status == 500 and "is not a file inside the folder" in reply.text and SECRET not in reply.text


def test_a_pipe_for_a_file_does_not_hang_the_viewer(folder: Path) -> None:
    (folder / "mine" / "answers.jsonl").unlink()
    os.mkfifo(folder / "mine" / "answers.jsonl")
    with served(folder) as viewer:
        (entry,) = viewer.viewer.run_index.found().runs
        reply = viewer.ask(f"/run/{entry.key}/samples")
        assert reply.status == 500 and "answers.jsonl is not a file inside the folder" in reply.text
