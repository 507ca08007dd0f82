"""A data folder named by a user: check that it exists, and find its set and the requested parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError, unknown
from snellen.core.text import one_line
from snellen.data.files import check_inside

UNFINISHED = "snellen-unfinished.txt"
"""The file that marks a folder while a set is made or downloaded there. It names the command."""


def check_folder(where: Path, exam: str) -> None:
    """Refuse a folder that does not exist, or one with an unfinished set."""
    if not where.is_dir():
        raise SnellenError(f"no folder {where}; 'snellen data make {exam} --out DIR' makes a synthetic set")
    check_finished(where)


def check_finished(where: Path) -> None:
    """Refuse a folder in which `data make` or `data get` was interrupted: half a set looks like a whole one."""
    path = where / UNFINISHED
    if not path.exists():
        return
    try:
        command = one_line(path.read_text(encoding="utf-8", errors="replace")) if path.is_file() else ""
    except OSError:
        command = ""
    raise SnellenError(
        f"{where} holds half a data set: '{command or 'snellen data'}' was interrupted there, or is still at work; run it again"
    )


def check_new(out: Path) -> None:
    """Refuse to write a template over an existing file."""
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SnellenError(f"--out {out} is there and not empty: name a new folder")


@contextmanager
def unfinished(where: Path, command: str) -> Iterator[None]:
    """Mark a folder as unfinished until the work in it is done. If the work fails, or is killed, the mark stays."""
    where.mkdir(parents=True, exist_ok=True)
    mark = where / UNFINISHED
    mark.unlink(missing_ok=True)  # never written through a link
    mark.write_text(f"{command}\n", encoding="utf-8")
    yield
    mark.unlink(missing_ok=True)


def find_files(where: Path, *patterns: str) -> list[Path]:
    """Return the files of the first pattern with a match. A pattern for every folder (`*/`) must find one data set, not several."""
    for pattern in patterns:
        if found := sorted(where.glob(pattern)):
            sets = sorted({p.relative_to(where).parts[0] for p in found}) if pattern.startswith("*/") else []
            if len(sets) > 1:
                raise SnellenError(f"{where} holds several data sets ({', '.join(sets)}): name one of them with --data")
            for folder in sorted({folder for p in found for folder in p.parents if where in folder.parents}):
                check_finished(folder)
            return [check_inside(path, where) for path in found]
    return []


def named(
    what: str, given: Iterable[str], shown: Iterable[str], exam: str, known: Mapping[str, str] | None = None
) -> list[str]:
    """Return the meanings of the user's names, whatever their case: as in `known`, else the names that errors show."""
    names = {name.lower(): name for name in shown} if known is None else known
    given = list(given)
    for name in given:
        if name.lower() not in names:
            raise unknown(what, name, shown, of=exam)
    return [names[name.lower()] for name in given]


def unusable(problems: Sequence[Problem], exam: str, where: Path) -> SnellenError:
    """Return the error of a data set with problems: the first, and how to see them all."""
    more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
    return SnellenError(f"{problems[0]}{more}; 'snellen data check {exam} --data {where}' lists all")
