"""Errors that a user can do something about. Each is one line: what is wrong, where, what to do."""

from __future__ import annotations


class SnellenError(Exception):
    """Bad usage, configuration or data (exit code 2)."""

    exit_code = 2


class Stopped(SnellenError):
    """A run that ended early with everything kept; the same command goes on (exit code 3)."""

    exit_code = 3


class Interrupted(Stopped):
    """The user stopped the run; the same command goes on (exit code 130)."""

    exit_code = 130


class MissingExtra(SnellenError):
    """A part that needs an optional dependency."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'snellen[{extra}]'")
