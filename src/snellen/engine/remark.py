"""Mark a run's stored answers again. Nothing is asked."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import msgspec

from snellen import exams
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.engine.manifests import joined
from snellen.engine.mark import marking
from snellen.engine.mark.missing_answers import MissingAnswers
from snellen.engine.plan.plan import choose, targets_from_manifest
from snellen.engine.runs.folder import RunFolder
from snellen.engine.runs.run import Run


def remark(path: str | Path, protocols: tuple[str, ...] = ()) -> marking.RemarkResult:
    """Mark a run's stored answers again, under its own protocols or others."""
    run = Run(Path(path))  # an error where it is not a run folder, before anything is made there
    with run.folder as folder:
        known = folder.manifest()
        exam = exams.load(known.exam)
        own = targets_from_manifest(exam, known, folder.path)
        targets = choose(exam, protocols) if protocols else own
        notes = _keep_changed_summary(folder)
        scan = folder.scan()
        asked = {Arm.parse(prompt).first.text for prompt in scan.last.counts}
        lacking = [t for t in targets if t.arm.text not in asked]
        if lacking:
            raise MissingAnswers(folder, exam, lacking, sorted(asked), scan)
        every = joined(tuple(t for t in own if t.arm.text in asked), targets)
        done = marking.mark_run(folder, exam, every, scan=scan, concurrency=_concurrency(folder))
        folder.write_record(msgspec.structs.replace(known, protocols=tuple(t.entry for t in every)))
        return done._replace(notes=notes)


def _keep_changed_summary(folder: RunFolder) -> tuple[str, ...]:
    """Keep a summary that is not as it was written under another name, for a person to see what was changed."""
    if not folder.has("summary.json"):
        return ()
    try:
        folder.summary()
    except SnellenError as error:
        folder.write("summary.json.old", (folder.path / "summary.json").read_bytes())
        return (f"{error}: the old file is kept as summary.json.old",)
    return ()


def _concurrency(folder: RunFolder) -> dict[str, Any] | None:
    """Return what the limiter did, from the summary that is about to be replaced; None where that is damaged."""
    with contextlib.suppress(SnellenError):
        return folder.summary().concurrency
    return None
