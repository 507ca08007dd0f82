"""A user's request: one object behind the command line, `snellen.evaluate` and the demo."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.core.dataset import Shard
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.engine.call.budget import SharedBudget
from snellen.subjects import servers

if TYPE_CHECKING:
    from snellen.engine.ray_pool import RayPool

TRIES, ERRORS_IN_A_ROW = 6, 50


class Limits(NamedTuple):
    """The limits of a run. Nothing here changes an answer.

    None is the default: concurrency adapts, the time limit fits the service, tries are as above. `shared` is the cap that several runs
    share. Without one, `max_cost` is this run's own cap. `shard` is the part of the samples that is asked here. `pool` is the cluster that
    gets the questions. Its creator closes it. `serve` is the server to start for the run, with further arguments of its command line.
    """

    concurrency: int | None = None
    max_cost: float | None = None
    timeout: float | None = None
    tries: int | None = None
    fresh: bool = False
    use_store: bool = True
    max_errors: int = ERRORS_IN_A_ROW
    batch: bool = False
    cancel_batches: bool = False
    shared: SharedBudget | None = None
    shard: Shard | None = None
    pool: RayPool | None = None
    serve: tuple[str, ...] = ()

    def check(self, spec: str, calls: bool) -> None:
        """Refuse a limit on calls if the subject makes none, and options that have no effect with batches or without them."""
        if self.cancel_batches and not self.batch:
            raise SnellenError("--cancel-batches has no effect without --batch-api")
        if self.batch and self.concurrency is not None:
            raise SnellenError("--concurrency has no effect with --batch-api: everything is handed in at once")
        if self.batch and not calls:
            raise SnellenError(f"--batch-api has no effect for {spec}: it calls no endpoint")
        if self.serve and self.pool is not None:
            raise SnellenError(
                "--serve starts a server on this machine: leave out --on, or start one on each node by yourself"
            )
        if self.serve and self.batch:
            raise SnellenError("--serve has no effect with --batch-api")
        if self.batch and self.pool is not None:
            raise SnellenError("--on has no effect with --batch-api: everything is handed in at once")
        if calls:
            return
        for name, value in (("concurrency", self.concurrency), ("timeout", self.timeout), ("tries", self.tries)):
            if value is not None:
                raise SnellenError(f"--{name} has no effect for {spec}: it calls no endpoint")


def cluster(on: str) -> RayPool:
    """Return the cluster that `--on` names. Only this loads Ray."""
    from snellen.engine.ray_pool import RayPool

    return RayPool(on)


def served_by(text: str) -> tuple[str, ...]:
    """Return the value of `--serve`: a server, and further arguments of its command line.

    >>> served_by("vllm --max-model-len 8192")
    ('vllm', '--max-model-len', '8192')
    """
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise SnellenError(f"--serve {text}: {error}") from None
    if not words or words[0] not in servers():
        raise SnellenError(f"--serve {text}: begins with one of {', '.join(servers())}")
    return words


class RunRequest(NamedTuple):
    """One exam on one subject. `options` has the given options of the exam and the subject, by name.

    `repeats` is how often each question is asked.
    """

    exam: str
    model: str | None
    data: Path
    protocols: tuple[str, ...] = ()
    prompt: str | None = None
    controls: tuple[str, ...] = ()
    selection: Selection = Selection()
    options: Mapping[str, Any] = {}
    limits: Limits = Limits()
    out: Path = Path("runs")
    repeats: int = 1
