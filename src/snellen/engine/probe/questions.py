"""What a probe asks: questions about drawn charts, and a few about numbers to see whether parameters are obeyed. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from snellen.core.exam import Exam
from snellen.core.pixels import as_rgb
from snellen.core.types import Part, Picture, Question, Text
from snellen.synthetic.charts.drawing import A_ROW, Chart, jpeg, png
from snellen.synthetic.charts.letters import LARGE, SMALL, contrast_chart, size_chart
from snellen.synthetic.charts.shapes import COLOURS, NARROW, WIDE, Discs, NumberChart, disc_chart, numbered

ROWS = (
    "The picture shows {rows} rows of {letters} capital letters each. Write them down from the top row to the bottom row, one row on a "
    "line, letters only. Write a dash for a letter that you cannot read."
)
MIDDLES = (
    "The picture is {width} pixels wide and {height} pixels high; (0, 0) is its top left corner. It shows {count} discs: {colours}. "
    "For each disc write one line: its colour, a colon, then x and y of its middle in pixels, such as 'pink: 12, 34'. Write nothing else."
)
NUMBERS = (
    "There are {count} pictures, each with one number of two digits. Write the numbers in the order of the pictures, from the first to "
    "the last, separated by commas, and nothing else."
)
RANDOM = "Write one random whole number from 1 to 1000000. Reply with the number only."
COUNT = "Count from 1 to {last}: write the numbers in digits, separated by spaces, and nothing else."
HOT, SEED, STOP, LAST, FAR, SHORT = 1.0, 7, "17", 30, 300, 24
"""The higher temperature, the seed, where counting is to stop, how far it goes, how far it would go, and the tokens it gets."""
HOW_OFTEN = 5
PICTURES = 4
QUALITY = 30
"""Of the JPEG files that a loss is compared with."""


class ProbeExam(Exam):
    """What subjects are built for: they ask how long replies may be."""

    name = "probe"
    title = "What an endpoint does with pictures and parameters"
    max_tokens = 1024
    reply_tokens = 60


class Charts(NamedTuple):
    """All that is drawn for a probe."""

    small: tuple[Chart, ...]
    large: tuple[Chart, ...]
    reduced: Chart
    """A large chart at the size of a small one: what a reader makes of letters that were scaled down to a quarter."""
    fine: Chart
    broad: Chart
    discs: tuple[Discs, ...]
    numbers: tuple[tuple[NumberChart, ...], ...]


class RepeatedQuestion(NamedTuple):
    """A question, the settings that it is asked with, and how often."""

    id: str
    part: str
    question: Question
    settings: Mapping[str, Any] = {}
    times: int = 1


@lru_cache(maxsize=2)
def charts(seed: int) -> Charts:
    """The charts of a seed."""
    whole = size_chart(LARGE, seed, 2)
    return Charts(
        small=tuple(size_chart(SMALL, seed, n) for n in range(2)),
        large=tuple(size_chart(LARGE, seed, n) for n in range(2)),
        reduced=whole._replace(data=_reduced(whole, seed), width=SMALL[0], height=SMALL[1]),
        fine=contrast_chart(False, seed),
        broad=contrast_chart(True, seed),
        discs=tuple(disc_chart(size, seed) for size in (WIDE, NARROW)),
        numbers=tuple(numbered(PICTURES, seed, n) for n in range(2)),
    )


def _reduced(chart: Chart, seed: int) -> bytes:
    from PIL import Image

    return png(as_rgb(chart.data).resize(SMALL, Image.Resampling.LANCZOS), seed)


def questions(seed: int, parts: tuple[str, ...]) -> tuple[RepeatedQuestion, ...]:
    """What is asked for some parts, each question once. The first shows whether the endpoint answers at all."""
    drawn = charts(seed)
    every = (*_letters(drawn), *_damaged(drawn, seed), *_places(drawn), *_words())
    wanted = {name for part in parts for name in NEEDS[part]}
    return tuple(ask for ask in every if ask.id in wanted)


NEEDS: Mapping[str, tuple[str, ...]] = {
    "size": ("small-0", "small-1", "large-0", "large-1", "reduced"),
    "detail": ("small-0", "large-0", "reduced", "large-low"),
    "codec": ("fine", "fine-jpeg", "broad"),
    "coordinates": ("discs-0", "discs-1"),
    "order": ("numbers-0", "numbers-1"),
    "temperature": ("number-cold", "number-hot"),
    "seed": ("number-hot", "number-seeded"),
    "repeat": ("number-cold", "number-hot", "small-0", "small-again"),
    "stop": ("count", "count-stop"),
    "length": ("count", "count-short"),
    "logprobs": ("count-logprobs",),
}
"""The questions that a part is judged by."""


def _letters(drawn: Charts) -> list[RepeatedQuestion]:
    asked = [_rows(f"small-{n}", "size", chart) for n, chart in enumerate(drawn.small)]
    asked += [_rows(f"large-{n}", "size", chart) for n, chart in enumerate(drawn.large)]
    return [
        *asked,
        _rows("reduced", "size", drawn.reduced),
        _rows("large-low", "detail", drawn.large[0])._replace(settings={"detail": "low"}),
        _rows("small-again", "repeat", drawn.small[0]),
    ]


def _damaged(drawn: Charts, seed: int) -> list[RepeatedQuestion]:
    worse = drawn.fine._replace(data=jpeg(drawn.fine.data, QUALITY, seed))
    named = {"fine": drawn.fine, "fine-jpeg": worse, "broad": drawn.broad}
    return [_rows(name, "codec", chart) for name, chart in named.items()]


def _places(drawn: Charts) -> list[RepeatedQuestion]:
    colours = ", ".join(COLOURS)
    found = []
    for n, discs in enumerate(drawn.discs):
        text = MIDDLES.format(width=discs.width, height=discs.height, count=len(COLOURS), colours=colours)
        found.append(_shown(f"discs-{n}", "coordinates", text, discs.data))
    for n, some in enumerate(drawn.numbers):
        text = NUMBERS.format(count=len(some))
        found.append(_shown(f"numbers-{n}", "order", text, *(one.data for one in some)))
    return found


def _words() -> list[RepeatedQuestion]:
    count = COUNT.format(last=LAST)
    return [
        _said("number-cold", "temperature", RANDOM, {"temperature": 0.0}, HOW_OFTEN),
        _said("number-hot", "temperature", RANDOM, {"temperature": HOT}, HOW_OFTEN),
        _said("number-seeded", "seed", RANDOM, {"temperature": HOT, "seed": SEED}, 3),
        _said("count", "stop", count),
        _said("count-stop", "stop", count, {"stop": [STOP]}),
        _said("count-short", "length", COUNT.format(last=FAR), {"max_tokens": SHORT}),
        _said("count-logprobs", "logprobs", count, {"logprobs": 2}),
    ]


def _rows(name: str, part: str, chart: Chart) -> RepeatedQuestion:
    return _shown(name, part, ROWS.format(rows=len(chart.rows), letters=A_ROW), chart.data)


def _shown(name: str, part: str, text: str, *pictures: bytes) -> RepeatedQuestion:
    shown = [Picture(data=data, name=f"{name}.{n}") for n, data in enumerate(pictures)]
    return RepeatedQuestion(name, part, _question(name, (*shown, Text(text=text))))


def _said(
    name: str, part: str, text: str, settings: Mapping[str, Any] | None = None, times: int = 1
) -> RepeatedQuestion:
    return RepeatedQuestion(name, part, _question(name, (Text(text=text),)), settings or {}, times=times)


def _question(name: str, parts: tuple[Part, ...]) -> Question:
    return Question(id=name, exam=ProbeExam.name, prompt="probe", parts=parts)
