"""Questions that a protocol would need and a run never asked: which they are, and what asking them would cost."""

from __future__ import annotations

from snellen.core.errors import SnellenError
from snellen.core.exam import Benchmark
from snellen.engine.controls import split
from snellen.engine.plan import Chosen
from snellen.engine.runfolder import RunFolder, Scan, Totals


class Unasked(SnellenError):
    """`remark` calls nobody, so it says what `run` would have to ask. `ids` are the samples, `cost` the money (None: unknown)."""

    def __init__(self, folder: RunFolder, benchmark: Benchmark, one: Chosen, asked: list[str], scan: Scan) -> None:
        base = split(one.prompt)[0]
        partial = base in benchmark.partial
        self.protocol, self.prompt = one.name, one.prompt
        self.ids = tuple(s.id for s in folder.samples() if not partial or benchmark.applies(base, s))
        self.cost, said = expected_cost(scan.totals, len(self.ids))
        options = f"--protocol {one.name}" + ("" if one.prompt == one.protocol.prompt else f" --prompt {base}")
        super().__init__(
            f"{folder.path}: protocol {one.name} marks answers to the prompt '{one.prompt}', which this run did not ask "
            f"(it asked {', '.join(asked) or 'nothing'}); {len(self.ids)} questions would have to be asked, {said}: "
            f"add {options} to the 'snellen run' that made it ('snellen estimate' takes the same options, and --json lists the "
            f"questions here), or mark what is there with {one.protocol.name}@{min(asked, default='PROMPT')}"
        )


def expected_cost(totals: Totals, questions: int) -> tuple[float | None, str]:
    """What more questions would cost, by what the run's own calls cost, and that in words."""
    paid = totals.calls - totals.cost_unknown
    if not totals.calls and not totals.stored:
        return 0.0, "at no cost (this subject runs here)"
    if paid <= 0:
        return None, "at an unknown cost (the run's own calls have no price; --price gives one)"
    cost = totals.cost / paid * questions
    return cost, f"at about {cost:.4f} USD by this run's mean of {totals.cost / paid:.6f} a call"
