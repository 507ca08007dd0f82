"""Questions that a protocol would need and a run never asked: which they are, and what asking them would cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.records import Totals
from snellen.engine.plan.plan import ProtocolRun, applies
from snellen.engine.runs.folder import RunFolder, Scan


class _MissingQuestions(NamedTuple):
    """What one protocol lacks: its prompt's questions by sample id, and what they would cost (None: unknown)."""

    protocol: str
    prompt: str
    cost: float | None
    questions: tuple[str, ...]
    said: str


class MissingAnswers(SnellenError):
    """`remark` asks nothing, so it says what `run` would have to ask, for every protocol that lacks answers."""

    def __init__(
        self, folder: RunFolder, exam: Exam, lacking: Sequence[ProtocolRun], asked: Sequence[str], scan: Scan
    ) -> None:
        self.lacking = tuple(_lacking(folder, exam, one, scan) for one in lacking)
        names = ",".join(one.name for one in lacking)
        super().__init__(
            f"{folder.path}: this run did not ask all the prompts that are needed (it asked {', '.join(asked) or 'nothing'}). "
            f"{'; '.join(one.said for one in self.lacking)}. Add --protocol {names} to the 'snellen run' that made it "
            f"('snellen estimate' takes the same options; 'snellen remark --json' lists the questions), or mark what is there with "
            f"{lacking[0].protocol.name}@{min(asked, default='PROMPT')}"
        )


def _lacking(folder: RunFolder, exam: Exam, one: ProtocolRun, scan: Scan) -> _MissingQuestions:
    ids = tuple(s.id for s in folder.samples() if applies(exam, one.arm, s))
    cost, price = _expected_cost(scan.totals, len(ids))
    said = f"Protocol {one.name} marks answers to the prompt '{one.arm}': {len(ids)} questions would have to be asked, {price}"
    return _MissingQuestions(one.name, one.arm.text, cost, ids, said)


def _expected_cost(totals: Totals, questions: int) -> tuple[float | None, str]:
    """Return what more questions would cost, by what the run's own calls cost, and that in words."""
    paid = totals.calls - totals.cost_unknown
    if not totals.calls and not totals.stored:
        return 0.0, "at no cost (local subject)"
    if paid <= 0:
        return None, "at an unknown cost (the run's own calls have no price; --price gives one)"
    cost = totals.cost / paid * questions
    return cost, f"at about {cost:.4f} USD by this run's mean of {totals.cost / paid:.6f} per call"
