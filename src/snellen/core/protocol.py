"""The contract of turning replies into scores: a Protocol reads, marks, and describes its metrics.

A protocol of two functions, `read` and `mark`, is complete: everything else has a default. To extend it, override methods.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from typing import Protocol as Interface

from snellen.core.errors import SnellenError
from snellen.core.having import HasExtras
from snellen.core.results import Floor, GroupSummary, Metric, Score
from snellen.core.scorer import Evidence
from snellen.core.types import Mark, Metrics, Outcome, Sample, Token

if TYPE_CHECKING:
    from snellen.core.prompt import Prompt

Key = tuple[tuple[str, str], ...]
"""A group's name: pairs such as (("split", "P3"), ("difficulty", "easy"))."""


class Verdict(NamedTuple):
    """A protocol's judgement of one reply: the reading, whether it holds an answer at all, and the metric values.

    `outcome` is set if the protocol knows better than the reply's form tells, for example that it is a refusal.
    `measured` are values of the reply itself, such as its entropy: they stay whatever the outcome of the answer. `whole` means that the
    reply is known to be finished. Any other reply that ended inside its thinking has no answer, whatever was read in it.
    """

    reading: Any
    readable: bool
    correct: bool
    metrics: Metrics
    outcome: Outcome | None = None
    measured: Metrics | None = None
    whole: bool = False


class Seen(NamedTuple):
    """The part of one mark that a summary keeps. Marks that are alike in all of it are counted together.

    `cluster` names what dependent samples share (an image); it is empty if a sample is independent. `own` is
    any data that the protocol's floors and own scores need.
    """

    values: Mapping[str, float]
    outcome: Outcome
    cluster: str = ""
    own: Hashable = None


class Group(Interface):
    """The marks of one group, as `floors` and `own_scores` see them."""

    by: dict[str, str]
    whole: bool

    @property
    def n(self) -> int:
        """The number of marks."""

    def rows(self) -> Iterable[tuple[Seen, int]]:
        """Return the kept marks, and how often each occurs."""

    def values(self, metric: str) -> Counter[float]:
        """Return the samples' values of a metric, and how often each occurs."""


class ReplyContext(NamedTuple):
    """The known facts of a reply in addition to its text. Tokens and evidence are present if the protocol `needs` them and they exist."""

    cut: bool = False
    """The endpoint reported that it cut the reply off."""
    tokens: tuple[Token, ...] = ()
    evidence: Evidence | None = None
    """The scorers' evidence on the reply."""


TEXT_ALONE = ReplyContext()


