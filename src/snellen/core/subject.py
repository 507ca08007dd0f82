"""The contracts of answering: Subject, the Caller that it uses, the Endpoint behind that, and the kinds of subjects.

One base class for a provider, a model on this machine, a solver and a grounding method, built-in or a user's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from typing import Protocol as Interface

import msgspec

from snellen.core.batch import BatchApi
from snellen.core.digest import digest
from snellen.core.errors import SnellenError
from snellen.core.options import Option
from snellen.core.secret import Secret
from snellen.core.types import (
    Answer,
    Call,
    Failure,
    ImageSent,
    Picture,
    Question,
    Struct,
    Text,
    Token,
    Turn,
    Usage,
    failed,
)

if TYPE_CHECKING:
    from snellen.core.dataset import Dataset
    from snellen.core.exam import Exam


DISCOVERED_KEYS = frozenset({"listed", "applied", "not_applied", "probe", "served"})
"""Parts of a subject's identity that are found out during the run: the service's description of the model, the parameters that were really
sent and why others were not, a probe's measurements, how the server was started. They are in run.json, and not in the run's name."""


class Request(Struct, frozen=True):
    """One request, ready to send: the body is complete, the key identifies it permanently. Holds no secret.

    `via` selects one of the subject's endpoints, if there are several. `repeat` is the number of the repeat.
    """

    key: str
    body: bytes
    images: tuple[ImageSent, ...] = ()
    cost_bound: float | None = None
    via: int = 0
    repeat: int = 1

    def again(self, repeat: int) -> Request:
        """Return the request for another repeat. From the second on it has its own key, so that no two repeats share a stored reply."""
        if repeat == self.repeat:
            return self
        return msgspec.structs.replace(self, key=digest({"request": self.key, "repeat": repeat}), repeat=repeat)


class Reply(Struct, frozen=True):
    """The result of a call. The answer store keeps it; `call` is its ledger."""

    call: Call
    text: str = ""
    thinking: str = ""
    failure: Failure | None = None
    refused: bool = False
    tokens: tuple[Token, ...] = ()


class Parsed(NamedTuple):
    """A parsed response body. Exactly one of `error` and the rest is meaningful."""

    text: str = ""
    thinking: str = ""
    finish_reason: str | None = None
    refused: bool = False
    tokens: tuple[Token, ...] = ()
    usage: Usage = Usage()
    cost: float | None = None
    cost_source: str | None = None
    model: str | None = None
    provider: str | None = None
    fingerprint: str | None = None
    response_id: str | None = None
    error: Failure | None = None
    status: int | None = None
    note: str | None = None
    wait: float | None = None
    """Seconds to wait before the next try, if the body and not a header gives them."""


class BrokenReply(ValueError):
    """An invalid response, with the cost that it reports all the same."""

    def __init__(self, reason: str, bill: Parsed | None = None) -> None:
        super().__init__(reason)
        self.bill = bill or Parsed()


class Connection(NamedTuple):
    """The transport's access to an endpoint. The only place that holds the key.

    `key_header` is the header that carries the key, and the text before it there.
    """

    url: str
    models_url: str
    headers: Mapping[str, str]
    key: Secret
    start_hint: str
    key_header: tuple[str, str] = ("Authorization", "Bearer ")
    timeout: float | None = None


class Endpoint:
    """A service that answers requests: its address and the parsing of its wire format. Every hook but `parse` has a default."""

    kind: str = ""
    model: str = ""
    connection: Connection
    price_given: bool = False
    """True if the user gave the price of its calls, which then applies to a reply that does not report its cost."""
    batches: BatchApi | None = None
    """Its batch API, if it has one."""
    revision: int = 0
    """Increases whenever the body changes for all requests: a parameter that the endpoint refused is left out from then on."""

    @property
    def listed(self) -> Mapping[str, Any]:
        """The model's entry in the service's model list, once it was requested."""
        return {}

    def parse(self, body: bytes) -> Parsed:
        """Parse a 200 response; raise ValueError (BrokenReply, if it was billed) if it is not what the service promises."""
        raise BrokenReply(f"{self.kind} cannot read replies")

    def explain(self, status: int, body: bytes) -> Parsed:
        """Return a failed response as an error (or a refusal) with a sentence for people, and its cost if it names one."""
        return Parsed(error=Failure(kind="status", reason=f"status {status}"), status=status)

    def learn(self, listing: bytes) -> None:
        """Take prices and model facts from the service's model list; raises SnellenError for an unknown model."""

    def not_listed(self, status: int, body: bytes) -> str | None:
        """Return why no call can work, if the failed request for the model list shows it; else None."""
        if status not in (401, 403):
            return None
        error = self.explain(status, body).error
        return error.reason if error else "the endpoint refused the key"

    def body_of(self, request: Request) -> bytes:
        """Return the body to send for a request now."""
        return request.body

    def drop_refused_parameter(self, status: int, body: bytes) -> bool:
        """Leave out an optional parameter from now on, if a failed response refuses it. Tell whether it does."""
        return False

    @property
    def unpriced(self) -> bool:
        """True if its calls are paid, but neither a price nor the provider gives the cost."""
        return False

    @property
    def left_out(self) -> tuple[str, ...]:
        """The parameters that the user asked for and that are not sent."""
        return ()

    def notes(self) -> list[str]:
        """Return notes for the user on how the endpoint took the requests, at the end of the run."""
        return []


