"""Work on all cores that comes back in order, so that a set's bytes do not tell how many processes drew it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from typing import TypeVar

from snellen.core.cores import cores
from snellen.workers.processes import here

CHUNK = 32
"""The most that a process is given at once; less where there is too little for all of them."""
WORTH_A_POOL = 16
"""Unless told otherwise, a list that is no longer is made right here: processes take longer to start."""
WORTH_A_PROCESS = 4
"""Unless told otherwise, a process that would get fewer is not started."""
AHEAD = 3
"""Chunks under way for each process, so that none waits while the oldest chunk is not done."""

Progress = Callable[[int, int], None]
"""Gets how many are made and how many there are in all."""
_Key = TypeVar("_Key")
_Made = TypeVar("_Made")


def in_order(
    work: Callable[[_Key], _Made],
    keys: Sequence[_Key],
    workers: int | None = None,
    progress: Progress | None = None,
    *,
    most: int = CHUNK,
) -> Generator[_Made, None, None]:
    """work(key) for every key, in their order, made by several processes with only a few chunks under way at a time.

    `work` must be a function of a module, or a `partial` of one: it is named to the other processes. `most` is how many keys a process
    gets at once. Close the generator where something else may fail (`contextlib.closing`): until then the processes go on.
    """
    for done, made in enumerate(_made(work, keys, workers, most), start=1):
        if progress is not None:
            progress(done, len(keys))
        yield made


def _made(
    work: Callable[[_Key], _Made], keys: Sequence[_Key], workers: int | None, most: int
) -> Generator[_Made, None, None]:
    worth = -(-len(keys) // min(WORTH_A_PROCESS, most))
    wanted = max(1, min(worth if workers is None else len(keys), cores() if workers is None else workers))
    size = max(1, min(most, len(keys) // (8 * wanted)))
    chunks = [keys[start : start + size] for start in range(0, len(keys), size)]
    if wanted == 1 or (workers is None and len(keys) <= WORTH_A_POOL):
        yield from map(work, keys)
        return
    with here(work, wanted) as processes:
        waiting: deque[Future[list[_Made]]] = deque()
        for chunk in chunks:
            waiting.append(processes.submit([(key,) for key in chunk]))
            if len(waiting) > AHEAD * wanted:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
