"""The data set of a run, opened once more: where it was, or where somebody says it is now."""

from __future__ import annotations

from pathlib import Path

from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.records import Manifest


def opened_again(known: Manifest, exam: Exam, where: Path | None = None) -> Dataset:
    """The run's selection of a data set as it is now; an error where the folder is not there."""
    folder = where or Path(known.data.source)
    if not folder.exists():
        raise SnellenError(f"the data folder {folder} is not there")
    return exam.open(folder, known.options)


def unchanged(known: Manifest, exam: Exam, where: Path | None = None) -> Dataset:
    """As `opened_again`; an error also where the data is not what the run saw."""
    data = opened_again(known, exam, where)
    if data.fingerprint != known.data.fingerprint:
        raise SnellenError(f"the data in {where or known.data.source} has changed since the run (another fingerprint)")
    return data
