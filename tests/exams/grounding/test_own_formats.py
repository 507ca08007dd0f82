"""COCO and LabelMe as their tools write them: instructions, boxes, several right answers, and every problem with its place."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.data.synthetic_marker import labelled
from snellen.exams.grounding.check import check
from snellen.exams.grounding.data import GroundingData
from snellen.exams.grounding.exam import EXAM

ANNOTATION: dict[str, Any] = {
    "id": 1,
    "image_id": 7,
    "category_id": 2,
    "bbox": [20, 10, 60, 30],
    "area": 1800,
    "iscrowd": 0,
}
SHAPE: dict[str, Any] = {
    "label": "pay",
    "points": [[80, 40], [20, 10]],
    "group_id": None,
    "description": "",
    "shape_type": "rectangle",
    "flags": {},
}


def coco(where: Path, *annotations: Any, **more: Any) -> Path:
    (where / "images").mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (200, 100)).save(where / "images" / "a.png")
    root = {
        "info": {},
        "licenses": [],
        "images": [{"id": 7, "file_name": "a.png", "width": 200, "height": 100}],
        "annotations": list(annotations),
        "categories": [{"id": 2, "name": "Pay button"}, {"id": 3, "name": "Search"}],
    }
    (where / "instances.json").write_text(json.dumps(root | more))
    return where


def labelme(where: Path, *shapes: Any, **more: Any) -> Path:
    Image.new("RGB", (200, 100)).save(where / "a.png")
    root = {
        "version": "5.4.1",
        "flags": {},
        "shapes": list(shapes),
        "imagePath": "a.png",
        "imageData": None,
        "imageHeight": 100,
        "imageWidth": 200,
    }
    (where / "a.json").write_text(json.dumps(root | more))
    return where


def asked(where: Path) -> list[tuple[str, Any]]:
    samples = GroundingData(where, Selection()).light()
    return [(s.facts["instruction"], s.truth.get("polygons", s.truth["boxes"])) for s in samples]


def problems(where: Path) -> list[str]:
    return [str(problem) for problem in check(where) if problem.fatal]


# ---------------------------------------------------------------- COCO


def test_coco_asks_for_captions_and_else_for_the_category(tmp_path: Path) -> None:
    told = ANNOTATION | {"caption": "Pay for the tickets"}
    named = ANNOTATION | {"id": 2, "category_id": 3, "bbox": [0, 0, 10, 10]}
    where = coco(tmp_path, told, named)
    assert asked(where) == asked(where / "instances.json")
    assert asked(where) == [("Pay for the tickets", [[20, 10, 80, 40]]), ("Click on 'Search'", [[0, 0, 10, 10]])]
    assert EXAM.recognises(where) == "screenshots with boxes (COCO's images, annotations and categories)"
    assert not problems(where)


def test_all_things_of_a_category_are_right_where_only_the_category_is_asked_for(tmp_path: Path) -> None:
    other = ANNOTATION | {"id": 2, "bbox": [100, 10, 20, 20]}
    assert asked(coco(tmp_path, ANNOTATION, other)) == [
        ("Click on 'Pay button'", [[20, 10, 80, 40], [100, 10, 120, 30]])
    ]


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        ({"bbox": [20, 10, 0, 30]}, "instances.json annotations[1]: box [20.0, 10.0, 20.0, 40.0] has no area"),
        ({"bbox": [150, 10, 60, 30]}, "instances.json annotations[1]: box [150.0, 10.0, 60.0, 30.0] is not inside"),
        ({"bbox": [1, 2, 3]}, "instances.json annotations[1]: a box is a list of four numbers"),
        ({"bbox": "no"}, "instances.json annotations[1]: Expected `array`, got `str` - at `$.bbox`"),
        ({"category_id": 9}, "instances.json annotations[1]: no instruction, no caption, and category_id 9 is not"),
        ({"image_id": 8}, "instances.json annotations[1]: image_id 8 is not in images"),
        ({"iscrowd": 1}, "instances.json annotations[1]: iscrowd"),
    ],
)
def test_what_is_wrong_in_a_coco_file_is_named(tmp_path: Path, annotation: dict[str, Any], words: str) -> None:
    where = coco(tmp_path, ANNOTATION, ANNOTATION | {"id": 2} | annotation)
    found = problems(where)
    assert len(found) == 1 and found[0].startswith(words)
    with pytest.raises(SnellenError):
        GroundingData(where, Selection())


def test_a_coco_picture_of_another_size_is_refused(tmp_path: Path) -> None:
    where = coco(tmp_path, ANNOTATION, images=[{"id": 7, "file_name": "a.png", "width": 400, "height": 200}])
    assert problems(where) == ["instances.json annotations[0]: image 'a.png' is 200x100, and the file says 400x200"]
    where = coco(tmp_path, ANNOTATION, images=[{"id": 7, "file_name": "../a.png", "width": 200, "height": 100}])
    assert "must be a path inside the data set's folder" in problems(where)[0]


def test_captions_without_boxes_are_not_grounding_data(tmp_path: Path) -> None:
    where = coco(tmp_path, {"id": 1, "image_id": 7, "caption": "A screen."})
    assert EXAM.recognises(where) is None


def test_a_coco_file_is_known_by_what_it_holds(tmp_path: Path) -> None:
    where = coco(tmp_path, ANNOTATION)
    (where / "instances.json").rename(where / "annotations.json")
    assert EXAM.recognises(where) == "screenshots with boxes (COCO's images, annotations and categories)"
    assert asked(where) == asked(where / "annotations.json") == [("Click on 'Pay button'", [[20, 10, 80, 40]])]
    assert not problems(where)


# ---------------------------------------------------------------- LabelMe


def test_labelme_rectangles_polygons_and_descriptions(tmp_path: Path) -> None:
    told = SHAPE | {"description": "Pay for the tickets"}
    round_ = SHAPE | {"label": "help", "shape_type": "polygon", "points": [[1, 2], [9, 2], [5, 8]]}
    where = labelme(tmp_path, told, round_)
    assert asked(where) == [
        ("Pay for the tickets", [[20, 10, 80, 40]]),
        ("Click on 'help'", [[1, 2, 9, 2, 5, 8]]),
    ]
    assert EXAM.recognises(where) == "screenshots with boxes (LabelMe's files)" and not problems(where)
    assert asked(where / "a.json") == asked(where)


def test_a_rectangle_and_a_polygon_of_one_label_are_both_right(tmp_path: Path) -> None:
    other = SHAPE | {"shape_type": "polygon", "points": [[1, 2], [9, 2], [5, 8]]}
    assert asked(labelme(tmp_path, SHAPE, other)) == [
        ("Click on 'pay'", [[20, 10, 80, 10, 80, 40, 20, 40], [1, 2, 9, 2, 5, 8]])
    ]


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"shape_type": "circle"}, "a.json shapes[1]: Invalid enum value 'circle' - at `$.shape_type` (choose from"),
        ({"points": [[1, 2]]}, "a.json shapes[1]: points: a rectangle has two corners, not 1"),
        ({"points": [[1, 2], [1, 9]]}, "a.json shapes[1]: box [1.0, 2.0, 1.0, 9.0] has no area"),
        ({"points": [[1, 2], [500, 9]]}, "a.json shapes[1]: box [1.0, 2.0, 500.0, 9.0] is not inside the image"),
        ({"label": " "}, "a.json shapes[1]: neither description nor label says what this is"),
    ],
)
def test_what_is_wrong_in_a_labelme_file_is_named(tmp_path: Path, shape: dict[str, Any], words: str) -> None:
    found = problems(labelme(tmp_path, SHAPE, SHAPE | shape))
    assert len(found) == 1 and found[0].startswith(words)


def test_a_labelme_picture_that_is_not_there_or_of_another_size_is_refused(tmp_path: Path) -> None:
    assert problems(labelme(tmp_path, SHAPE, imageWidth=400)) == [
        "a.json: image 'a.png' is 200x100, and the file says 400x100"
    ]
    assert problems(labelme(tmp_path, SHAPE, imagePath="..\\\\a.png"))[0].startswith("a.json: image ")


@pytest.mark.parametrize("named", ["a.json", "gone.png", "..\\\\images\\\\a.png"])
def test_a_labelme_file_may_hold_its_picture(tmp_path: Path, named: str) -> None:
    where = labelme(tmp_path, SHAPE)
    picture = labelled((where / "a.png").read_bytes(), {"generator": "screens", "version": 1, "seed": 1})
    (where / "a.png").unlink()
    told = json.loads((where / "a.json").read_text()) | {"imagePath": named}
    assert problems(where)[0].startswith("a.json: image 'a.png' not found")
    (where / "a.json").write_text(json.dumps(told | {"imageData": base64.b64encode(picture).decode()}))
    data = GroundingData(where, Selection())
    (sample,) = data.full(lambda _: True)
    assert (sample.pictures[0].data, sample.facts["image"]) == (picture, "a.json")
    assert data.synthetic and not problems(where)
    (where / "a.json").write_text(json.dumps(told | {"imageData": "no base64!"}))
    assert problems(where) == ["a.json: imageData is not a picture in base64"]
    small = told | {"imageWidth": 100, "imageData": base64.b64encode(picture).decode()}
    (where / "a.json").write_text(json.dumps(small))
    assert problems(where) == ["a.json: image 'a.json' is 200x100, and the file says 100x100"]


def test_a_coco_file_with_an_empty_list_of_samples_is_still_one(tmp_path: Path) -> None:
    coco(tmp_path, ANNOTATION, samples=[])
    (tmp_path / "instances.json").rename(tmp_path / "annotations.json")
    assert asked(tmp_path) == [("Click on 'Pay button'", [[20, 10, 80, 40]])]


def test_json_that_is_nested_too_deeply_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "annotations.json").write_text('{"samples": ' + "[" * 100_000 + "]" * 100_000 + "}")
    (problem,) = problems(tmp_path)
    assert problem.startswith("annotations.json: not JSON (")
