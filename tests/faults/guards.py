"""Guards that can be taken out of a forked command, to show that the suite notices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO


def _cap() -> None:
    """--max-cost: every call fits."""
    from snellen.engine.call.budget import Budget

    Budget._fits = lambda *_given: True  # type: ignore[method-assign]


def _keys() -> None:
    """Keys are taken out of replies and messages."""
    from snellen.core import secret

    secret._SEEN = _Never()
    secret.Secret.redact = secret.Secret.redact_reply = lambda _self, text: text  # type: ignore[method-assign]


class _Never(set[str]):
    def add(self, _value: str) -> None:
        """Forgets it."""


def _links() -> None:
    """Nothing is written through a link in a run folder, and a file takes its place as a whole."""
    from snellen.engine.runs import folder

    @contextmanager
    def plainly(root: Path, name: str) -> Iterator[BinaryIO]:
        with (root / name).open("wb") as out:
            yield out

    folder.replacing = plainly


def _disk() -> None:
    """One line for a disk that is full."""
    from snellen.cli import main

    def raised(error: OSError) -> Any:
        raise RuntimeError("no guard") from error

    main.of_the_disk = raised


def _damage() -> None:
    """Damaged records are told from good ones, where they are read and once more where commands end."""
    from snellen.cli import main
    from snellen.engine.runs import folder

    folder.UNREADABLE = (ZeroDivisionError,)
    main.READERS = ()


def _kept() -> None:
    """A torn last line is cut off, and what was answered is not asked again."""
    from snellen.data.line_offsets import Places
    from snellen.engine.runs.folder import RunFolder

    scan = RunFolder.scan

    def forgets(self: RunFolder) -> Any:
        found = scan(self)
        return found._replace(last=Places())

    RunFolder.scan = forgets  # type: ignore[method-assign]


GUARDS: dict[str, Callable[[], None]] = {
    "cap": _cap,
    "keys": _keys,
    "links": _links,
    "disk": _disk,
    "damage": _damage,
    "kept": _kept,
}


def take_out(names: Iterable[str]) -> None:
    """In this process alone."""
    for name in names:
        GUARDS[name]()
