"""A service: its address, the variables that name its address and key, and the parameters it takes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from snellen.core.batch import BatchApi
from snellen.core.errors import SnellenError
from snellen.core.secret import Secret, has_login
from snellen.core.subject import Hosting
from snellen.core.text import one_line
from snellen.data import dotenv

WEB = frozenset({"png", "jpeg", "webp", "gif"})
IN_FILE = " in .env"
ONLINE = "is the machine online?"
_VERSION = re.compile(r"/v\d+(?:(?:alpha|beta)\d*)?$")


class Service(NamedTuple):
    """One service. `prefix` is that of `--model`; `base` its address up to and including the version.

    `address_variables` and `key_variables` are looked up in the environment and then in `.env`, in this order.
    `headers_from` are headers whose values are in the environment (an organisation, a project).
    """

    prefix: str
    base: str
    key_variables: tuple[str, ...] = ()
    address_variables: tuple[str, ...] = ()
    codecs: frozenset[str] = WEB
    start_hint: str = ONLINE
    needs_key: bool = False
    key_header: tuple[str, str] = ("Authorization", "Bearer ")
    key_headers: Mapping[str, tuple[str, str]] = {}
    """Headers of keys from some of the variables, if such keys use another header."""
    headers: Mapping[str, str] = {}
    headers_from: Mapping[str, str] = {}
    length_parameter: str = "max_tokens"
    reports_cost: bool = False
    lists_models: bool = True
    """True if its model list has every model that it serves, so that a model that is not listed is unknown."""
    has_prices: bool = False
    """True if the price table covers this service's models; a model on the user's machine has no list price."""
    version: str = "/v1"
    """The path that is added to an address without a path."""
    versioned: bool = False
    """True if a version is added to every address that does not end in one, as the provider's own package does."""
    default_port: int | None = None
    own_keys: int = 1
    """The number of key variables that are the service's own; a key from one of the others is reported."""
    batches: Callable[[str], BatchApi] | None = None
    """The service's batch API, by the path of its address."""
    ignores: Mapping[str, str] = {}
    """Parameters that it accepts and ignores, and how that is known."""
    example: str = "http://localhost:8000/v1"
    """An example of its address."""
    hosting: Hosting = Hosting()
    serves: tuple[str, ...] = ()
    """The command that starts its server (`SubjectKind.serves`)."""
    models_at: str = ""
    """The path of its own model list on the host, if that tells more than the one beside the version."""

    @property
    def key_names(self) -> str:
        """The variables that a user may set, for messages."""
        return " or ".join(self.key_variables[: self.own_keys]) or "its variable"


def setting(*names: str) -> tuple[str, str]:
    """Return the first variable that is set, in the environment or in `.env`, and its name."""
    for name in names:
        if value := os.environ.get(name, "").strip():
            return value, name
    for name in filter(None, names):  # a file that others wrote is read only for these names
        if value := dotenv.read(Path.cwd(), name).get(name, "").strip():
            return value, f"{name}{IN_FILE}"
    return "", ""


def base_address(service: Service, given: str | None) -> str:
    """Return the address up to and including the version: given, from the environment, or the service's own."""
    address = given or setting(*service.address_variables)[0] or service.base
    if not address:
        variable = "".join(f" or {name}" for name in service.address_variables[:1])
        raise SnellenError(
            f"{service.prefix}/NAME needs --base-url{variable}, the address of its server such as {service.example}"
        )
    if "://" not in address:
        address = f"http://{address}"
    address = address.rstrip("/").removesuffix("/chat/completions")
    if has_login(address) or "?" in address or "#" in address:
        raise SnellenError(
            "--base-url must hold no user name, password, '?' or '#'; give the key with --api-key or the environment"
        )
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and ".." not in parts.netloc
        port = parts.port
    except ValueError:
        usable = False
    if not usable:
        raise SnellenError(f"--base-url {one_line(address)}: not an http or https address")
    if service.default_port and port is None and not given and parts.scheme == "http":
        address = address.replace(parts.netloc, f"{parts.netloc}:{service.default_port}", 1)
    complete = _VERSION.search(parts.path) if service.versioned else parts.path.strip("/")
    return address if complete else f"{address}{service.version}"


def models_address(service: Service, base: str, path: str) -> str:
    """Return the address of the model list: on the service's own path of the host, else behind the base address."""
    if service.models_at and base.endswith(service.version):
        return base.removesuffix(service.version) + service.models_at
    return base + path


def find_key(service: Service, given: Secret) -> tuple[Secret, str]:
    """Return the key from `--api-key`, the environment or `.env`, and its source. A missing key raises an error naming the variable."""
    key, place = (given, "--api-key") if given else (Secret(""), "")
    if not key:
        value, place = setting(*service.key_variables)
        key = Secret(value)
    if key:
        if not key.reveal().isascii() or not key.reveal().isprintable():
            raise SnellenError(
                f"the key for {service.prefix} has characters that no key has (a quote or a line break copied along?)"
            )
        return key, place
    if service.needs_key:
        raise SnellenError(f"{service.prefix} needs a key: set {service.key_names} or give --api-key")
    return Secret(""), ""


def key_header(service: Service, place: str) -> tuple[str, str]:
    """Return the header that carries a key, and the text before it, by where `find_key` found it."""
    return service.key_headers.get(place.removesuffix(IN_FILE), service.key_header)


def more_headers(service: Service) -> dict[str, str]:
    """Return the headers of every request, except the key's."""
    found = {header: setting(variable)[0] for header, variable in service.headers_from.items()}
    return dict(service.headers) | {header: one_line(value, 200) for header, value in found.items() if value}
