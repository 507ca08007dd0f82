"""The two base classes stay small: what one exam alone has is a typed extra, not a member that all others inherit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from snellen import exams
from snellen.core import extras, protocol
from snellen.core.exam import Exam
from snellen.core.protocol import Protocol
from snellen.registry import plugins
from tests.contracts.conftest import OURS

BUILT_IN = (*OURS, "eye")
ALL = {
    kind
    for module in (extras, protocol)
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, tuple) and kind.__module__ == module.__name__
}
"""Every named tuple of the two files: the extras are among them."""


@pytest.fixture(autouse=True)
def example_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the plugins out, which give their origin to the exams that they extend."""
    monkeypatch.setenv(plugins.VARIABLE, "")


def members(base: type) -> set[str]:
    """The public attributes and methods of a class, those that it only declares included."""
    declared = {name for kind in base.__mro__ for name in vars(kind).get("__annotations__", {})}
    return {name for name in {*dir(base), *declared} if not name.startswith("_")}


def overridden(name: str) -> Iterator[tuple[type, str]]:
    """The members that the exam has in a way of its own, with the class that has it: four exams share one."""
    exam = exams.load(name)
    for member in members(Exam):
        own = vars(exam).get(member, getattr(type(exam), member))
        if own is not getattr(Exam, member):
            yield type(exam), member


def test_an_exam_has_at_most_twenty_members_and_a_protocol_eighteen() -> None:
    assert len(members(Exam)) <= 20, sorted(members(Exam))
    assert len(members(Protocol)) <= 18, sorted(members(Protocol))


def test_no_member_is_overridden_by_one_exam_alone() -> None:
    by: dict[str, set[type]] = {}
    for name in BUILT_IN:
        for kind, member in overridden(name):
            by.setdefault(member, set()).add(kind)
    assert {member: kinds for member, kinds in by.items() if len(kinds) == 1} == {}


@pytest.mark.parametrize("name", BUILT_IN)
def test_extras_are_of_the_known_kinds_and_each_is_there_once(name: str) -> None:
    exam = exams.load(name)
    for owner in (exam, *exam.protocols.values()):
        kinds = [type(one) for one in owner.extras]
        assert len(set(kinds)) == len(kinds)
        assert {kind for kind in kinds if kind.__name__ not in ("Prompt", "PluginCode")} <= ALL


def test_every_field_of_an_extra_is_set_by_some_exam() -> None:
    every = [exams.load(name) for name in BUILT_IN]
    used = [one for exam in every for owner in (exam, *exam.protocols.values()) for one in owner.extras]
    for kind in {type(one) for one in used}:
        for field, default in getattr(kind, "_field_defaults", {}).items():
            assert any(type(one) is kind and getattr(one, field) is not default for one in used), f"{kind}.{field}"
