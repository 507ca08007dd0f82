"""Sheets are functions of their key, deal their answers evenly, and tell the answer in no other way than by what is seen."""

from __future__ import annotations

import io
import platform
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.support.command import environment
from tests.support.processors import OTHER_PROCESSORS

from snellen.core.errors import SnellenError
from snellen.core.pixels import as_rgb
from snellen.data.synthetic_marker import picture_label
from snellen.synthetic.sheets import DRAWERS, DrawnSheet, draw, fingerprint
from snellen.synthetic.sheets.hidden import THINGS
from snellen.synthetic.sheets.marks import LETTERS
from snellen.synthetic.sheets.odd import CELLS

SIZE = {"hidden": 384, "pointing": 1000}
MIDDLING = {
    "letters": 7.3,
    "contrast": 1.7,
    "colour": 5.0,
    "orientation": 6.0,
    "size": 9.0,
    "hidden": 20.0,
    "pointing": 12.6,
    "difference": 9.0,
}
OPTIONS = {"letters": LETTERS, "contrast": LETTERS, "hidden": THINGS} | dict.fromkeys(
    ("colour", "orientation", "size", "difference"), CELLS
)
SHOWN = {
    "letters": "59f112356a56",
    "contrast": "9bb9cb8f10f6",
    "colour": "043bbd742661",
    "orientation": "35356f5a9e41",
    "size": "caadb691ef42",
    "hidden": "2f345142fd2d",
    "pointing": "e345c9d0a184",
    "difference": "caf68a743c8f93891cd4ce44",
}
"""What one sheet of each faculty shows, by the first digits of its fingerprint."""
EVERY_SHEET = f"""
from snellen.synthetic.sheets import draw, fingerprint
for faculty, level in {MIDDLING}.items():
    for number in range(10):
        sheet = draw(faculty, level, seed=3, number=number, size={SIZE}.get(faculty, 512))
        print(faculty, number, sheet.truth, *map(fingerprint, sheet.pictures))
"""


def sheet(faculty: str, number: int, level: float | None = None, seed: int | str = 11) -> DrawnSheet:
    return draw(faculty, level or MIDDLING[faculty], seed=seed, number=number, size=SIZE.get(faculty, 512))


def pixels(picture: bytes) -> np.ndarray:
    return np.asarray(as_rgb(picture), dtype=np.float64)


@pytest.mark.parametrize("faculty", DRAWERS)
def test_sheets_show_what_they_always_showed(faculty: str) -> None:
    if faculty == "hidden" and platform.machine() != "x86_64":
        pytest.skip("scenes are computed in single precision")
    shown = "".join(fingerprint(picture)[:12] for picture in sheet(faculty, 5).pictures)
    assert shown == SHOWN[faculty]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are settings of x86 processors")
def test_sheets_are_the_same_on_other_processors_and_in_another_process(tmp_path: Path) -> None:
    found = []
    for settings in ({}, *OTHER_PROCESSORS.values()):
        env = environment(tmp_path, **settings)
        done = subprocess.run([sys.executable, "-c", EVERY_SHEET], capture_output=True, text=True, env=env, check=True)
        found.append(done.stdout)
    assert len(found[0].splitlines()) == 10 * len(DRAWERS)
    assert found[1] == found[0]
    assert found[2] == found[0]


@pytest.mark.parametrize("faculty", DRAWERS)
def test_the_same_key_gives_the_same_bytes_and_another_key_another_picture(faculty: str) -> None:
    first = sheet(faculty, 4)
    assert sheet(faculty, 4) == first
    assert sheet(faculty, 4, seed="11") == first, "a seed is known by how it is written"
    others = [sheet(faculty, 5), sheet(faculty, 4, seed="word"), sheet(faculty, 4, level=MIDDLING[faculty] * 2)]
    assert len({fingerprint(s.pictures[-1]) for s in (first, *others)}) == 4


@pytest.mark.parametrize("faculty", OPTIONS)
def test_answers_are_dealt_evenly_and_do_not_follow_the_level(faculty: str) -> None:
    options = OPTIONS[faculty]
    truths = [sheet(faculty, number).truth for number in range(2 * len(options))]
    assert Counter(truths) == dict.fromkeys(options, 2)
    assert truths[: len(options)] != truths[len(options) :]
    assert [sheet(faculty, number, level=MIDDLING[faculty] / 3).truth for number in range(len(options))] == truths[
        : len(options)
    ]


