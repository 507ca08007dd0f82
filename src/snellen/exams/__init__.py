"""The exams. Each has a folder of its own and is found by the entry point group `snellen.exams`, ours and yours alike.

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
    """All exams there are."""
    return _EXAMS.names()


def known(name: str) -> str:
    """A name that an exam has; another one is an error that says which there are."""
    if name not in names():
        raise unknown("exam", name, names())
    return name


def load(name: str) -> Exam:
    """An exam by name, with the protocols that plugins add; an unknown name is an error that says which there are."""
    return extended(_EXAMS.get(name), found().protocols.get(name, ()))


def resolve(word: str) -> tuple[str, Path | None]:
    """The exam that a word names, and its data where the word is a path: the exam that recognises it is meant.

    A name comes first: a folder that is called as an exam is `./salbench`.
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
    try:  # whoever takes any table says best what is missing
        next(exam for exam in map(load, names()) if traits_of(exam).last_resort).open(path, Selection())
    except StopIteration:
        pass
    except SnellenError as error:
        said = str(error)
        raise SnellenError(said if str(path) in said else f"{path}: {said}") from None
    raise SnellenError(f"{path}: no exam knows this data; name one of {', '.join(names())} and give --data")
