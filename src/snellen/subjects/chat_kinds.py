"""The services that speak the chat format: `openrouter/`, `openai-chat/`, `ollama/`, `vllm/`, `sglang/`, `lmstudio/`, `llamacpp/`, `api/`.

Parameters marked as ignored are ignored in the services' sources of 2026-08, or according to their own tracker.
"""

from __future__ import annotations

from snellen.core.subject import Hosting
from snellen.subjects.chat_dialects import LlamaCppFormat, LmStudioFormat, OpenRouterFormat, TemplateFormat, VllmFormat
from snellen.subjects.compatible import CHAT
from snellen.subjects.openai_batches import OpenAIBatches
from snellen.subjects.openai_responses import OPENAI
from snellen.subjects.remote.kind import RemoteKind
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import DETAIL, LOGPROBS, MODEL_SEED, STOP

MORE = (LOGPROBS, MODEL_SEED, STOP, DETAIL)

OPENROUTER = RemoteKind(
    Service(
        "openrouter",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY", "EVAL_API_KEY"),
        needs_key=True,
        headers={"X-Title": "Snellen"},
        reports_cost=True,
        has_prices=True,
        hosting=Hosting("provider"),
    ),
    OpenRouterFormat(),
    "a model at OpenRouter (OPENROUTER_API_KEY)",
    MORE,
)
OPENAI_CHAT = RemoteKind(
    OPENAI.service._replace(
        prefix="openai-chat",
        length_parameter="max_completion_tokens",
        batches=lambda base: OpenAIBatches("/chat/completions", base),
    ),
    CHAT,
    "a model at OpenAI, by its older chat completions (OPENAI_API_KEY)",
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
        models_at="/api/tags",
        ignores={"detail": "Ollama reads nothing but the picture"},
        hosting=Hosting("self", "Ollama"),
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
        ignores={"detail": "vLLM says that it is not supported and ignored"},
        hosting=Hosting("self", "vLLM"),
        serves=("vllm", "serve"),
    ),
    VllmFormat(),
    "a model served by vLLM (--base-url, default http://localhost:8000/v1)",
    MORE,
)
SGLANG = RemoteKind(
    Service(
        "sglang",
        "http://localhost:30000/v1",
        ("SGLANG_API_KEY", "EVAL_API_KEY"),
        start_hint="start it with 'python -m sglang.launch_server --model-path MODEL', or name it with --base-url",
        hosting=Hosting("self", "SGLang"),
        serves=("python", "-m", "sglang.launch_server", "--model-path"),
    ),
    TemplateFormat(),
    "a model served by SGLang (--base-url, default http://localhost:30000/v1)",
    MORE,
)
LMSTUDIO = RemoteKind(
    Service(
        "lmstudio",
        "http://localhost:1234/v1",
        ("LM_API_TOKEN", "EVAL_API_KEY"),
        codecs=frozenset({"png", "jpeg", "webp"}),
        start_hint="start it with 'lms server start', or name it with --base-url",
        ignores={"logprobs": "LM Studio's chat completions give none (lmstudio-ai/lms issue 60)"},
        hosting=Hosting("self", "LM Studio"),
    ),
    LmStudioFormat(),
    "a model served by LM Studio (--base-url, default http://localhost:1234/v1)",
    MORE,
)
LLAMACPP = RemoteKind(
    Service(
        "llamacpp",
        "http://localhost:8080/v1",
        ("LLAMA_API_KEY", "EVAL_API_KEY"),
        codecs=frozenset({"png", "jpeg", "gif"}),
        start_hint="start it with 'llama-server -m MODEL --mmproj FILE', or name it with --base-url",
        lists_models=False,
        ignores={"detail": "llama.cpp reads nothing but the picture"},
        hosting=Hosting("self", "llama.cpp"),
    ),
    LlamaCppFormat(),
    "a model served by llama.cpp (--base-url, default http://localhost:8080/v1)",
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
