"""What families of models are known to do with parameters: who thinks unasked, who refuses a temperature. Dated 2026-11.

It only decides defaults. A model that is not known is asked as any other, and what it refuses is left out then.
Sources: the providers' own packages for Python (openai 3.49, anthropic 2.8, google-genai 3.1) and model cards.
"""

from __future__ import annotations

import re

from snellen.subjects.remote.settings import BUDGETS

REFUSES_TEMPERATURE = "models of this family refuse a temperature, so none is sent"
_OPENAI_THINKS = re.compile(r"(?:o[1-9](?:-(?:mini|preview|pro))?|gpt-[5-9](?:\.\d+)?)(?![a-z0-9.])(?!-chat)")
_NAMED_SO = re.compile(r"think|reason|(?:^|[-_/])r1(?![a-z0-9])|qwq|qvq|magistral")


def _name(model: str) -> str:
    return model.rpartition("/")[2].lower()


def thinks(model: str) -> bool:
    """Whether a model thinks before it speaks although nobody asked it to.

    >>> [thinks(m) for m in ("openai/gpt-5-mini", "o3", "gpt-4o", "gpt-5-chat-latest", "Qwen3-VL-8B-Thinking", "qwen2-vl")]
    [True, True, False, False, True, False]
    """
    name = _name(model)
    return bool(_OPENAI_THINKS.match(name) or _NAMED_SO.search(name))


def refuses_temperature(model: str) -> bool:
    """Whether a model is known to answer a request that has a temperature with an error.

    >>> [refuses_temperature(m) for m in ("openai/o4-mini", "gpt-5", "gpt-4.1", "gpt-5-chat-latest")]
    [True, True, False, False]
    """
    return bool(_OPENAI_THINKS.match(_name(model)))


def temperature(model: str, wish: float | None) -> tuple[dict[str, float], dict[str, str]]:
    """What is sent for a wished temperature, and why nothing is.

    >>> temperature("gpt-4o", 0.0), temperature("gpt-5", 0.7), temperature("gpt-5", None)
    (({'temperature': 0.0}, {}), ({'temperature': 0.7}, {}), ({}, {}))
    """
    if wish == 0.0 and refuses_temperature(model):
        return {}, {"temperature": REFUSES_TEMPERATURE}
    return ({} if wish is None else {"temperature": wish}), {}


def effort(wish: str | int) -> str:
    """The effort that a wish for thinking means, for services that know efforts only: by its budget.

    >>> effort("high"), effort(500), effort(9000)
    ('high', 'minimal', 'medium')
    """
    if isinstance(wish, str):
        return wish
    return max((name for name in BUDGETS if BUDGETS[name] <= max(wish, 1024)), key=BUDGETS.__getitem__)
