"""Stand-in work that waits as long as the real work takes and returns its result: for many processes on few cores (many_cores.py).

The processes themselves are real, and so is all communication between them and their parent.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.methods.base import Parse
from snellen.synthetic.documents import Written

PARSE, SECONDS = "SNELLEN_BENCH_PARSE", "SNELLEN_BENCH_SECONDS"


class Recorder:
    """Does the real work in this process, and records its time and result."""

    def __init__(self, real: Any) -> None:
        self.real, self.seconds, self.images = real, 0.0, 0
        self.results: list[Any] = []

    def __call__(self, *given: Any) -> Any:
        began = time.process_time()
        result = self.real(*given)
        self.seconds += time.process_time() - began
        self.images += 1
        self.results.append(result)
        return result

    def keep(self, path: Path) -> Callable[..., Any]:
        """Return work that takes equally long and returns the first of the results: a stand-in for a maker's `_written`."""
        path.write_text(json.dumps([_plain(result) for result in self.results[:40]]))
        return partial(STAND_INS[self.real.__module__], str(path), self.seconds / self.images)


def of_screens(kept: str, seconds: float, draw: Any, out: Any, key: Any) -> Written:
    return _waited(kept, seconds, key)


def of_pairs(kept: str, seconds: float, draw: Any, out: Any, slots: Any, label: Any, key: Any) -> Written:
    return _waited(kept, seconds, key)


def of_explained(kept: str, seconds: float, task: Any, out: Any, label: Any, key: Any) -> Written:
    return _waited(kept, seconds, key)


STAND_INS: dict[str, Callable[..., Any]] = {
    "snellen.synthetic.screens.make": of_screens,
    "snellen.synthetic.pairs.folder": of_pairs,
    "snellen.synthetic.explained.make": of_explained,
}


def _waited(kept: str, seconds: float, key: Any) -> Written:
    chance = random.Random(str(key))  # noqa: S311 (or all of them would come back in waves)
    wait(seconds * chance.uniform(0.5, 1.5), Path(kept).with_suffix(".log"))
    result: Written = chance.choice(_results(kept))
    return result


def wait(seconds: float, log: Path) -> None:
    """Wait, and log the planned start and end: a delay by the system is not work."""
    begin = time.monotonic()
    time.sleep(seconds)
    _opened(log).write(f"{begin:.4f} {begin + seconds:.4f}\n".encode())  # a short line at a time: they do not mix


@lru_cache
def _opened(log: Path) -> Any:
    return log.open("ab", buffering=0)


class Busy(NamedTuple):
    """The average number of busy processes in the middle of the time, and the time from the first to the last."""

    processes: float
    seconds: float


def kept_busy(log: Path) -> Busy:
    """Count from 40 to 85% of the time, without the start of many processes on few cores and without the end."""
    spans = [tuple(map(float, line.split())) for line in log.read_text().splitlines()]
    first, last = min(begin for begin, _end in spans), max(end for _begin, end in spans)
    left, right = first + 0.4 * (last - first), first + 0.85 * (last - first)
    inside = sum(max(0.0, min(end, right) - max(begin, left)) for begin, end in spans)
    return Busy(inside / (right - left), last - first)


def _plain(result: Any) -> Any:
    """Return a result as JSON: lists of files, files, texts."""
    if isinstance(result, Path):
        return {"file": str(result)}
    return [type(result).__name__, *map(_plain, result)] if isinstance(result, (list, tuple)) else result


def _real(plain: Any) -> Any:
    if isinstance(plain, dict):
        return Path(plain["file"])
    if isinstance(plain, list):
        inner = map(_real, plain[1:])
        return tuple(inner) if plain[0] == "tuple" else list(inner)
    return plain


@lru_cache
def _results(path: str) -> list[Any]:
    return [_real(plain) for plain in json.loads(Path(path).read_text())]


def parse_picture(image: bytes) -> Parse:
    """Stand in for the embedded parser."""
    chance = random.Random(image)  # noqa: S311 (as above)
    wait(float(os.environ[SECONDS]) * chance.uniform(0.5, 1.5), Path(os.environ[PARSE]).with_suffix(".log"))
    return _parse(os.environ[PARSE])


@lru_cache
def _parse(path: str) -> Parse:
    return msgspec.json.decode(Path(path).read_bytes(), type=Parse)
