"""Reading grounding sets: every format as published, boxes in the screenshot's pixels, wrong records named with their place."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.types import Picture, Text
from snellen.exams.grounding.data import GroundingData, recognise
from snellen.exams.grounding.exam import EXAM
from snellen.exams.grounding.formats import base
from snellen.exams.grounding.formats.annotations import instruction_of
from snellen.exams.grounding.formats.base import area_class, size_class
from snellen.exams.grounding.geometry import UNIT, Box, Pixels, Point, distance, iou
from snellen.exams.grounding.rows import sample_from_row

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "grounding_data.json").read_text())


def image(path: Path, width: int, height: int, kind: str = "PNG") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    out = io.BytesIO()
    Image.new("RGB", (width, height), (len(str(path)) % 256, 9, 9)).save(out, kind)
    path.write_bytes(out.getvalue())


def element(name: str, bbox: list[float], **more: Any) -> dict[str, Any]:
    return {"id": name, "bbox": bbox, "text": "OK", "element_type": "button", "instruction": f"Click {name}"} | more


def seed_set(where: Path, elements: list[dict[str, Any]] | None = None, **more: Any) -> Path:
    image(where / "samples" / "a.png", 200, 100)
    image(where / "samples" / "b.png", 200, 100)
    first = {
        "id": "a",
        "image_path": "samples/a.png",
        "width": 200,
        "height": 100,
        "elements": elements or [element("a1", [0.1, 0.2, 0.3, 0.4]), element("a2", [0.5, 0.5, 0.05, 0.1])],
        "metadata": {"difficulty": "easy", "theme": "dark", "num_elements": 2},
    }
    second = {
        "id": "b",
        "image_path": "samples/b.png",
        "width": 200,
        "height": 100,
        "elements": [element("b1", [0, 0, 1, 1])],
    }
    root = {"name": "mine", "version": "1.0", "metadata": {}, "samples": [first | more, second]}
    (where / "annotations.json").write_text(json.dumps(root))
    return where


def opened(where: Path, **options: Any) -> GroundingData:
    return GroundingData(where, Selection(**options))


# ---------------------------------------------------------------- openadapt-grounding's format


def test_a_seed_set_becomes_one_sample_for_each_element(tmp_path: Path) -> None:
    data = opened(seed_set(tmp_path))
    samples = list(data.light())
    assert [s.id for s in samples] == ["a/a1", "a/a2", "b/b1"] and len(data) == 3
    first = samples[0]
    assert first.truth == {"boxes": [[20.0, 20.0, 80.0, 60.0]], "absent": False}
    assert first.tags == {
        "split": "easy",
        "task": "ground",
        "type": "button",
        "platform": "",
        "application": "",
        "difficulty": "easy",
        "theme": "dark",
        "kind": "text",
        "size": "medium",
        "area": "large",
    }
    assert first.facts["instruction"] == "Click a1" and first.facts["image"] == "samples/a.png"
    assert (first.facts["width"], first.facts["height"]) == (200, 100)
    assert samples[2].tags["split"] == "mine"  # no difficulty: the name of the set
    assert not data.synthetic and not samples[0].pictures


def test_full_reads_each_screenshot_once_and_keeps_its_elements_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = opened(seed_set(tmp_path))
    reads: Counter[str] = Counter()
    original = base.read_picture

    def counted(path: Path) -> bytes:
        reads[path.name] += 1
        return original(path)

    monkeypatch.setattr(base, "read_picture", counted)
    samples = list(data.full(lambda name: name != "b/b1"))
    assert [s.id for s in samples] == ["a/a1", "a/a2"] and reads == {"a.png": 1}
    assert samples[0].pictures[0] is samples[1].pictures[0]
    assert samples[0].pictures[0].data == original(tmp_path / "samples" / "a.png")


def test_a_question_holds_the_screenshot_and_the_instruction_and_nothing_else(tmp_path: Path) -> None:
    data = opened(seed_set(tmp_path))
    sample = next(data.full(lambda _: True))
    question = EXAM.ask("instruction", sample)
    assert [type(p) for p in question.parts] == [Picture, Text]
    assert question.text == "Click a1" and question.answer_kind == "text"
    shown = repr(question).replace(repr(sample.pictures[0].data), "")
    assert "20.0" not in shown and "easy" not in shown
    with pytest.raises(SnellenError, match="unknown prompt"):
        EXAM.prompt("other")


def test_several_right_boxes_and_absent_targets(tmp_path: Path) -> None:
    both = element("any", [0.1, 0.1, 0.1, 0.1], acceptable_bboxes=[[0.1, 0.1, 0.1, 0.1], [0.5, 0.1, 0.1, 0.1]])
    none = element("none", [0, 0, 0, 0], absent=True)
    many, gone = list(opened(seed_set(tmp_path, [both, none])).light())[:2]
    assert many.truth["boxes"] == [[20.0, 10.0, 40.0, 20.0], [100.0, 10.0, 120.0, 20.0]]
    assert gone.truth == {"boxes": [], "absent": True} and gone.tags["size"] == ""


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bbox": [0.9, 0.9, 0.3, 0.05]}, "not inside the image"),
        ({"bbox": [0.1, 0.1, 0.2]}, "four numbers"),
        ({"bbox": [0.1, 0.1, -0.2, 0.1]}, "negative"),
        ({"bbox": [0.1, 0.1, 0.0, 0.1]}, "no area"),
        ({"bbox": "x"}, "bbox"),
        ({"element_type": "slider"}, "element_type"),
        ({"instruction": 7}, "instruction"),
    ],
)
def test_a_wrong_element_is_named_with_file_sample_and_element(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    bad = element("bad", [0.1, 0.1, 0.1, 0.1]) | change
    with pytest.raises(SnellenError, match=words) as error:
        opened(seed_set(tmp_path, [bad]))
    assert str(error.value).startswith("annotations.json sample a element bad: ")


@pytest.mark.parametrize(
    "name", ["../outside.png", "/etc/passwd", "samples/../../x.png", "C:/x.png", "missing.png", ""]
)
def test_images_come_from_the_folder_only(tmp_path: Path, name: str) -> None:
    image(tmp_path / "outside.png", 200, 100)
    with pytest.raises(SnellenError, match=r"sample a: (image|'/etc/passwd' leads out of the data's folder)"):
        opened(seed_set(tmp_path / "set", image_path=name))


def test_an_image_of_another_size_is_refused_when_it_is_read(tmp_path: Path) -> None:
    data = opened(seed_set(tmp_path))
    image(tmp_path / "samples" / "a.png", 300, 100)
    with pytest.raises(SnellenError, match=r"samples/a\.png: the image is 300x100, and the annotations say 200x100"):
        list(data.full(lambda _: True))


def test_types_default_to_unknown_and_instructions_are_made_as_in_the_original(tmp_path: Path) -> None:
    sample = next(opened(seed_set(tmp_path, [{"id": "x", "bbox": [0, 0, 0.5, 0.5], "text": "Go"}])).light())
    assert sample.facts["element_type"] == "unknown" and sample.facts["instruction"] == "Click on 'Go'"
    for row in GOLDEN["build_instruction"]:
        assert instruction_of(row["instruction"], row["text"], row["type"]) == row["out"]


def test_a_set_that_calls_itself_synthetic_is_synthetic(tmp_path: Path) -> None:
    seed_set(tmp_path)
    assert not opened(tmp_path).synthetic
    text = (tmp_path / "annotations.json").read_text()
    (tmp_path / "annotations.json").write_text(text.replace('"mine"', '"synthetic"'))
    assert opened(tmp_path).synthetic


# ---------------------------------------------------------------- selection


def test_splits_limits_and_fingerprints(tmp_path: Path) -> None:
    many = [element(f"e{i}", [0.01 * i, 0.1, 0.05, 0.1]) for i in range(20)]
    seed_set(tmp_path, many)
    whole = opened(tmp_path)
    assert [s.id for s in opened(tmp_path, splits=("EASY",)).light()] == [f"a/e{i}" for i in range(20)]
    few, more = opened(tmp_path, limit=3, seed=1), opened(tmp_path, limit=6, seed=1)
    assert len(few) == 4 and len(more) == 7  # 3 and 6 of the first split, 1 of the second
    assert {s.id for s in few.light()} < {s.id for s in more.light()} < {s.id for s in whole.light()}
    assert {s.id for s in opened(tmp_path, limit=3, seed=2).light()} != {s.id for s in few.light()}
    assert whole.fingerprint == few.fingerprint
    image(tmp_path / "samples" / "b.png", 200, 100, "BMP")
    assert opened(tmp_path).fingerprint != whole.fingerprint
    with pytest.raises(SnellenError, match=r"unknown split 'web' of this data: .*easy, mine"):
        opened(tmp_path, splits=("web",))
    with pytest.raises(SnellenError, match="unknown task"):
        opened(tmp_path, tasks=("draw",))


def test_folders_that_hold_nothing_or_too_much(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="no folder"):
        recognise(tmp_path / "none")
    with pytest.raises(SnellenError, match="expected one of"):
        recognise(tmp_path)
    seed_set(tmp_path / "inner")
    with pytest.raises(SnellenError, match="its folder 'inner' does"):
        recognise(tmp_path)
    (tmp_path / "inner" / "screenspot_web.json").write_text("[]")
    with pytest.raises(SnellenError, match="several data sets"):
        recognise(tmp_path / "inner")
    (tmp_path / "inner" / "annotations.json").unlink()
    with pytest.raises(SnellenError, match="without a single target"):
        opened(tmp_path / "inner")


# ---------------------------------------------------------------- published sets


def spot(name: str, bbox: list[float], **more: Any) -> dict[str, Any]:
    row = {"img_filename": name, "bbox": bbox, "instruction": "open it", "data_type": "icon", "data_source": "Gitlab"}
    return row | more


@pytest.mark.parametrize(("ending", "folder"), [("", "screenspot_imgs"), ("_v2", "screenspotv2_image")])
def test_screenspot_and_its_second_version(tmp_path: Path, ending: str, folder: str) -> None:
    image(tmp_path / folder / "w.png", 2560, 1440)
    image(tmp_path / folder / "m.jpg", 400, 800, "JPEG")
    web = [spot("w.png", [10, 20, 197, 70]), spot("w.png", [0, 0, 30, 30], data_type="text")]
    (tmp_path / f"screenspot_web{ending}.json").write_text(json.dumps(web))
    mobile = [spot("m.jpg", [300, 700, 100, 100], data_source="iOS")]
    (tmp_path / f"screenspot_mobile{ending}.json").write_text(json.dumps(mobile))
    data = opened(tmp_path)
    phone, first, second = list(data.light())
    assert first.truth["boxes"] == [[10.0, 20.0, 207.0, 90.0]]
    assert (first.tags["split"], first.tags["platform"], first.tags["application"]) == ("web", "web", "gitlab")
    assert (first.tags["kind"], second.tags["kind"], second.tags["size"]) == ("icon", "text", "small")
    assert (phone.tags["split"], phone.tags["platform"]) == ("mobile", "ios")
    assert first.id == f"w.png/screenspot_web{ending}-0000"


def test_screenspot_boxes_are_taken_as_declared_never_guessed(tmp_path: Path) -> None:
    for case in GOLDEN["bbox_convention_guessing_hazard"]["cases"]:
        width, height = case["wh"]
        image(tmp_path / "images" / "x.png", width, height)
        (tmp_path / "screenspot_desktop.json").write_text(json.dumps([spot("x.png", case["bbox_xywh_px"])]))
        box = Box.from_xyxy(next(opened(tmp_path).light()).truth["boxes"][0], Pixels(width, height))
        assert box.to(UNIT).corners == pytest.approx(case["correct_xyxy_norm"], abs=1e-12)


def test_screenspot_records_that_do_not_fit_are_named(tmp_path: Path) -> None:
    image(tmp_path / "images" / "x.png", 100, 100)
    file = tmp_path / "screenspot_web.json"
    file.write_text(json.dumps([spot("x.png", [1, 1, 9, 9]), spot("x.png", [60, 60, 90, 90])]))
    with pytest.raises(SnellenError, match=r"screenspot_web\.json record 1: box .* is not inside the image, 100x100"):
        opened(tmp_path)
    file.write_text(json.dumps([{"file_name": "x.png", "bbox": [0.1, 0.1, 0.2, 0.2], "instruction": "i"}]))
    with pytest.raises(SnellenError, match="record 0: Object missing required field `img_filename`"):
        opened(tmp_path)
    file.write_text("{}")
    with pytest.raises(SnellenError, match="expected a list"):
        opened(tmp_path)
    file.write_text("[")
    with pytest.raises(SnellenError, match=r"screenspot_web\.json: not JSON"):
        opened(tmp_path)


def test_screenspot_pro(tmp_path: Path) -> None:
    image(tmp_path / "images" / "davinci_macos" / "s.png", 3840, 2160)
    row = {
        "id": "davinci_macos_0",
        "img_filename": "davinci_macos/s.png",
        "bbox": [2042, 1153, 2067, 1182],
        "img_size": [3840, 2160],
        "instruction": "cut",
        "instruction_cn": "x",
        "ui_type": "icon",
        "platform": "macos",
        "application": "davinci",
        "group": "Creative",
    }
    (tmp_path / "annotations").mkdir()
    file = tmp_path / "annotations" / "davinci_macos.json"
    file.write_text(json.dumps([row]))
    data = opened(tmp_path)
    sample = next(data.light())
    assert sample.truth["boxes"] == [[2042.0, 1153.0, 2067.0, 1182.0]]
    assert (sample.tags["split"], sample.tags["application"], sample.tags["size"]) == ("Creative", "davinci", "small")
    assert sample.facts["group"] == "Creative" and sample.facts["instruction_cn"] == "x"
    file.write_text(json.dumps([row | {"bbox": [2042, 1153, 25, 29]}]))  # xywh by mistake
    with pytest.raises(SnellenError, match=r"annotations/davinci_macos\.json record 0: box .* wrong order"):
        opened(tmp_path)


def test_osworld_g_boxes_polygons_and_refusals(tmp_path: Path) -> None:
    image(tmp_path / "benchmark" / "images" / "q.png", 1920, 1080)
    base = {"image_path": "q.png", "image_size": [1920, 1080], "instruction": "i", "GUI_types": ["Icon", "Button"]}
    rows = [
        base | {"id": "q-0", "box_type": "bbox", "box_coordinates": [100, 200, 50.5, 20]},
        base | {"id": "q-1", "box_type": "polygon", "box_coordinates": [0, 0, 100, 0, 0, 100]},
        base | {"id": "q-2", "box_type": "refusal", "box_coordinates": [0, 0, 0, 0], "GUI_types": ["/"]},
    ]
    file = tmp_path / "benchmark" / "OSWorld-G.json"
    file.write_text(json.dumps(rows))
    box, polygon, refusal = list(opened(tmp_path).light())
    assert box.truth == {"boxes": [[100.0, 200.0, 150.5, 220.0]], "absent": False}
    assert polygon.truth["polygons"] == [[0.0, 0.0, 100.0, 0.0, 0.0, 100.0]]
    assert polygon.truth["boxes"] == [[0.0, 0.0, 100.0, 100.0]]
    assert refusal.truth == {"boxes": [], "absent": True}
    assert (box.tags["split"], box.tags["type"], box.tags["kind"]) == ("OSWorld-G", "icon", "icon")
    (tmp_path / "benchmark" / "OSWorld-G_refined.json").write_text(json.dumps(rows))
    both = opened(tmp_path)
    assert len({s.id for s in both.light()}) == len(both) == 6
    assert len(opened(tmp_path, splits=("osworld-g_refined",))) == 3
    file.write_text(json.dumps([rows[1] | {"box_coordinates": [0, 0, 100, 0]}]))
    with pytest.raises(SnellenError, match=r"benchmark/OSWorld-G\.json record 0: polygon with 4 numbers"):
        opened(tmp_path)


def test_rows_to_mark_without_a_data_set() -> None:
    sample = sample_from_row({"id": "x", "width": 200, "height": 100, "boxes": [[10, 10, 50, 30]], "text": "OK"})
    assert sample.id == "x" and sample.truth == {"boxes": [[10.0, 10.0, 50.0, 30.0]], "absent": False}
    assert sample.facts["width"] == 200 and sample.tags["size"] == "small" and sample.tags["area"] == "large"
    gone = sample_from_row({"id": "y", "width": 200, "height": 100, "absent": True})
    assert gone.truth == {"boxes": [], "absent": True}
    for bad, words in (
        ({"boxes": [[1, 1, 2, 2]]}, "width"),
        ({"width": 9, "height": 9}, "needs"),
        ({"width": 9, "height": 9, "boxes": [[1, 1, 2, 2]], "absent": True}, "not both"),
        ({"width": 9, "height": 9, "boxes": [[1, 1, 40, 2]]}, "not inside"),
        ({"width": 9, "height": 9, "boxes": 7}, "list of"),
    ):
        with pytest.raises(SnellenError, match=words):
            sample_from_row({"id": "z"} | bad)


# ---------------------------------------------------------------- parity of measures


def test_areas_fall_into_the_classes_of_the_original() -> None:
    for row in GOLDEN["size_category"]:
        assert area_class(row["area_fraction"]) == row["size_category"], row


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [
        (31, 31, "small"),
        (32, 32, "medium"),
        (100, 100, "medium"),
        (101, 101, "large"),
        (400, 24, "medium"),
        (80, 12, "small"),
    ],
)
def test_pixel_sizes_fall_into_the_documented_classes(width: int, height: int, expected: str) -> None:
    assert size_class(Box(0, 0, width, height, Pixels(1920, 1080))) == expected


def test_overlap_distance_and_click_points_equal_the_original() -> None:
    for row in GOLDEN["iou"]:
        if min(row["a"][2:]) < 0:
            with pytest.raises(SnellenError, match="negative"):
                Box.from_xywh(row["a"], UNIT)
            continue
        assert iou(Box.from_xywh(row["a"], UNIT), Box.from_xywh(row["b"], UNIT)) == pytest.approx(row["iou"], abs=1e-12)
    for row in GOLDEN["point_distance"]:
        assert distance(Point(*row["p"], UNIT), Point(*row["t"], UNIT)) == pytest.approx(row["d"], abs=1e-12)
    for row in GOLDEN["click_point"]:
        centre = Box.from_xywh(row["bbox"], UNIT).centre
        assert [centre.x, centre.y] == pytest.approx(row["click_point"], abs=1e-12)


def test_a_wrong_file_is_named_and_a_wrong_choice_says_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "annotations.json").write_text("[]")
    with pytest.raises(SnellenError, match=r"^annotations\.json: Expected `object`, got `array`"):
        opened(tmp_path)
    image(tmp_path / "a.png", 100, 100)
    element = {"id": "e", "bbox": [0.1, 0.1, 0.2, 0.2], "element_type": "knob"}
    sample = {"id": "a", "image_path": "a.png", "width": 100, "height": 100, "elements": [element]}
    root = {"name": "mine", "version": "1", "samples": [sample]}
    (tmp_path / "annotations.json").write_text(json.dumps(root))
    with pytest.raises(
        SnellenError, match=r"annotations\.json sample a element e: .*element_type.* \(choose from button, icon, "
    ):
        opened(tmp_path)
    (tmp_path / "annotations.json").unlink()
    row = {"img_filename": "a.png", "bbox": [1, 1, 9, 9], "instruction": "i", "data_type": "knob"}
    (tmp_path / "screenspot_web.json").write_text(json.dumps([row]))
    with pytest.raises(SnellenError, match=r"screenspot_web\.json record 0: .*data_type.* \(choose from text, icon\)"):
        opened(tmp_path)
