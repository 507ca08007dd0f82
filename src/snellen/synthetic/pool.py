"""Parallel work with ordered results, so that the bytes of a set do not depend on the number of processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from typing import TypeVar

from snellen.core.cores import cores
from snellen.workers.processes import here

CHUNK = 32
"""The most work items in one message to a process."""
WORTH_A_PROCESS = 8
"""The fewest work items for which processes are started by default: for fewer, starting one takes longer than the work."""
AHEAD = 3
"""Chunks in progress per process, so that no process waits for the oldest chunk."""

Progress = Callable[[int, int], None]
"""A function of the number made so far and the total."""
_Key = TypeVar("_Key")
_Made = TypeVar("_Made")


def in_order(
    work: Callable[[_Key], _Made], keys: Sequence[_Key], workers: int | None = None, progress: Progress | None = None
) -> Generator[_Made, None, None]:
    """Yield work(key) for every key, in order, made by several processes with a few chunks in progress at a time.

    `work` must be a function of a module, or a `partial` of one. Close the generator where something else may fail
    (`contextlib.closing`): until then the processes keep running.
    """
    count = min(cores(), len(keys) // WORTH_A_PROCESS) if workers is None else min(workers, len(keys))
    made = _in_processes(work, keys, count) if count > 1 else map(work, keys)
    for done, one in enumerate(made, start=1):
        if progress is not None:
            progress(done, len(keys))
        yield one


def _in_processes(work: Callable[[_Key], _Made], keys: Sequence[_Key], count: int) -> Iterator[_Made]:
    size = max(1, min(CHUNK, len(keys) // (8 * count)))
    with here(work, count) as processes:
        waiting: deque[Future[list[_Made]]] = deque()
        for start in range(0, len(keys), size):
            waiting.append(processes.submit([(key,) for key in keys[start : start + size]]))
            if len(waiting) > AHEAD * count:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
