"""In how many readings of the same answers a run leads, as frozen records."""

from __future__ import annotations

from snellen.core.records import Record


class LeadReading(Record, frozen=True):
    """Two runs' numbers by the same choices. `leader` is a run's letter, or nothing; `clear` says that the lead is more than chance.

    `p` is there where the numbers are means over the same samples; elsewhere `clear` is by the jackknife's interval.
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

    `turns` counts them by choice; `turning` are those that differ in one choice from the first run's own number and say something else
    about who leads.
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
