"""Everything that comes from a synthetic set says so."""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image

import snellen
from snellen import exams
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.engine.runs.run import Run

EXAMS = ("actx", "d3", "esnlive", "grounding", "illusionbench", "salbench", "vcr", "vqax")
MARK = "snellen.synthetic"
REAL_NAMES = re.compile(r"COCO_|lsmdc_|(?:^|/)\d+\.jpg|^(?:train|val|test)-\d+$")
REPLIES = {"d3": '{"left_image": "a dog", "right_image": "a cat"}', "grounding": "(10, 10)"}
REPLY = "yes because it is so"


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A small set of every exam, without the file that used to be the only note."""
    home = tmp_path_factory.mktemp("sets")
    for name in EXAMS:
        maker_of(exams.load(name)).make(home / name, count=3, seed=5, workers=1)
        (home / name / "snellen_synthetic.json").unlink(missing_ok=True)
    return {name: home / name for name in EXAMS}


@pytest.fixture(scope="module")
def runs(sets: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    """A run on each of them, when it is first asked for."""
    out = tmp_path_factory.mktemp("runs")

    class Runs(dict[str, Run]):
        def __missing__(self, name: str) -> Run:
            if name == "d3":
                pytest.importorskip("transformers")
            model = f"baseline/constant:{REPLIES.get(name, REPLY)}"
            self[name] = snellen.evaluate(name, model=model, data=sets[name], out=out, use_store=False)
            return self[name]

    return Runs()


def pictures(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every picture of a set by its name, also those inside parquet files."""
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".parquet":
            for row in pq.read_table(path).to_pylist():
                yield row["image"]["path"], row["image"]["bytes"]
        elif path.suffix in (".png", ".jpg"):
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def records(value: Any) -> list[dict[str, Any]]:
    """The records of a JSON document: those of a list or an object of objects, else the document itself."""
    if isinstance(value, list):
        return value
    if "samples" in value:
        return [value["metadata"], *(sample["metadata"] for sample in value["samples"])]
    return list(value.values()) if all(isinstance(v, dict) for v in value.values()) else [value]


@pytest.mark.parametrize("name", EXAMS)
def test_losing_the_side_file_changes_nothing(name: str, sets: dict[str, Path], runs: dict[str, Run]) -> None:
    assert exams.load(name).open(sets[name], Selection()).synthetic
    manifest = json.loads((runs[name].path / "run.json").read_text())
    assert manifest["data"]["synthetic"] is True
    assert manifest["data"]["origin"]["seed"] == 5


@pytest.mark.parametrize("name", EXAMS)
def test_every_picture_and_every_record_says_so(name: str, sets: dict[str, Path]) -> None:
    shown = list(pictures(sets[name]))
    assert shown
    for where, data in shown:
        info = Image.open(io.BytesIO(data)).info
        said = str(info.get(MARK) or info.get("comment") or "")
        assert '"seed": 5' in said, where
    for path in sets[name].rglob("*.json*"):
        text = path.read_text()
        document = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)
        assert all(record[MARK]["seed"] == 5 for record in records(document)), path.name
    for path in sets[name].rglob("*.csv"):
        header, *rows = path.read_text().splitlines()
        assert header.endswith(f",{MARK}")
        assert all("seed" in row for row in rows)
    for path in sets[name].rglob("*.parquet"):
        assert json.loads(pq.ParquetFile(path).metadata.metadata[MARK.encode()])["seed"] == 5


@pytest.mark.parametrize("name", EXAMS)
def test_nothing_is_named_as_a_real_thing(name: str, sets: dict[str, Path]) -> None:
    for where, _data in pictures(sets[name]):
        assert not REAL_NAMES.search(where)
        assert name != "illusionbench" or "-syn" in where
    for sample in exams.load(name).open(sets[name], Selection()).light():
        assert not REAL_NAMES.search(str(sample.facts.get("image_id", "")))


def test_one_made_picture_among_real_ones_makes_a_set_synthetic(sets: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    for number in range(3):
        Image.new("RGB", (32, 24), (number, 9, 9)).save(tmp_path / "images" / f"{number}.jpg")
    pair = {"left": "./images/0.jpg", "right": "./images/1.jpg"}
    (tmp_path / "dataset.json").write_text(json.dumps({"0": pair, "1": pair | {"right": "./images/2.jpg"}}))
    assert not exams.load("d3").open(tmp_path, Selection()).synthetic
    shutil.copy(next((sets["d3"] / "images").glob("*.jpg")), tmp_path / "images" / "2.jpg")
    assert exams.load("d3").open(tmp_path, Selection()).synthetic


@pytest.mark.parametrize("name", ["salbench", "illusionbench"])
def test_a_table_that_was_written_anew_is_known_by_its_pictures(
    name: str, sets: dict[str, Path], tmp_path: Path
) -> None:
    for path in sets[name].rglob("*.parquet"):
        copy = tmp_path / path.relative_to(sets[name])
        copy.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pq.read_table(path).replace_schema_metadata(None), copy)
        assert MARK.encode() not in pq.ParquetFile(copy).metadata.metadata
    assert exams.load(name).open(tmp_path, Selection()).synthetic


def test_a_set_of_somebody_else_is_not_called_ours(tmp_path: Path) -> None:
    from snellen.present.page.report import write_report

    Image.new("RGB", (200, 100), "white").save(tmp_path / "a.png")
    target = {
        "id": "t",
        "bbox": [0.1, 0.1, 0.5, 0.5],
        "text": "OK",
        "element_type": "button",
        "instruction": "Click OK",
    }
    screen = {"id": "a", "image_path": "a.png", "width": 200, "height": 100, "elements": [target]}
    root = {"name": "synthetic", "version": "1.0", "metadata": {}, "samples": [screen]}
    (tmp_path / "annotations.json").write_text(json.dumps(root))
    run = snellen.evaluate("grounding", model="baseline/constant:(10, 10)", data=tmp_path, out=tmp_path / "runs")
    write_report([run], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "made by Snellen" not in page
    assert "SYNTHETIC, as it says itself" in page


def words(name: str, content: bytes) -> str:
    """What a person could read of a file: its name and its text."""
    if name.endswith(".xlsx"):
        with zipfile.ZipFile(io.BytesIO(content)) as book:
            content = b"".join(book.read(part) for part in book.namelist())
    return name + content.decode("utf-8", "replace")


@pytest.mark.parametrize("name", EXAMS)
def test_every_file_that_leaves_says_so(name: str, sets: dict[str, Path], runs: dict[str, Run]) -> None:
    run = runs[name]
    files = [p for p in (run.path / "exports").rglob("*") if p.is_file() and not p.name.endswith(".missing.txt")]
    assert files
    for path in files:
        where = path.relative_to(run.path).as_posix()
        assert "synthetic" in words(where, path.read_bytes()).lower(), where


@pytest.mark.parametrize("name", EXAMS)
def test_no_figure_of_a_paper_stands_beside_a_synthetic_score(name: str, runs: dict[str, Run]) -> None:
    assert runs[name].summary.synthetic
    assert runs[name].summary.published == ()
