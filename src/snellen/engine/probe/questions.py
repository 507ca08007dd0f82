"""The probe as an exam: its samples are drawn charts, and a few questions about numbers that show whether parameters are obeyed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from snellen.core.arm import Arm
from snellen.core.dataset import Dataset
from snellen.core.digest import digest
from snellen.core.exam import Exam
from snellen.core.pixels import as_rgb
from snellen.core.prompt import Prompt, by_name
from snellen.core.protocol import Protocol
from snellen.core.types import Picture, Sample
from snellen.engine.probe_records.results import NEEDS
from snellen.synthetic.charts import (
    A_ROW,
    COLOURS,
    LARGE,
    NARROW,
    SMALL,
    WIDE,
    Chart,
    contrast_chart,
    disc_chart,
    jpeg,
    numbered,
    png,
    size_chart,
)

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
"""The higher temperature, the seed, the number at which counting is to stop, the end of the count, the end of a longer count, and the
tokens for it.
"""
HOW_OFTEN = 5
PICTURES = 4
QUALITY = 30
"""The quality of the JPEG files that a loss is compared with."""
ARM = Arm("probe")


class Charts(NamedTuple):
    """All charts of a probe."""

    small: tuple[Chart, ...]
    large: tuple[Chart, ...]
    reduced: Chart
    """A large chart at the size of a small one: it shows how well letters scaled down to a quarter are read."""
    fine: Chart
    broad: Chart
    discs: tuple[Chart, ...]
    numbers: tuple[tuple[Chart, ...], ...]


class RepeatedQuestion(NamedTuple):
    """A question, its settings, and how often it is asked."""

    id: str
    text: str
    pictures: tuple[bytes, ...] = ()
    settings: Mapping[str, Any] = {}
    times: int = 1

    @property
    def names(self) -> list[str]:
        """The ids of its samples: one for each repeat."""
        return [f"{self.id}/{n}" for n in range(self.times)]


@lru_cache(maxsize=2)
def charts(seed: int) -> Charts:
    """Draw the charts of a seed."""
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
    """Return the questions of some parts, each once. The first shows whether the endpoint answers at all."""
    drawn, count = charts(seed), COUNT.format(last=LAST)
    worse = drawn.fine._replace(data=jpeg(drawn.fine.data, QUALITY, seed))
    every = [
        *(_rows(f"small-{n}", chart) for n, chart in enumerate(drawn.small)),
        *(_rows(f"large-{n}", chart) for n, chart in enumerate(drawn.large)),
        _rows("reduced", drawn.reduced),
        _rows("small-again", drawn.small[0]),
        _rows("fine", drawn.fine),
        _rows("fine-jpeg", worse),
        _rows("broad", drawn.broad),
        *(_middles(f"discs-{n}", discs) for n, discs in enumerate(drawn.discs)),
        *(_numbers(f"numbers-{n}", some) for n, some in enumerate(drawn.numbers)),
        RepeatedQuestion("count", count),
        _rows("large-low", drawn.large[0])._replace(settings={"detail": "low"}),
        RepeatedQuestion("number-cold", RANDOM, settings={"temperature": 0.0}, times=HOW_OFTEN),
        RepeatedQuestion("number-hot", RANDOM, settings={"temperature": HOT}, times=HOW_OFTEN),
        RepeatedQuestion("number-seeded", RANDOM, settings={"temperature": HOT, "seed": SEED}, times=3),
        RepeatedQuestion("count-stop", count, settings={"stop": [STOP]}),
        RepeatedQuestion("count-short", COUNT.format(last=FAR), settings={"max_tokens": SHORT}),
        RepeatedQuestion("count-logprobs", count, settings={"logprobs": 2}),
    ]
    wanted = {name for part in parts for name in NEEDS[part]}
    return tuple(ask for ask in every if ask.id in wanted)


def _rows(name: str, chart: Chart) -> RepeatedQuestion:
    return RepeatedQuestion(name, ROWS.format(rows=len(chart.rows), letters=A_ROW), (chart.data,))


def _middles(name: str, discs: Chart) -> RepeatedQuestion:
    colours = ", ".join(COLOURS)
    text = MIDDLES.format(width=discs.width, height=discs.height, count=len(COLOURS), colours=colours)
    return RepeatedQuestion(name, text, (discs.data,))


def _numbers(name: str, some: Sequence[Chart]) -> RepeatedQuestion:
    return RepeatedQuestion(name, NUMBERS.format(count=len(some)), tuple(one.data for one in some))


# ---------------------------------------------------------------- the exam


class ProbeExam(Exam):
    """The exam that the engine runs. Its one protocol marks nothing: the replies are judged together (`judging.py`)."""

    name = "probe"
    title = "What an endpoint does with pictures and parameters"
    max_tokens = 1024
    reply_tokens = 60
    prompts = by_name(Prompt(ARM.prompt, "the question as it is", lambda sample, _shots: str(sample.facts["text"])))
    protocols: Mapping[str, Protocol] = {ARM.prompt: Protocol(ARM.prompt, prompt=ARM.prompt)}


class ProbeData(Dataset):
    """The questions of a probe as samples."""

    synthetic = True

    def __init__(self, asks: Sequence[RepeatedQuestion], seed: int) -> None:
        self.source = f"charts of seed {seed}"
        self.fingerprint = digest({"seed": seed, "asked": [ask.id for ask in asks]})
        self.asks = asks
        self._samples = [_sample(name, ask) for ask in asks for name in ask.names]

    def __len__(self) -> int:
        return len(self._samples)

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        return (sample for sample in self._samples if wanted(sample.id))


def _sample(name: str, ask: RepeatedQuestion) -> Sample:
    pictures = tuple(Picture(data=data, name=f"{ask.id}.{n}") for n, data in enumerate(ask.pictures))
    return Sample(id=name, tags={}, facts={"text": ask.text}, pictures=pictures)
