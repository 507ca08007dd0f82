"""Coordinates: spaces that cannot be mixed, conversions and crops that come back to the same pixel."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.errors import SnellenError
from snellen.exams.grounding.formats.base import true_box
from snellen.exams.grounding.geometry import (
    THOUSAND,
    UNIT,
    Box,
    Crop,
    Pixels,
    Point,
    Resized,
    Space,
    distance,
    iou,
)

SCREEN = Pixels(1920, 1080)
sizes = st.integers(1, 8000)
screens = st.builds(Pixels, sizes, sizes)
spaces = st.one_of(st.just(UNIT), st.just(THOUSAND), st.builds(Resized, sizes, sizes))
fractions = st.floats(-0.5, 1.5)


@st.composite
def points(draw: st.DrawFn) -> Point:
    screen = draw(screens)
    return Point(draw(fractions) * screen.width, draw(fractions) * screen.height, screen)


@st.composite
def boxes(draw: st.DrawFn, screen: Pixels | None = None) -> Box:
    on = screen or draw(screens)
    xs = sorted(draw(fractions) * on.width for _ in range(2))
    ys = sorted(draw(fractions) * on.height for _ in range(2))
    return Box(xs[0], ys[0], xs[1], ys[1], on)


@st.composite
def crops(draw: st.DrawFn) -> Crop:
    """Crops around a place that may be far outside, so that many are clipped."""
    at = draw(points())
    return Crop.around(at, draw(st.integers(1, 9000)), draw(st.integers(1, 9000)))


# ---------------------------------------------------------------- spaces


@given(points(), spaces)
def test_a_point_comes_back_from_any_space(point: Point, space: Space) -> None:
    back = point.to(space).to(point.space)
    assert abs(back.x - point.x) <= 1e-6 and abs(back.y - point.y) <= 1e-6


@given(boxes(), spaces)
def test_a_box_comes_back_from_any_space(box: Box, space: Space) -> None:
    back = box.to(space).to(box.space)
    assert max(abs(a - b) for a, b in zip(back.corners, box.corners, strict=True)) <= 1e-6


@given(st.integers(1, 8000), st.integers(1, 8000), st.data())
def test_rounding_to_whole_resized_pixels_moves_a_point_by_at_most_half_a_resized_pixel(
    w: int, h: int, data: st.DataObject
) -> None:
    screen, resized = Pixels(w, h), Resized(w + 28, h + 28)
    point = Point(data.draw(st.floats(0, w)), data.draw(st.floats(0, h)), screen)
    seen = point.to(resized)
    back = Point(round(seen.x), round(seen.y), resized).to(screen)
    assert abs(back.x - point.x) <= 0.5 + 1e-9 and abs(back.y - point.y) <= 0.5 + 1e-9


def test_conversions_give_the_expected_numbers() -> None:
    point = Point(966, 546, Resized(1932, 1092))
    assert point.to(SCREEN) == Point(960, 540, SCREEN)
    assert point.to(UNIT) == Point(0.5, 0.5, UNIT)
    assert point.to(THOUSAND) == Point(500, 500, THOUSAND)


def test_mixing_spaces_raises() -> None:
    pixel, unit = Point(1, 1, SCREEN), Point(0.5, 0.5, UNIT)
    box = Box(0, 0, 10, 10, SCREEN)
    for mix in (
        lambda: distance(pixel, unit),
        lambda: box.contains(unit),
        lambda: box.distance(unit),
        lambda: iou(box, Box(0, 0, 1, 1, UNIT)),
        lambda: iou(box, Box(0, 0, 10, 10, Pixels(1920, 1081))),
        lambda: iou(box, Box(0, 0, 10, 10, Resized(1920, 1080))),
        lambda: Crop.of(Box(0, 0, 1, 1, UNIT)),
        lambda: Crop.around(unit, 5, 5),
    ):
        with pytest.raises(SnellenError):
            mix()


def test_pixels_of_one_image_never_become_pixels_of_another() -> None:
    with pytest.raises(SnellenError, match=r"into\(\) and back\(\)"):
        Point(1, 1, SCREEN).to(Pixels(200, 200))
    left, right = Crop(SCREEN, 0, 100, 200, 300), Crop(SCREEN, 300, 100, 500, 300)
    with pytest.raises(SnellenError):
        right.back(Point(5, 5, left.inner))
    with pytest.raises(SnellenError):
        right.into(Point(5, 5, right.inner))


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (1.5, 5)])
def test_an_image_has_a_positive_whole_size(size: tuple[int, int]) -> None:
    with pytest.raises(SnellenError, match="positive whole"):
        Pixels(*size)


# ---------------------------------------------------------------- boxes


def test_the_two_conventions_and_their_checks() -> None:
    assert Box.from_xywh([10, 20, 197, 70], SCREEN) == Box.from_xyxy([10, 20, 207, 90], SCREEN)
    for bad, what in (
        ([1, 2, 3], "four numbers"),
        ([1, 2, 3, "4"], "four numbers"),
        ([1, 2, 3, True], "four numbers"),
        ("1234", "four numbers"),
        ([1, 2, 3, math.nan], "finite"),
        ([5, 5, 4, 6], "wrong order"),
    ):
        with pytest.raises(SnellenError, match=what):
            Box.from_xyxy(bad, SCREEN)  # type: ignore[arg-type]
    with pytest.raises(SnellenError, match="negative"):
        Box.from_xywh([5, 5, -1, 6], SCREEN)


def test_a_truth_has_an_area_and_lies_in_the_image() -> None:
    with pytest.raises(SnellenError, match="no area"):
        true_box([5, 5, 5, 9], "xyxy-pixels", SCREEN)
    with pytest.raises(SnellenError, match="not inside"):
        true_box([1800, 5, 200, 9], "xywh-pixels", SCREEN)
    with pytest.raises(SnellenError, match="not inside"):
        true_box([-3, 5, 200, 9], "xyxy-pixels", SCREEN)
    assert true_box([0, 0, 1.0000000001, 1], "xyxy-shares", SCREEN) == Box(0, 0, 1920, 1080, SCREEN)
    assert true_box([-1, 5, 200, 9], "xyxy-pixels", SCREEN) == Box(0, 5, 200, 9, SCREEN)


def test_contains_and_distance_count_the_edges_in() -> None:
    box = Box(10, 20, 30, 40, SCREEN)
    for x, y, gap in ((10, 20, 0), (30, 40, 0), (20, 30, 0), (33, 44, 5), (7, 30, 3), (20, 41, 1)):
        point = Point(x, y, SCREEN)
        assert box.contains(point) is (gap == 0)
        assert box.distance(point) == gap
    assert box.centre == Point(20, 30, SCREEN)
    assert distance(Point(0, 0, SCREEN), Point(3, 4, SCREEN)) == 5


@given(boxes(SCREEN), boxes(SCREEN))
def test_iou_is_symmetric_and_between_0_and_1(a: Box, b: Box) -> None:
    assert iou(a, b) == pytest.approx(iou(b, a), abs=1e-12)
    assert 0 <= iou(a, b) <= 1
    if a.area > 1e-6:
        assert iou(a, a) == pytest.approx(1)


# ---------------------------------------------------------------- crops


@given(crops(), st.data())
def test_crops_map_back_exactly_also_when_clipped(crop: Crop, data: st.DataObject) -> None:
    parent = crop.parent
    point = Point(data.draw(fractions) * parent.width, data.draw(fractions) * parent.height, parent)
    assert distance(crop.back(crop.into(point)), point) <= 1e-6
    box = data.draw(boxes(parent))
    assert max(
        abs(a - b) for a, b in zip(crop.back(crop.into(box)).corners, box.corners, strict=True)
    ) <= 1e-6  # fmt: skip


@given(crops(), st.data())
def test_a_crop_lies_in_its_parent_and_its_corners_map_to_its_edges(crop: Crop, data: st.DataObject) -> None:
    assert crop.box == crop.box.clamped()
    assert crop.back(Point(0, 0, UNIT)) == Point(crop.left, crop.top, crop.parent)
    assert crop.back(Box(0, 0, 1, 1, UNIT)) == crop.box
    seen = Resized(data.draw(sizes), data.draw(sizes))
    assert crop.back(Box(0, 0, seen.width, seen.height, seen)) == crop.box


@given(crops(), st.data())
def test_nested_crops_map_back_step_by_step_and_at_once(outer: Crop, data: st.DataObject) -> None:
    view = outer.inner
    at = Point(data.draw(fractions) * view.width, data.draw(fractions) * view.height, view)
    inner = Crop.around(at, data.draw(sizes), data.draw(sizes))
    point = Point(data.draw(fractions), data.draw(fractions), UNIT)
    at_once = Crop.of(outer.back(inner.box))
    assert distance(outer.back(inner.back(point)), at_once.back(point)) <= 1e-6
    assert at_once.inner == inner.inner


@given(st.data())
def test_whole_pixels_of_a_crop_are_the_pixels_of_the_screenshot(data: st.DataObject) -> None:
    """Cut a real array at the crop's edges: the value found at a place of the crop is the value at the place it maps to."""
    import numpy as np

    screen = Pixels(data.draw(st.integers(1, 60)), data.draw(st.integers(1, 60)))
    pixels = np.arange(screen.width * screen.height).reshape(screen.height, screen.width)
    at = Point(data.draw(fractions) * screen.width, data.draw(fractions) * screen.height, screen)
    crop = Crop.around(at, data.draw(st.integers(1, 80)), data.draw(st.integers(1, 80)))
    cut = pixels[crop.top : crop.bottom, crop.left : crop.right]
    assert cut.shape == (crop.inner.height, crop.inner.width)
    x, y = data.draw(st.integers(0, cut.shape[1] - 1)), data.draw(st.integers(0, cut.shape[0] - 1))
    place = crop.back(Point(x + 0.5, y + 0.5, crop.inner))
    assert cut[y, x] == pixels[math.floor(place.y), math.floor(place.x)]


def test_around_moves_inside_at_the_edge() -> None:
    corner = Point(10, 1075, SCREEN)
    assert Crop.around(corner, 200, 200).edges == (0, 880, 200, 1080)
    assert Crop.around(corner, 5000, 200).edges == (0, 880, 1920, 1080)
    assert Crop.around(Point(1920, 1080, SCREEN), 1, 1).edges == (1919, 1079, 1920, 1080)
    assert Crop.of(Box(10.2, 20.9, 10.2, 20.9, SCREEN)).edges == (10, 20, 11, 21)


def test_a_crop_outside_its_parent_is_refused() -> None:
    with pytest.raises(SnellenError, match="empty or not inside"):
        Crop.of(Box(2000, 5, 2100, 10, SCREEN))
    with pytest.raises(SnellenError, match="empty or not inside"):
        Crop(SCREEN, 5, 5, 5, 10)