def test_targets_are_anywhere_on_the_screen_at_all_levels() -> None:
    boxes = np.array([sheet("pointing", number).facts["box"] for number in range(80)])
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    assert (np.histogram2d(*middles.T, bins=2, range=[[0, 1000]] * 2)[0] >= 10).all()
    for number in range(5):
        small, large = (sheet("pointing", number, level=level).facts["box"] for level in (2, 160))
        assert np.allclose(np.add(small[:2], small[2:]), np.add(large[:2], large[2:]), atol=0.25)
        assert min(large) >= 0
        assert max(large) <= 1000


@pytest.mark.parametrize("faculty", ["colour", "orientation", "size", "difference"])
def test_only_the_odd_cell_changes_with_the_level(faculty: str) -> None:
    for number in range(4):
        one, two = (sheet(faculty, number, level=level) for level in (2.0, 30.0))
        changed = (pixels(one.pictures[-1]) != pixels(two.pictures[-1])).any(axis=2)
        rows, columns = np.nonzero(changed)
        assert set((rows * 3 // 512 * 3 + columns * 3 // 512 + 1).tolist()) == {int(one.truth)}


def test_two_pictures_differ_in_the_one_cell() -> None:
    for number in range(6):
        shown = sheet("difference", number, level=4.0)
        first, second = map(pixels, shown.pictures)
        rows, columns = np.nonzero((first != second).any(axis=2))
        assert set((rows * 3 // 512 * 3 + columns * 3 // 512 + 1).tolist()) == {int(shown.truth)}


def test_the_letters_line_stays_where_it_is_at_every_height() -> None:
    for number in range(4):
        small, large = (sheet("letters", number, level=level).facts for level in (4.0, 40.0))
        assert small == large


@pytest.mark.parametrize("faculty", ["letters", "contrast", "hidden"])
def test_brightness_and_file_size_do_not_tell_the_answer(faculty: str) -> None:
    """Whoever knows the mean of each answer's sheets, and takes the nearest, is no better than chance on other sheets."""
    options = OPTIONS[faculty]
    count = 12 * len(options)
    shown = [sheet(faculty, number) for number in range(count)]
    truths = np.array([list(options).index(s.truth) for s in shown])
    for values in (
        np.array([pixels(s.pictures[0]).mean() for s in shown]),
        np.array([float(len(s.pictures[0])) for s in shown]),
    ):
        learnt, asked = np.arange(count) < count // 2, np.arange(count) >= count // 2
        means = np.array([values[learnt & (truths == k)].mean() for k in range(len(options))])
        right = (np.abs(values[asked][:, None] - means).argmin(axis=1) == truths[asked]).sum()
        n, p = count // 2, 1 / len(options)
        assert right <= n * p + 3.5 * np.sqrt(n * p * (1 - p))


@pytest.mark.parametrize("faculty", DRAWERS)
def test_a_file_says_that_it_was_drawn_and_not_from_which_seed(faculty: str) -> None:
    for picture in sheet(faculty, 0, seed="a-sealed-seed").pictures:
        assert picture_label(picture) == {"generator": "sheets", "version": 1}
        assert b"a-sealed-seed" not in picture


@pytest.mark.parametrize("faculty", sorted(set(DRAWERS) - {"pointing"}))
def test_other_sizes_show_the_same_arrangement(faculty: str) -> None:
    truths = set()
    for size in (448, 896):
        drawn = draw(faculty, MIDDLING[faculty], seed=11, number=3, size=size)
        assert {as_rgb(picture).size for picture in drawn.pictures} == {(size, size)}
        truths.add(drawn.truth)
    assert truths == {sheet(faculty, 3).truth}


@pytest.mark.parametrize(
    ("faculty", "level", "size", "said"),
    [
        ("leters", 5, 512, "did you mean 'letters'"),
        ("size", 0, 512, "above 0 and up to 100"),
        ("size", 1e9, 512, "above 0 and up to 100"),
        ("size", float("nan"), 512, "above 0 and up to 100"),
        ("colour", 5, 10**6, "choose from 128 to 4096"),
        ("letters", 48, 400, "choose 448 or more"),
        ("pointing", 20, 512, "1000 x 1000"),
    ],
)
def test_what_cannot_be_drawn_is_said(faculty: str, level: float, size: int, said: str) -> None:
    with pytest.raises(SnellenError, match=said):
        draw(faculty, level, seed=1, number=1, size=size)


def test_what_a_picture_shows_has_a_fingerprint_whatever_packed_it() -> None:
    picture = sheet("colour", 1).pictures[0]
    again = io.BytesIO()
    as_rgb(picture).save(again, "PNG", compress_level=9)
    assert again.getvalue() != picture
    assert fingerprint(again.getvalue()) == fingerprint(picture)
    image = as_rgb(picture)
    image.putpixel((7, 7), (0, 0, 1))
    changed = io.BytesIO()
    image.save(changed, "PNG")
    assert fingerprint(changed.getvalue()) != fingerprint(picture)
