"""The parts of a provider, for plugins: a service's address, the writing of requests and reading of replies, and a prefix for `--model`.

`RemoteKind(Service(...), ChatFormat(), "about")` is complete for a service that speaks the chat format (docs/extending.md). A subclass of
`ChatFormat` changes the differences; another wire format is a subclass of `WireFormat`.
"""

from snellen.core.options import Option
from snellen.core.secret import Secret
from snellen.core.subject import BrokenReply, Hosting, Parsed, SubjectKind
from snellen.core.types import Failure, Usage
from snellen.subjects.compatible import ChatFormat
from snellen.subjects.remote.format import ErrorBody, Parameters, WireFormat
from snellen.subjects.remote.kind import RemoteKind
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import DETAIL, LOGPROBS, MODEL_SEED, STOP, Settings

__all__ = [
    "DETAIL",
    "LOGPROBS",
    "MODEL_SEED",
    "STOP",
    "BrokenReply",
    "ChatFormat",
    "ErrorBody",
    "Failure",
    "Hosting",
    "Option",
    "Parameters",
    "Parsed",
    "RemoteKind",
    "Secret",
    "Service",
    "Settings",
    "SubjectKind",
    "Usage",
    "WireFormat",
]
