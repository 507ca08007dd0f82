"""run.json and summary.json as typed, versioned records. They are read here and nowhere else.

`format` and `layout` are the versions.
"""

from __future__ import annotations

from typing import Any

import msgspec

from snellen.core.arm import Arm
from snellen.core.digest import digest
from snellen.core.options import Selection
from snellen.core.results import ProtocolSummary
from snellen.core.types import Struct
from snellen.core.unanswered import UnansweredPart

FORMAT = 2
LAYOUT = 6
_ENCODER = msgspec.json.Encoder()


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A complete record: every field is written, even an empty one."""


# ---------------------------------------------------------------- run.json


class SubjectEntry(Record, frozen=True):
    """The subject: its name as the user gave it, and everything that decides its answers."""

    spec: str
    identity: dict[str, Any] = {}


class DataEntry(Record, frozen=True):
    """The data: its place, its contents, how much of it was selected. `missing` are samples that were left out.

    `origin` is the label of a set that Snellen made: generator, version, seed.
    """

    source: str
    fingerprint: str
    samples: int
    synthetic: bool = False
    origin: dict[str, Any] = {}
    missing: tuple[Any, ...] = ()

    @property
    def note(self) -> str:
        """The note behind a model's name in a table that leaves the run folder; empty for real data."""
        if not self.synthetic:
            return ""
        return " (snellen-synthetic data)" if self.origin else " (synthetic data)"


class ProtocolEntry(Record, frozen=True):
    """A protocol of a run, and the arm whose answers it marks. `name` is `NAME`, or `NAME@ARM` if that is not its own prompt.

    `code` is the digest of the plugin that it comes from; empty for built-in protocols, whose version tracks changes.
    """

    name: str
    version: str
    prompt: str
    code: str = ""

    @property
    def base(self) -> str:
        """The protocol's own name."""
        return self.name.partition("@")[0]

    @property
    def arm(self) -> Arm:
        """The arm whose answers it marks."""
        return Arm.parse(self.prompt)


class ScorerEntry(Record, frozen=True):
    """A scorer: its name, and everything that decides its vectors."""

    name: str
    identity: dict[str, Any] = {}


class Wording(Record, frozen=True):
    """A prompt's wording, as a digest, and the byte of answers.jsonl where the answers to that wording begin."""

    digest: str
    since: int = 0
    before: tuple[str, int] | None = None
    """Digest and place of the replaced wording, as long as this one has no answers: undoing an edit loses nothing."""


class Manifest(Record, frozen=True):
    """run.json: the description of the run. `questions` counts them by arm, `wordings` maps each prompt to its wording."""

    snellen: str
    created: str
    exam: str
    subject: SubjectEntry
    data: DataEntry
    options: Selection = Selection()
    questions: dict[str, int] = {}
    protocols: tuple[ProtocolEntry, ...] = ()
    scorers: tuple[ScorerEntry, ...] = ()
    wordings: dict[str, Wording] = {}
    fresh: bool = False
    shard: tuple[int, int] | None = None
    """The number of this shard and the number of shards, for a run that is split over machines."""
    format: int = FORMAT

    @property
    def oracle(self) -> str:
        """An oracle's description of itself; empty for a subject that does not look at the answers."""
        return str(self.subject.identity.get("oracle") or "")

    @property
    def imported(self) -> dict[str, Any]:
        """The source of the answers of a run made from another tool's log; empty for all others."""
        found = self.subject.identity.get("imported")
        return found if isinstance(found, dict) else {}

    @property
    def imported_from(self) -> str:
        """The same in words: 'a log of inspect', 'a table of replies'; empty for a run of our own."""
        tool = str(self.imported.get("tool") or "")
        return "a table of replies" if tool == "csv" else f"a log of {tool}" if tool else ""

    @property
    def truth_from_log(self) -> bool:
        """True if the truths come only from another tool's log. The data may be any set, so no paper's figures stand beside it."""
        return self.imported.get("truth") == "log"


# ---------------------------------------------------------------- summary.json


REFUSED = "refused"
"""The cost source of a reply by a filter, before any model saw the question: it does not tell what calls cost."""
OTHER_TIER = "another service tier"
"""The cost source of a reply from a service tier without a known price: nothing bounds its cost."""


class Totals(msgspec.Struct):
    """Sums over all calls of a run; answers from the store are counted apart and cost nothing.

    `cost_unknown` counts calls without a known cost: `unpriced` are those of them that were answered, and that no price bounds.
    `unsure` are tries whose replies were lost and may have been billed. By the price, those of unknown cost cost `unknown_at_most`
    together at most, except for `unbounded` ones. `dearest_call` is None until the cost of a call is known.
    `reasoning_tokens` are among the output's, `cached_tokens` and `cache_write_tokens` among the input's.
    `oldest` and `newest` are when answers were given, in seconds since 1970; 0 if that was not recorded.
    """

    calls: int = 0
    stored: int = 0
    tries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float = 0.0
    cost_unknown: int = 0
    unpriced: int = 0
    unsure: int = 0
    dearest_call: float | None = None
    unknown_at_most: float = 0.0
    unbounded: int = 0
    call_seconds: float = 0.0
    oldest: int = 0
    newest: int = 0

    def add(self, call: Any) -> None:
        """Count one call (a Call or the part of it that was read back)."""
        if call.at:
            self.oldest = min(self.oldest or call.at, call.at)
            self.newest = max(self.newest, call.at)
        if call.stored:
            self.stored += 1
            return
        self.calls += 1
        self.tries += call.tries
        self.input_tokens += call.usage.input_tokens or 0
        self.output_tokens += call.usage.output_tokens or 0
        self.reasoning_tokens += call.usage.reasoning_tokens or 0
        self.cached_tokens += call.usage.cached_tokens or 0
        self.cache_write_tokens += call.usage.cache_write_tokens or 0
        self.call_seconds += call.latency or 0.0
        answered = call.latency is not None
        lost = call.unsure or int(call.cost is None and not answered)  # a batch does not count its tries
        self.unsure += lost
        unknown = lost + (call.cost is None and answered)
        if call.at_most is None:
            self.unbounded += unknown
        else:
            self.unknown_at_most += unknown * call.at_most
        if call.cost is None:
            self.cost_unknown += 1
            self.unpriced += answered and call.at_most is None
        else:
            self.cost += call.cost
            if call.cost or (answered and call.cost_source != REFUSED):
                self.dearest_call = max(self.dearest_call or 0.0, call.cost)


