"""Exams, kinds of subjects and scorers by name, built-in or a user's, found by entry points and in plugin files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from snellen.core.errors import unknown
from snellen.registry.plugins import Plugins, entries, found

T = TypeVar("T")


class Registry(Generic[T]):
    """Objects of one sort by name: those of an entry point group, and those from plugin files."""

    def __init__(self, group: str, what: str, brought: Callable[[Plugins], Mapping[str, T]]) -> None:
        self.group, self._what, self._brought = group, what, brought

    def names(self) -> list[str]:
        """Return all names."""
        return sorted({e.name for e in entries(self.group)} | self._brought(found()).keys())

    def get(self, name: str) -> T:
        """Return an object by name; an unknown name raises an error with the closest match and the known names."""
        brought = self._brought(found())
        if name in brought:
            return brought[name]
        for entry in entries(self.group):
            if entry.name == name:
                thing: T = entry.load()
                return thing
        raise unknown(self._what, name, self.names())
