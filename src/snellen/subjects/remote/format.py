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


class Parameters(NamedTuple):
    """What is sent beside the question. `sent` is in the words of the wire; `not_applied` says which wishes are not in it, and why.

    `visible` and `thinking` are the caps in tokens, of which the provider is told the sum or each.
    """

    sent: Mapping[str, Any]
    not_applied: Mapping[str, str] = {}
    visible: int = 0
    thinking: int = 0


class Said(NamedTuple):
    """What an error body says: a sentence, the provider's word for the error, and the parameter that it names."""

    message: str = ""
    code: str = ""
    parameter: str = ""


class WireFormat(ABC):
    """One wire format."""

    droppable: Mapping[str, tuple[str, ...]] = {}
    """Parameters that can be done without, in Snellen's words, and the fields of the body that carry each: `a.b` is b inside a.
    What is refused as a whole is given up in this order."""
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

    def fixed(self, model: str, service: Service) -> Mapping[str, Any]:
        """Fields of every body that are no wish of the user's, such as the model's name. They are no part of a request's key."""
        return {"model": model}

    def head(self, model: str, service: Service, sent: Mapping[str, Any]) -> bytes:
        """The beginning of every body, up to the comma behind the parameters."""
        return msgspec.json.encode({**self.fixed(model, service), **sent})[:-1] + b","

    # ------------------------------------------------------------ a question

    @abstractmethod
    def opening(self, system: str | None) -> bytes:
        """What comes before the turns: the system's text, and the opening of the list of turns."""

    @abstractmethod
    def turn(self, role: str) -> tuple[bytes, bytes]:
        """What a turn's parts stand between; parts have commas between them, and so have turns."""

    @abstractmethod
    def text(self, role: str, text: str) -> bytes:
        """A part that is text."""

    @abstractmethod
    def picture(self, mime: str, detail: str | None) -> tuple[bytes, bytes]:
        """What a picture's base64 stands between."""

    closing: bytes = b"]}"

    # ------------------------------------------------------------ replies

    @abstractmethod
    def parse(self, body: bytes, key: Secret) -> Parsed:
        """A 200 response; raises BrokenReply where it cannot be used, with what it cost."""

    @abstractmethod
    def said(self, body: bytes, key: Secret) -> Said:
        """What an error body says."""

    def judged(self, status: int, said: Said, body: bytes) -> tuple[str, int] | None:
        """The kind of an error (`key`, `no-credit`, `unknown-model`, `context`, `refused`, `throttled`) where the provider's own
        words tell more than the status, and the status that it is to be treated as."""
        return None

    def advice(self, status: int, said: Said, model: str, elsewhere: bool) -> str:
        """What a user can do about an error, where the format knows more than its kind tells. `elsewhere` says that the address is
        not the service's own."""
        return ""

    def takes(self, entry: Mapping[str, Any]) -> frozenset[str] | None:
        """The fields that a model takes, where its entry in the service's list names them: others have no effect."""
        return None
