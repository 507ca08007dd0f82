"""Run a coroutine to its end from anywhere, also from a notebook, whose thread has a loop already."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from snellen.core.subject import Subject

T = TypeVar("T")


def run_loop(work: Coroutine[Any, Any, T], run: Callable[[Coroutine[Any, Any, T]], T] = asyncio.run) -> T:
    """Run to the end; where there is a loop already, in a thread of its own.

    The notebook's thread waits for it and takes the signals; the second one ends the waiting, not the thread.
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


@contextmanager
def closing_subject(subject: Subject) -> Iterator[None]:
    """Close a subject, which may hold workers, at the end of the block. Closing it twice does no harm."""
    try:
        yield
    finally:
        run_loop(subject.close(), _at_once)


@contextmanager
def closing_on_error(subject: Subject) -> Iterator[None]:
    """Close a subject if the block fails; else its next owner does."""
    try:
        yield
    except BaseException:
        run_loop(subject.close(), _at_once)
        raise


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, or to a Ctrl-C: `asyncio.run` takes the first one only between two steps, and a close may be stuck in one."""
    with asyncio.Runner() as runner:
        return runner.get_loop().run_until_complete(work)
