"""Declared options: an exam, a kind of subject or a generator lists its own. Undeclared options are refused.

The command line turns them into flags; Python takes them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.types import Struct


class Selection(Struct, frozen=True):
    """The questions that a run asks. Part of the run's digest. `own` has the exam's own options that decide its questions, by name."""

    splits: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    shots: int = 0
    max_missing: int = 0
    own: dict[str, Any] = msgspec.field(default_factory=dict)


class Option(NamedTuple):
    """A declared option. `name` is its name in Python; `flags` are its spellings on the command line (`--name` if none is given).

    `parse` turns the text of the command line into the value; a value from Python is taken as it is.
    """

    name: str
    help: str
    flags: tuple[str, ...] = ()
    kind: Literal["text", "int", "float", "flag", "bool", "words", "pairs"] = "text"
    default: Any = None
    metavar: str | None = None
    least: float | None = None
    most: float | None = None
    parse: Callable[[str], Any] | None = None

    @property
    def spellings(self) -> tuple[str, ...]:
        """The option's spellings on the command line."""
        return self.flags or ("--" + self.name.replace("_", "-"),)


SHOTS = Option("shots", "Few-shot examples in each question.", kind="int", default=0, metavar="N")
MAX_MISSING = Option(
    "max_missing",
    "Maximum number of missing images to tolerate; their samples are left out, counted and listed.",
    kind="int",
    default=0,
    metavar="N",
    least=0,
)

IMAGES = Option(
    "images",
    "One other folder that pictures may be in; without it, none from outside the data's folder is sent.",
    metavar="DIR",
)

COLUMNS = Option(
    "columns",
    "Name the column of a role, once for each role: --columns image=image_1,image_2 --columns answer=label.",
    kind="pairs",
    metavar="ROLE=COLUMN,...",
)
BOX_FORMAT = Option(
    "box_format",
    "Format of boxes whose data does not say it: xyxy-pixels, xywh-pixels, xyxy-shares or xywh-shares.",
    metavar="FORMAT",
)
OF_DATA = (IMAGES, COLUMNS, BOX_FORMAT)
"""Options on how to read a data set on disk; they are part of the selection (`Selection.own`)."""


def stored_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of options as a selection keeps them: texts, and of pairs a dict."""
    return {name: dict(value) if isinstance(value, Mapping) else str(value) for name, value in given.items()}


def filled(options: Iterable[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of declared options: the given ones, else their defaults."""
    return {o.name: given.get(o.name, o.default) for o in options}


def refuse_unknown(
    given: Iterable[str], allowed: Iterable[Option], who: str, owners: Callable[[], Mapping[str, str]]
) -> None:
    """Stop at an option that has no effect here; `owners` returns the owners of all options."""
    known = {o.name for o in allowed}
    for name in given:
        if name not in known:
            owner = owners().get(name)
            said = f"; it is an option of {owner}" if owner else ""
            raise SnellenError(f"--{name.replace('_', '-')} has no effect for {who}{said}")
