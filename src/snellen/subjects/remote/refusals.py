"""Find the parameter that an endpoint refuses, from its error. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from snellen.subjects.remote.format import ErrorBody

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

_QUESTION = frozenset(
    {
        "messages",
        "input",
        "contents",
        "content",
        "prompt",
        "instructions",
        "system",
        "image",
        "images",
        "image_url",
        "model",
    }
)
"""Fields of the question itself: an error that names one of them is not about a parameter, whatever its words are."""
_TECHNICAL = frozenset({"temperature", "logprobs"})
"""Single words that errors use only for the parameter. `stop`, `seed`, `include` or `reasoning` may occur in any sentence."""
_ALSO = {"reasoning": ("thinking",)}
"""Other names for a parameter, used by some servers."""
_AS_PARAMETER = (
    r"[`'\"](?:[\w\[\].]*\.)?{0}(?:\.[\w.]+)?[`'\"]",  # in quotes, also as a part of a path
    r"(?<=\w\.){0}(?![\w.-])",  # at the end of a path
    r"\b(?:param(?:eter)?|argument|field|propert(?:y|ie)|option|input|setting)s?\b[^.!?]{{0,40}}(?<![\w-]){0}(?![\w-]|\.\w)",
    r"(?<![\w-]){0}(?: sequences?| efforts?| budgets?| levels?| summar(?:y|ies))?"
    r"\s*(?:[:=]|\b(?:is|are|not|may|must|should|can|cannot|does|param(?:eter)?|argument|field|option|unsupported)\b)",
    r"\b(?:support|accept|allow|permit)\w*\s+(?:the\s+|custom\s+|an?\s+)?{0}(?![\w-]|\s+models?\b)",
    r"\b(?:unsupported|unknown|unrecogni[sz]ed|invalid|deprecated)\s+(?:value\s+(?:for|of)\s+)?{0}(?![\w-])",
)
"""Patterns of sentences that name a parameter, and do not just contain its word."""


def goes_by(said: ErrorBody, name: str, other: str) -> bool:
    """Tell whether an error refuses a field for its name, so that the other name may work; not if its value is wrong.

    >>> names = "max_tokens", "max_completion_tokens"
    >>> goes_by(ErrorBody("Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."), *names)
    True
    >>> goes_by(ErrorBody("'max_tokens' or 'max_completion_tokens' is too large: 8448", "invalid_value", "max_tokens"), *names)
    False
    """
    if _OF_SIZE.search(said.message):
        return False
    if _plain(said.parameter) != name and not _named(name, said.message):
        return False
    words = f"{said.message} {said.code.replace('_', ' ')}"
    return _named(other, said.message) or _UNKNOWN.search(words) is not None


def refused_parameters(said: ErrorBody, sent: Mapping[str, tuple[str, ...]], doubtful: bool = False) -> list[str]:
    """Return those of the sent parameters that an error is about. `sent` maps each to the fields of the body that carry it.

    A nested field (`generationConfig.seed`) is named by its path or by its own name. If the endpoint has taken the same
    parameters before (`doubtful`), an error has to name one of them plainly.

    >>> refused_parameters(ErrorBody("Unsupported value: 'temperature' does not support 0.0", "unsupported_value", "temperature"),
    ...     {"temperature": ("temperature",), "seed": ("seed",)})
    ['temperature']
    >>> refused_parameters(ErrorBody("This model does not support images"), {"temperature": ("temperature",)})
    []
    >>> refused_parameters(ErrorBody("Invalid image: unexpected stop"), {"stop": ("stop",)})
    []
    """
    if said.parameter:
        exact = [name for name, fields in sent.items() if _leads(said.parameter, fields)]
        if exact:
            return exact
        if re.split(r"[.\[]", _plain(said.parameter))[0] in _QUESTION:
            return []
    if not _REFUSING.search(said.message) and not _REFUSING.search(said.code.replace("_", " ")):
        return []
    for whole in (True, False):
        named = [name for name, fields in sent.items() if any(_named(f, said.message, whole, doubtful) for f in fields)]
        if named:
            return named[:1]
    return [name for name in sent if any(_named(word, said.message) for word in _ALSO.get(name, ()))][:1]


def _leads(parameter: str, fields: Iterable[str]) -> bool:
    """Tell whether an error names a field, something inside it, or its parent: `reasoning.effort` belongs to `reasoning`."""
    plain = _plain(parameter)
    return any(
        plain == _plain(f)
        or plain.endswith("." + _plain(f))
        or plain.startswith(_plain(f) + ".")
        or _plain(f).startswith(plain + ".")
        for f in fields
    )


def _named(field: str, message: str, whole: bool = True, plainly: bool = False) -> bool:
    """Tell whether a message names a field or, for a nested one, its last name; or (not `whole`) just its parent.

    Names are found in snake case, in camel case and with spaces. An everyday word has to be written like a parameter.
    """
    for name in {field, field.rpartition(".")[2]} if whole else {field.partition(".")[0]}:
        words = _plain(name).replace(".", "_").split("_")
        pattern = r"[ _.-]?".join(map(re.escape, words))
        if plainly or (len(words) == 1 and words[0] not in _TECHNICAL):
            found = any(re.search(form.format(pattern), message, re.IGNORECASE) for form in _AS_PARAMETER)
        else:
            found = re.search(rf"(?<![a-z0-9]){pattern}(?![a-z0-9])", message, re.IGNORECASE) is not None
        if found:
            return True
    return False


def _plain(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower().strip("`'\" ")
