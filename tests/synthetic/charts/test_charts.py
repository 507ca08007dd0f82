"""Charts: the same from the same seed, labelled as drawn, and with nothing in their layout that tells the answer."""

from __future__ import annotations

import hashlib
import io

import numpy as np
import pytest
from PIL import Image

from snellen.data.synthetic_marker import picture_label
from snellen.synthetic.charts import (
    A_ROW,
    COLOURS,
    LARGE,
    LETTERS,
    NARROW,
    SMALL,
    WIDE,
    contrast_chart,
    disc_chart,
    ink,
    jpeg,
    numbered,
    size_chart,
    size_rows,
)


def test_a_seed_gives_the_same_bytes_and_another_other_letters() -> None:
    one, same, other = (size_chart(SMALL, seed) for seed in (1, 1, 2))
    assert one.data == same.data
    assert [r.letters for r in one.rows] != [r.letters for r in other.rows]
    assert [r.cells for r in one.rows] == [r.cells for r in other.rows] == [r.cells for r in size_rows(*SMALL)]
    assert hashlib.sha256(disc_chart(WIDE, 3).data).digest() == hashlib.sha256(disc_chart(WIDE, 3).data).digest()


@pytest.mark.parametrize(
    "data",
    [
        size_chart(LARGE, 5).data,
        contrast_chart(True, 5).data,
        jpeg(contrast_chart(False, 5).data, 30, 5),
        disc_chart(NARROW, 5).data,
        numbered(2, 5)[0].data,
    ],
)
def test_every_chart_says_that_it_is_synthetic(data: bytes) -> None:
    assert picture_label(data[:4096]) == {"generator": "probe-charts", "version": 2, "seed": 5}


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_rows_fall_in_size_and_lie_within_the_picture(size: tuple[int, int]) -> None:
    chart = size_chart(size, 0)
    heights = [row.height for row in chart.rows]
    assert heights == sorted(heights, reverse=True)
    for row in chart.rows:
        assert len(set(row.letters)) == len(row.cells) == A_ROW
        for x0, y0, x1, y1 in (cell.box for cell in row.cells):
            assert min(x0, y0) >= 0 and x1 <= size[0] and y1 <= size[1]


@pytest.mark.parametrize("height", [5, 6, 7, 9, 14, 33, 64])
def test_no_letter_is_cut_by_its_cell_and_no_two_look_alike(height: int) -> None:
    side = max(height + 2, round(height * 1.5))
    drawn = {letter: ink(letter, height, side) for letter in LETTERS}
    for letter, levels in drawn.items():
        edge = np.concatenate([levels[0], levels[-1], levels[:, 0], levels[:, -1]])
        assert levels.max() > 0.5 and edge.max() == 0, letter
    for a in LETTERS:
        assert all(np.abs(drawn[a] - drawn[b]).max() > 0.2 for b in LETTERS if b != a), a


def test_discs_are_where_they_are_said_to_be() -> None:
    chart = disc_chart(WIDE, 7)
    with Image.open(io.BytesIO(chart.data)) as image:
        assert {c: image.getpixel(p) for c, p in chart.middles.items()} == COLOURS


def test_numbers_of_a_set_share_no_digit_at_the_same_place() -> None:
    for seed in range(20):
        numbers = [n.number for n in numbered(4, seed)]
        assert len({n // 10 for n in numbers}) == len({n % 10 for n in numbers}) == 4
