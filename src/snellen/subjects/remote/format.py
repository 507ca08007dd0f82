"""What a wire format is: how a provider's requests are written and its replies are read. Pure; one file a provider implements it.

A body is written in pieces, since it holds pictures and every copy costs: first the head, which has all parameters and is the same for
every question, then what the question shows. So a parameter that turns out to be refused is left out by changing the head alone,
also of requests that were written before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import Parsed
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import Settings


class ParameterVariant(NamedTuple):
    """Another way to ask for a parameter: fields that take the place of those that carried it, and other fields that go with them.

    `about` says what is asked for now; `thinking` is the budget in tokens, where the way changes it.
    """

    fields: Mapping[str, Any]
    about: str
    thinking: int | None = None


class Parameters(NamedTuple):
    """What is sent beside the question. `sent` is in the words of the wire; `not_applied` says which wishes are not in it, and why.

    `visible` and `thinking` are the caps in tokens, of which the provider is told the sum or each. `ways` has, for parameters that
    models take in different forms, what is tried in turn where the endpoint refuses one; after the last the parameter is left out.
    """

    sent: Mapping[str, Any]
    not_applied: Mapping[str, str] = {}
    visible: int = 0
    thinking: int = 0
    ways: Mapping[str, tuple[ParameterVariant, ...]] = {}


class ModelListing(NamedTuple):
    """What a service tells of one model: facts that tell models apart, and the most tokens that a reply of it can have."""

    facts: Mapping[str, Any]
    most_output: int | None = None


class ErrorBody(NamedTuple):
    """An error, understood: a sentence, the provider's word for it, and the parameter that it names.

    `kind` is set where the provider tells more than the status does: one of TREATED, `context` or `refused` (by a content filter).
    The error is then treated as one of `status`, by default that of TREATED. `wait` is how many seconds it asks to wait.
    """

    message: str = ""
    code: str = ""
    parameter: str = ""
    kind: str = ""
    status: int | None = None
    wait: float | None = None


TREATED = {"key": 401, "not-allowed": 403, "no-credit": 402, "unknown-model": 404, "no-images": 415, "throttled": 429}
"""The kinds of errors that no status tells for sure, and the status that they are treated as."""


class WireFormat(ABC):
    """One wire format."""

    droppable: Mapping[str, tuple[str, ...]] = {}
    """Parameters that can be done without, in Snellen's words, and the fields of the body that carry each: `a.b` is b inside a.
    What is refused as a whole is given up in this order."""
    envelope: str = ""
    """An object of the body that does nothing but hold parameters: an error that names it is about none of them yet."""
    other_names: Mapping[str, str] = {}
    """Fields that services know by one of two names. One that is refused by its name is sent under the other."""

    @abstractmethod
    def path(self, model: str) -> str:
        """Where requests go, behind the base address; a query may follow."""

    def models_path(self, model: str) -> str:
        """Where the service lists its models, or tells of this one."""
        return "/models"

    @abstractmethod
    def parameters(self, model: str, settings: Settings, service: Service) -> Parameters:
        """The parameters of every request to a model."""

    def headers(self, sent: Mapping[str, Any]) -> Mapping[str, str]:
        """Headers that go with such parameters, beside the service's own."""
        return {}

    def fixed(self, model: str, service: Service) -> Mapping[str, Any]:
        """Fields of every body that are no wish of the user's, such as the model's name. They are no part of a request's key."""
        return {"model": model}

    def head(self, model: str, service: Service, sent: Mapping[str, Any]) -> bytes:
        """The beginning of every body, up to the comma behind the parameters."""
        fields = {**self.fixed(model, service), **sent}
        return msgspec.json.encode(fields)[:-1] + (b"," if fields else b"")

    def told(self, listing: Mapping[str, Any]) -> ModelListing | None:
        """Return what the answer at `models_path` tells of the model, where it is about that one alone; None where it is a list."""
        return None

    def within(self, sent: Mapping[str, Any], most: int, visible: int) -> Mapping[str, Any]:
        """The parameters with no longer reply than a model can give."""
        return sent

    # ------------------------------------------------------------ a question

    @abstractmethod
    def opening(self, system: str | None) -> bytes:
        """What comes before the turns: the system's text, and the opening of the list of turns."""

    def turn(self, role: str) -> tuple[bytes, bytes]:
        """Return what a turn's parts stand between; parts have commas between them, and so have turns."""
        return f'{{"role":"{role}","content":['.encode(), b"]}"

    def text(self, role: str, text: str) -> bytes:
        """Return a part that is text."""
        return b'{"type":"text","text":' + msgspec.json.encode(text) + b"}"

    @abstractmethod
    def picture(self, mime: str, detail: str | None) -> tuple[bytes, bytes]:
        """What a picture's base64 stands between."""

    closing: bytes = b"]}"

    # ------------------------------------------------------------ replies

    @abstractmethod
    def parse(self, body: bytes, key: Secret) -> Parsed:
        """A 200 response; raises BrokenReply where it cannot be used, with what it cost."""

    @abstractmethod
    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        """Read the body of a failed response. The key is taken out of what this gives; what it raises is caught, and the body
        then read in the common way (`reading.error_body`)."""

    def advice(self, status: int, error: ErrorBody, model: str, elsewhere: bool) -> str:
        """What a user can do about an error, where the format knows more than its kind tells. `elsewhere` says that the address is
        not the service's own."""
        return ""

    def takes(self, entry: Mapping[str, Any]) -> frozenset[str] | None:
        """The fields that a model takes, where its entry in the service's list names them: others have no effect."""
        return None
