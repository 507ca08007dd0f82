"""Azure OpenAI: the chat format at Azure's own addresses, with a key in Azure's own header.

Azure has two forms of address. The newer has the version in its path (`/openai/v1/chat/completions`) and the deployment in the body;
the older has the deployment in its path and a dated version in its query. `OPENAI_API_VERSION` with a date asks for the older one.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, quote

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import Hosting, Parsed, Subject
from snellen.subjects.compatible import ChatFormat
from snellen.subjects.remote import reading
from snellen.subjects.remote.format import ErrorBody
from snellen.subjects.remote.kind import RemoteKind
from snellen.subjects.remote.service import Service, base_address, setting
from snellen.subjects.remote.settings import DETAIL, LOGPROBS, MODEL_SEED, STOP, Settings

KEY, TOKEN, VERSION = "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN", "OPENAI_API_VERSION"
SERVICE = Service(
    "azure",
    "",
    (KEY,),
    address_variables=("AZURE_OPENAI_ENDPOINT",),
    needs_key=True,
    key_header=("api-key", ""),
    length_parameter="max_completion_tokens",
    lists_models=False,
    version="",
    example="https://NAME.openai.azure.com",
    hosting=Hosting("provider"),
)
WITH_TOKEN = SERVICE._replace(key_variables=(TOKEN,), key_header=("Authorization", "Bearer "))
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:-preview)?")
_WORD = re.compile(r"[A-Za-z0-9.-]{1,40}")
_OF_DEPLOYMENT = re.compile(r"(?P<root>.*)/openai/deployments/(?P<name>[^/]+)")


class _AzureAddress(NamedTuple):
    """The place of a resource: the base address, the version in the query, and whether deployments are in the path."""

    base: str
    version: str = ""
    by_deployment: bool = False

    @property
    def query(self) -> str:
        return f"?api-version={self.version}" if self.version else ""


def place(given: str | None, deployment: str) -> _AzureAddress:
    """Return where requests for a deployment go, by `--base-url`, else by the variables. An address may be that of the resource, that of
    its newer API, or the whole address of the deployment as Azure's pages show it."""
    address, _, query = (given or setting(*SERVICE.address_variables)[0]).partition("?")
    asked = dict(parse_qsl(query))
    rest = (
        "?" if query and asked.keys() != {"api-version"} else ""
    )  # it may hold a key; the refusal of the address covers that
    base = base_address(SERVICE, address + rest)
    version = asked.get("api-version") or setting(VERSION)[0]
    if version and not _WORD.fullmatch(version):
        raise SnellenError(f"{VERSION}: not a version of an API, such as 2024-10-21 or preview")
    whole = _OF_DEPLOYMENT.fullmatch(base)
    if whole:
        if whole["name"] != quote(deployment, safe=""):
            raise SnellenError(f"--model azure/{deployment}: the address is that of the deployment '{whole['name']}'")
        if not version:
            raise SnellenError(f"azure/{deployment}: set {VERSION}, such as 2024-10-21, for an address of this form")
        return _AzureAddress(f"{whole['root']}/openai", version, True)
    dated = _DATE.fullmatch(version) is not None
    if base.endswith("/openai/v1"):
        return _AzureAddress(base, "" if dated else version)
    base = base.removesuffix("/openai")
    return _AzureAddress(f"{base}/openai", version, True) if dated else _AzureAddress(f"{base}/openai/v1", version)


class _AzureFormat(ChatFormat):
    """Chat completions as Azure serves them, with the findings of its content filter."""

    def __init__(self, where: _AzureAddress) -> None:
        self._where = where

    def path(self, model: str) -> str:
        before = f"/deployments/{quote(model, safe='')}" if self._where.by_deployment else ""
        return f"{before}/chat/completions{self._where.query}"

    def models_path(self, model: str) -> str:
        return f"/models{self._where.query}"

    def parse(self, body: bytes, key: Secret) -> Parsed:
        """Parse a reply. A filtered reply without other text says what it was filtered for."""
        parsed = super().parse(body, key)
        if not parsed.refused or parsed.text:
            return parsed
        choice = reading.decoded(body)["choices"][0]
        return parsed._replace(text=_filtered(choice.get("content_filter_results"), key))

    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        said = super().error(status, body, key)
        why = _filtered(reading.part(reading.error_object(body), "innererror", "content_filter_result"), key)
        return said._replace(message=f"{said.message} ({why})") if why else said

    def advice(self, status: int, error: ErrorBody, model: str, elsewhere: bool) -> str:
        if status != 404:
            return ""
        version = self._where.version or "none"
        return f"azure/NAME takes the name of a deployment, not of a model; the version of the API ({VERSION}) is {version}"


def _filtered(results: Any, key: Secret) -> str:
    """Return the findings of the content filter, from its results by category."""
    if not isinstance(results, dict):
        return ""
    found = [
        " ".join(filter(None, (name, reading.short(result.get("severity"), key))))
        for name, result in results.items()
        if isinstance(result, dict) and result.get("filtered") is True
    ]
    return reading.clean(f"filtered for {', '.join(found)}", key) if found else ""


class _AzureKind(RemoteKind):
    """The kind `azure/DEPLOYMENT`. The variables and their order are those of OpenAI's own package."""

    def __init__(self) -> None:
        about = f"a deployment at Azure OpenAI (AZURE_OPENAI_ENDPOINT; {KEY} or {TOKEN})"
        super().__init__(SERVICE, ChatFormat(), about, (LOGPROBS, MODEL_SEED, STOP, DETAIL))
        self.forms = {"azure/DEPLOYMENT": about}

    def subject(self, name: str, settings: Settings, *, offline: bool = False) -> Subject:
        from snellen.subjects.remote.subject import RemoteSubject

        where = place(settings.base_url, name)
        by_token = not offline and not settings.key and setting(TOKEN, KEY)[1].startswith(TOKEN)
        service = WITH_TOKEN if by_token else SERVICE
        form = _AzureFormat(where)
        subject = RemoteSubject(service, form, name, settings, offline=offline, address=where.base)
        if where.version:
            subject.identity["api_version"] = where.version
        return subject


KIND = _AzureKind()
