"""Functions that tests call in workers."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from snellen.core.errors import SnellenError


class Point(NamedTuple):
    x: int
    y: float


def doubled(number: int) -> int:
    return 2 * number


async def slow(number: int) -> int:
    await asyncio.sleep(0.02)
    return 2 * number


def described(
    where: Path, work: Callable[[int], int], numbers: range, *, suffix: str = ""
) -> tuple[Path, tuple[int, ...]]:
    assert isinstance(where, Path)
    return where / f"made{suffix}", tuple(map(work, numbers))


def moved(point: Point, by: Point) -> Point:
    return Point(point.x + by.x, point.y + by.y)


def fails(how: str) -> int:
    if how == "end":
        os._exit(3)
    if how == "hang":
        time.sleep(600)
    if how == "print":
        print("a library prints")
        os.write(1, b"and another writes")
        return 1
    raise SnellenError(how) if how == "ours" else ValueError(how)


class Counter:
    """Counts its calls, from a number on."""

    def __init__(self, start: int) -> None:
        self.count = start

    async def __call__(self, step: int) -> int:
        self.count += step
        return self.count


def environment(name: str) -> str | None:
    return os.environ.get(name)