class Caller(Interface):
    """The interface for sending a subject's requests: store, limits, retries, budget and ledger are behind it."""

    async def __call__(self, request: Request) -> Reply: ...


class CallEstimate(NamedTuple):
    """A model that a subject asks: the most calls a question, and for each call the text and the images added to the question's."""

    subject: Subject
    calls: int
    text: str = ""
    pictures: int = 1


class Price(NamedTuple):
    """A price in US dollars for a million tokens, with its source.

    A price of None is replaced: cached input and input written to a cache cost as input, thinking as output.
    `batch` is the share of all these that a batch costs. They hold for calls of up to `up_to` input tokens, if that is not None.
    """

    input: float
    output: float
    source: str
    cached: float | None = None
    cache_write: float | None = None
    reasoning: float | None = None
    batch: float | None = None
    up_to: int | None = None

    def of(self, input_tokens: int, output_tokens: int) -> float:
        """Return the cost of that many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6

    def at_most(self, input_tokens: int, output_tokens: int) -> float | None:
        """Return the most that a call of that many tokens costs: all input may be written to a cache. None above the price's `up_to`."""
        if self.up_to is not None and input_tokens > self.up_to:
            return None
        dearest = self._replace(
            input=max(self.input, self.cache_write or 0.0), output=max(self.output, self.reasoning or 0.0)
        )
        return dearest.of(input_tokens, output_tokens)

    def bill(self, usage: Usage, in_batch: bool = False) -> float | None:
        """Return a call's cost by its own count. None if it has no valid count, or no known price for a batch or for so long an input.

        >>> Price(2.0, 8.0, "x", cached=0.5).bill(Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=0))
        1.4
        """
        if usage.input_tokens is None or usage.output_tokens is None or (in_batch and self.batch is None):
            return None
        if self.up_to is not None and usage.input_tokens > self.up_to:
            return None
        cached, written, thought = usage.cached_tokens or 0, usage.cache_write_tokens or 0, usage.reasoning_tokens or 0
        if cached + written > usage.input_tokens or thought > usage.output_tokens:
            return None  # a part larger than the whole: counted in an unknown way
        whole = self.of(usage.input_tokens, usage.output_tokens)
        for tokens, special, plain in (
            (cached, self.cached, self.input),
            (written, self.cache_write, self.input),
            (thought, self.reasoning, self.output),
        ):
            if special is not None:
                whole += tokens * (special - plain) / 1e6
        return whole * (self.batch if in_batch and self.batch is not None else 1.0)


