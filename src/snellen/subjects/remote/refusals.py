"""Which parameter an endpoint refuses: from the error that it answers with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from snellen.subjects.remote.format import Said

_REFUSING = re.compile(
    r"unsupported|not (?:be )?(?:currently )?support|n't support|not (?:allowed|permitted|available|enabled)"
    r"|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|invalid|only the default|may only|must be"
    r"|can(?:not|'t) (?:be|specify)|deprecated|no longer|does not accept",
    re.IGNORECASE,
)


def refused_parameters(said: Said, sent: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Those of the parameters that were sent which an error is about. `sent` has each with the fields of the body that carry it.

    A field inside objects (`generationConfig.seed`) is named by its path or by its own name.

    >>> refused_parameters(Said("Unsupported value: 'temperature' does not support 0.0", "unsupported_value", "temperature"),
    ...     {"temperature": ("temperature",), "seed": ("seed",)})
    ['temperature']
    >>> refused_parameters(Said("This model does not support images"), {"temperature": ("temperature",)})
    []
    """
    if said.parameter:
        exact = [name for name, fields in sent.items() if _leads(said.parameter, fields)]
        if exact:
            return exact
    if not _REFUSING.search(said.message) and not _REFUSING.search(said.code.replace("_", " ")):
        return []
    named = [name for name, fields in sent.items() if any(_named(field, said.message) for field in fields)]
    return named[:1]


def _leads(parameter: str, fields: Iterable[str]) -> bool:
    """Whether a field, or something inside it, is what the error names: `reasoning.effort` is of `reasoning`."""
    plain = _plain(parameter)
    return any(
        plain == _plain(f) or plain.endswith("." + _plain(f)) or plain.startswith(_plain(f) + ".") for f in fields
    )


def _named(field: str, message: str) -> bool:
    """Whether a message names a field or, of one inside objects, its last name: in snake case, camel case or with spaces."""
    for name in {field, field.rpartition(".")[2]}:
        words = _plain(name).replace(".", "_").split("_")
        pattern = r"[ _.-]?".join(map(re.escape, words))
        if re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", message, re.IGNORECASE):
            return True
    return False


def _plain(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().strip("`'\" ")
