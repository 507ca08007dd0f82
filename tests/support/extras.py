"""The extras of an exam or a protocol, for tests that know that they exist."""

from __future__ import annotations

from typing import TypeVar

from snellen.core.having import HasExtras

E = TypeVar("E")


def of(owner: HasExtras, kind: type[E]) -> E:
    found = owner.extra(kind)
    assert found is not None, f"{owner} has no {kind.__name__}"
    return found
