"""The contracts of who answers: Subject, the Caller that it uses, the Endpoint behind that, and the kinds of subjects there are.

One base class for a provider, a model on this machine, a solver and a grounding method, ours and a user's.
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
"""Parts of a subject's identity that are found out on the way: the service's own words of the model, the parameters that were
really sent and why others were not, what a probe measured, how the server was started. They are in run.json, and not in the run's name."""


class Request(Struct, frozen=True):
    """One request, ready to send: the body is complete, the key identifies it for ever. Holds no secret.

    `via` says which of the subject's endpoints it is for, where there are several. `repeat` says which time it is that it is asked.
    """

    key: str
    body: bytes
    images: tuple[ImageSent, ...] = ()
    cost_bound: float | None = None
    via: int = 0
    repeat: int = 1

    def again(self, repeat: int) -> Request:
        """The same, asked for another time: from the second on it has a key of its own, so that no two repeats share a stored reply."""
        if repeat == self.repeat:
            return self
        return msgspec.structs.replace(self, key=digest({"request": self.key, "repeat": repeat}), repeat=repeat)


class Reply(Struct, frozen=True):
    """What a call gave. This is what the answer store keeps; `call` is its ledger."""

    call: Call
    text: str = ""
    thinking: str = ""
    failure: Failure | None = None
    refused: bool = False
    tokens: tuple[Token, ...] = ()


class Parsed(NamedTuple):
    """A response body, understood. Exactly one of `error` and the rest is meaningful."""

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
    """Seconds to wait before the next try, where the body says so and not a header."""


class BrokenReply(ValueError):
    """A response that makes no sense, and what it says of its cost all the same."""

    def __init__(self, reason: str, bill: Parsed | None = None) -> None:
        super().__init__(reason)
        self.bill = bill or Parsed()


class Connection(NamedTuple):
    """How the transport reaches an endpoint. The only place that holds the key.

    `key_header` is the header that carries the key, and what stands before it there.
    """

    url: str
    models_url: str
    headers: Mapping[str, str]
    key: Secret
    start_hint: str
    key_header: tuple[str, str] = ("Authorization", "Bearer ")
    timeout: float | None = None


class Endpoint:
    """A service that answers requests: where it is and how its wire format is read. A default for every hook but `parse`."""

    kind: str = ""
    model: str = ""
    connection: Connection
    price_given: bool = False
    """Whether the user gave the price of its calls, and so of a reply that does not say what it cost."""
    batches: BatchApi | None = None
    """How it takes many requests at once, if it does."""
    revision: int = 0
    """Grows whenever what is sent changes for all requests: a parameter that the endpoint refused is left out from then on."""

    @property
    def listed(self) -> Mapping[str, Any]:
        """What the service's model list says of the model, once it was asked."""
        return {}

    def parse(self, body: bytes) -> Parsed:
        """Understand a 200 response; raises ValueError (BrokenReply, if it was billed) where it is not what the service promises."""
        raise BrokenReply(f"{self.kind} cannot read replies")

    def explain(self, status: int, body: bytes) -> Parsed:
        """A failed response as an error (or a refusal) with a sentence for people, and its cost where it names one."""
        return Parsed(error=Failure(kind="status", reason=f"status {status}"), status=status)

    def learn(self, listing: bytes) -> None:
        """Take prices and model facts from the service's model list; raises SnellenError for an unknown model."""

    def not_listed(self, status: int, body: bytes) -> str | None:
        """Why no call can work, where the failed answer to the question for the model list says so; None where it does not."""
        if status not in (401, 403):
            return None
        error = self.explain(status, body).error
        return error.reason if error else "the endpoint refused the key"

    def body_of(self, request: Request) -> bytes:
        """What is sent for a request now."""
        return request.body

    def drop_refused_parameter(self, status: int, body: bytes) -> bool:
        """Whether a failed response refuses a parameter that can be done without; from now on it is left out."""
        return False

    @property
    def unpriced(self) -> bool:
        """Whether its calls are paid, but neither a price nor the provider says how much."""
        return False

    @property
    def left_out(self) -> tuple[str, ...]:
        """The parameters that were asked for and are not sent."""
        return ()

    def notes(self) -> list[str]:
        """What a user should know of how the endpoint took the requests, once they are over."""
        return []


class Caller(Interface):
    """Sends requests for a subject: store, limits, retries, budget and ledger are behind it."""

    async def __call__(self, request: Request) -> Reply: ...


class CallEstimate(NamedTuple):
    """A model that a subject asks: at most so many calls a question, each with this text beside the question's and so many pictures."""

    subject: Subject
    calls: int
    text: str = ""
    pictures: int = 1