class BackendRow(Record, frozen=True):
    """Answers to one model's name from one backend: the provider that a service passed them on to, and the model that it named.

    `fingerprints` counts the provider's system fingerprints among them; several of these alone are the same backend.
    """

    asked: str
    provider: str | None
    model: str | None
    answers: int
    fingerprints: dict[str, int] = {}


class ControlRow(Struct, frozen=True):
    """The effect of one control on one part of the exam: the score, the score under the control, their paired difference.

    `chance` and `constant` are the scores of a subject that never looks at the image. A part where most questions got no answer under the
    control has no row.
    """

    protocol: str
    control: str
    by: dict[str, str]
    metric: str
    score: float
    control_score: float
    difference: float
    low: float
    high: float
    n: int
    chance: float | None = None
    constant: float | None = None
    constant_answer: str | None = None


class DifferenceRow(Struct, frozen=True):
    """Two means and their paired difference (second minus first), with its 95% interval and the interval's name."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    n: int
    interval: str = "tango"


class PositionRow(Struct, frozen=True):
    """The effect of the image order: by place, with every image in both places, and by order."""

    protocol: str
    slot: DifferenceRow
    order: DifferenceRow
    flipped: int
    n: int


class PublishedRow(Record, frozen=True):
    """A paper's figure for a part that the run has."""

    model: str
    by: dict[str, str]
    metric: str
    value: float
    source: str
    protocol: str
    shots: int = 0


class ScorerSummary(Record, frozen=True):
    """A scorer of the run, the main one first, and how many answers it has not scored."""

    name: str
    identity: dict[str, Any] = {}
    unscored: int = 0


class Summary(Record, frozen=True):
    """summary.json: every score of a run, and its costs. Derived: `snellen mark` makes it again."""

    exam: str
    subject: str
    synthetic: bool
    complete: bool
    samples: int
    layout: int = LAYOUT
    asked: dict[str, int] = {}
    questions: int = 0
    expected: dict[str, int] = {}
    failed: int = 0
    failures: dict[str, int] = {}
    totals: Totals = msgspec.field(default_factory=Totals)
    backends: tuple[BackendRow, ...] = ()
    concurrency: dict[str, Any] | None = None
    scorers: tuple[ScorerSummary, ...] = ()
    evidence_bytes: int = 0
    controls: tuple[ControlRow, ...] = ()
    position: tuple[PositionRow, ...] = ()
    published: tuple[PublishedRow, ...] = ()
    not_available: dict[str, str] = {}
    notes: tuple[str, ...] = ()
    silent: tuple[UnansweredPart, ...] = ()
    """Parts where more than one question in twenty got no answer, by protocol; control arms are not counted."""
    lost: tuple[UnansweredPart, ...] = ()
    """Parts where most questions got no answer under any protocol: their scores are not meaningful."""
    advice: tuple[str, ...] = ()
    """Advice on how to get those answers."""
    marked: tuple[ProtocolEntry, ...] = ()
    answers_bytes: int = 0
    protocols: tuple[ProtocolSummary, ...] = ()
    digest: str = ""
    """The digest of all other fields as written, so that readers notice later changes."""

    @property
    def plain(self) -> tuple[ProtocolSummary, ...]:
        """The results without control arms, which are in `controls`."""
        return tuple(p for p in self.protocols if not Arm.parse(p.prompt).control)


_MANIFEST = msgspec.json.Decoder(Manifest)
_SUMMARY = msgspec.json.Decoder(Summary)


def read_manifest(raw: bytes) -> Manifest:
    """Read a run.json; msgspec's exception is raised if it is damaged or of another format."""
    found = _MANIFEST.decode(raw)
    if found.format != FORMAT:
        raise msgspec.ValidationError(f"format {found.format}; this version reads {FORMAT}")
    if found.shard and not 1 <= found.shard[0] <= found.shard[1]:
        raise msgspec.ValidationError(f"shard {list(found.shard)} is no part of a run")
    return found


class ChangedFile(ValueError):
    """A file that was changed after it was written."""


def read_summary(raw: bytes) -> Summary:
    """Read a summary.json. Raise msgspec's exception if it is damaged or of another layout, and `ChangedFile` if it was edited."""
    found = _SUMMARY.decode(raw)
    if found.digest and _digest(msgspec.json.decode(raw)) != found.digest:
        raise ChangedFile("it was changed after Snellen wrote it")
    if found.layout != LAYOUT:
        raise msgspec.ValidationError(f"layout {found.layout}; this version reads {LAYOUT}")
    return found


def _digest(document: dict[str, Any]) -> str:
    return digest({k: v for k, v in document.items() if k != "digest"})


def written(record: Manifest | Summary) -> bytes:
    """Return a record as its file has it."""
    if isinstance(record, Summary):
        record = msgspec.structs.replace(record, digest=_digest(msgspec.json.decode(_ENCODER.encode(record))))
    return msgspec.json.format(_ENCODER.encode(record), indent=2) + b"\n"
