"""The data set of a run, opened once more: where it was, or where it is now."""

from __future__ import annotations

from pathlib import Path

from snellen.core.adaptive import Adaptive
from snellen.core.dataset import Dataset, Shard, part_of
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import traits_of
from snellen.engine.runs.folder import RunFolder


def opened_again(run: RunFolder, exam: Exam, where: Path | None = None) -> Dataset:
    """Return the run's selection of a data set as it is now; an error where the folder is not there.

    Samples that were chosen on the way are as this run chose them.
    """
    known = run.manifest()
    folder = where or Path(known.data.source)
    if not traits_of(exam).drawn and not folder.exists():
        raise SnellenError(f"the data folder {folder} is not there")
    data = part_of(exam.open(folder, known.options), None if known.shard is None else Shard(*known.shard))
    if isinstance(data, Adaptive):
        data.restore(run.samples())
    return data


def unchanged(run: RunFolder, exam: Exam, where: Path | None = None) -> Dataset:
    """Open the data as `opened_again` does; raise SnellenError also where the data is not what the run saw."""
    data, known = opened_again(run, exam, where), run.manifest()
    if data.fingerprint != known.data.fingerprint:
        raise SnellenError(f"the data in {where or known.data.source} has changed since the run (another fingerprint)")
    return data
