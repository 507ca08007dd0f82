"""`baseline/pixels` sees what its docstrings say it sees, guesses below that, and follows what is done to a picture on its way."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image

from snellen.core.pixels import as_rgb
from snellen.core.types import Picture, Question, Text
from snellen.exams.eye.faculties import FACULTIES
from snellen.exams.eye.solver.pixels import asked, solve
from snellen.synthetic.sheets import draw

Change = Callable[[bytes], bytes]


def question(faculty: str, *pictures: bytes) -> Question:
    what = FACULTIES[faculty]
    parts = (*(Picture(data=data) for data in pictures), Text(text=what.question))
    return Question(id="1", exam="eye", prompt="exam", parts=parts, options=what.options, answer_kind="one-of")


def right(faculty: str, level: float, number: int, change: Change = bytes) -> bool:
    sheet = draw(faculty, level, seed="solver", number=number, size=FACULTIES[faculty].size)
    reply = solve(question(faculty, *map(change, sheet.pictures)))
    if faculty != "pointing":
        assert reply in FACULTIES[faculty].options
        return reply == sheet.truth
    x, y = map(float, reply.split(","))
    x0, y0, x1, y1 = map(float, sheet.truth.split(","))
    return x0 <= x <= x1 and y0 <= y <= y1


def share(faculty: str, level: float, count: int, change: Change = bytes) -> float:
    return sum(right(faculty, level, number, change) for number in range(count)) / count


def packed(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=1)
    return out.getvalue()


def reduced(factor: int) -> Change:
    return lambda data: packed(as_rgb(data).reduce(factor))


def noisy(spread: float) -> Change:
    def change(data: bytes) -> bytes:
        levels = np.asarray(as_rgb(data), dtype=np.float64)
        noise = np.random.default_rng(len(data)).normal(0, spread, levels.shape[:2])
        return packed(Image.fromarray(np.rint(np.clip(levels + noise[..., None], 0, 255)).astype(np.uint8)))

    return change


@pytest.mark.parametrize("faculty", FACULTIES)
def test_all_that_is_easiest_is_seen(faculty: str) -> None:
    assert share(faculty, FACULTIES[faculty].levels[-1], 5) == 1


@pytest.mark.parametrize("faculty", FACULTIES)
def test_what_is_hardest_is_guessed(faculty: str) -> None:
    count, guess = 16, FACULTIES[faculty].guess
    bound = guess + 3.5 * np.sqrt(guess * (1 - guess) / count)
    assert share(faculty, FACULTIES[faculty].levels[0], count) <= bound


SEES = {  # the faculty, what it does not see and what it sees: a sixth, or an eighth where noise decides, off its stated threshold
    "letters": (3.9, 5.6),
    "contrast": (0.2, 0.5),
    "colour": (1.7, 2.3),
    "orientation": (0.95, 1.3),
    "size": (1.25, 1.8),
    "hidden": (7.0, 40.0),
    "pointing": (2.5, 3.5),
    "difference": (1.2, 4.0),
}


@pytest.mark.parametrize("faculty", SEES)
def test_its_thresholds_are_where_its_way_of_measuring_puts_them(faculty: str) -> None:
    below, above = SEES[faculty]
    guess = FACULTIES[faculty].guess
    middle = (below * above) ** 0.5
    shares = [share(faculty, level, 10) for level in (below, middle, above)]
    assert shares[0] <= guess + 0.3
    assert shares[2] >= 0.9
    assert shares[0] - 0.1 <= shares[1] <= shares[2] + 0.1


@pytest.mark.parametrize(("faculty", "factor"), [("letters", 2), ("pointing", 4)])
def test_a_reduced_picture_moves_its_threshold_by_the_factor(faculty: str, factor: int) -> None:
    below, above = SEES[faculty]
    assert share(faculty, factor * below, 10, reduced(factor)) <= 0.4
    assert share(faculty, factor * above, 10, reduced(factor)) >= 0.9
    assert share(faculty, above, 10, reduced(factor)) <= 0.7, "what it saw before is lost"


def test_noise_moves_contrast_by_how_much_more_pixels_vary() -> None:
    factor = np.sqrt(0.5**2 + 3**2) / 0.5
    below, above = SEES["contrast"]
    assert share("contrast", factor * below, 10, noisy(3)) <= 0.4
    assert share("contrast", factor * above, 10, noisy(3)) >= 0.9
    assert share("contrast", above, 10, noisy(3)) <= 0.4


@pytest.mark.parametrize("faculty", FACULTIES)
def test_a_blank_or_tiny_picture_gets_a_guess(faculty: str) -> None:
    for side, level in ((1, 0), (1, 255), (39, 128), (200, 128)):
        blank = packed(Image.new("RGB", (side, side), (level,) * 3))
        pictures = [blank] * (2 if faculty == "difference" else 1)
        reply = solve(question(faculty, *pictures))
        assert reply == solve(question(faculty, *pictures))
        assert reply in FACULTIES[faculty].options or reply == "500,500"


@pytest.mark.parametrize("faculty", FACULTIES)
def test_pictures_of_anything_are_no_reason_to_stop(faculty: str) -> None:
    noise = np.random.default_rng(1).integers(0, 256, (3, 61, 97, 3), dtype=np.uint8)
    for levels in (noise[0], noise[1] // 64 * 64, (noise[2] > 250) * np.uint8(255)):
        assert solve(question(faculty, packed(Image.fromarray(levels)), packed(Image.fromarray(levels))))


def test_what_is_no_question_of_the_exam_gets_no_answer() -> None:
    blank = packed(Image.new("RGB", (100, 100)))
    strange = Question(id="1", exam="eye", prompt="exam", parts=(Picture(data=blank), Text(text="What is this?")))
    assert asked(strange) is None
    assert solve(strange) == ""
    assert solve(question("letters")) == ""
    assert solve(question("letters", b"no picture")) == ""


def test_different_sizes_of_two_pictures_are_no_change() -> None:
    first, second = draw("difference", 50, seed=1, number=1, size=512).pictures
    assert solve(question("difference", first, reduced(2)(second))) in FACULTIES["difference"].options
