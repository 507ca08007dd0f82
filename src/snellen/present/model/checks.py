"""Whether a run may be shown: marked, by this version, and not changed since."""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.core.records import LAYOUT
from snellen.engine.mark.holding import check_answers, check_summary
from snellen.engine.runs.run import Run
from snellen.present.model.findings import loaded


def check(run: Run) -> None:
    """A run that was never marked, or by a later version of Snellen, has to be marked first; one that was changed is not shown."""
    if not run.folder.has("summary.json"):
        raise SnellenError(
            f"{run.path} has no summary.json: mark its answers with 'snellen remark {run.path}', "
            "or finish it with the 'snellen run' that began it"
        )
    summary = run.summary
    if summary.layout > LAYOUT or not summary.protocols:
        raise SnellenError(f"{run.path}: summary.json is from another version; run 'snellen remark {run.path}'")
    check_answers(run, summary)
    check_marks(run)


def check_marks(run: Run) -> None:
    """Refuse a run whose marks were changed, as far as its exam is at hand."""
    exam = loaded(run.manifest)
    if exam is not None:
        check_summary(run, run.summary, exam)
