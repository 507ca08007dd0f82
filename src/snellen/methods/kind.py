"""Grounding methods as a kind of subject: `method/NAME`, with the models, the parser and the processes that a method needs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import SnellenError
from snellen.core.installing import install_command
from snellen.core.options import Option
from snellen.core.secret import without_logins
from snellen.core.subject import BuildContext, OptionsOf, Subject, SubjectKind
from snellen.data.dotenv import overlaid
from snellen.exams.grounding.options import (
    METHOD_OPTIONS,
    MODEL,
    OF_METHODS,
    OMNIPARSER_URL,
    ORACLE,
    PLANNER,
    PREFIX,
    UITARS_URL,
)

if TYPE_CHECKING:
    from snellen.methods.base import Method

UITARS = "vllm/ByteDance-Seed/UI-TARS-1.5-7B"
UITARS_AT = "http://localhost:8001/v1"
_OMNIPARSER_AT = "http://localhost:8000"
_UITARS_REPLY = 128  # tokens, as the maintainers' evaluation has it; with top_p 1
PATIENCE = 1.0  # seconds
_MOST_READ = 1 << 20  # bytes of a reply


class MethodKind(SubjectKind):
    """`method/NAME`."""

    prefix = PREFIX
    forms: Mapping[str, str] = {
        "method/NAME": "a grounding method ('snellen list methods' shows them; --method NAME is short for it)"
    }
    options = OF_METHODS
    exams = ("grounding",)

    def takes(self, name: str, given: Mapping[str, Any], options_of: OptionsOf) -> tuple[Option, ...]:
        """Return the options of the method, and those of the models that it asks. Refuse a method's options that it does not need."""
        needs = _made(name, given, 0)[0].needs
        needed = {
            METHOD_OPTIONS: True,
            MODEL: "model" in needs or "planner" in needs,
            PLANNER: "planner" in needs,
            OMNIPARSER_URL: "parser:omniparser" in needs,
        }
        found = {option.name: option for option, is_needed in needed.items() if is_needed}
        for spec in (_model(name, given), given.get(PLANNER.name)):
            if spec is not None:
                found |= {option.name: option for option in options_of(spec)}
        if _is_uitars(name) and "base_url" in found:
            found[UITARS_URL.name] = UITARS_URL
        for option in (MODEL, *OF_METHODS):
            if option.name not in found and given.get(option.name):
                raise SnellenError(
                    f"{option.spellings[0]} has no effect with the method {name}, which does not need it"
                )
        return tuple(found.values())

    def build(self, name: str, given: BuildContext) -> Subject:
        """Build a method with its requirements. An oracle also gets the truths, apart from the questions."""
        from snellen.methods.oracle import OracleMethod, target_of
        from snellen.methods.subject import MethodSubject, Outside
        from snellen.methods.wire_omniparser import OmniParserEndpoint

        options, environ = given.options, _environ()
        method, own = _made(name, options, given.seed)
        spec, planner = _model(name, options), options.get(PLANNER.name)
        model = None if spec is None else given.build(spec, _for_model(name, given, environ))
        parser = options.get(OMNIPARSER_URL.name) or environ.get("EVAL_OMNIPARSER_URL") or _OMNIPARSER_AT
        if isinstance(method, OracleMethod):
            if given.data is None:
                raise SnellenError(f"method {name} looks at the answer: it needs a data set")
            method.truths = {sample.id: target_of(sample) for sample in given.data.light()}
        outside = Outside(
            model=model,
            planner=model if planner is None else given.build(planner, {}),
            parser=OmniParserEndpoint(parser) if "parser:omniparser" in method.needs else None,
        )
        return MethodSubject(method, outside, own)

    def catalogue(self) -> list[dict[str, Any]]:
        """List all methods with their requirements, and say if those are available. Each server is asked, for at most a second."""
        from snellen.methods.catalogue import catalogue
        from snellen.methods.ocr import missing
        from snellen.methods.wire_omniparser import probe_url

        environ = _environ()
        parser = environ.get("EVAL_OMNIPARSER_URL") or _OMNIPARSER_AT
        uitars = environ.get("EVAL_UITARS_URL") or UITARS_AT
        ready = _state(probe_url(parser), "omniparser", "OmniParser")
        listed = _state(uitars.rstrip("/") + "/models", '"data"', "a model server")
        there = {
            "model": "--model",
            "planner": "--planner or --model",
            "parser:omniparser": f"a server at {without_logins(parser)} ({ready})",
            "parser:ocr": "embedded",
            "extra:ocr": "installed" if missing() is None else f"MISSING: {install_command('ocr')}",
            "truth": "the answer itself",
        }
        server = f"--model, else {UITARS.removeprefix('vllm/')} at {without_logins(uitars)} ({listed})"
        rows = []
        for entry in catalogue():
            known = there | ({"model": server} if _is_uitars(entry.name) else {})
            needs = "; ".join(f"{need}: {known[need]}" for need in entry.needs) or "nothing"
            rows.append({"name": entry.name, "needs": needs, "about": entry.about, "oracle": entry.oracle})
        return rows


def _made(name: str, given: Mapping[str, Any], seed: int) -> tuple[Method, dict[str, Any]]:
    """Return a method and its own options, with the seed of the run where it draws by chance."""
    from snellen.methods import catalogue

    drawn = {"seed": seed} if catalogue.takes_seed(name) else {}
    own = drawn | dict(given.get(METHOD_OPTIONS.name) or {})
    return (catalogue.build_oracle if catalogue.is_oracle(name) else catalogue.build)(name, own), own


def _is_uitars(name: str) -> bool:
    """Tell whether a method's model is UI-TARS, which has an address of its own."""
    return name.removeprefix(ORACLE).startswith("uitars")


def _model(name: str, given: Mapping[str, Any]) -> str | None:
    return given.get(MODEL.name) or (UITARS if _is_uitars(name) else None)


def _for_model(name: str, given: BuildContext, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return what differs from the user's options for the model: UI-TARS's address, and the parameters that its maintainers send."""
    if not _is_uitars(name):
        return {}
    options = given.options
    changed: dict[str, Any] = {}
    address, base = options.get(UITARS_URL.name), options.get("base_url")
    if address and base:
        raise SnellenError("--base-url and --uitars-url are two addresses of one model: give one of them")
    if options.get(MODEL.name) is None:
        address = base or address or environ.get("EVAL_UITARS_URL") or UITARS_AT
    if address:
        changed["base_url"] = address
    own = options.get(METHOD_OPTIONS.name) or {}
    plans = not options.get(PLANNER.name) and "screenseeker" in (name.partition("+")[2], own.get("crop"))
    if plans or own.get("prompt", "official") != "official":
        return changed
    if options.get("max_tokens") in (None, given.exam.max_tokens):
        changed["max_tokens"] = _UITARS_REPLY
    return changed | {"extra": {"top_p": 1, **(options.get("extra") or {})}}


def _environ() -> dict[str, str]:
    return overlaid(os.environ, Path(), "EVAL_")


def _state(url: str, expected: str, name: str) -> str:
    """Say whether the expected server answers: with a text that only this server sends."""
    import http.client
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    try:
        connection = kind(parts.hostname or "", parts.port, timeout=PATIENCE)
        connection.request("GET", parts.path or "/")
        response = connection.getresponse()
        status, body = response.status, response.read(_MOST_READ)
        connection.close()
    except (OSError, http.client.HTTPException, ValueError):
        return "not reachable"
    if status == 200 and expected in body.decode(errors="replace").lower():
        return "there"
    return f"something answers there, but it is not {name}: status {status}"


KIND = MethodKind()
