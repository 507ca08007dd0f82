"""Our own readers, each behind a small adapter, so that all can be tested on the same generated replies.

To add one: a module here with `READERS`, a tuple of `Reader`. `bench/readers.py` and tests/exams/test_readers.py find it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple

from tests.support.wrapping import Said, Topic, generate


class Reader(NamedTuple):
    """A reader of ours. `read` returns its reading of a reply, or None; `meant` the right reading for a topic's answer.

    `skip` are forms that do not suit such a topic; `replies` makes the replies. At most the share `most_unparsable` of those with
    an answer stays unread.
    """

    name: str
    topic: Callable[[random.Random], Topic]
    read: Callable[[str, Topic], object]
    meant: Callable[[Topic], object]
    skip: tuple[str, ...] = ()
    replies: Callable[[Callable[[random.Random], Topic], int, int, tuple[str, ...]], Iterator[Said]] = generate
    most_unparsable: float = 0.05


class Figures(NamedTuple):
    """The numbers of replies with and without an answer, and the reader's results. `invented`: read an answer where none was given."""

    answers: int
    misread: int
    unparsable: int
    nothings: int
    invented: int


def all_readers() -> tuple[Reader, ...]:
    """Return every reader of every module here."""
    found: list[Reader] = []
    for module in sorted(m.name for m in iter_modules(__path__)):
        found.extend(import_module(f"{__name__}.{module}").READERS)
    return tuple(found)


def faults(reader: Reader, count: int, seed: int = 0) -> Iterator[tuple[str, Said, object]]:
    """Yield every generated reply with its outcome: "right", "misread", "unparsable", "silent" (as it should) or "invented"."""
    for said in reader.replies(reader.topic, count, seed, reader.skip):
        found = reader.read(said.reply, said.topic)
        if not said.means:
            yield "silent" if found is None else "invented", said, found
        elif found is None:
            yield "unparsable", said, found
        else:
            yield "right" if found == reader.meant(said.topic) else "misread", said, found


def figures(reader: Reader, count: int, seed: int = 0) -> Figures:
    """Return the counts over an even mix of all forms."""
    seen = Counter(fault for fault, _said, _found in faults(reader, count, seed))
    answers = seen["right"] + seen["misread"] + seen["unparsable"]
    return Figures(answers, seen["misread"], seen["unparsable"], seen["silent"] + seen["invented"], seen["invented"])
