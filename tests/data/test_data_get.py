"""`data get` deletes nothing outside the data folder, whatever a lock file names."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from snellen.core.errors import SnellenError
from snellen.data import hub

pytest.importorskip("huggingface_hub")
OLD, NEW = "a" * 40, "b" * 40
PATTERNS = ("P3*/*.parquet", "README.md")


@pytest.fixture(autouse=True)
def fake_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub whose newest commit has one file."""
    info = SimpleNamespace(sha=NEW, siblings=[SimpleNamespace(rfilename="P3/new.parquet")])

    def fetched(_repo: str, *, local_dir: Path, **_more: Any) -> None:
        (Path(local_dir) / "P3").mkdir(parents=True, exist_ok=True)
        (Path(local_dir) / "P3" / "new.parquet").write_bytes(b"new")

    monkeypatch.setattr("huggingface_hub.HfApi", lambda: SimpleNamespace(dataset_info=lambda *_a, **_k: info))
    monkeypatch.setattr("huggingface_hub.snapshot_download", fetched)


def locked(folder: Path, **files: bytes) -> None:
    """A folder with a lock that names these files (by the content that it says they have)."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = {"repo": "x/y", "commit": OLD, "files": {n: hashlib.sha256(c).hexdigest() for n, c in files.items()}}
    (folder / "snellen-data.json").write_text(json.dumps(lock))


def get(folder: Path) -> None:
    hub.download("x/y", PATTERNS, folder, NEW)


@pytest.mark.parametrize("form", ["../victim.txt", "P3/../../victim.txt", "{absolute}"])
def test_names_that_lead_out_are_refused_and_nothing_is_deleted(form: str, tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_bytes(b"mine")
    locked(tmp_path / "data", **{form.format(absolute=victim): b"mine"})
    with pytest.raises(SnellenError, match="not a file of this folder") as said:
        get(tmp_path / "data")
    assert victim.read_bytes() == b"mine"
    assert "\n" not in str(said.value)
    with pytest.raises(SnellenError, match="not a file of this folder"):
        list(hub.check_lock(tmp_path / "data"))


@pytest.mark.parametrize("link", ["folder", "file"])
def test_links_are_not_followed(link: str, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "old.parquet").write_bytes(b"mine")
    locked(tmp_path / "data", **{"P3x/old.parquet": b"mine"})
    if link == "folder":
        (tmp_path / "data" / "P3x").symlink_to(elsewhere, target_is_directory=True)
    else:
        (tmp_path / "data" / "P3x").mkdir()
        (tmp_path / "data" / "P3x" / "old.parquet").symlink_to(elsewhere / "old.parquet")
    with pytest.raises(SnellenError, match="a link out of the data folder"):
        get(tmp_path / "data")
    assert (elsewhere / "old.parquet").read_bytes() == b"mine"
    assert [p.name for p in elsewhere.iterdir()] == ["old.parquet"], "nothing is written there, either"
    assert link == "folder" or (tmp_path / "data" / "P3x" / "old.parquet").is_symlink()


def test_only_what_was_downloaded_is_taken_away(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    known = {"P3/old.parquet": b"old", "P3/edited.parquet": b"as it came", "notes.txt": b"mine"}
    locked(folder, **known)
    (folder / "P3").mkdir()
    (folder / "P3" / "old.parquet").write_bytes(b"old")
    (folder / "P3" / "edited.parquet").write_bytes(b"edited since")
    (folder / "notes.txt").write_bytes(b"mine")
    get(folder)
    left = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert left == {"P3/new.parquet", "P3/edited.parquet", "notes.txt", "snellen-data.json"}


@pytest.mark.parametrize("files", ["[]", "null", '{"P3/a.parquet": 1}', '"x"'])
def test_a_lock_of_another_shape_gets_one_line(files: str, tmp_path: Path) -> None:
    (tmp_path / "snellen-data.json").write_text(f'{{"repo": "x/y", "commit": "{OLD}", "files": {files}}}')
    with pytest.raises(SnellenError, match="is damaged; delete it"):
        get(tmp_path)
