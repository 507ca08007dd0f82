"""Check that a run may be shown: it is marked, and has not changed since."""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.engine.mark.integrity import check_answers, check_summary
from snellen.engine.runs.run import Run
from snellen.present.model.findings import loaded


def check(run: Run) -> None:
    """Refuse a run that was never marked, or whose answers or marks were changed."""
    if not run.folder.has("summary.json"):
        raise SnellenError(
            f"{run.path} has no summary.json: mark its answers with 'snellen mark {run.path}', "
            "or finish it with the 'snellen run' that began it"
        )
    summary = run.summary
    check_answers(run, summary)
    check_marks(run)


def check_marks(run: Run) -> None:
    """Refuse a run whose marks were changed, as far as its exam is installed."""
    exam = loaded(run.manifest)
    if exam is not None:
        check_summary(run, run.summary, exam)
