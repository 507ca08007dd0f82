"""Composition: an exam or a protocol has typed extras, and a generic room looks up the one that it knows."""

from __future__ import annotations

from typing import TypeVar

E = TypeVar("E")


class HasExtras:
    """Something that carries extras: values of small frozen classes, at most one of each class."""

    extras: tuple[object, ...] = ()

    def extra(self, kind: type[E]) -> E | None:
        """Return the extra of a type; None where there is none."""
        return next((one for one in self.extras if isinstance(one, kind)), None)
