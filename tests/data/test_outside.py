"""A data set from somebody else sends nothing from outside its folder, unless --images names where its pictures are."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result
from PIL import Image
from tests.support.own_sets import CHOICE, lines, parquet
from tests.support.sets import write_set

from snellen import exams
from snellen.cli.main import app
from snellen.core.errors import SnellenError
from snellen.core.options import Selection

BOX = {"instruction": "Pay", "box": [20, 10, 80, 40], "box_format": "xyxy-pixels"}
COCO = {
    "images": [{"id": 7, "file_name": "IMAGE", "width": 200, "height": 100}],
    "annotations": [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [20, 10, 60, 30]}],
    "categories": [{"id": 1, "name": "button"}],
}
OWN = {"question": "What?", "answer": "a sofa"}
TABLES: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "own/questions.jsonl": ("own", lambda name: json.dumps({"image": name} | OWN)),
    "own/questions.json": ("own", lambda name: json.dumps([{"image": [name]} | OWN])),
    "own/questions.csv": ("own", lambda name: f"image,question,answer\n{name},What?,a sofa\n"),
    "grounding/boxes.jsonl": ("grounding", lambda name: json.dumps({"image": name} | BOX)),
    "grounding/coco.json": ("grounding", lambda name: json.dumps(COCO).replace("IMAGE", name)),
    "d3/pairs.jsonl": ("d3", lambda name: json.dumps({"left": "in.png", "right": name})),
    "d3/dataset.json": ("d3", lambda name: json.dumps({"1": {"left": "in.png", "right": name}})),
}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A private picture, and a folder of data beside it with one file and one folder that link to it."""
    for name, colour in (("private/secret.png", "red"), ("data/in.png", "blue")):
        (tmp_path / name).parent.mkdir()
        Image.new("RGB", (200, 100), colour).save(tmp_path / name)
    (tmp_path / "data/link.png").symlink_to("../private/secret.png")
    (tmp_path / "data/images").symlink_to("../private")
    return tmp_path


def shown(exam: str, where: Path, **own: Any) -> list[bytes]:
    data = exams.load(exam).open(where, Selection(own=own))
    return [picture.data for sample in data.full(lambda _id: True) for picture in sample.pictures]


def snellen(*words: object) -> Result:
    return CliRunner().invoke(app, list(map(str, words)), standalone_mode=False)


@pytest.mark.parametrize("table", TABLES)
def test_no_picture_from_outside_is_read(table: str, place: Path) -> None:
    exam, text = TABLES[table]
    path = place / "data" / Path(table).name
    secret = (place / "private/secret.png").read_bytes()
    names = ["link.png", "images/secret.png", "../private/secret.png", str(place / "private/secret.png")]
    for name in names:
        path.write_text(text(name))
        with pytest.raises(SnellenError, match=r"leads out of|inside the data set's folder"):
            shown(exam, place / "data")
        found = snellen("data", "check", exam, "--data", path.parent)
        assert found.return_value == 2 and path.name in found.output and "folder" in found.output, found.output
    for name in names[:2]:  # links are followed into the folder that the user names
        path.write_text(text(name))
        assert secret in shown(exam, place / "data", images=str(place / "private"))
    path.write_text(text("secret.png"))
    assert secret in shown(exam, place / "data", images=str(place / "private"))
    path.write_text(text("in.png"))
    assert secret not in shown(exam, place / "data")


def test_a_step_up_behind_a_link_leads_nowhere(place: Path) -> None:
    (place / "private/below").mkdir()
    (place / "data/sub").symlink_to("../private/below")
    (place / "data/here").symlink_to(".")
    for name in ("sub/../secret.png", "sub/..\\secret.png", "here/../private/secret.png"):
        (place / "data/questions.jsonl").write_text(TABLES["own/questions.jsonl"][1](name))
        with pytest.raises(SnellenError, match=r"no picture"):
            shown("own", place / "data")


