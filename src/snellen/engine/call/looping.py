"""Run a coroutine to its end from anywhere, also from a notebook, whose thread has a loop already."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from snellen.core.subject import Subject

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


@contextmanager
def closing(subject: Subject) -> Iterator[None]:
    """Close a subject, which may hold workers, at the end of the block. Closing it twice does no harm."""
    try:
        yield
    finally:
        _close(subject)


@contextmanager
def closing_on_error(subject: Subject) -> Iterator[None]:
    """Close a subject if the block fails; else its next owner does."""
    try:
        yield
    except BaseException:
        _close(subject)
        raise


def _close(subject: Subject) -> None:
    """Close a subject. Ctrl-C ends that at once: asyncio would only cancel it, which a close that blocks does not notice."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        run_loop(subject.close())
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        run_loop(subject.close())
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
