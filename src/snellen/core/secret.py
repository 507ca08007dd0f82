"""An API key that cannot be printed, logged, compared into a digest or written by accident."""

from __future__ import annotations

_SEEN: set[str] = set()
SHORTEST = 4


def redact_all(text: str) -> str:
    """Take every key of this process out of a text: the last net, for tracebacks and unexpected messages."""
    for value in _SEEN:
        text = text.replace(value, "[key]")
    return text


class Secret:
    """Holds a key; only `reveal()` gives it out, and only the HTTP transport calls that."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value
        if len(value) >= SHORTEST:
            _SEEN.add(value)

    def reveal(self) -> str:
        return self._value

    def redact(self, text: str) -> str:
        """Take the key out of a text that came from elsewhere (servers echo headers in error pages)."""
        return text.replace(self._value, "[key]") if len(self._value) >= SHORTEST else text

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return "Secret([key])" if self._value else "Secret(none)"

    __str__ = __repr__

    def __reduce__(self) -> tuple[type[Secret], tuple[str]]:
        """Copies and pickles carry no key."""
        return (Secret, ("",))
