"""Errors that a user can fix. Each is one line: what is wrong, where, what to do."""

from __future__ import annotations

import difflib
import errno
import os
import traceback
from collections.abc import Iterable
from pathlib import Path

from snellen.core.installing import install_command


class SnellenError(Exception):
    """Bad usage, configuration or data (exit code 2)."""

    exit_code = 2


class Stopped(SnellenError):
    """A run that ended early with everything kept; the same command resumes it (exit code 3)."""

    exit_code = 3


class MostlyUnanswered(Stopped):
    """A run that asked everything and got too few answers: less than half of a part. Its score would not be meaningful (exit code 3)."""


class Interrupted(Stopped):
    """A run that the user stopped; the same command resumes it (exit code 130)."""

    exit_code = 130


class MissingExtra(SnellenError):
    """A part that needs an optional dependency."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': {install_command(extra)}")


def unknown(what: str, name: str, known: Iterable[str], of: str = "") -> SnellenError:
    """Return the error of an unknown name: with the closest match, if there is one, and the known names.

    >>> str(unknown("protocol", "papr", ["paper", "robust"], of="salbench"))
    "unknown protocol 'papr' of salbench: did you mean 'paper'? There are paper, robust"
    """
    names = list(known)
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    owner = f" of {of}" if of else ""
    if close:
        return SnellenError(f"unknown {what} '{name}'{owner}: did you mean '{close[0]}'? There are {', '.join(names)}")
    return SnellenError(f"unknown {what} '{name}'{owner}: choose from {', '.join(names)}")


_CURES = {
    errno.ENOSPC: "free some space and run the same command",
    errno.EDQUOT: "free some space and run the same command",
    errno.EFBIG: "free some space and run the same command",
    errno.EROFS: "choose another folder",
    errno.EACCES: "choose another folder, or ask for the right to use it",
    errno.EPERM: "choose another folder, or ask for the right to use it",
}


def of_the_disk(error: OSError) -> SnellenError:
    """Return one line for a file that the system does not let us read or write.

    >>> str(of_the_disk(OSError(errno.ENOSPC, "No space left on device", "out/a.png")))
    'out/a.png: No space left on device; free some space and run the same command'
    """
    where = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    why = error.strerror or str(error) or type(error).__name__
    cure = _CURES.get(error.errno or 0, "")
    return SnellenError(f"{where}{why}" + (f"; {cure}" if cure else ""))


def said_by(error: BaseException) -> str:
    """Return an exception's kind and message on one line."""
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {' '.join(what.split())}".removesuffix(": ")


def place_of(error: BaseException, file: Path | None = None) -> str:
    """Return the line of a user's file where the error occurred, or else of the last file."""
    if isinstance(error, SyntaxError):
        return f" (line {error.lineno} of {Path(error.filename or '?').name})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if file is not None and f.filename == str(file)]
    return "".join(f" (line {f.lineno} of {Path(f.filename).name})" for f in (own or frames)[-1:])


def plugin_failed(what: str, error: Exception) -> SnellenError:
    """Return one line for an exception in a plugin's own code."""
    return SnellenError(f"{what} failed: {said_by(error)}{place_of(error)}")
