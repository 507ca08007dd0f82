"""`snellen data get` against a small local server that speaks the hub's API."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.support.command import snellen
from tests.support.sets import write_set

pytest.importorskip("huggingface_hub")
COMMIT = "a" * 40
NEXT = "b" * 40
REPO = "salbench-vlm/salbench"


class Hub:
    """Commits by name, each a folder of files; 'main' moves."""

    def __init__(self) -> None:
        self.commits: dict[str, Path] = {}
        self.main = COMMIT
        self.needs_token: str | None = None

    def files(self, revision: str) -> dict[str, Path] | None:
        folder = self.commits.get(self.main if revision == "main" else revision)
        return (
            None if folder is None else {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
        )


def handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_args: object) -> None: ...

        def reply(self, status: int, body: bytes, **headers: str) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def do_HEAD(self) -> None:
            self.do_GET()

        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            if hub.needs_token and self.headers.get("Authorization") != f"Bearer {hub.needs_token}":
                self.reply(401, b"{}", X_Error_Code="RepoNotFound")
            elif path.startswith(f"/api/datasets/{REPO}"):
                self.api(path.removeprefix(f"/api/datasets/{REPO}"))
            elif path.startswith(f"/datasets/{REPO}/resolve/"):
                revision, _, name = path.removeprefix(f"/datasets/{REPO}/resolve/").partition("/")
                file = (hub.files(revision) or {}).get(name)
                if file is None:
                    self.reply(404, b"", X_Error_Code="EntryNotFound")
                    return
                body = file.read_bytes()
                self.reply(200, body, ETag=f'"{hashlib.sha256(body).hexdigest()}"', X_Repo_Commit=revision)
            else:
                self.reply(404, b"{}", X_Error_Code="RepoNotFound")

        def api(self, rest: str) -> None:
            kind, _, revision = rest.strip("/").partition("/")
            revision = revision.partition("/")[0] or "main"
            files = hub.files(revision)
            if files is None:
                self.reply(404, b'{"error": "Invalid rev id"}', X_Error_Code="RevisionNotFound")
            elif kind == "tree":
                tree = [
                    {
                        "type": "file",
                        "path": n,
                        "size": p.stat().st_size,
                        "oid": hashlib.sha1(p.read_bytes(), usedforsecurity=False).hexdigest(),
                    }
                    for n, p in files.items()
                ]
                self.reply(200, json.dumps(tree).encode(), Content_Type="application/json")
            else:
                sha = hub.main if revision == "main" else revision
                info = {
                    "id": REPO,
                    "sha": sha,
                    "siblings": [{"rfilename": n} for n in files],
                    "private": False,
                    "tags": [],
                    "downloads": 0,
                    "likes": 0,
                }
                self.reply(200, json.dumps(info).encode(), Content_Type="application/json")

    return Handler


@contextmanager
def serving(hub: Hub) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(hub))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def get(url: str, tmp_path: Path, *more: object, **env: str) -> object:
    home = str(tmp_path / "hf")
    return snellen(
        "data",
        "get",
        "salbench",
        "--out",
        tmp_path / "got",
        *more,
        cache=tmp_path / "cache",
        HF_ENDPOINT=url,
        HF_HOME=home,
        HF_HUB_DISABLE_XET="1",
        **env,
    )


@pytest.fixture
def hub(tmp_path: Path) -> Hub:
    hub = Hub()
    hub.commits[COMMIT] = write_set(tmp_path / "one", 5, ("P3", "O3_box"))
    (hub.commits[COMMIT] / "huge.zip").write_bytes(b"not wanted")
    hub.commits[NEXT] = write_set(tmp_path / "two", 7, ("P3", "O3_box"))
    return hub


def test_a_download_is_pinned_and_runs(tmp_path: Path, hub: Hub) -> None:
    with serving(hub) as url:
        done = get(url, tmp_path)
        assert done.returncode == 0, done.stderr  # type: ignore[attr-defined]
        lock = json.loads((tmp_path / "got" / "snellen-data.json").read_text())
        assert lock["commit"] == COMMIT
        assert set(lock["files"]) == {"P3/shard_000.parquet", "O3_box/shard_000.parquet"}
        assert not (tmp_path / "got" / "huge.zip").exists()
        run = snellen(
            "run",
            "salbench",
            "--data",
            tmp_path / "got",
            "--model",
            "baseline/chance",
            "--out",
            tmp_path / "runs",
            "--json",
            cache=tmp_path,
        )
        assert json.loads(run.stdout)["samples"] == 10
        hub.main = NEXT
        assert get(url, tmp_path).returncode == 0  # type: ignore[attr-defined]
        assert json.loads((tmp_path / "got" / "snellen-data.json").read_text())["commit"] == COMMIT
        assert get(url, tmp_path, "--revision", "main").returncode == 0  # type: ignore[attr-defined]
        assert json.loads((tmp_path / "got" / "snellen-data.json").read_text())["commit"] == NEXT


def test_a_changed_file_is_found(tmp_path: Path, hub: Hub) -> None:
    with serving(hub) as url:
        get(url, tmp_path)
    file = tmp_path / "got" / "P3" / "shard_000.parquet"
    write_set(tmp_path / "other", 6)
    file.write_bytes((tmp_path / "other" / "P3" / "shard_000.parquet").read_bytes())
    done = snellen("data", "check", "salbench", "--data", tmp_path / "got", cache=tmp_path)
    assert done.returncode == 2
    assert "not the file that was downloaded" in done.stdout


def test_a_closed_data_set_says_how_to_log_in(tmp_path: Path, hub: Hub) -> None:
    hub.needs_token = "hf_secret_canary"
    with serving(hub) as url:
        done = get(url, tmp_path)
        assert done.returncode == 2  # type: ignore[attr-defined]
        assert "set HF_TOKEN" in done.stderr  # type: ignore[attr-defined]
        done = get(url, tmp_path, HF_TOKEN="hf_secret_canary")
        assert done.returncode == 0, done.stderr  # type: ignore[attr-defined]
    for file in (tmp_path / "got").rglob("*"):
        assert not file.is_file() or b"hf_secret_canary" not in file.read_bytes()


def test_an_unknown_revision_and_a_dead_hub(tmp_path: Path, hub: Hub) -> None:
    with serving(hub) as url:
        done = get(url, tmp_path, "--revision", "v9")
        assert done.returncode == 2  # type: ignore[attr-defined]
        assert "no revision 'v9'" in done.stderr  # type: ignore[attr-defined]
    done = get("http://127.0.0.1:1", tmp_path)
    assert done.returncode == 2  # type: ignore[attr-defined]
    assert "cannot download" in done.stderr  # type: ignore[attr-defined]
    assert len(done.stderr.strip().splitlines()) == 1  # type: ignore[attr-defined]
