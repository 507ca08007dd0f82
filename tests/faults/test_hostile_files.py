"""Hostile pictures, names, links and archives: refused or shown as what they are; nothing runs, nothing outside is read or written."""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.exams.grounding.fetch import unpack
from tests.faults.conftest import Made
from tests.faults.damage import copied, listing
from tests.faults.pictures import HOSTILE, saved
from tests.support.forks import Forks
from tests.support.sets import png, write_config

FEW = 700 << 20
"""Bytes of memory that no small set needs, whatever its pictures claim."""


@pytest.mark.faults
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_picture_in_a_table(forks: Forks, tmp_path: Path, name: str) -> None:
    cells = [{"bytes": HOSTILE[name] if i == 1 else png(i), "path": None} for i in range(4)]
    write_config(tmp_path / "set", "P3", 4, image=cells)
    words = (
        "run",
        "salbench",
        "--data",
        tmp_path / "set",
        "--model",
        "baseline/pixels",
        "--controls",
        "blank,shuffled",
    )
    where = {"cache": tmp_path / "cache", "cwd": tmp_path}
    for one in (("data", "check", "salbench", "--data", tmp_path / "set"), (*words, "--out", tmp_path / "runs")):
        ended = forks.run(*one, **where).well(0, 1, 2, 3)  # type: ignore[arg-type]
        assert ended.peak < FEW, f"{ended.peak >> 20} MB"
    run = next((tmp_path / "runs").iterdir())
    forks.run("report", run, "--out", tmp_path / "page.html", **where).well(0, 2)  # type: ignore[arg-type]
    assert not (tmp_path / "ran").exists()


@pytest.mark.faults
@pytest.mark.parametrize("exam", ["d3", "grounding", "own", "vqax"])
def test_hostile_picture_files(forks: Forks, sets: Made, tmp_path: Path, exam: str) -> None:
    for name in ("vast", "postscript", "cut", "svg", "empty"):
        data = copied(sets[exam], tmp_path / "set")
        picture = next(p for p in sorted(data.rglob("*")) if p.suffix in (".png", ".jpg"))
        picture.write_bytes(HOSTILE[name])
        forks.run("data", "check", exam, "--data", data, cache=tmp_path / "cache").well(0, 1, 2)
        words = ("run", exam, "--data", data, "--model", "baseline/constant:A", "--out", tmp_path / "runs", "--fresh")
        assert forks.run(*words, cache=tmp_path / "cache").well(0, 2, 3).peak < FEW


NAMES = (
    "../../secret.png",
    "/etc/passwd",
    "a/../../../secret.png",
    "~/secret.png",
    "file:///etc/passwd",
    "\0",
    "x" * 5000,
    "",
    ".",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_by_a_name_that_leads_out(forks: Forks, tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.png").write_bytes(saved("PNG"))
    folder = tmp_path / "in" / "set"
    folder.mkdir(parents=True)
    row = {"image": name, "question": "Which?", "options": ["red", "blue"], "answer": "red"}
    (folder / "q.jsonl").write_text(json.dumps(row) + "\n")
    words = ("run", folder, "--model", "baseline/constant:A", "--out", tmp_path / "runs")
    forks.run(*words, cache=tmp_path / "cache").well(2)


@pytest.mark.faults
@pytest.mark.parametrize("exam", ["d3", "grounding", "own", "salbench", "vqax"])
def test_pipes_devices_and_loops_in_the_place_of_files(forks: Forks, sets: Made, tmp_path: Path, exam: str) -> None:
    kinds = {file.suffix: file.relative_to(sets[exam]) for file in sorted(sets[exam].rglob("*")) if file.is_file()}
    for name in kinds.values():
        for kind in ("pipe", "zero", "loop"):
            data = copied(sets[exam], tmp_path / "set")
            file = data / name
            file.unlink()
            if kind == "pipe":
                os.mkfifo(file)
            else:
                file.symlink_to("/dev/zero" if kind == "zero" else file.name)
            check = ("data", "check", exam, "--data", data)
            run = ("run", exam, "--data", data, "--model", "baseline/constant:A", "--out", tmp_path / "runs", "--fresh")
            for words in (check, run):
                try:
                    forks.run(*words, cache=tmp_path / "cache", seconds=20, memory=2 << 30).well(0, 1, 2, 3)
                except AssertionError as error:
                    raise AssertionError(f"{kind} for {name}: {error}") from None


ARCHIVE = "screenspotv2_image.zip"
MEMBERS: dict[str, str] = {
    **{"up": "../out.png", "deep up": "a/../../out.png", "absolute": "/out.png", "drive": "C:out.png", "dot": "."},
    **{"slash": "a\\..\\..\\out.png", "lock": "snellen-data.json", "mark": "snellen-unfinished.txt", "itself": ARCHIVE},
}


@pytest.mark.parametrize("kind", MEMBERS)
def test_an_archive_with_a_member_that_leads_out(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    with zipfile.ZipFile(folder / ARCHIVE, "w") as packed:
        packed.writestr("images/a.png", b"a")
        packed.writestr(MEMBERS[kind], b"x")
    before = listing(tmp_path)
    with pytest.raises(SnellenError, match="is not used"):
        unpack("screenspot-v2", folder)
    assert listing(tmp_path) == before


def _locked() -> bytes:
    """A zip whose member says that it takes a password."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("a.png", b"a")
    data = bytearray(out.getvalue())
    for head, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(head) + offset] |= 1
    return bytes(data)


@pytest.mark.parametrize("kind", ["password", "cut", "garbage", "empty", "damaged"])
def test_an_archive_that_cannot_be_unpacked_gets_one_line(tmp_path: Path, kind: str) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.png", bytes(range(256)) * 99)
    body = whole.getvalue()
    damaged = body[:60] + b"\xff" * 40 + body[100:]
    data = {"password": _locked(), "cut": body[:80], "garbage": b"PK" * 99, "empty": b"", "damaged": damaged}[kind]
    (tmp_path / ARCHIVE).write_bytes(data)
    with pytest.raises(SnellenError, match="cannot be unpacked") as said:
        unpack("screenspot-v2", tmp_path)
    assert "\n" not in str(said.value)
    assert [p.name for p in tmp_path.iterdir()] == [ARCHIVE]
