"""Numbered boxes: the right number on the right box, in colours that differ, at any size."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image, ImageChops

from snellen.core.errors import SnellenError
from snellen.core.pixels import check_image
from snellen.core.types import Picture
from snellen.exams.vqa_nle.boxes import PALETTE, SMALLEST_SIDE, Rectangle, colours, draw, place_tag

GREY = (120, 120, 120)


def picture(width: int, height: int, codec: str = "PNG", mode: str = "RGB") -> Picture:
    out = io.BytesIO()
    Image.new(mode, (width, height), GREY if mode == "RGB" else 120).save(out, codec)
    return Picture(data=out.getvalue(), name="images/x.jpg", transforms=("image of another",))


def opened(shown: Picture) -> Image.Image:
    return Image.open(io.BytesIO(shown.data)).convert("RGB")


def changed(before: Picture, after: Picture) -> tuple[int, int, int, int] | None:
    return ImageChops.difference(opened(before), opened(after)).getbbox()


def test_the_picture_is_png_and_says_what_was_done() -> None:
    shown = draw(picture(800, 600, "JPEG"), [[10, 10, 300, 300], [400, 100, 700, 500]], [1, 0, 1])
    assert shown.data.startswith(b"\x89PNG") and shown.name == "images/x.jpg"
    assert shown.transforms == ("image of another", "jpeg to png", "numbered boxes drawn: 0, 1")
    assert opened(shown).size == (800, 600)
    grey = draw(picture(800, 600, mode="L"), [[10, 10, 300, 300]], [0])
    assert "mode L to RGB" in grey.transforms


def test_only_the_named_boxes_are_drawn_and_nothing_without_names() -> None:
    before = picture(800, 600)
    assert draw(before, [[10, 10, 300, 300]], []) is before
    boxes = [[10, 10, 100, 100], [400, 300, 700, 500]]
    left, top, right, bottom = changed(before, draw(before, boxes, [1])) or (0, 0, 0, 0)
    assert left >= 395 and top >= 250 and right <= 705 and bottom <= 505


def test_the_number_on_a_box_is_its_index() -> None:
    """Box 3 drawn at a place looks as box 3 does there, whatever the other boxes are, and not as box 8 does."""
    before = picture(800, 600)
    at, other = [400, 300, 700, 500], [0, 0, 20, 20]
    three = draw(before, [other, other, other, at], [3])
    assert changed(three, draw(before, [at, at, at, at, other], [3])) is None
    eight = draw(before, [other] * 8 + [at], [8])
    assert changed(three, eight) is not None


def test_every_box_shows_its_own_colour_at_its_edges() -> None:
    boxes = [[40, 60, 240, 300], [300, 60, 520, 300], [560, 60, 780, 300], [60, 360, 300, 560]]
    image = opened(draw(picture(800, 600), boxes, [0, 1, 2, 3]))
    seen = []
    for x1, y1, x2, y2 in boxes:
        along = [image.getpixel((x2 - 2, (y1 + y2) // 2 + k)) for k in range(-20, 20)]
        assert len(set(along)) == 1 and along[0] != GREY
        assert image.getpixel(((x1 + x2) // 2, (y1 + y2) // 2)) == GREY, "what a box shows stays visible"
        seen.append(along[0])
    assert len(set(seen)) == 4


@pytest.mark.parametrize("count", [1, 2, 5, 12, 13, 30, 45])
def test_colours_differ(count: int) -> None:
    made = colours(count)
    assert len(set(made)) == len(made) == count
    near = [sum(abs(a - b) for a, b in zip(x, y, strict=True)) for x, y in pairwise(made)]
    assert all(distance > 60 for distance in near)


@pytest.mark.parametrize("size", [(24, 16), (64, 48), (500, 375), (1920, 800), (300, 2000)])
def test_a_number_is_legible_at_any_image_size(size: tuple[int, int]) -> None:
    width, height = size
    before = picture(width, height)
    shown = draw(before, [[width * 0.3, height * 0.4, width * 0.7, height * 0.9]], [0])
    image = opened(shown)
    assert max(image.size) >= SMALLEST_SIDE
    coloured = (np.asarray(image) == PALETTE[0]).all(axis=2)
    top = int(np.flatnonzero(coloured.any(axis=1))[0])
    tag = np.flatnonzero(coloured[top + 3])
    assert tag.max() - tag.min() >= 16, "the coloured field that the number stands on"
    assert max(image.size) / (tag.max() - tag.min()) < 60
    assert (f"enlarged {image.width // width} times" in shown.transforms) == (image.width != width)


def test_boxes_beyond_the_edge_turned_round_or_tiny_are_still_drawn() -> None:
    before = picture(500, 400)
    for box in ([480, 380, 900, 900], [300, 300, 100, 100], [-50, -50, 20, 20], [50, 50, 50, 50], [600, 500, 700, 600]):
        shown = draw(before, [box], [0])
        assert changed(before, shown) is not None and opened(shown).size == (500, 400)


def test_numbers_do_not_cover_each_other() -> None:
    boxes = [Rectangle(100 + 5 * i, 100 + 3 * i, 300, 300) for i in range(8)]
    placed: list[Rectangle] = []
    for box in boxes:
        placed.append(place_tag(box, 30, 24, (500, 400), placed, boxes))
    assert all(a.shared(b) == 0 for i, a in enumerate(placed) for b in placed[i + 1 :])
    assert all(t.x1 >= 0 and t.y1 >= 0 and t.x2 < 500 and t.y2 < 400 for t in placed)


def test_what_cannot_be_drawn_is_an_error_with_the_image() -> None:
    with pytest.raises(SnellenError, match=r"images/x\.jpg: no box for object 2 \(there are 1\)"):
        draw(picture(50, 50), [[1, 1, 9, 9]], [2])


def test_an_image_that_does_not_decode_is_refused_and_not_shown_without_boxes() -> None:
    whole = picture(60, 50, "JPEG").data
    broken = whole[:200] + b"\xff\xd9"  # header and end in order, nothing between
    check_image(Picture(data=broken, name="images/x.jpg"))
    for data in (b"no image", whole[:100], broken):
        with pytest.raises(SnellenError, match=r"images/x\.jpg: image does not decode"):
            check_image(draw(Picture(data=data, name="images/x.jpg"), [[1, 1, 9, 9]], [0]))
