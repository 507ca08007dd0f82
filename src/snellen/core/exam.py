"""The contracts of what is asked and how it is marked: Benchmark, Dataset, Prompt, Protocol, Scorer. Who answers is in `core.subject`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, runtime_checkable
from typing import Protocol as Interface

from snellen.core.errors import SnellenError
from snellen.core.subject import Subject
from snellen.core.types import (
    Answer,
    GroupSummary,
    Mark,
    Metrics,
    Outcome,
    Question,
    Sample,
    Struct,
    Token,
)

# ---------------------------------------------------------------- marking


class Verdict(NamedTuple):
    """What a protocol says of one reply: the reading, whether it holds an answer at all, and the metric values.

    `outcome` is set where the protocol knows better than the reply's form tells, such as that it is a refusal.
    `measured` are values of the reply itself, such as its entropy: they stay whatever becomes of the answer.
    """

    reading: Any
    readable: bool
    correct: bool
    metrics: Metrics
    outcome: Outcome | None = None
    measured: Metrics | None = None


class Protocol(Interface):
    """A named, versioned way to get from a reply to a score. All methods are pure."""

    name: str
    version: str
    prompt: str
    about: str
    headline: str

    def judge(self, reply: str, sample: Sample) -> Verdict:
        """Read and mark one reply."""

    def blank(self, sample: Sample) -> Metrics:
        """Metric values of a sample without a reply."""

    def summarise(self, marked: Iterable[tuple[Sample, Mark]]) -> tuple[GroupSummary, ...]:
        """Marks of one run, with their light samples, to groups of metrics. Consumes a stream; keeps no sample."""


@runtime_checkable
class ReadsTokens(Interface):
    """A protocol that also looks at the reply's tokens (their entropies, say), where there are any."""

    def judge_tokens(self, reply: str, sample: Sample, tokens: tuple[Token, ...]) -> Verdict:
        """As `judge`, with the tokens that make up the reply."""


@runtime_checkable
class ReadsEvidence(Interface):
    """A protocol that needs what scorers said of a reply before it can mark it."""

    def judge_evidence(self, reply: str, sample: Sample, evidence: Mapping[str, Any] | None) -> Verdict:
        """As `judge`, with the scorers' tables; None where the reply could not be scored."""


@runtime_checkable
class ByPrompt(Interface):
    """A protocol that reads the replies to some prompts by other rules."""

    def for_prompt(self, prompt: str) -> Protocol:
        """The protocol for a prompt, always the same object."""


NO_CREDIT = frozenset({Outcome.REFUSED, Outcome.EMPTY, Outcome.TRUNCATED})
REFUSALS = ("i can't", "i cannot", "i'm sorry", "i am sorry", "i'm unable", "i am unable", "as an ai")


def mark_answer(protocol: Protocol, sample: Sample, answer: Answer, evidence: Mapping[str, Any] | None = None) -> Mark:
    """The outcome and metrics of one answer: failures are told apart from wrong answers here, once for all exams."""
    if answer.failure is not None:
        return Mark(id=sample.id, outcome=Outcome.ERROR, reading=None, metrics=protocol.blank(sample))
    return mark_reply(protocol, sample, answer.text, answer.finish_reason, answer.refused, answer.tokens, evidence)


def mark_reply(
    protocol: Protocol,
    sample: Sample,
    text: str,
    finish_reason: str | None = None,
    refused: bool = False,
    tokens: tuple[Token, ...] = (),
    evidence: Mapping[str, Any] | None = None,
) -> Mark:
    """As `mark_answer`, for a reply text at hand."""
    verdict = _judge(protocol, sample, text, tokens, evidence)
    outcome = _outcome(verdict, text, finish_reason, refused)
    if sample.truth is None and outcome is Outcome.WRONG:
        outcome = Outcome.UNMARKED
    # a refusal or an empty reply is no answer, whatever a lenient reader finds in it; a cut one says what it says up to there
    said = verdict.outcome is not None or (outcome is Outcome.TRUNCATED and verdict.readable)
    unread = outcome in NO_CREDIT and not said
    metrics = protocol.blank(sample) if unread else verdict.metrics
    return Mark(id=sample.id, outcome=outcome, reading=verdict.reading, metrics=metrics | (verdict.measured or {}))


def _judge(
    protocol: Protocol, sample: Sample, text: str, tokens: tuple[Token, ...], evidence: Mapping[str, Any] | None
) -> Verdict:
    if evidence is not None and isinstance(protocol, ReadsEvidence):
        return protocol.judge_evidence(text, sample, evidence)
    if tokens and isinstance(protocol, ReadsTokens):
        return protocol.judge_tokens(text, sample, tokens)
    return protocol.judge(text, sample)


