"""Which parameter an endpoint refuses: from the error that it answers with. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from snellen.subjects.remote.format import Said

_REFUSING = re.compile(
    r"unsupported|not (?:be )?(?:currently )?support|n't support|not (?:allowed|permitted|available|enabled|configured)"
    r"|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|invalid|only the default|may only|(?:must|should) be"
    r"|can(?:not|'t) (?:be|specify)|deprecated|no longer|does not accept",
    re.IGNORECASE,
)
_UNKNOWN = re.compile(
    r"unsupported parameter|not support|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|not permitted",
    re.IGNORECASE,
)
_OF_SIZE = re.compile(
    r"too (?:large|small|high|low|long)|exceed|at (?:most|least)|greater than|less than", re.IGNORECASE
)


def goes_by(said: Said, name: str, other: str) -> bool:
    """Whether an error refuses a field for its name, so that it may be taken under the other one; not if its value is at fault.

    >>> names = "max_tokens", "max_completion_tokens"
    >>> goes_by(Said("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."), *names)
    True
    >>> goes_by(Said("'max_tokens' or 'max_completion_tokens' is too large: 8448", "invalid_value", "max_tokens"), *names)
    False
    """
    if _OF_SIZE.search(said.message):
        return False
    if _plain(said.parameter) != name and not _named(name, said.message):
        return False
    words = f"{said.message} {said.code.replace('_', ' ')}"
    return _named(other, said.message) or _UNKNOWN.search(words) is not None


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
    for whole in (True, False):
        named = [name for name, fields in sent.items() if any(_named(f, said.message, whole) for f in fields)]
        if named:
            return named[:1]
    return []


def _leads(parameter: str, fields: Iterable[str]) -> bool:
    """Whether a field, something inside it, or what it is inside of is what the error names: `reasoning.effort` is of `reasoning`."""
    plain = _plain(parameter)
    return any(
        plain == _plain(f)
        or plain.endswith("." + _plain(f))
        or plain.startswith(_plain(f) + ".")
        or _plain(f).startswith(plain + ".")
        for f in fields
    )


def _named(field: str, message: str, whole: bool = True) -> bool:
    """Whether a message names a field or, of one inside objects, its last name; or (not `whole`) just what it is inside of.

    Names are found in snake case, in camel case and with spaces.
    """
    for name in {field, field.rpartition(".")[2]} if whole else {field.partition(".")[0]}:
        words = _plain(name).replace(".", "_").split("_")
        pattern = r"[ _.-]?".join(map(re.escape, words))
        if re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", message, re.IGNORECASE):
            return True
    return False


def _plain(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().strip("`'\" ")
