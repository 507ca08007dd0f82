"""Run a coroutine to its end from anywhere, also from a notebook, whose thread has a loop already."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end; where there is a loop already, in a thread of its own.

    The notebook's thread waits for it and takes the signals; the second one ends the waiting, not the thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(asyncio.run, work).result()
    finally:
        pool.shutdown(wait=False)