def _outcome(verdict: Verdict, text: str, finish_reason: str | None, refused: bool) -> Outcome:
    stripped = text.strip()
    if refused or finish_reason == "content_filter":
        return Outcome.REFUSED
    if not stripped:
        return Outcome.TRUNCATED if finish_reason == "length" else Outcome.EMPTY
    if verdict.correct:
        return Outcome.CORRECT
    if verdict.outcome is not None:
        return verdict.outcome
    if finish_reason == "length":
        return Outcome.TRUNCATED
    if not verdict.readable:
        return Outcome.REFUSED if stripped.lower().startswith(REFUSALS) else Outcome.UNPARSABLE
    return Outcome.WRONG


# ---------------------------------------------------------------- data


class Options(Struct, frozen=True):
    """What changes the questions of a run. Part of the run's digest."""

    splits: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    shots: int = 0
    max_missing: int = 0


class Problem(NamedTuple):
    """Something wrong in a data set, with the place."""

    where: str
    what: str
    fatal: bool = True

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Dataset(Interface):
    """Selected samples of a data set on disk. Iterates in a fixed order and holds no image longer than needed."""

    fingerprint: str
    synthetic: bool
    source: str

    def __len__(self) -> int: ...

    def light(self) -> Iterator[Sample]:
        """All selected samples without pictures."""

    def full(self, wanted: Callable[[str], bool]) -> Iterator[Sample]:
        """The selected samples whose id is wanted, with pictures."""

    def asker(self, prompt: str) -> Callable[[Sample], Question]:
        """The ask stage of a named prompt, with the shots that the options demand."""


class Benchmark(Interface):
    """An exam. One object a benchmark, found by the entry point group `snellen.exams`."""

    name: str
    title: str
    paper: str
    splits: tuple[str, ...]
    tasks: tuple[str, ...]
    shots: tuple[int, ...]
    prompts: Mapping[str, str]
    partial: frozenset[str]
    protocols: Mapping[str, Protocol]
    solvers: Mapping[str, str]
    demo: tuple[str, ...]
    max_tokens: int
    marks_facts: bool

    def open(self, where: Path, options: Options) -> Dataset:
        """Read a data set; raises SnellenError with file and row where it cannot be used."""

    def check(self, where: Path) -> Iterator[Problem]:
        """Every problem of a data set on disk, images decoded too."""

    def make(
        self, out: Path, *, count: int, seed: int, workers: int | None, progress: Callable[[int, int], None] | None
    ) -> list[Path]:
        """Write a synthetic set in the real format."""

    def probes(self) -> Sequence[Sample]:
        """One sample of each split and task without pictures, to show prompts and try protocols without a data set."""

    def truths(self) -> Sequence[Sample]:
        """Samples with every truth that there can be, each once, for audits without a data set."""

    def render(self, prompt: str, sample: Sample) -> Question:
        """The Question of a prompt without examples, for a sample at hand (a probe, say)."""

    def applies(self, prompt: str, sample: Sample) -> bool:
        """Whether a prompt is asked about a sample. Only called for prompts in `partial`; the others apply to all."""

    def hub(self) -> tuple[str, tuple[str, ...]]:
        """Where the real data lives: hub data set name, and patterns of the files that are needed."""

    def sample_from_row(self, row: Mapping[str, Any]) -> Sample:
        """A light sample from a row of `snellen mark`; raises SnellenError that names the missing field."""

    def published(self, protocol: str, prompt: str) -> Iterable[Published]:
        """The paper's figures under this protocol and prompt. They are shown beside real data only."""

    def exports(self, run: RunFacts) -> Iterator[tuple[str, bytes]]:
        """The files that the paper and the seed define, as (relative name, content)."""


class Embedded(NamedTuple):
    """Vectors of texts, of length 1 each, and whether a text was cut to fit the model."""

    vectors: Sequence[Sequence[float]]
    truncated: Sequence[bool]


class Scorer(Interface):
    """Tells how well texts and pictures go together: their vectors' inner product."""

    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> Mapping[str, Any]: ...

    def texts(self, texts: Sequence[str]) -> Embedded:
        """The vectors of texts."""

    def images(self, images: Sequence[bytes]) -> Sequence[Sequence[float]]:
        """The vectors of image files, of length 1 each."""