class Subject:
    """The source of answers. `prepare` is pure and runs ahead in a thread; `answer` runs in the event loop."""

    spec: str = ""
    identity: Mapping[str, Any] = MappingProxyType({})
    """Everything that decides its answers; part of the run's name, except for entries under the names in DISCOVERED_KEYS."""
    endpoints: tuple[Endpoint, ...] = ()
    """The services that it calls; empty for a subject that runs here."""
    parallel: int = 64
    """The number of questions that may be in work at once, for a subject without endpoints."""
    beside: int = 0
    """The number of those in work that wait for something other than a call or a core of their own; they do not take a place."""
    chooses_only: bool = False
    """True if it can only choose among a question's options; other questions are not put to it."""
    needs_picture: bool = False
    """True if it needs an image; questions without one are not put to it."""
    recorded_ids: frozenset[str] = frozenset()
    """The samples that it has replies for, if it knows no others."""
    only_recorded: bool = False
    """True if no other samples are put to it."""

    price: Price | None = None
    worker_spec: Mapping[str, Any] | None = None
    """Everything that its kind's `worker` needs to make the same subject in another process; None if it cannot answer there."""

    @property
    def endpoint(self) -> Endpoint | None:
        """The first of its services."""
        return self.endpoints[0] if self.endpoints else None

    def about(self) -> str:
        """Return the chosen settings in a line for people before the run; an empty text if there are none."""
        return ""

    def why_same(self, repeats: int) -> str:
        """Return why repeats would give the same reply each time, by construction; an empty text if they may differ.

        A subject that draws at random tells the repeats apart by the question's prompt, which ends in `#2`, `#3` from the second time on.
        """
        return ""

    def prepare(self, question: Question) -> Any:
        """Do the work that needs no waiting (hashing, encoding). Raise SnellenError for an image that cannot be sent.

        If a question's Request is ready, `answer` gets only its texts. The images are in the Request, so memory holds them once.
        """
        return None

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        """Answer one question. A failure is an Answer with `failure`, never an exception."""
        return failed(question, "no-answer", f"{self.spec} has no answer()")

    def answered(self, question: Question, reply: Reply) -> Answer:
        """Return a reply as an answer, for a subject that makes one call a question."""
        return Answer(
            id=question.id,
            prompt=question.prompt,
            text=reply.text,
            thinking=reply.thinking,
            failure=reply.failure,
            finish_reason=reply.call.finish_reason,
            refused=reply.refused,
            tokens=reply.tokens,
            calls=(reply.call,),
            shots=question.shots,
        )

    async def close(self) -> None:
        """Free what the subject holds."""

    def asked(self) -> tuple[CallEstimate, ...]:
        """Return the models that are asked for one question, for estimates."""
        return (CallEstimate(self, 1),) if self.endpoints else ()

    def input_tokens(self, question: Question, text: str = "", pictures: int = 1) -> int:
        """Estimate the tokens of a question, with more text added and every image that many times."""
        turns = (*question.history, Turn(role="user", parts=question.parts))
        said = sum(len(part.text) for turn in turns for part in turn.parts if isinstance(part, Text))
        shown = sum(isinstance(part, Picture) for turn in turns for part in turn.parts)
        return (len(question.system or "") + said + len(text)) // 4 + 1000 * pictures * shown

    @property
    def thinking_tokens(self) -> int:
        """The number of tokens of a reply that may be spent on thinking, in addition to the visible ones."""
        return 0

    def counting(self) -> str:
        """Return the rule that counts its images' tokens, in a line for estimates; an empty text if there is none to name."""
        return ""


class BuildContext(NamedTuple):
    """The input for building a subject. `options` are the values of its options; `offline` means that it will not be called.

    `build` makes another subject, for one that asks models: from its spec, and options that replace the given ones.
    """

    options: Mapping[str, Any]
    exam: Exam
    data: Dataset | None
    seed: int
    offline: bool
    build: Callable[..., Subject]


class Hosting(NamedTuple):
    """The place where the models of a kind run, and their developer, as far as the kind itself tells; a run's records include it.

    `engine` is the software that runs them on the user's own machines. `developer` is set if all models have the same one. `closed` are the
    beginnings of the names of models whose weights are not published ("" for all of them).
    """

    by: Literal["self", "provider", ""] = ""
    engine: str = ""
    developer: str = ""
    closed: tuple[str, ...] = ()


OptionsOf = Callable[[str], tuple[Option, ...]]


class SubjectKind:
    """A kind of subject, found by its prefix in the entry point group `snellen.subjects`: `--model PREFIX/NAME`."""

    prefix: str = ""
    forms: Mapping[str, str] = {}
    """Spellings and their meanings, for `snellen list subjects`."""
    options: tuple[Option, ...] = ()
    """The options that have an effect on it; others are refused."""
    exams: tuple[str, ...] = ()
    """The exams that it can answer; all of them if empty."""
    hosting: Hosting = Hosting()
    serves: tuple[str, ...] = ()
    """The command that starts a server for its models (`--serve PREFIX`), up to the model's name; `python` is this Python."""
    in_workers: bool = False
    """True if its subjects are models that can answer in their own processes, here or on other machines."""

    def build(self, name: str, given: BuildContext) -> Subject:
        """Return the subject that `PREFIX/NAME` names."""
        raise SnellenError(f"{self.prefix}/{name} cannot be built")

    def takes(self, name: str, given: Mapping[str, Any], options_of: OptionsOf) -> tuple[Option, ...]:
        """Return the options that have an effect on one subject of the kind, depending on the other given values.

        `options_of` returns those of another subject by its spec, for one that asks models.
        """
        return self.options

    def catalogue(self) -> list[dict[str, Any]]:
        """Return rows for `snellen list methods`, if the kind's subjects are methods: their requirements, and whether these are met."""
        return []

    def worker(self, spec: Mapping[str, Any]) -> Subject:
        """Return the same subject as the one that has this `worker_spec`, to answer in its own process."""
        raise SnellenError(f"a subject {self.prefix}/ cannot answer in another process")
