"""The classical solver: good on sets it has not seen, silent where it cannot see, blind to everything but pixels."""

from __future__ import annotations

import io

import msgspec
import numpy as np
import pytest
from PIL import Image

from snellen.core.types import AnswerKind, Picture, Question, Text
from snellen.exams.salbench.solver.pixels import solve
from snellen.exams.salbench.solver.segment import connected, find_frame
from snellen.synthetic.patterns import scenes_o3, scenes_p3, wording
from snellen.synthetic.patterns.colour import lab_to_rgb, rgb_to_lab
from snellen.synthetic.patterns.drawing import OddOneOut, framed, png

P3 = ("Orientation", "Color", "Size")
O3 = tuple(feature.title() for feature in wording.FEATURES_O3)


def ask(data: bytes, text: str, options: tuple[str, ...] = P3) -> Question:
    kind: AnswerKind = "one-of" if len(options) == 3 else "any-of"
    parts = (Picture(data=data), Text(text=text))
    return Question(id="a", exam="salbench", prompt="x", parts=parts, answer_kind=kind, options=options)


def box_of(scene: OddOneOut) -> tuple[float, float, float, float]:
    height, width = scene.image.shape[:2]
    return scene.box[0] / width, scene.box[1] / height, scene.box[2] / width, scene.box[3] / height


def test_p3_is_solved_where_a_person_would_solve_it() -> None:
    right = {"easy": [], "medium": []}  # type: dict[str, list[bool]]
    for index in range(18):
        scene = scenes_p3.scene(90001, index)
        if scene.difficulty != "hard":
            answer = solve(ask(png(scene.image), wording.question("P3")))
            right[scene.difficulty].append(answer == scene.features[0].title())
    assert np.mean(right["easy"]) >= 0.95
    assert np.mean(right["medium"]) >= 0.7


def test_p3_with_a_box_in_words_or_in_red() -> None:
    scores = []
    for index in range(6):
        scene = scenes_p3.scene(90002, index)
        scores.append(
            solve(ask(png(scene.image), wording.question("P3_box", box=box_of(scene)))) == scene.features[0].title()
        )
        marked = png(framed(scene.image, scene.box))
        scores.append(solve(ask(marked, wording.question("P3_box_img"))) == scene.features[0].title())
    assert np.mean(scores) >= 0.8


def test_the_last_box_decides_which_object_is_meant() -> None:
    image = np.full((400, 400, 3), 240, dtype=np.uint8)
    for row in range(4):
        for column in range(4):
            image[100 * row + 30 : 100 * row + 70, 100 * column + 30 : 100 * column + 70] = (40, 60, 160)
    image[30:70, 30:70] = (30, 160, 60)
    image[320:380, 320:380] = (40, 60, 160)
    first, last = "x_min=0.07, y_min=0.07, x_max=0.18, y_max=0.18", "(xmin=0.80, ymin=0.80, xmax=0.95, ymax=0.95)"
    assert solve(ask(png(image), f"{last} and then {first}")) == "Color"
    assert solve(ask(png(image), f"{first} and then {last}")) == "Size"
    assert solve(ask(png(image), "no box", ("Shape", "Size", "Orientation"))) == "Size"


def test_o3_is_far_above_any_constant_answer() -> None:
    overlap = []
    for index in range(10):
        scene = scenes_o3.scene(90003, index)
        said = {w.lower() for w in solve(ask(png(scene.image), wording.question("O3"), O3)).split(", ")} - {""}
        overlap.append(2 * len(said & set(scene.features)) / (len(said) + len(scene.features)))
    assert np.mean(overlap) >= 0.75


def test_nothing_to_see_gives_no_answer() -> None:
    rng = np.random.default_rng(3)
    blank = np.full((300, 300, 3), 128, dtype=np.uint8)
    alone = blank.copy()
    alone[100:150, 100:150] = 20
    equal = blank.copy()
    for x in range(20, 280, 50):
        equal[100:120, x : x + 20] = 20
    noise = rng.integers(0, 256, size=(200, 200, 3)).astype(np.uint8)
    for image in (blank, alone, equal, noise, np.zeros((1, 1, 3), np.uint8), np.zeros((3, 900, 3), np.uint8)):
        assert solve(ask(png(image), "", P3)) == ""
        assert solve(ask(png(image), "", O3)) == ""
    assert solve(ask(b"not an image", "")) == ""
    assert solve(ask(png(blank)[:60], "")) == ""
    assert solve(ask(png(alone), "", ("yes", "no", "maybe"))) == ""
    assert solve(Question(id="a", exam="salbench", prompt="x", parts=(), options=P3)) == ""


@pytest.mark.parametrize("mode", ["L", "P", "RGBA", "LA", "1", "CMYK", "I;16", "F"])
def test_every_image_mode_is_read(mode: str) -> None:
    sink = io.BytesIO()
    scene = scenes_p3.scene(90004, 0)
    grey = Image.fromarray(scene.image).resize((256, 256)).convert("L")
    image = Image.fromarray(np.asarray(grey).astype(np.uint16) * 256) if mode == "I;16" else grey.convert(mode)
    image.save(sink, "TIFF")
    assert solve(ask(sink.getvalue(), "")) in ("", *P3)


def test_only_the_pixels_and_the_text_count() -> None:
    scene = scenes_p3.scene(90005, 1)
    question = ask(png(scene.image), wording.question("P3"))
    lied = msgspec.structs.replace(
        question, id="image_color_easy", parts=(Picture(data=png(scene.image), name="size.png"), question.parts[1])
    )
    assert solve(lied) == solve(question) != ""


def test_jpeg_is_good_enough() -> None:
    right = []
    for index in range(18):
        scene = scenes_p3.scene(90006, index)
        if scene.difficulty == "easy":
            sink = io.BytesIO()
            Image.fromarray(scene.image).save(sink, "JPEG", quality=90)
            right.append(solve(ask(sink.getvalue(), wording.question("P3"))) == scene.features[0].title())
    assert np.mean(right) >= 0.8


def test_connected_parts_join_diagonals_and_arms() -> None:
    art = ["##..#", "..#.#", "#...#", "#.#.#", "#####", ".....", "#.#.."]
    parts = connected(np.array([[c == "#" for c in line] for line in art]))
    assert sorted(parts.area) == [1, 1, 3, 12]
    big = int(parts.area.argmax())
    assert parts.boxes[big].tolist() == [0, 0, 5, 5]
    assert (parts.labels > 0).sum() == 17
    assert connected(np.zeros((3, 3), dtype=np.bool_)).area.size == 0


def test_only_a_hollow_red_rectangle_is_a_frame() -> None:
    image = np.full((100, 120, 3), 200, dtype=np.uint8)
    image[10:30, 10:30] = (255, 0, 0)
    assert find_frame(image) is None
    found = find_frame(framed(image, (50, 40, 90, 80), margin=3))
    assert found is not None and found[0] == (45, 35, 95, 85)
    assert find_frame(framed(framed(image, (50, 40, 60, 60)), (80, 40, 100, 60))) is None


def test_lab_comes_back() -> None:
    rgb = np.random.default_rng(2).integers(0, 256, size=(50, 3))
    assert np.allclose(lab_to_rgb(rgb_to_lab(rgb)), rgb, atol=0.05)
    assert np.allclose(rgb_to_lab([255, 255, 255]), [100, 0, 0], atol=0.05)
