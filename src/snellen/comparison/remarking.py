"""A run's stored answers, marked in memory under every protocol that fits them. The run folder is read and never written to."""

from __future__ import annotations

from typing import NamedTuple

from snellen import exams
from snellen.comparison.columns import MarkColumns, Marked, columns
from snellen.comparison.pairing import imported_notes
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.protocol import protocol_for
from snellen.core.records import Manifest
from snellen.engine.mark.guessing import guessing
from snellen.engine.mark.marking import judging
from snellen.engine.plan.plan import ProtocolRun, targets_from_manifest
from snellen.engine.runs.run import Run


class RunMarks(NamedTuple):
    """The marks of a run in columns, by protocol and prompt. The first is the one with the run's headline.

    `times` has them once for each repeat (`snellen run --repeats`).
    """

    exam: Exam
    manifest: Manifest
    times: tuple[Marked, ...]
    notes: tuple[str, ...]


def marked_again(run: Run) -> RunMarks:
    """Mark all answers of a run under every protocol that fits them."""
    manifest = run.manifest
    exam = exams.load(manifest.exam)
    scan = run.folder.scan()
    if not len(scan.last):
        raise SnellenError(f"{run.path} has no answers yet: there is nothing to explain")
    own = [t for t in targets_from_manifest(exam, manifest, run.path) if not t.arm.control]
    arms = set(map(Arm.parse, scan.last.counts))
    targets = _fitting(exam, own, {arm.first for arm in arms})
    if not targets:
        raise SnellenError(f"{run.path} has answers to control arms only: there is no score to explain")
    judged = judging(run.folder, exam, scan)
    times = []
    notes = _notes(manifest, own, scan.failed)
    for repeat in range(1, 1 + max(arm.repeat for arm in arms)):
        found: dict[tuple[str, str], MarkColumns] = {}
        for target in targets:
            protocol, arm = target
            if arm._replace(repeat=repeat) in arms:
                guess = None if "evidence" in protocol.needs else guessing(exam, protocol, arm.prompt)
                found[protocol.name, arm.text] = columns(protocol, arm.text, judged(target, repeat), guess)
        times.append(found)
        asked = {prompt: sum(not row.joined for row in one.rows) for (_name, prompt), one in found.items()}
        for prompt, n in asked.items():
            arm_text = Arm.parse(prompt)._replace(repeat=repeat).text
            wanted = manifest.questions.get(arm_text, 0)
            if n < wanted:
                notes.append(
                    f"The run is incomplete: {n:,} of {wanted:,} questions of the prompt '{arm_text}' were asked."
                )
    return RunMarks(exam, manifest, tuple(times), tuple(notes))


def _fitting(exam: Exam, own: list[ProtocolRun], arms: set[Arm]) -> list[ProtocolRun]:
    """Return the run's own protocols, then all others that fit the stored answers.

    A protocol fits the prompt that it was made for, and an arm on which the run has another protocol that was made for that same prompt.
    """
    found = {(t.protocol.name, t.arm): t for t in own if t.arm in arms}
    like = {(t.protocol.prompt, t.arm) for t in own}
    for name, protocol in exam.protocols.items():
        for arm in sorted(arms):
            if not arm.control and (arm.prompt == protocol.prompt or (protocol.prompt, arm) in like):
                found.setdefault((name, arm), ProtocolRun(protocol_for(protocol, arm.prompt), arm))
    return list(found.values())


def _notes(manifest: Manifest, own: list[ProtocolRun], failed: int) -> list[str]:
    notes = []
    for entry in manifest.protocols:
        now = next((t.entry for t in own if t.entry.name == entry.name), None)
        if now is not None and now.version != entry.version:
            notes.append(
                f"Protocol '{entry.name}' was {entry.version} when the run was marked and is {now.version} here."
            )
    notes += imported_notes(manifest, "the run")
    if failed:
        notes.append(f"{failed:,} calls failed; 'snellen run' would ask them again.")
    if manifest.oracle:
        notes.append(f"The subject is an oracle, which looks at the answers: {manifest.oracle}")
    return notes
