"""A dial's value is what the pixels have: measured in each sheet by other means than those that drew it."""

from __future__ import annotations

import numpy as np
import pytest

from snellen.core.pixels import as_rgb
from snellen.synthetic.hidden.scenery_base import SIZE as SCENE
from snellen.synthetic.patterns.colour import rgb_to_lab
from snellen.synthetic.sheets import DrawnSheet, draw
from snellen.synthetic.sheets.ciede import ciede2000
from snellen.synthetic.sheets.hidden import SWING, THINGS, blended
from snellen.synthetic.sheets.letters import level_of, light_of
from snellen.synthetic.sheets.marks import LETTERS, SHAPES, cover, points
from snellen.synthetic.sheets.odd import CELLS

SHARMA = [  # test pairs of Sharma, Wu and Dalal (2005)
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 3.1571, -77.2803), (50, 0, -82.7485), 2.8615),
    ((50, 2.8361, -74.0200), (50, 0, -82.7485), 3.4412),
    ((50, 0, 0), (50, -1, 2), 2.3669),
    ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((63.0109, -31.0961, -5.8663), (62.8187, -29.7946, -4.0864), 1.2630),
    ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
]
INK = {"H": 13, "O": np.pi * (2.5**2 - 1.5**2), "D": 12.5 + np.pi * 3.125 - 4.5 - np.pi * 1.125}
"""Area of a letter in squares of its stroke, by hand."""


def pixels(picture: bytes) -> np.ndarray:
    return np.asarray(as_rgb(picture), dtype=np.float64)


def with_truth(faculty: str, level: float, truth: str) -> DrawnSheet:
    drawn = (draw(faculty, level, seed=8, number=number, size=512) for number in range(20))
    return next(sheet for sheet in drawn if sheet.truth == truth)


