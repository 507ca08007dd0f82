"""Known parameter quirks of model families: which think unasked, which refuse a temperature. Dated 2026-11.

It only decides defaults. An unknown model is asked like any other, and a parameter that it refuses is left out then.
Sources: the providers' own packages for Python (openai 3.49, anthropic 2.8, google-genai 3.1), their migration guides
(platform.claude.com/docs/en/models, ai.google.dev/gemini-api/docs) and model cards.
"""

from __future__ import annotations

import re

from snellen.subjects.remote.settings import BUDGETS

REFUSES_TEMPERATURE = "models of this family refuse a temperature, so none is sent"
_OPENAI_THINKS = re.compile(r"(?:o[1-9](?:-(?:mini|preview|pro))?|gpt-[5-9](?:\.\d+)?)(?![a-z0-9.])(?!-chat)")
_CLAUDE = re.compile(r"claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")
_GEMINI = re.compile(r"gemini-(\d+)(?:\.(\d+))?(?!\d)")
_NEWEST = (99, 0)
Version = tuple[int, int]
_NAMED_SO = re.compile(r"think|reason|(?:^|[-_/])r1(?![a-z0-9])|qwq|qvq|magistral")


def _name(model: str) -> str:
    return model.rpartition("/")[2].lower()


def _version(model: str, family: str, numbers: re.Pattern[str]) -> Version | None:
    """Return the generation of a family's model, by its name; None for another model, and the newest if the name does not tell."""
    name = _name(model)
    if family not in name:
        return None
    found = numbers.search(name)
    return (int(found[1]), int(found[2] or 0)) if found else _NEWEST


def thinks(model: str) -> bool:
    """Tell whether a model thinks before it answers, even if not asked to.

    >>> [thinks(m) for m in ("openai/gpt-5-mini", "o3", "gpt-4o", "gpt-5-chat-latest", "Qwen3-VL-8B-Thinking", "qwen2-vl")]
    [True, True, False, False, True, False]
    >>> [thinks(m) for m in ("claude-opus-4-8", "claude-sonnet-5", "gemini-2.0-flash", "gemini-2.5-pro", "gemini-2.5-flash-lite")]
    [False, True, False, True, False]
    """
    name = _name(model)
    claude, gemini = _claude_version(model), _gemini_version(model)
    if claude is not None:
        return claude >= (5, 0)
    if gemini is not None:
        return gemini >= (2, 5) and not (gemini == (2, 5) and "lite" in name)
    return bool(_OPENAI_THINKS.match(name) or _NAMED_SO.search(name))


def refuses_temperature(model: str) -> bool:
    """Tell whether a model is known to answer a request that has a temperature with an error.

    >>> [refuses_temperature(m) for m in ("openai/o4-mini", "gpt-5", "gpt-4.1", "gpt-5-chat-latest")]
    [True, True, False, False]
    >>> [refuses_temperature(m) for m in ("claude-haiku-4-5", "claude-opus-4-7", "claude-fable-5-1")]
    [False, True, True]
    """
    return bool(_OPENAI_THINKS.match(_name(model))) or (_claude_version(model) or (0, 0)) >= (4, 7)


def ignores_temperature(model: str) -> bool:
    """Tell whether a model is known to accept a temperature and ignore it.

    >>> [ignores_temperature(m) for m in ("gemini-3.1-pro-preview", "gemini-3.5-flash-lite", "gemini-3.8-flash")]
    [False, True, True]
    """
    version = _gemini_version(model)
    return version is not None and (version >= (3, 6) or (version == (3, 5) and "lite" in model))


def temperature(model: str, wish: float | None) -> tuple[dict[str, float], dict[str, str]]:
    """Return the parameter to send for a wished temperature, and the reason if none is sent.

    >>> temperature("gpt-4o", 0.0), temperature("gpt-5", 0.7), temperature("gpt-5", None)
    (({'temperature': 0.0}, {}), ({'temperature': 0.7}, {}), ({}, {}))
    """
    if wish == 0.0 and refuses_temperature(model):
        return {}, {"temperature": REFUSES_TEMPERATURE}
    return ({} if wish is None else {"temperature": wish}), {}


def effort(wish: str | int) -> str:
    """Return the effort that a wish for thinking means, by its budget, for services that know efforts only.

    >>> effort("high"), effort(500), effort(9000)
    ('high', 'minimal', 'medium')
    """
    if isinstance(wish, str):
        return wish
    return max((name for name in BUDGETS if BUDGETS[name] <= max(wish, 1024)), key=BUDGETS.__getitem__)


# ---------------------------------------------------------------- Claude


def _claude_version(model: str) -> Version | None:
    """Return the generation of a Claude model, by its name; None for another model, and the newest if the name does not tell.

    >>> [_claude_version(m) for m in ("claude-opus-4-20250514", "claude-3-7-sonnet-latest", "anthropic/claude-opus-4.6", "gpt-5")]
    [(4, 0), (3, 7), (4, 6), None]
    >>> _claude_version("claude-mythos-preview"), _claude_version("claude-sonnet-5-5")
    ((5, 0), (5, 5))
    """
    found = _version(model, "claude", _CLAUDE)
    return (5, 0) if found == _NEWEST and "mythos-preview" in model.lower() else found


def takes_thinking_budget(model: str) -> bool:
    """Tell whether a Claude model takes a number of tokens to think with; newer ones take an effort.

    >>> [takes_thinking_budget(m) for m in ("claude-haiku-4-5", "claude-opus-4-6", "claude-next")]
    [True, False, False]
    """
    version = _claude_version(model)
    return version is not None and version < (4, 6)


def how_not_to_think(model: str) -> str:
    """Return the `thinking.type` that keeps a Claude model that thinks unasked from thinking; an empty text if none does.

    >>> [how_not_to_think(m) for m in ("claude-opus-5", "claude-sonnet-5-5", "claude-opus-5-5", "claude-fable-5")]
    ['disabled', 'between_tools', '', '']
    """
    name, version = _name(model), _claude_version(model) or (0, 0)
    if "mythos" in name or "fable" in name or ("opus" in name and version >= (5, 5)):
        return ""
    return "between_tools" if "sonnet" in name and version >= (5, 5) else "disabled"


# ---------------------------------------------------------------- Gemini


def _gemini_version(model: str) -> Version | None:
    """Return the generation of a Gemini model, by its name; None for another model, and the newest if the name does not tell.

    >>> [_gemini_version(m) for m in ("models/gemini-2.5-flash", "gemini-3-pro-preview", "gemini-flash-latest", "gemma-3-27b-it")]
    [(2, 5), (3, 0), (99, 0), None]
    """
    return _version(model, "gemini", _GEMINI)


def thinking_range(model: str) -> tuple[int, int] | None:
    """Return the fewest and most thinking tokens that a Gemini model of the second generation accepts; 0 switches thinking off.

    >>> thinking_range("gemini-2.5-pro"), thinking_range("gemini-2.5-flash"), thinking_range("gemini-3.8-flash")
    ((128, 32768), (0, 24576), None)
    """
    if _gemini_version(model) != (2, 5):
        return None
    name = _name(model)
    if "lite" in name:
        return 512, 24576
    return (0, 24576) if "flash" in name else (128, 32768)
