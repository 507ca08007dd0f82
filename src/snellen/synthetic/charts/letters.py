"""Letter charts: rows of falling size, black on white, and rows of falling contrast on grey."""

from __future__ import annotations

from snellen.synthetic.chance import generator
from snellen.synthetic.charts.drawing import A_ROW, LETTERS, Chart, LetterRow, painted, png, spread

SMALL, LARGE = (512, 384), (2048, 1536)
HEIGHTS = (64, 51, 41, 33, 26, 21, 17, 14, 11, 9, 7, 6, 5)
"""Heights of capitals in pixels, each about four fifths of the one before."""
SMALL_FROM = 41
"""The small chart has no room for taller letters."""
FINE, BROAD = 18, 60
FINE_CONTRASTS = (64, 45, 32, 23, 16, 11, 8, 6, 4, 3)
BROAD_CONTRASTS = (16, 8, 6, 4)
WHITE, GREY = 255, 128
"""On this grey, broad strokes keep their contrast under any JPEG: its blocks are coded as differences from it."""


def size_rows(width: int, height: int) -> tuple[LetterRow, ...]:
    """Return the layout of a chart of falling sizes, by the picture's size."""
    heights = tuple(h for h in HEIGHTS if width > SMALL[0] or h <= SMALL_FROM)
    return spread(width, height, heights, (WHITE,) * len(heights))


def contrast_rows(broad: bool) -> tuple[LetterRow, ...]:
    """Return the layout of a chart of falling contrast: small letters with thin strokes, or large ones with broad strokes."""
    contrasts = BROAD_CONTRASTS if broad else FINE_CONTRASTS
    return spread(*SMALL, (BROAD if broad else FINE,) * len(contrasts), contrasts)


def size_chart(size: tuple[int, int], seed: int, number: int = 0) -> Chart:
    """Letters of falling size."""
    rows = _filled(size_rows(*size), "size", *size, seed, number)
    return Chart(png(painted(*size, rows, WHITE), seed), *size, rows)


def contrast_chart(broad: bool, seed: int) -> Chart:
    """Letters of falling contrast."""
    rows = _filled(contrast_rows(broad), "contrast", int(broad), seed)
    return Chart(png(painted(*SMALL, rows, GREY), seed), *SMALL, rows)


def _filled(rows: tuple[LetterRow, ...], *key: int | str) -> tuple[LetterRow, ...]:
    """Return the rows with letters, none twice in a row."""
    chance = generator("charts", *key)
    return tuple(row._replace(letters="".join(chance.sample(LETTERS, A_ROW))) for row in rows)