def test_classes_pairs_in_folders_and_texts_lead_nowhere_either(place: Path) -> None:
    data = place / "data"
    (data / "images").rename(data / "cats")
    for name in ("a", "b", "dogs"):
        (data / name).mkdir()
        (data / name / "secret.png").write_bytes((data / "in.png").read_bytes())
    (data / "question.txt").write_text("What is it?")
    with pytest.raises(SnellenError, match=r"'cats/secret.png' leads out"):
        shown("own", data)
    (data / "b/secret.png").unlink()
    (data / "b/secret.png").symlink_to("../../private/secret.png")
    with pytest.raises(SnellenError, match=r"'b/secret.png' leads out"):
        shown("d3", data)
    (place / "private/words.txt").write_text("{question} private")
    (data / "cats").unlink()
    (data / "prompt.txt").symlink_to("../private/words.txt")
    with pytest.raises(SnellenError, match=r"prompt.txt is a link that leads out of its folder"):
        shown("own", data)
    table = lines(place / "private", CHOICE)
    (data / "mine.jsonl").symlink_to(table)
    for where in (data, data / "mine.jsonl"):
        with pytest.raises(SnellenError, match=r"mine.jsonl is a link that leads out of its folder"):
            shown("own", where)
    held = parquet(place / "private", [CHOICE | {"image": 1}])
    (data / "held.parquet").symlink_to(held)
    with pytest.raises(SnellenError, match=r"held.parquet is a link that leads out of its folder"):
        shown("own", data / "held.parquet")


@pytest.mark.parametrize("link", ["Illusion_IN", "Illusion_IN/cat-Ocean-Easy-1.25-1.png", "Illusion_IN/a.parquet"])
def test_pictures_and_shards_of_illusions_lead_nowhere_either(link: str, place: Path) -> None:
    target = place / "private" / Path(link).name
    if link == "Illusion_IN":
        target.mkdir()
        (target / "cat-Ocean-Easy-1.25-1.png").write_bytes((place / "data/in.png").read_bytes())
    else:
        parquet(place / "private", [CHOICE | {"image": 1}]).rename(target)
    path = place / "data" / link
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target)
    found = snellen("data", "check", "illusionbench", "--data", place / "data")
    assert isinstance(found.exception, SnellenError) and "is a link that leads out of its folder" in str(
        found.exception
    )
    with pytest.raises(SnellenError, match="is a link that leads out of its folder"):
        shown("illusionbench", place / "data")


def test_a_run_keeps_the_folder_that_images_names(place: Path) -> None:
    table = place / "data/questions.jsonl"
    table.write_text(json.dumps({"image": "secret.png"} | OWN))
    told = ["--model", "baseline/constant:sofa", "--out", place / "runs"]
    images = ["--images", place / "private"]
    assert isinstance(snellen("run", table, *told).exception, SnellenError)
    assert snellen("run", table, *images, *told).return_value == 0
    (kept,) = _manifests(place / "runs")
    assert kept["options"]["own"] == {"images": str(place / "private")}
    assert snellen("data", "check", table, *images).return_value == 0
    assert snellen("data", "show", table, *images, "--out", place / "page.html").return_value == 0
    assert "no such folder" in str(snellen("run", table, "--images", place / "nowhere", *told).exception)


def _manifests(runs: Path) -> Iterator[Any]:
    return (msgspec.json.decode(path.read_bytes()) for path in runs.glob("*/run.json"))


def test_a_shard_that_is_a_link_out_of_its_folder_is_not_sent(place: Path) -> None:
    write_set(place / "private", 2)
    shard = next((place / "private").rglob("P3/*.parquet"))
    (place / "data/P3").mkdir()
    (place / "data/P3" / shard.name).symlink_to(shard)
    with pytest.raises(SnellenError, match="is a link that leads out of its folder"):
        shown("salbench", place / "data")


def test_a_linked_folder_of_pairs_sends_nothing_from_outside(place: Path) -> None:
    (place / "private/dataset.json").write_text(json.dumps({"1": {"left": "secret.png", "right": "secret.png"}}))
    with pytest.raises(SnellenError, match=r"images/dataset.json is a link that leads out of its folder"):
        shown("d3", place / "data")