def cell(picture: np.ndarray, name: str) -> np.ndarray:
    row, column = divmod(int(name) - 1, 3)
    return picture[row * 512 // 3 : (row + 1) * 512 // 3, column * 512 // 3 : (column + 1) * 512 // 3]


def area(part: np.ndarray, ground: np.ndarray) -> float:
    """Pixels' worth of ink: full ink is what differs most from the ground."""
    apart = np.abs(part - ground).sum(axis=2)
    return float((apart / apart.max()).sum())


@pytest.mark.parametrize("letter", INK)
@pytest.mark.parametrize("height", [3.3, 5.0, 7.7, 23.4, 48.0])
def test_letters_have_the_height_that_the_dial_says(letter: str, height: float) -> None:
    sheet = with_truth("letters", height, letter)
    (x, y), (ground, ink) = sheet.facts["centre"], sheet.facts["levels"]
    light = pixels(sheet.pictures[0])[..., 0]
    rows, columns = (slice(int(at - 0.75 * height - 1), int(at + 0.75 * height + 2)) for at in (y, x))
    covered = float(((ground - light[rows, columns]) / (ground - ink)).sum())
    assert 5 * np.sqrt(covered / INK[letter]) == pytest.approx(height, rel=0.012)


@pytest.mark.parametrize("height", [6.4, 19.9])
def test_a_line_is_nine_letters_wide_and_one_high(height: float) -> None:
    sheet = with_truth("letters", height, "H")
    _, y = sheet.facts["centre"]
    light = pixels(sheet.pictures[0])[..., 0]
    band = light[int(y - 30) : int(y + 31)] < 128
    wide, high = (np.flatnonzero(band.any(axis=axis)) for axis in (0, 1))
    assert np.ptp(wide) + 1 == pytest.approx(9 * height, abs=1.5)
    assert np.ptp(high) + 1 == pytest.approx(height, abs=1.1)


def test_letters_and_shapes_differ_from_each_other_and_fill_their_square() -> None:
    for marks in (LETTERS, SHAPES):
        drawn = [points(mark) for mark in marks]
        for number, one in enumerate(drawn):
            assert one.any(axis=0).mean() > 0.9
            for other in drawn[:number]:
                assert (one != other).mean() > 0.02
    assert all(points(letter).any(axis=1).all() for letter in LETTERS)


@pytest.mark.parametrize("place", [0.0, 0.25, 0.5, 0.9])
def test_ink_is_the_same_wherever_among_the_pixels_a_mark_lies(place: float) -> None:
    drawn = cover("K", 6.3, 10 + place, 20 - place)
    assert drawn.share.sum() == pytest.approx(points("K").mean() * 6.3**2)
    rows = drawn.share.sum(axis=1) @ (np.arange(len(drawn.share)) + drawn.top + 0.5) / drawn.share.sum()
    middle = (points("K").sum(axis=1) @ (np.arange(200) + 0.5) / 200 / points("K").sum()) * 6.3 + 20 - place
    assert rows == pytest.approx(middle, abs=0.02)


@pytest.mark.parametrize("level", [0.1, 0.4, 2.0, 15.0, 80.0])
def test_contrast_is_webers_also_below_a_grey_level(level: float) -> None:
    for number in range(3):
        sheet = draw("contrast", level, seed=4, number=number, size=512)
        x0, y0, x1, _ = sheet.facts["box"]
        light = pixels(sheet.pictures[0])[..., 0]
        ink = cover(sheet.truth, x1 - x0, x0, y0)
        inside = np.zeros((512, 512))
        inside[ink.top : ink.top + ink.share.shape[0], ink.left : ink.left + ink.share.shape[1]] = ink.share
        dark, bright = (light_of(float(light[where].mean())) for where in (inside == 1, inside == 0))
        assert 100 * (1 - dark / bright) == pytest.approx(level, rel=0.02, abs=0.03)
        assert light[inside == 0].std() == pytest.approx(0.5, abs=0.02), "the noise that hides single pixels"
        assert light[inside == 1].std() == pytest.approx(0.5, abs=0.03)


def test_light_and_level_are_each_others_inverse() -> None:
    assert light_of(255) == pytest.approx(1)
    assert light_of(128) == pytest.approx(0.2159, abs=1e-4)
    assert all(level_of(light_of(level)) == pytest.approx(level) for level in (0, 5, 10.2, 100.5, 254))


@pytest.mark.parametrize(("first", "second", "apart"), SHARMA)
def test_colours_are_as_far_apart_as_the_formulas_authors_say(
    first: tuple[float, ...], second: tuple[float, ...], apart: float
) -> None:
    assert float(ciede2000(first, second)) == pytest.approx(apart, abs=1e-4)
    assert float(ciede2000(second, first)) == pytest.approx(apart, abs=1e-4)


@pytest.mark.parametrize(("level", "miss"), [(0.5, 0.05), (1.0, 0.03), (3.0, 0.01), (40.0, 0.01)])
def test_the_odd_disc_has_the_colour_difference(level: float, miss: float) -> None:
    for number in range(12):
        sheet = draw("colour", level, seed=6, number=number, size=512)
        picture = pixels(sheet.pictures[0])
        ground = np.array([128.0] * 3)
        colours = []
        for name in CELLS:
            part = cell(picture, name).reshape(-1, 3)
            colours.append(np.median(part[(part != ground).any(axis=1)], axis=0))
        odd = colours.pop(int(sheet.truth) - 1)
        assert len({tuple(colour) for colour in colours}) == 1
        apart = ciede2000(rgb_to_lab(colours[0]), rgb_to_lab(odd))
        assert float(apart) == pytest.approx(level, rel=miss)
        assert float(ciede2000(rgb_to_lab(odd), rgb_to_lab(ground))) > 10, "no disc may vanish"


def angle(part: np.ndarray, ground: np.ndarray) -> float:
    ink = np.abs(part - ground).sum(axis=2)
    rows, columns = np.mgrid[: ink.shape[0], : ink.shape[1]]
    dx, dy = columns - (ink * columns).sum() / ink.sum(), rows - (ink * rows).sum() / ink.sum()
    return float(np.degrees(np.arctan2(2 * (ink * dx * dy).sum(), (ink * (dx * dx - dy * dy)).sum()) / 2))


@pytest.mark.parametrize("level", [0.2, 1.0, 7.0, 45.0])
def test_the_odd_bar_is_turned_by_the_degrees(level: float) -> None:
    for number in range(4):
        sheet = draw("orientation", level, seed=6, number=number, size=512)
        picture = pixels(sheet.pictures[0])
        angles = [angle(cell(picture, name), picture[0, 0]) for name in CELLS]
        usual = angles[int(sheet.truth) % 9]
        turns = [abs((a - usual + 90) % 180 - 90) for a in angles]
        assert turns.pop(int(sheet.truth) - 1) == pytest.approx(level, abs=0.03)
        assert max(turns) < 0.03


@pytest.mark.parametrize("level", [0.5, 3.0, 30.0, 100.0])
def test_the_odd_disc_is_wider_or_narrower_by_the_percentage(level: float) -> None:
    ways = set()
    for number in range(8):
        sheet = draw("size", level, seed=6, number=number, size=512)
        picture = pixels(sheet.pictures[0])
        areas = [area(cell(picture, name), picture[0, 0]) for name in CELLS]
        odd = areas.pop(int(sheet.truth) - 1)
        ratio = np.sqrt(odd / np.median(areas))
        assert 100 * (max(ratio, 1 / ratio) - 1) == pytest.approx(level, rel=0.02, abs=0.05)
        ways.add(bool(ratio > 1))
    assert ways == {True, False}


@pytest.mark.parametrize("level", [1.0, 8.0, 100.0])
def test_the_changed_thing_grows_or_shrinks_by_the_percentage(level: float) -> None:
    for number in range(6):
        sheet = draw("difference", level, seed=6, number=number, size=512)
        before, after = (area(cell(pixels(p), sheet.truth), np.array([240.0] * 3)) for p in sheet.pictures)
        ratio = np.sqrt(after / before)
        assert 100 * (max(ratio, 1 / ratio) - 1) == pytest.approx(level, rel=0.02, abs=0.05)


@pytest.mark.parametrize("level", [2.0, 3.125, 12.125, 160.0])
def test_the_target_has_the_side_and_lies_in_its_box(level: float) -> None:
    for number in range(4):
        sheet = draw("pointing", level, seed=6, number=number, size=1000)
        x0, y0, x1, y1 = map(float, sheet.truth.split(","))
        assert (x1 - x0, y1 - y0) == (level, level)
        picture = pixels(sheet.pictures[0])
        redness = picture[..., 0] - picture[..., 1:].mean(axis=2)
        full = np.isclose(picture, (224, 27, 36)).all(axis=2)
        rows, columns = np.nonzero(full)
        assert int(full.sum()) in {(int(level) - k) * (int(level) - m) for k in (0, 1) for m in (0, 1)}
        assert x0 <= columns.min() and columns.max() + 1 <= x1
        assert y0 <= rows.min() and rows.max() + 1 <= y1
        near = redness[int(y0) - 1 : int(y1) + 2, int(x0) - 1 : int(x1) + 2]
        ground = np.median(near[0])
        assert np.sqrt(((near - ground) / (192.5 - ground)).sum()) == pytest.approx(level, rel=0.08)


def test_a_hidden_shape_is_mixed_in_by_the_percentage() -> None:
    mask = np.zeros((SCENE, SCENE), dtype=np.float32)
    mask[100:200, 100:200] = 1
    scene = np.full((SCENE, SCENE, 3), 120, dtype=np.float32)
    scene[:, ::2] += 40
    for part in (0.05, -0.3, 0.8):
        picture = blended(scene, 140.0, mask, part).astype(np.float64)
        assert picture[120:180, 120:180].mean() - picture[250:350, 250:350].mean() == pytest.approx(SWING * part, abs=1)
        assert picture[300, 300, 0] - picture[300, 301, 0] == pytest.approx(40 * (1 - abs(part)), abs=1)
        assert picture.mean() == pytest.approx(140, abs=0.5), "the shape does not change the mean"


def test_hidden_shapes_differ_and_each_is_drawn() -> None:
    shown = {draw("hidden", 80, seed=2, number=number, size=384).truth for number in range(len(THINGS))}
    assert shown == set(THINGS)