class Price(NamedTuple):
    """US dollars for a million tokens, and where the figures come from.

    What is None costs what its kind costs otherwise: cached input and input written to a cache as input, thinking as output.
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
        """What so many tokens cost."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6

    def at_most(self, input_tokens: int, output_tokens: int) -> float | None:
        """What a call of so many tokens costs at most: all of the input may be written to a cache. None above what the price holds for."""
        if self.up_to is not None and input_tokens > self.up_to:
            return None
        dearest = self._replace(
            input=max(self.input, self.cache_write or 0.0), output=max(self.output, self.reasoning or 0.0)
        )
        return dearest.of(input_tokens, output_tokens)

    def bill(self, usage: Usage, in_batch: bool = False) -> float | None:
        """What a call cost by its own count; None where it has none that fits, or the price of a batch or of so long an input is not known.

        >>> Price(2.0, 8.0, "x", cached=0.5).bill(Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=0))
        1.4
        """
        if usage.input_tokens is None or usage.output_tokens is None or (in_batch and self.batch is None):
            return None
        if self.up_to is not None and usage.input_tokens > self.up_to:
            return None
        cached, written, thought = usage.cached_tokens or 0, usage.cache_write_tokens or 0, usage.reasoning_tokens or 0
        if cached + written > usage.input_tokens or thought > usage.output_tokens:
            return None  # a part that is more than the whole: counted in a way that we do not know
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
    """Whoever answers. `prepare` is pure and runs ahead in a thread; `answer` runs in the event loop."""

    spec: str = ""
    identity: Mapping[str, Any] = MappingProxyType({})
    """What decides its answers; part of the run's name, but for what is under the names in DISCOVERED_KEYS."""
    endpoints: tuple[Endpoint, ...] = ()
    """The services that it calls; none for a subject that runs here."""
    parallel: int = 64
    """How many questions may be in work at once, for a subject without endpoints."""
    beside: int = 0
    """How many of those in work wait for something other than a call or a core of their own; they take no place."""
    chooses_only: bool = False
    """Whether it can do nothing but choose among a question's options; other questions are not put to it."""
    needs_picture: bool = False
    """Whether it has nothing to go by where a question shows no picture; such questions are not put to it."""
    recorded_ids: frozenset[str] = frozenset()
    """The samples that it has replies for, where it knows no others."""
    only_recorded: bool = False
    """Whether no other samples are put to it."""

    price: Price | None = None
    worker_spec: Mapping[str, Any] | None = None
    """All that its kind's `worker` needs to make the same subject in another process; None where it cannot answer there."""

    @property
    def endpoint(self) -> Endpoint | None:
        """The first of its services."""
        return self.endpoints[0] if self.endpoints else None

    def about(self) -> str:
        """What was chosen, in a line for people before the run; nothing if there is nothing to say."""
        return ""

    def why_same(self, repeats: int) -> str:
        """Why asking a question so many times would give the same reply each time, by construction; nothing where it may give others.

        Whoever draws at random tells the repeats apart by the question's prompt, which ends in `#2`, `#3` from the second time on.
        """
        return ""

    def prepare(self, question: Question) -> Any:
        """Work that needs no waiting (hashing, encoding). Raises SnellenError for an image that cannot be sent.

        Of a question whose Request is ready, `answer` gets the texts alone: its pictures are in the Request, and memory holds them once.
        """
        return None

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        """Answer one question. A failure is an Answer with `failure`, never an exception."""
        return failed(question, "no-answer", f"{self.spec} has no answer()")

    def answered(self, question: Question, reply: Reply) -> Answer:
        """The answer that a reply is, for a subject that makes one call a question."""
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
        """The models that are asked for one question, for estimates."""
        return (CallEstimate(self, 1),) if self.endpoints else ()

    def input_tokens(self, question: Question, text: str = "", pictures: int = 1) -> int:
        """About how many tokens a question has, with more text beside it and every picture so many times."""
        turns = (*question.history, Turn(role="user", parts=question.parts))
        said = sum(len(part.text) for turn in turns for part in turn.parts if isinstance(part, Text))
        shown = sum(isinstance(part, Picture) for turn in turns for part in turn.parts)
        return (len(question.system or "") + said + len(text)) // 4 + 1000 * pictures * shown

    @property
    def thinking_tokens(self) -> int:
        """How many tokens of a reply may be spent on thinking, beside the visible ones."""
        return 0

    def counting(self) -> str:
        """By which rule its pictures are counted, in a line for estimates; nothing if there is none to name."""
        return ""


class BuildContext(NamedTuple):
    """What a subject is built from. `options` are the values of the options that it takes; `offline` means that it will not be called.

    `build` makes another subject, for one that asks models: from its spec, and options that replace those given.
    """

    options: Mapping[str, Any]
    exam: Exam
    data: Dataset | None
    seed: int
    offline: bool
    build: Callable[..., Subject]


class Hosting(NamedTuple):
    """Where the models of a kind run, and whose they are, as far as the kind itself tells; records of a run say it.

    `engine` is the software that runs them on machines of one's own. `developer` is set where all models are of one, `closed` are the
    beginnings of the names of those whose weights are not published ("" for all of them).
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
    """Spellings and what they mean, for `snellen list subjects`."""
    options: tuple[Option, ...] = ()
    """The options that mean something to it; others are refused."""
    exams: tuple[str, ...] = ()
    """The exams that it can answer; all of them if empty."""
    hosting: Hosting = Hosting()
    serves: tuple[str, ...] = ()
    """The command that starts a server for its models (`--serve PREFIX`), up to the model's name; `python` is this Python."""
    in_workers: bool = False
    """Whether its subjects are models that can answer in processes of their own, here or on other machines."""

    def build(self, name: str, given: BuildContext) -> Subject:
        """The subject that `PREFIX/NAME` names."""
        raise SnellenError(f"{self.prefix}/{name} cannot be built")

    def takes(self, name: str, given: Mapping[str, Any], options_of: OptionsOf) -> tuple[Option, ...]:
        """The options that mean something to one subject of the kind, by what else was given.

        `options_of` gives those of another subject by its spec, for one that asks models.
        """
        return self.options

    def catalogue(self) -> list[dict[str, Any]]:
        """Rows for `snellen list methods`, of a kind whose subjects are ways to answer; what they need, and whether it is there."""
        return []

    def worker(self, spec: Mapping[str, Any]) -> Subject:
        """The same subject as the one that has this `worker_spec`, to answer in a process of its own."""
        raise SnellenError(f"a subject {self.prefix}/ cannot answer in another process")
