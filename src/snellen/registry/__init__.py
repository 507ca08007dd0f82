"""What there is by name: exams, kinds of subjects and scorers, ours and a user's, found by entry points and in plugin files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from snellen.core.errors import unknown
from snellen.registry.plugins import Plugins, entries, found

T = TypeVar("T")


class Registry(Generic[T]):
    """Things of one sort by name: those of an entry point group, and those that plugin files bring."""

    def __init__(self, group: str, what: str, brought: Callable[[Plugins], Mapping[str, T]]) -> None:
        self.group, self._what, self._brought = group, what, brought

    def names(self) -> list[str]:
        """All names there are."""
        return sorted({e.name for e in entries(self.group)} | self._brought(found()).keys())

    def get(self, name: str) -> T:
        """A thing by name; an unknown name is an error that says what may have been meant, and what there is."""
        brought = self._brought(found())
        if name in brought:
            return brought[name]
        for entry in entries(self.group):
            if entry.name == name:
                thing: T = entry.load()
                return thing
        raise unknown(self._what, name, self.names())
