"""Run a coroutine to its end from anywhere, including a notebook, whose thread already has a loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from snellen.core.subject import Subject

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T], run: Callable[[Coroutine[Any, Any, T]], T] = asyncio.run) -> T:
    """Run a coroutine to its end. If the thread already has a loop, use a thread of its own.

    The notebook's thread waits for it and takes the signals. The second signal ends the waiting, not the thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run(work)
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(run, work).result()
    finally:
        pool.shutdown(wait=False)


def close_subject(subject: Subject) -> None:
    """Close a subject, which may hold workers. Closing it twice does no harm."""
    run_loop(subject.close(), _at_once)


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end or to a Ctrl-C. `asyncio.run` takes the first Ctrl-C only between two steps, and a close may be stuck in one."""
    with asyncio.Runner() as runner:
        return runner.get_loop().run_until_complete(work)
