"""The readings of one or two runs, as frozen records. Shares are between 0 and 1."""

from __future__ import annotations

from snellen.core.records import Record

BY_SAMPLE, BY_PART = "over samples", "over parts"
AS_WRONG = "count as wrong"
DIMENSIONS = {
    "prompt": "prompt",
    "protocol": "protocol",
    "metric": "metric",
    "average": "average",
    "samples": "samples",
    "non-answers": "non_answers",
}
"""The choices that can be changed without asking a model again, each with its field of `Reading`. The part is not such a choice: it selects
one of the run's numbers.
"""


class Reading(Record, frozen=True):
    """One number from the stored answers, and the choices behind it. `changes` names the choices that differ from the run's own number.

    `samples` is empty for all samples of the part, or names a group within it. `label` is the metric's name for people.
    """

    protocol: str
    prompt: str
    metric: str
    label: str
    part: str
    average: str
    samples: str
    non_answers: str
    value: float
    n: int
    changes: tuple[str, ...] = ()


class Swing(Record, frozen=True):
    """The range of the number under one choice alone: the lowest and the highest reading that differ from the run's own in nothing else."""

    choice: str
    readings: int
    lowest: Reading
    highest: Reading

    @property
    def size(self) -> float:
        """The distance from the lowest to the highest."""
        return self.highest.value - self.lowest.value


class GapStep(Record, frozen=True):
    """The change of a gap by one choice after those before it were changed, with the value before and the value after."""

    stage: str
    before: str
    after: str
    change: float


class FigureCheck(Record, frozen=True):
    """A claimed figure compared with the readings.

    `hits` are the readings within `tolerance`, those with the fewest changes first. `nearest` are the closest readings if there are no
    hits. `split` leads from the run's own number (`start`) to the first of these, choice by choice: its changes add up to the gap between
    them. `low` and `high` are the interval of that reading. `simple` is how many of the readings `searched` have at most as many changes.
    `coincidence` is the share of figures between the lowest and the highest of these that would match one of them.
    """

    text: str
    value: float
    tolerance: float
    start: Reading
    searched: int
    simple: int
    source: str = ""
    part: str = ""
    hits: tuple[Reading, ...] = ()
    nearest: tuple[Reading, ...] = ()
    split: tuple[GapStep, ...] = ()
    low: float | None = None
    high: float | None = None
    holds: bool | None = None
    coincidence: float = 0.0


class Explanation(Record, frozen=True):
    """Every reading of a run's stored answers.

    `headline` is the run's own number for the part (or parts) of the curve. `readings` are those of all its samples, the lowest first.
    `within` are those of groups within parts and of other parts, which are searched for a figure and are not in the curve. `below` counts
    readings that are lower than the headline. `repeats` is how often questions were asked: every reading is then the mean over the repeats.
    """

    exam: str
    subject: str
    run: str
    synthetic: bool
    part: str
    parts: tuple[str, ...]
    headline: Reading
    readings: tuple[Reading, ...]
    within: tuple[Reading, ...]
    values: int
    lowest: float
    median: float
    highest: float
    below: int
    swings: tuple[Swing, ...]
    notes: tuple[str, ...]
    figures: tuple[FigureCheck, ...] = ()
    verdict: tuple[str, ...] = ()
    repeats: int = 1


class LeadReading(Record, frozen=True):
    """Two runs' numbers by the same choices. `leader` is a run's letter, or empty. `clear` means that the lead is more than chance.

    `p` is set if the numbers are means over the same samples. Otherwise `clear` follows from the jackknife's interval.
    """

    protocol: str
    prompt: str
    metric: str
    label: str
    average: str
    non_answers: str
    n: int
    first: float
    second: float
    leader: str
    clear: bool
    p: float | None = None

    @property
    def winner(self) -> str:
        """The letter of the run that leads by more than chance, if one does."""
        return self.leader if self.clear else ""


class ChoiceLeads(Record, frozen=True):
    """The readings that share one choice: in how many each run leads, and in how many of these by more than chance."""

    choice: str
    value: str
    readings: int
    first: int
    second: int
    clear_first: int
    clear_second: int


class Leads(Record, frozen=True):
    """All readings that two runs share, of one part or all parts together.

    `turns` counts them by choice. `turning` are those that differ in one choice from the first run's own number and have another result
    about the leader.
    """

    part: str
    first_run: str
    second_run: str
    readings: int
    first: int
    second: int
    clear_first: int
    clear_second: int
    turns: tuple[ChoiceLeads, ...]
    turning: tuple[LeadReading, ...]
    rows: tuple[LeadReading, ...]
    verdict: tuple[str, ...]
