"""The results of a comparison, as frozen records. Differences are second minus first. Shares are between 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from snellen.comparison.explained import Leads
from snellen.core.records import Record
from snellen.stats.intervals import LEVEL
from snellen.stats.significance import least_p


class RunSide(Record, frozen=True):
    """One of the runs: its letter, and the cost and time of its answers to the compared questions.

    `cost` is in USD for 1,000 questions, with stored answers at their original cost. It is None if a call's cost is not known. `seconds` is
    the median time of an answer, or None if no time was measured. `repeats` is how often each question was asked.
    """

    letter: str
    run: str
    subject: str
    shots: int = 0
    complete: bool = True
    oracle: str = ""
    cost: float | None = None
    seconds: float | None = None
    repeats: int = 1


class RepeatAgreement(Record, frozen=True):
    """The effect of asking the same questions again, if both sides were asked several times or one was.

    `first` and `second` are the standard deviations of each side's score from one repeat to the next. They are None for a side that was
    asked once. `share` is the part of the difference's variance that lies in repeats: more repeats would reduce it, and the rest takes more
    samples. It is None if a side was asked once, because the share is then unknown.
    """

    first: float | None = None
    second: float | None = None
    share: float | None = None


class UnansweredSplit(Record, frozen=True):
    """The parts of a difference: samples without an answer of the first or of the second side, and those that both answered.

    `first` and `second` count non-answers by kind. The difference is the sum of four parts. `by_first` lies in samples that only the first
    did not answer, `by_second` in samples that only the second did not, `by_both` in samples that neither did, and `by_answers` is the
    rest. `answered` is the number of samples that both answered, and `among_answered` the difference on these alone.
    """

    first: dict[str, int]
    second: dict[str, int]
    by_first: float
    by_second: float
    by_both: float
    by_answers: float
    answered: int
    among_answered: float | None = None


class HeadlineDifference(Record, frozen=True):
    """The headline if it is not a mean over samples, such as a macro F1: both scores and their difference, by the jackknife."""

    metric: str
    label: str
    first: float
    second: float
    difference: float
    low: float | None = None
    high: float | None = None


class ComparisonRow(Record, frozen=True):
    """Two runs on one part of an exam under one protocol. `part` is empty for all parts together.

    `p` is that of the difference, by the named test. `p_holm` is adjusted for the number of parts (for all parts together it is p itself).
    `least_p` is the smallest `p_holm` that this number of clusters could give, whatever the difference. `cluster` names the kind of
    cluster. `only_first` and `only_second` count samples that only one side got right. `smallest` is the smallest difference that these
    samples could have shown with 80% power, and `needed` the number of samples that would show the requested difference.

    If questions were asked several times, a sample counts with its mean over the repeats. It is right if it was right more often than not,
    and `again` has the effect of the repeats.
    """

    protocol: str
    prompt: str
    part: str
    by: dict[str, str]
    first_run: str
    second_run: str
    metric: str
    label: str
    unit: str
    better: str
    n: int
    clusters: int
    cluster: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    interval: str
    p: float
    p_holm: float
    least_p: float
    test: str
    only_first: int
    only_second: int
    silence: UnansweredSplit
    smallest: float | None = None
    needed: int | None = None
    headline: HeadlineDifference | None = None
    again: RepeatAgreement | None = None
    tested: bool = True
    """False for a headline that is not a mean over samples. p then belongs to the metric beside it."""

    @property
    def of_headline(self) -> ComparisonRow | None:
        """The same part by its headline, if that is not a mean over samples."""
        own = self.headline
        if own is None:
            return None
        fields = ("metric", "label", "first", "second", "difference", "low", "high")
        return replace(self, **{name: getattr(own, name) for name in fields}, headline=None, tested=False)

    @property
    def able(self) -> bool:
        """True if any difference on so few clusters could be significant."""
        return least_p(self.clusters) < 1 - LEVEL

    @property
    def gain(self) -> float:
        """The improvement of the second run, positive if it is better, for metrics of either direction."""
        return -self.difference if self.better == "lower" else self.difference

    @property
    def leader(self) -> str:
        """The letter of the side that is ahead, even if that could be chance. Empty if neither is."""
        return "" if self.gain == 0 else self.second_run if self.gain > 0 else self.first_run


def with_headlines(rows: Iterable[ComparisonRow]) -> list[ComparisonRow]:
    """Put a part's headline before the metric that is compared sample by sample, if the two differ."""
    return [one for row in rows for one in (row.of_headline, row) if one is not None]


class RankedRun(Record, frozen=True):
    """A run's place in a part. Runs that share a letter in `groups` cannot be told apart (Holm over all pairs).

    `headline` and `headline_label` are the part's headline, if that is not the compared mean over samples. `needed` is the number of
    clusters (images) that any two runs need to be told apart, if there are fewer, else None.
    """

    run: str
    part: str
    n: int
    metric: str
    label: str
    unit: str
    score: float
    groups: str
    clusters: int
    cluster: str
    needed: int | None = None
    headline: float | None = None
    headline_label: str = ""


class Ranking(Record, frozen=True):
    """Runs by score under the main protocol, part by part, the best first.

    `front` are the runs that no other beats in all of `measures` (score, cost, seconds: those that are known for every run). `others` are
    the rankings under protocols that read the same replies.
    """

    protocol: str
    rows: tuple[RankedRun, ...]
    front: tuple[str, ...]
    measures: tuple[str, ...]
    others: tuple[Ranking, ...] = ()


class FlipSide(Record, frozen=True):
    """One run's view of a flipped sample, with the number of times that it was right and was asked. `reply` is None if the call failed.

    Outcome, reading and reply are those of the first repeat with the most common outcome.
    """

    outcome: str
    reading: object
    reply: str | None
    right: int = 0
    times: int = 1


class Flip(Record, frozen=True):
    """A sample that one run got right under a protocol and the other did not."""

    id: str
    part: str
    protocol: str
    only: str
    first_run: str
    second_run: str
    first: FlipSide
    second: FlipSide


class Comparison(Record, frozen=True):
    """The comparison of all runs. `protocols` are those compared, the main one first. `notes` are what was left out, and why."""

    exam: str
    synthetic: bool
    sides: tuple[RunSide, ...]
    protocols: tuple[str, ...]
    samples: int
    notes: tuple[str, ...]
    rows: tuple[ComparisonRow, ...]
    verdict: tuple[str, ...]
    ranking: Ranking | None = None
    flips: tuple[Flip, ...] = ()
    power: float | None = None
    leads: Leads | None = None
    """The leads under every choice, if requested."""

    def row(self, protocol: str, part: str = "") -> ComparisonRow:
        """Return the row of a protocol and part of the first two runs. Without a part, return that of all parts together or of the only
        part.
        """
        first, second = (side.letter for side in self.sides[:2])
        every = [r for r in self.rows if r.protocol == protocol and (r.first_run, r.second_run) == (first, second)]
        found = [r for r in every if r.part == part] or ([] if part or len(every) != 1 else every)
        if not found:
            raise KeyError(f"{protocol} {part}".strip())
        return found[0]