class Protocol(HasExtras):
    """A named, versioned way to get from a reply to a score. All methods are pure."""

    name: str = ""
    version: str = "1"
    about: str = ""
    prompt: str = "question"
    headline: str = "score"
    metrics: tuple[Metric, ...] = (Metric(name="score"),)
    cluster: str = "image"
    """The thing that dependent samples share (`Seen.cluster`), in a word for people."""
    needs: tuple[Literal["tokens", "evidence", "records"], ...] = ()
    """The inputs in addition to a reply's text: its tokens, the scorers' evidence, or for its exports the records of every sample, also
    if it is not the first protocol of a run."""
    origin: str = ""
    """The plugin that it comes from; empty for built-in protocols."""

    def __init__(
        self,
        name: str = "",
        about: str = "",
        read: Callable[[str, Sample], Any] | None = None,
        mark: Callable[[Any, Sample], float] | None = None,
        *,
        version: str = "1",
        prompt: str | Prompt = "question",
    ) -> None:
        """Set up a protocol. `read` gives the answer or None; `mark` scores it from 0 to 1. `prompt` is the name of one or a new one."""
        self.name, self.about, self.version = name, about, version
        self._read, self._mark = read, mark
        if isinstance(prompt, str):
            self.prompt = prompt
        else:
            self.prompt, self.extras = prompt.name, (*self.extras, prompt)

    # ------------------------------------------------------------ one reply

    def judge(self, reply: str, sample: Sample, context: ReplyContext = TEXT_ALONE) -> Verdict:
        """Read and mark one reply."""
        if self._read is None or self._mark is None:
            raise SnellenError(f"protocol {self.name} has neither judge() nor read and mark")
        reading = self._read(reply, sample)
        score = 0.0 if reading is None else float(self._mark(reading, sample))
        if not 0 <= score <= 1:
            raise SnellenError(
                f"protocol {self.name}: mark() gave {score:g} for sample {sample.id}; a score is from 0 to 1"
            )
        return Verdict(reading, reading is not None, score >= 1.0, {"score": score})

    def blank(self, sample: Sample) -> Metrics:
        """Return the metric values of a sample without a reply."""
        return dict.fromkeys((m.name for m in self.metrics if m.kind == "mean"), 0.0)

    # ------------------------------------------------------------ all marks

    def seen(self, sample: Sample, mark: Mark) -> Seen:
        """Return the part of a mark that the summary keeps."""
        return Seen({k: v for k, v in mark.metrics.items() if isinstance(v, float)}, mark.outcome)

    def groups(self, sample: Sample) -> Iterable[Key]:
        """Return the groups of a sample: first the whole part of the exam, then its breakdowns.

        By default a part is a split and task, broken down by every other tag.
        """
        part = tuple((k, sample.tags[k]) for k in ("split", "task") if k in sample.tags)
        yield part
        yield from ((*part, (k, v)) for k, v in sample.tags.items() if k not in ("split", "task"))

    def order(self, key: Key) -> Any:
        """Return the sort key of a group."""
        return (len(key), key)

    def floors(self, group: Group) -> Mapping[str, Floor]:
        """Return, for each metric that has one, the score and the reply of the best subject that never looks at the image.

        A protocol without its own method gets floors all the same: the options of the question, or else the commonest
        truths, are tried on every sample (`engine/mark/plain_floors.py`).
        """
        return {}

    def own_scores(self, group: Group) -> Mapping[str, Score]:
        """Return scores that are not means over samples, by their metric's name."""
        return {}


# ---------------------------------------------------------------- optional features of protocols


class MetricRoles(NamedTuple):
    """The metrics for each role; empty is the headline."""

    bounded: str = ""
    """The metric whose range over non-answers is shown."""
    breakdown: str = ""
    """The metric of groups within a part."""
    reported: tuple[str, ...] = ()
    """Metrics that people report as the score (`both.*`: a family). Empty: the headline, and every share that is a mean over samples."""


class ByPrompt(NamedTuple):
    """Other rules for reading the replies to some prompts: gives the protocol for a prompt, always the same object."""

    protocol: Callable[[str], Protocol]


class JoinedItems(NamedTuple):
    """Larger items made of a group's marks (an answer and its reason, both of which must be right).

    `of` gives the kept marks of these items, and their counts; the group is then a whole part. None if samples stand for themselves.
    """

    of: Callable[[Group], Iterable[tuple[Seen, int]] | None]


class FinishedGroups(NamedTuple):
    """A change to the groups before they are shown, if one depends on another."""

    finished: Callable[[Sequence[GroupSummary]], tuple[GroupSummary, ...]]


class OtherScores(NamedTuple):
    """Scores that others report of such replies and no summary shows, by a name for people; `snellen explain` tries them."""

    of: Callable[[Group], Mapping[str, float]]


class PluginCode(NamedTuple):
    """The digest of a plugin's source: when it is edited, its marks are made again."""

    digest: str


def roles(protocol: Protocol) -> MetricRoles:
    """Return the metrics of a protocol by role, the headline for an unnamed one."""
    own = protocol.extra(MetricRoles) or MetricRoles()
    return own._replace(bounded=own.bounded or protocol.headline, breakdown=own.breakdown or protocol.headline)


def protocol_for(protocol: Protocol, prompt: str) -> Protocol:
    """Return the protocol for the replies to a prompt, always the same object."""
    own = protocol.extra(ByPrompt)
    return own.protocol(prompt) if own is not None else protocol


def joined(protocol: Protocol, group: Group) -> Iterable[tuple[Seen, int]] | None:
    """Return the larger items that a group's marks make up; None if samples stand for themselves."""
    own = protocol.extra(JoinedItems)
    return own.of(group) if own is not None else None


def finished(protocol: Protocol, groups: Sequence[GroupSummary]) -> tuple[GroupSummary, ...]:
    """Return the groups as they are shown."""
    own = protocol.extra(FinishedGroups)
    return own.finished(groups) if own is not None else tuple(groups)
