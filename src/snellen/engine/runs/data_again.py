"""The data set of a run, opened again: at its recorded place, or at its present one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from snellen.core.adaptive import Adaptive
from snellen.core.dataset import Dataset, Shard, part_of
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import traits_of
from snellen.engine.runs.folder import RunFolder


def opened_again(run: RunFolder, exam: Exam, where: Path | None = None) -> Dataset:
    """Return the run's selection of a data set as it is now. A missing folder is an error.

    In an adaptive exam the samples are those that this run chose.
    """
    known = run.manifest()
    folder = where or Path(known.data.source)
    if not traits_of(exam).drawn and not folder.exists():
        raise SnellenError(f"the data folder {folder} is not there")
    data = part_of(exam.open(folder, known.options), None if known.shard is None else Shard(*known.shard))
    if isinstance(data, Adaptive):
        data.restore(run.samples())
    return data


class DataAgain:
    """The data sets of runs, each in one of some folders or at its recorded place. The last one is kept, because runs of one set come
    together.
    """

    def __init__(self, folders: Sequence[Path] = ()) -> None:
        self._folders = folders
        self._last: tuple[object, Dataset] | None = None

    def of(self, run: RunFolder, exam: Exam) -> Dataset:
        """Return the data set of a run. If no folder has it, raise the error of the first folder."""
        known = run.manifest()
        same = (exam.name, known.data.source, known.data.fingerprint, known.options, known.shard)
        if self._last is not None and self._last[0] == same:
            return self._last[1]
        errors = []
        for where in (*self._folders, None):
            try:
                found = opened_again(run, exam, where)
            except SnellenError as error:
                errors.append(error)
                continue
            if found.fingerprint == known.data.fingerprint:
                self._last = None if isinstance(found, Adaptive) else (same, found)
                return found
            changed = f"the data in {where or known.data.source} has changed since the run (another fingerprint)"
            errors.append(SnellenError(changed))
        raise errors[0]
