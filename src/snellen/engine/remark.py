"""Mark a run's stored answers again. Nothing is asked."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import exams
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.records import Totals
from snellen.engine.manifests import joined
from snellen.engine.mark import marking
from snellen.engine.plan.plan import ProtocolRun, applies, choose, targets_from_manifest
from snellen.engine.runs.folder import RunFolder, Scan
from snellen.engine.runs.run import Run


def remark(path: str | Path, protocols: tuple[str, ...] = ()) -> marking.RemarkResult:
    """Mark a run's stored answers again, under its own protocols or others."""
    run = Run(Path(path))  # raises if it is not a run folder, before anything is made there
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
    """Keep a summary that was changed under another name, so that a person can see the change."""
    if not folder.has("summary.json"):
        return ()
    try:
        folder.summary()
    except SnellenError as error:
        folder.write("summary.json.old", (folder.path / "summary.json").read_bytes())
        return (f"{error}: the old file is kept as summary.json.old",)
    return ()


def _concurrency(folder: RunFolder) -> dict[str, Any] | None:
    """Return the limiter's record from the summary that is about to be replaced, or None if that is damaged."""
    with contextlib.suppress(SnellenError):
        return folder.summary().concurrency
    return None


# ---------------------------------------------------------------- missing questions


class _MissingQuestions(NamedTuple):
    """The missing questions of one protocol: its prompt's questions by sample id, and their expected cost (None: unknown)."""

    protocol: str
    prompt: str
    cost: float | None
    questions: tuple[str, ...]
    said: str


class MissingAnswers(SnellenError):
    """The answers that `run` would have to ask for, for every protocol that lacks some. `mark` itself asks nothing."""

    def __init__(
        self, folder: RunFolder, exam: Exam, lacking: Sequence[ProtocolRun], asked: Sequence[str], scan: Scan
    ) -> None:
        self.lacking = tuple(_lacking(folder, exam, one, scan) for one in lacking)
        names = ",".join(one.name for one in lacking)
        super().__init__(
            f"{folder.path}: this run did not ask all the prompts that are needed (it asked {', '.join(asked) or 'nothing'}). "
            f"{'; '.join(one.said for one in self.lacking)}. Add --protocol {names} to the 'snellen run' that made it "
            f"(--dry-run says what that costs; 'snellen mark --json' lists the questions), or mark what is there with "
            f"{lacking[0].protocol.name}@{min(asked, default='PROMPT')}"
        )


def _lacking(folder: RunFolder, exam: Exam, one: ProtocolRun, scan: Scan) -> _MissingQuestions:
    ids = tuple(s.id for s in folder.samples() if applies(exam, one.arm, s))
    cost, price = _expected_cost(scan.totals, len(ids))
    said = f"Protocol {one.name} marks answers to the prompt '{one.arm}': {len(ids)} questions would have to be asked, {price}"
    return _MissingQuestions(one.name, one.arm.text, cost, ids, said)


def _expected_cost(totals: Totals, questions: int) -> tuple[float | None, str]:
    """Return the expected cost of more questions, from the cost of the run's own calls, and the same as text."""
    paid = totals.calls - totals.cost_unknown
    if not totals.calls and not totals.stored:
        return 0.0, "at no cost (local subject)"
    if paid <= 0:
        return None, "at an unknown cost (the run's own calls have no price; --price gives one)"
    cost = totals.cost / paid * questions
    return cost, f"at about {cost:.4f} USD by this run's mean of {totals.cost / paid:.6f} per call"
