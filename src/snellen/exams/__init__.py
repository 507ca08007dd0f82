"""The exams. Each has a folder of its own and is found by the entry point group `snellen.exams`, ours and yours alike.

A plugin file (`--plugin path.py`, or SNELLEN_PLUGINS) may bring an exam, or protocols for one: see snellen.registry.plugins.
"""

from __future__ import annotations

from snellen.core.errors import unknown
from snellen.core.exam import Exam
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
    return _EXAMS.get(name).extended(found().protocols.get(name, ()))
