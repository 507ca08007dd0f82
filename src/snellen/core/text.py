"""Text from models and data sets is hostile: make it harmless for terminals (spreadsheets: core.cells; HTML is Jinja's job)."""

from __future__ import annotations

import re

# C0 and C1 controls (without tab and newline), bidirectional overrides, zero-width and line-separator characters
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def for_terminal(text: str, limit: int | None = None) -> str:
    """Show control characters as escapes so that a reply cannot move the cursor or colour the screen.

    >>> for_terminal("a\\x1b[31mred")
    'a\\\\x1b[31mred'
    """
    shown = _CONTROL.sub(
        lambda m: f"\\x{ord(m.group()):02x}" if ord(m.group()) < 256 else f"\\u{ord(m.group()):04x}", text
    )
    if limit is not None and len(shown) > limit:
        return shown[: limit - 1] + "…"
    return shown


def escaped(error: UnicodeError) -> tuple[str, int]:
    r"""Handle an encoding error: escape characters that a stream cannot carry as JSON does.

    >>> import codecs
    >>> codecs.register_error("escaped", escaped)
    >>> "naïve 🙂".encode("ascii", "escaped")
    b'na\\u00efve \\ud83d\\ude42'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)), error.end


def one_line(text: str, limit: int = 300) -> str:
    """Return a message on one safe line of bounded length."""
    return for_terminal(" ".join(text.split()), limit)
