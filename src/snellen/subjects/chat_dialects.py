"""The ways to ask for thinking in services that speak the chat format. From their own sources and documentation, 2026-08 to 2026-11."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.subjects import model_quirks
from snellen.subjects.compatible import ChatFormat

SWITCH = "thinking switch"
BUDGET = "thinking budget"


class OpenRouterFormat(ChatFormat):
    """OpenRouter: one object, with an effort or a number of tokens (openrouter.ai/docs, reasoning tokens)."""

    def reasoning(self, wish: str | int, budget: int) -> Mapping[str, Any]:
        return {"reasoning": {"max_tokens": wish} if isinstance(wish, int) else {"effort": wish}}


class TemplateFormat(ChatFormat):
    """SGLang: an effort, and the switch in models' chat templates (python/sglang/srt/entrypoints/openai/protocol.py).

    Older servers know only one of the two, so either can be left out.
    """

    droppable: Mapping[str, tuple[str, ...]] = {
        **ChatFormat.droppable,
        "reasoning": ("reasoning_effort",),
        SWITCH: ("chat_template_kwargs",),
    }

    def reasoning(self, wish: str | int, budget: int) -> Mapping[str, Any]:
        effort = model_quirks.effort(wish)
        return {"reasoning_effort": effort, "chat_template_kwargs": {"enable_thinking": effort != "none"}}


class VllmFormat(TemplateFormat):
    """vLLM: also a number of tokens, if the server was started for it (vllm/entrypoints/openai/chat_completion/protocol.py)."""

    droppable: Mapping[str, tuple[str, ...]] = {BUDGET: ("thinking_token_budget",), **TemplateFormat.droppable}

    def reasoning(self, wish: str | int, budget: int) -> Mapping[str, Any]:
        counted = {"thinking_token_budget": wish} if isinstance(wish, int) else {}
        return {**super().reasoning(wish, budget), **counted}


class LlamaCppFormat(TemplateFormat):
    """llama.cpp: a number of tokens under its current and its former name (tools/server/server-common.cpp)."""

    droppable: Mapping[str, tuple[str, ...]] = {
        BUDGET: ("reasoning_budget_tokens", "thinking_budget_tokens"),
        **TemplateFormat.droppable,
    }

    def reasoning(self, wish: str | int, budget: int) -> Mapping[str, Any]:
        counted = {"reasoning_budget_tokens": wish, "thinking_budget_tokens": wish} if isinstance(wish, int) else {}
        return {**super().reasoning(wish, budget), **counted}


class LmStudioFormat(ChatFormat):
    """LM Studio: four efforts only (from its users' reports; it has no public source)."""

    NEAREST: Mapping[str, str] = {"minimal": "low", "xhigh": "high", "max": "high"}

    def reasoning(self, wish: str | int, budget: int) -> Mapping[str, Any]:
        effort = model_quirks.effort(wish)
        return {"reasoning_effort": self.NEAREST.get(effort, effort)}
