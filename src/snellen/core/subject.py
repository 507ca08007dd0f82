"""The contracts of who answers: Subject, the Caller that it uses, and the Endpoint behind that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, runtime_checkable
from typing import Protocol as Interface

from snellen.core.secret import Secret
from snellen.core.types import Answer, Call, Failure, ImageSent, Question, Struct, Token, Usage


class Request(Struct, frozen=True):
    """One request, ready to send: the body is complete, the key identifies it for ever. Holds no secret.

    `via` says which of the subject's endpoints it is for, where there are several.
    """

    key: str
    body: bytes
    images: tuple[ImageSent, ...] = ()
    cost_bound: float | None = None
    via: int = 0


class Reply(Struct, frozen=True):
    """What a call gave. This is what the answer store keeps; `call` is its ledger."""

    call: Call
    text: str = ""
    failure: Failure | None = None
    refused: bool = False
    tokens: tuple[Token, ...] = ()


class Parsed(NamedTuple):
    """A response body, understood. Exactly one of `error` and the rest is meaningful."""

    text: str = ""
    finish_reason: str | None = None
    refused: bool = False
    tokens: tuple[Token, ...] = ()
    usage: Usage = Usage()
    cost: float | None = None
    cost_source: str | None = None
    model: str | None = None
    provider: str | None = None
    response_id: str | None = None
    error: Failure | None = None
    status: int | None = None


class Connection(NamedTuple):
    """How the transport reaches an endpoint. The only place that holds the key."""

    url: str
    models_url: str
    headers: Mapping[str, str]
    key: Secret
    start_hint: str


class Endpoint(Interface):
    """A service that answers requests: where it is and how its wire format is read."""

    @property
    def kind(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def connection(self) -> Connection: ...

    def parse(self, body: bytes) -> Parsed:
        """Understand a 200 response; raises ValueError where it is not what the service promises."""

    def explain(self, status: int, body: bytes) -> Parsed:
        """A failed response as an error (or a refusal) with a sentence for people."""

    def learn(self, listing: bytes) -> None:
        """Take prices and model facts from the service's model list; raises SnellenError for an unknown model."""


class Caller(Interface):
    """Sends requests for a subject: store, limits, retries, budget and ledger are behind it."""

    async def __call__(self, request: Request) -> Reply: ...


@runtime_checkable
class ManyEndpoints(Interface):
    """A subject that calls several services, such as a parser and a model. `endpoint` is the first of them."""

    @property
    def endpoints(self) -> tuple[Endpoint, ...]: ...


class Asked(NamedTuple):
    """A model that a subject asks: at most so many calls a question, each with this text beside the question's and so many pictures."""

    subject: Subject
    calls: int
    text: str = ""
    pictures: int = 1


@runtime_checkable
class AsksModels(Interface):
    """A subject that asks other subjects, for estimates."""

    def asked(self) -> tuple[Asked, ...]:
        """The models, each once; none where it asks nobody."""


@runtime_checkable
class ChoosesOnly(Interface):
    """A subject that can do nothing but choose among a question's options; others are not put to it."""

    chooses_only: bool


class Subject(Interface):
    """Whoever answers. `prepare` is pure and runs ahead in a thread; `answer` runs in the event loop."""

    @property
    def spec(self) -> str: ...

    @property
    def identity(self) -> Mapping[str, Any]: ...

    @property
    def endpoint(self) -> Endpoint | None: ...

    @property
    def parallel(self) -> int: ...

    def prepare(self, question: Question) -> Any:
        """Work that needs no waiting (hashing, encoding). Raises SnellenError for an image that cannot be sent."""

    async def answer(self, question: Question, prepared: Any, call: Caller) -> Answer:
        """Answer one question. A failure is an Answer with `failure`, never an exception."""

    async def close(self) -> None:
        """Free what the subject holds."""
