"""The pool: work comes back in order from any number of processes, and progress hears of each piece."""

from __future__ import annotations

import pytest

from snellen.synthetic.pool import in_order
from snellen.workers.calls import WorkFailed


@pytest.mark.parametrize("workers", [None, 1, 2])
def test_work_comes_back_in_order(workers: int | None) -> None:
    assert list(in_order(abs, range(-20, 0), workers)) == list(range(20, 0, -1))
    assert list(in_order(abs, [], workers)) == []


def test_a_failure_in_a_worker_is_raised_here() -> None:
    with pytest.raises(WorkFailed, match="TypeError"):
        list(in_order(abs, ["not a number"] * 20, 2))  # type: ignore[list-item]


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_counts_what_is_made(workers: int) -> None:
    heard: list[tuple[int, int]] = []
    assert len(list(in_order(abs, range(20), workers, lambda done, total: heard.append((done, total))))) == 20
    assert heard == [(done, 20) for done in range(1, 21)]