@runtime_checkable
class SeesOrder(Interface):
    """A benchmark that can tell what the order of the pictures does, from the marks of both orders."""

    def position_bias(self, given: Iterable[Mark], swapped: Iterable[Mark]) -> Mapping[str, Any] | None:
        """Facts for the summary; None where no sample has both."""


@runtime_checkable
class Scored(Interface):
    """A benchmark whose replies are texts that a scorer holds against the pictures."""

    scorers: tuple[str, ...]

    def captions_of(self, reply: str, sample: Sample) -> tuple[str, ...] | None:
        """A text for each picture, in the order of the pictures; None where the reply has none."""


@runtime_checkable
class Collects(Interface):
    """A benchmark whose seed keeps one folder of results for many runs."""

    def collect(self, run: RunFacts, results: Path) -> Iterable[str]:
        """Merge a run into the folder; gives a line for people on what was kept."""


@runtime_checkable
class Lacks(Interface):
    """A benchmark with metrics that need more than what is on this machine."""

    def lacks(self, prompts: Sequence[str]) -> Mapping[str, str]:
        """For each metric that the replies to these prompts should have and cannot get here, what it needs."""


@runtime_checkable
class NamesGroups(Interface):
    """A benchmark whose groups say what kind of subject a run had, whether or not it answered."""

    def named_groups(self, groups: tuple[GroupSummary, ...], subject: Mapping[str, Any]) -> tuple[GroupSummary, ...]:
        """The groups with their names, by the manifest's entry of the subject."""


@runtime_checkable
class HasFiles(Interface):
    """A protocol whose own files need every sample, also where it is not the first of a run."""

    own_files: bool


@runtime_checkable
class HasReplyLength(Interface):
    """A benchmark whose replies are longer than a word or two."""

    reply_tokens: int  # of a typical reply


class Published(NamedTuple):
    """A figure from a paper that may stand beside a run on real data."""

    model: str
    by: dict[str, str]
    metric: str
    value: float
    source: str


class RunFacts(NamedTuple):
    """What exports may use of a run. `records` gives every sample with its reply and mark.

    Only the first protocol of a run and those that have files of their own (HasFiles) get them.
    """

    manifest: Mapping[str, Any]
    protocol: Protocol
    prompt: str
    groups: tuple[GroupSummary, ...]
    totals: Mapping[str, Any]
    records: Callable[[], Iterator[tuple[Sample, Answer, Mark]]] | None


@runtime_checkable
class Styled(Interface):
    """A benchmark whose synthetic sets come in several kinds."""

    def make_styled(
        self,
        out: Path,
        *,
        count: int,
        seed: int,
        workers: int | None,
        progress: Callable[[int, int], None] | None,
        **style: Any,
    ) -> list[Path]:
        """As `make`, with the kind's own options."""


@runtime_checkable
class ManySets(Interface):
    """A benchmark that reads several published data sets."""

    def hub_of(self, name: str) -> tuple[str, tuple[str, ...]]:
        """As `hub`, for one of them by name."""

    def unpack(self, name: str, folder: Path) -> Sequence[Path]:
        """Unpack what was downloaded as archives; gives the files."""


class MethodRequest(NamedTuple):
    """A method that the user names, and what may be put into its hands. Models are built only if it needs them."""

    name: str
    options: Mapping[str, Any]
    model: Callable[[], Subject] | None
    planner: Callable[[], Subject] | None
    omniparser_url: str
    pool: Callable[[str], Any]
    data: Dataset
    seed: int = 0


@runtime_checkable
class HasMethods(Interface):
    """A benchmark whose questions are answered by methods, which may use models."""

    def method_subject(self, request: MethodRequest) -> Subject:
        """The subject that a method is."""


def pick_protocol(benchmark: Benchmark, spec: str) -> tuple[Protocol, str]:
    """`NAME` or `NAME@PROMPT` to a protocol and the prompt whose answers it marks."""
    name, _, prompt = spec.partition("@")
    protocol = benchmark.protocols.get(name)
    if protocol is None:
        raise SnellenError(
            f"unknown protocol '{name}' of {benchmark.name}: choose from {', '.join(benchmark.protocols)}"
        )
    if prompt and prompt.partition("+")[0] not in benchmark.prompts:
        raise SnellenError(f"unknown prompt '{prompt}' of {benchmark.name}: choose from {', '.join(benchmark.prompts)}")
    asked = prompt or protocol.prompt
    return (protocol.for_prompt(asked.partition("+")[0]) if isinstance(protocol, ByPrompt) else protocol), asked
