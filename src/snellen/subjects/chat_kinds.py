"""The services that speak the chat format: `openrouter/`, `openai-chat/`, `ollama/`, `vllm/`, `api/` and others."""

from __future__ import annotations

from snellen.subjects.compatible import CHAT
from snellen.subjects.openai_batches import OpenAIBatches
from snellen.subjects.remote.kind import RemoteKind
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import DETAIL, LOGPROBS, MODEL_SEED

MORE = (LOGPROBS, MODEL_SEED, DETAIL)

OPENROUTER = RemoteKind(
    Service(
        "openrouter",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY", "EVAL_API_KEY"),
        needs_key=True,
        headers={"X-Title": "Snellen"},
        reports_cost=True,
        has_prices=True,
    ),
    CHAT,
    "a model at OpenRouter (OPENROUTER_API_KEY)",
    MORE,
)
OPENAI = RemoteKind(
    Service(
        "openai",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY", "EVAL_API_KEY"),
        address_variables=("OPENAI_BASE_URL",),
        needs_key=True,
        headers_from={"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"},
        length_parameter="max_completion_tokens",
        batches=lambda base: OpenAIBatches("/chat/completions", base),
        lists_models=False,
        has_prices=True,
    ),
    CHAT,
    "a model at OpenAI (OPENAI_API_KEY)",
    MORE,
)
OLLAMA = RemoteKind(
    Service(
        "ollama",
        "http://localhost:11434/v1",
        ("OLLAMA_API_KEY",),
        address_variables=("OLLAMA_HOST",),
        codecs=frozenset({"png", "jpeg"}),
        start_hint="start it with 'ollama serve', or name it with --base-url or OLLAMA_HOST",
        default_port=11434,
    ),
    CHAT,
    "a model served by Ollama on this machine (OLLAMA_HOST moves it)",
    MORE,
)
VLLM = RemoteKind(
    Service(
        "vllm",
        "http://localhost:8000/v1",
        ("VLLM_API_KEY", "EVAL_API_KEY"),
        start_hint="start it with 'vllm serve MODEL', or name it with --base-url",
    ),
    CHAT,
    "a model served by vLLM (--base-url, default http://localhost:8000/v1)",
    MORE,
)
API = RemoteKind(
    Service(
        "api",
        "",
        ("SNELLEN_API_KEY", "EVAL_API_KEY"),
        address_variables=("EVAL_BASE_URL",),
        start_hint="check --base-url and that the server runs",
        lists_models=False,
    ),
    CHAT,
    "a model on any OpenAI-compatible server (--base-url)",
    MORE,
)
