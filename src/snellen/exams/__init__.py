"""The exams. Each one has a folder of its own and is found by the entry point group `snellen.exams`, ours and yours alike.

A plugin file (`--plugin path.py`, or SNELLEN_PLUGINS) may bring an exam, or protocols for one: see snellen.registry.plugins.
"""

from __future__ import annotations

from pathlib import Path

from snellen.core.errors import SnellenError, unknown
from snellen.core.exam import Exam, extended
from snellen.core.extras import traits_of
from snellen.core.options import Selection
from snellen.registry import Registry
from snellen.registry.plugins import EXAMS, found

_EXAMS: Registry[Exam] = Registry(EXAMS, "exam", lambda plugins: plugins.exams)


def names() -> list[str]:
    """Return the names of all exams."""
    return _EXAMS.names()


def known(name: str) -> str:
    """Return the name if an exam has it; otherwise raise an error that lists the exams."""
    if name not in names():
        raise unknown("exam", name, names())
    return name


def load(name: str) -> Exam:
    """Return an exam by name, with the protocols that plugins add. For an unknown name, raise an error that lists the exams."""
    return extended(_EXAMS.get(name), found().protocols.get(name, ()))


def resolve(word: str) -> tuple[str, Path | None]:
    """Return the exam that a word names. If the word is a path, return the exam that recognises the data, and the path.

    A name comes first: to use a folder with the name of an exam, write `./salbench`.
    """
    if word in names():
        return word, None
    path = Path(word)
    if path.exists():
        return _recognised(path), path
    if path.suffix or len(path.parts) > 1:
        raise SnellenError(f"{word}: no such file or folder")
    raise unknown("exam", word, names())


def _recognised(path: Path) -> str:
    found = {exam.name: said for exam in map(load, names()) if (said := exam.recognises(path)) is not None}
    sure = [name for name in found if not traits_of(load(name)).last_resort] or list(found)
    if len(sure) == 1:
        return sure[0]
    if sure:
        said = ", ".join(f"{name} ({found[name]})" for name in sure)
        raise SnellenError(f"{path} could be data of {said}: say which, such as 'snellen run {sure[0]} --data {path}'")
    try:  # an exam that takes any table gives the best message about what is missing
        next(exam for exam in map(load, names()) if traits_of(exam).last_resort).open(path, Selection())
    except StopIteration:
        pass
    except SnellenError as error:
        said = str(error)
        raise SnellenError(said if str(path) in said else f"{path}: {said}") from None
    raise SnellenError(f"{path}: no exam knows this data; name one of {', '.join(names())} and give --data")
