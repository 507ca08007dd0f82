"""The replies of the benchmark's endpoint, in each provider's documented form: the same word, with all the usual fields.

`CALLS` has the reply to every request line that is a call, `FACTS` the services' descriptions of a model before a run.
"""

from __future__ import annotations

import json
from typing import Any

WORD, THOUGHT = "Color", "The discs differ in nothing but their color."
OPENAI, ANTHROPIC, GEMINI, DEPLOYMENT = "gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "bench"
"""Models with a price that Snellen knows, so that pricing is measured too, and an Azure deployment without a known price."""

_PASSED = {name: {"filtered": False, "severity": "safe"} for name in ("hate", "self_harm", "sexual", "violence")}

COMPATIBLE: dict[str, Any] = {
    "id": "chatcmpl-bench",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "bench-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": WORD}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 833, "completion_tokens": 1, "total_tokens": 834},
}
AZURE: dict[str, Any] = {
    "id": "chatcmpl-bench",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "gpt-4.1-mini-2025-04-14",
    "system_fingerprint": "fp_bench",
    "prompt_filter_results": [
        {"prompt_index": 0, "content_filter_results": {**_PASSED, "jailbreak": {"filtered": False, "detected": False}}}
    ],
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": WORD, "refusal": None, "annotations": []},
            "logprobs": None,
            "finish_reason": "stop",
            "content_filter_results": _PASSED,
        }
    ],
    "usage": {
        "prompt_tokens": 833,
        "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0},
        "completion_tokens": 1,
        "completion_tokens_details": {
            "accepted_prediction_tokens": 0,
            "audio_tokens": 0,
            "reasoning_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
        "total_tokens": 834,
    },
}
RESPONSES: dict[str, Any] = {
    "id": "resp_bench",
    "object": "response",
    "created_at": 1700000000,
    "status": "completed",
    "background": False,
    "error": None,
    "incomplete_details": None,
    "instructions": None,
    "max_output_tokens": 16484,
    "max_tool_calls": None,
    "model": f"{OPENAI}-2025-08-07",
    "output": [
        {"id": "rs_bench", "type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT}]},
        {
            "id": "msg_bench",
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "annotations": [], "logprobs": [], "text": WORD}],
        },
    ],
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "reasoning": {"effort": "medium", "summary": "detailed"},
    "safety_identifier": None,
    "service_tier": "default",
    "store": False,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}, "verbosity": "medium"},
    "tool_choice": "auto",
    "tools": [],
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "usage": {
        "input_tokens": 833,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 13,
        "output_tokens_details": {"reasoning_tokens": 12},
        "total_tokens": 846,
    },
    "user": None,
    "metadata": {},
}
MESSAGE: dict[str, Any] = {
    "id": "msg_bench",
    "type": "message",
    "role": "assistant",
    "model": f"{ANTHROPIC}-20250929",
    "content": [
        {"type": "thinking", "thinking": THOUGHT, "signature": "c2lnbmF0dXJl"},
        {"type": "text", "text": WORD, "citations": None},
    ],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 833,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 13,
        "output_tokens_details": {"thinking_tokens": 12},
        "service_tier": "standard",
    },
}
CONTENT: dict[str, Any] = {
    "candidates": [
        {
            "content": {
                "parts": [{"text": THOUGHT, "thought": True}, {"text": WORD, "thoughtSignature": "c2lnbmF0dXJl"}],
                "role": "model",
            },
            "finishReason": "STOP",
            "index": 0,
        }
    ],
    "usageMetadata": {
        "promptTokenCount": 833,
        "candidatesTokenCount": 1,
        "totalTokenCount": 846,
        "promptTokensDetails": [
            {"modality": "TEXT", "tokenCount": 575},
            {"modality": "IMAGE", "tokenCount": 258},
        ],
        "thoughtsTokenCount": 12,
    },
    "modelVersion": GEMINI,
    "responseId": "bench",
}


def response(said: Any, status: str = "200 OK") -> bytes:
    """Return a complete response with a JSON body."""
    body = json.dumps(said).encode()
    return f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


CALLS = {
    b"POST /v1/chat/completions": response(COMPATIBLE),
    b"POST /v1/responses": response(RESPONSES),
    b"POST /v1/messages": response(MESSAGE),
    f"POST /v1beta/models/{GEMINI}:generateContent".encode(): response(CONTENT),
    b"POST /openai/v1/chat/completions": response(AZURE),
}
FACTS = {
    f"GET /v1/models/{ANTHROPIC}".encode(): response(
        {
            "type": "model",
            "id": ANTHROPIC,
            "display_name": "Claude",
            "created_at": "2025-09-29T00:00:00Z",
            "max_tokens": 64_000,
        }
    ),
    f"GET /v1beta/models/{GEMINI}".encode(): response(
        {"name": f"models/{GEMINI}", "version": "001", "outputTokenLimit": 65_536, "thinking": True}
    ),
}
