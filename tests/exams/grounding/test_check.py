"""What `check` finds: ambiguous instructions, boxes outside, overlaps, images of another size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from PIL import Image

from snellen.exams.grounding.check import check
from snellen.synthetic.screens.make import make

ROOT: dict[str, Any] = {"name": "mine", "version": "1.0", "metadata": {}}


def write(where: Path, elements: list[dict[str, Any]], size: tuple[int, int] = (200, 100)) -> Path:
    where.mkdir(exist_ok=True)
    Image.new("RGB", (200, 100)).save(where / "a.png")
    sample = {"id": "a", "image_path": "a.png", "width": size[0], "height": size[1], "elements": elements}
    (where / "annotations.json").write_text(json.dumps(ROOT | {"samples": [sample]}))
    return where


def element(name: str, bbox: list[float], instruction: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "bbox": bbox, "element_type": "link", "instruction": instruction} | more


def test_a_good_set_has_no_problems(tmp_path: Path) -> None:
    write(tmp_path, [element("x", [0.1, 0.1, 0.2, 0.2], "Click A"), element("y", [0.5, 0.1, 0.2, 0.2], "Click B")])
    assert list(check(tmp_path)) == []


def test_the_same_words_for_two_targets_are_ambiguous_unless_both_will_do(tmp_path: Path) -> None:
    boxes = [[0.1, 0.1, 0.2, 0.2], [0.5, 0.1, 0.2, 0.2]]
    write(tmp_path, [element("x", boxes[0], "Click on it"), element("y", boxes[1], "click  on IT")])
    found = list(check(tmp_path))
    assert [(p.where, p.fatal) for p in found] == [
        ("annotations.json sample a element x", False),
        ("annotations.json sample a element y", False),
    ]
    assert "ambiguous: 'Click on it' fits 2 targets of a.png" in found[0].what
    write(tmp_path, [element(n, b, "Click on any", acceptable_bboxes=boxes) for n, b in zip("xy", boxes, strict=True)])
    assert not [p for p in check(tmp_path) if "ambiguous" in p.what]


def test_overlaps_are_told_apart(tmp_path: Path) -> None:
    write(
        tmp_path,
        [
            element("big", [0.1, 0.1, 0.4, 0.4], "A"),
            element("inner", [0.2, 0.2, 0.1, 0.1], "B"),
            element("edge", [0.45, 0.1, 0.2, 0.2], "C"),
            element("touching", [0.65, 0.1, 0.1, 0.2], "D"),
        ],
    )
    assert [(p.where[-4:], p.what, p.fatal) for p in check(tmp_path)] == [
        (" big", "its box contains that of inner", False),
        (" big", "its box overlaps that of edge", False),
    ]


def test_boxes_outside_sizes_and_images(tmp_path: Path) -> None:
    write(tmp_path, [element("x", [0.9, 0.1, 0.2, 0.2], "A"), element("y", [0.1, 0.1, 0.2, 0.2], "")], size=(300, 100))
    found = {p.what for p in check(tmp_path) if p.fatal}
    assert any("not inside the image" in what for what in found)
    assert "the image is 200x100, and the annotations say 300x100" in found
    (tmp_path / "a.png").write_bytes(b"no image")
    assert any("does not decode" in p.what for p in check(tmp_path))


def test_ids_that_repeat(tmp_path: Path) -> None:
    write(tmp_path, [element("x", [0.1, 0.1, 0.2, 0.2], "A"), element("x", [0.5, 0.5, 0.2, 0.2], "B")])
    assert [p.what for p in check(tmp_path)] == ["id 'a/x' is given 2 times"]


def test_broken_json_is_one_problem(tmp_path: Path) -> None:
    write(tmp_path, [])
    (tmp_path / "annotations.json").write_text("{")
    assert ["not JSON" in p.what for p in check(tmp_path)] == [True]


def test_the_default_generator_makes_nothing_to_complain_of_and_the_original_does(tmp_path: Path) -> None:
    make(tmp_path / "new", count=12, seed=3, workers=1, absent=0.5)
    assert list(check(tmp_path / "new")) == []
    make(tmp_path / "old", count=12, seed=42, workers=1, style="original")
    found = list(check(tmp_path / "old"))
    assert found and all("ambiguous" in p.what and not p.fatal for p in found)


def test_one_picture_under_two_names_is_noted(tmp_path: Path) -> None:
    write(tmp_path, [element("x", [0.1, 0.1, 0.2, 0.2], "A")])
    (tmp_path / "b.png").write_bytes((tmp_path / "a.png").read_bytes())
    root = json.loads((tmp_path / "annotations.json").read_text())
    again = root["samples"][0] | {"id": "b", "image_path": "b.png"}
    (tmp_path / "annotations.json").write_text(json.dumps(root | {"samples": [*root["samples"], again]}))
    assert [(p.where, p.what, p.fatal) for p in check(tmp_path)] == [
        ("b.png", "the same picture as a.png: not an independent screenshot", False)
    ]
