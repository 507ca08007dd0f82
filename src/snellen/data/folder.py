"""A data folder as a user names it: whether it is there, which set it holds, and which of its parts are meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError, unknown


def check_folder(where: Path, exam: str) -> None:
    """Refuse a folder that is not there."""
    if not where.is_dir():
        raise SnellenError(f"no folder {where}; 'snellen data make {exam} --out DIR' makes a synthetic set")


def find_files(where: Path, *patterns: str) -> list[Path]:
    """The files of the first pattern that finds any. One that looks into every folder (`*/`) must find one data set, not several."""
    for pattern in patterns:
        if found := sorted(where.glob(pattern)):
            sets = sorted({p.relative_to(where).parts[0] for p in found}) if pattern.startswith("*/") else []
            if len(sets) > 1:
                raise SnellenError(f"{where} holds several data sets ({', '.join(sets)}): name one of them with --data")
            return found
    return []


def named(
    what: str, given: Iterable[str], shown: Iterable[str], exam: str, known: Mapping[str, str] | None = None
) -> list[str]:
    """What the names that a user gives stand for, whatever their case: as `known` has it, else those that errors show themselves."""
    names = {name.lower(): name for name in shown} if known is None else known
    given = list(given)
    for name in given:
        if name.lower() not in names:
            raise unknown(what, name, shown, of=exam)
    return [names[name.lower()] for name in given]


def unusable(problems: Sequence[Problem], exam: str, where: Path) -> SnellenError:
    """The error of a data set with problems: the first, and how to see them all."""
    more = f" (and {len(problems) - 1} more problems)" if len(problems) > 1 else ""
    return SnellenError(f"{problems[0]}{more}; 'snellen data check {exam} --data {where}' lists all")
