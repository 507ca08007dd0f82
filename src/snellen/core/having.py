"""Composition: an exam or a protocol has typed extras, and generic code looks up the one that it knows."""

from __future__ import annotations

from typing import TypeVar

E = TypeVar("E")


class HasExtras:
    """An object that carries extras: values of small frozen classes, at most one of each class."""

    extras: tuple[object, ...] = ()

    def extra(self, kind: type[E]) -> E | None:
        """Return the extra of a type; None if there is none."""
        return next((one for one in self.extras if isinstance(one, kind)), None)
