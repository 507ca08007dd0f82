"""User settings for a model behind any API: the options, and one typed value of them.

A cap is on the visible reply. Thinking before it has its own budget, which is added to the cap sent to the provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.options import Option
from snellen.core.secret import Secret
from snellen.core.subject import Price

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
BUDGETS = {"none": 0, "minimal": 1024, "low": 2048, "medium": 8192, "high": 24576, "xhigh": 49152, "max": 65536}
"""The thinking budget in tokens for an effort, if the user gives no number."""
UNSAID = 8192
"""The same for a model that is known to think even if not asked to."""
LONGEST_THOUGHT = 1_000_000


class Settings(NamedTuple):
    """The settings for reaching a model and asking it. `key` is not part of a run's identity.

    `reasoning` is an effort by name or a number of tokens; None leaves it to the model. `max_thinking` is the budget in tokens.
    """

    base_url: str | None = None
    key: Secret = Secret("")
    max_tokens: int = 256
    temperature: float | None = 0.0
    top_logprobs: int = 0
    price: Price | None = None
    price_file: str | None = None
    extra: Mapping[str, Any] = {}
    seed: int | None = None
    stop: tuple[str, ...] = ()
    detail: str | None = None
    reasoning: str | int | None = None
    max_thinking: int | None = None

    def thinking_budget(self, thinks: bool) -> int:
        """Return how many tokens may be spent on thinking; `thinks` means that the model thinks unasked.

        >>> Settings(reasoning="low").thinking_budget(True), Settings(reasoning=500).thinking_budget(False)
        (2048, 500)
        >>> Settings().thinking_budget(False), Settings(max_thinking=99).thinking_budget(True)
        (0, 99)
        """
        if self.max_thinking is not None:
            return self.max_thinking
        if isinstance(self.reasoning, int):
            return self.reasoning
        if self.reasoning is not None:
            return BUDGETS[self.reasoning]
        return UNSAID if thinks else 0


def settings_from(asked: Mapping[str, Any], max_tokens: int) -> Settings:
    """Build settings from the values of declared options; an option that a kind does not declare is at its default."""
    from snellen.subjects.prices import PriceOption, given_price

    plain = Settings()
    price = given_price(asked["price"]) if asked.get("price") else PriceOption()
    return Settings(
        base_url=asked.get("base_url"),
        key=Secret((asked.get("api_key") or "").strip()),
        max_tokens=asked.get("max_tokens") or max_tokens,
        temperature=asked.get("temperature", plain.temperature),
        top_logprobs=asked.get("logprobs") or 0,
        price=price.price,
        price_file=price.file,
        extra=asked.get("extra") or {},
        seed=asked.get("model_seed"),
        stop=(asked["stop"],) if isinstance(asked.get("stop"), str) else tuple(asked.get("stop") or ()),
        detail=asked.get("detail"),
        reasoning=_checked_reasoning(asked.get("reasoning")),
        max_thinking=asked.get("max_thinking"),
    )


# ---------------------------------------------------------------- the options


def _temperature(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise SnellenError(f"--temperature {text}: a number, or 'none'") from None


def _object(text: str) -> Mapping[str, Any]:
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise SnellenError(f"--extra must be a JSON object: {error}") from None


def _checked_reasoning(value: str | int | None) -> str | int | None:
    """Check an effort by name, or a number of tokens.

    >>> _checked_reasoning("high"), _checked_reasoning("2000"), _checked_reasoning(None)
    ('high', 2000, None)
    """
    if value is None or value in EFFORTS:
        return value
    try:
        tokens = int(value)
    except ValueError:
        tokens = -1
    if not 0 <= tokens <= LONGEST_THOUGHT:
        raise SnellenError(f"--reasoning {value}: one of {', '.join(EFFORTS)}, or a number of tokens")
    return tokens or "none"


MAX_TOKENS = Option(
    "max_tokens",
    "Longest visible reply in tokens, thinking not counted (default: the exam's).",
    kind="int",
    metavar="N",
    least=1,
)
TEMPERATURE = Option(
    "temperature",
    "Sampling temperature; 'none' leaves it to the endpoint. 0 unless given, except where a model is known to refuse it.",
    default=0.0,
    metavar="T",
    parse=_temperature,
)
REASONING = Option(
    "reasoning",
    f"How much the model may think: {', '.join(EFFORTS)}, or a number of tokens (default: as the model does by itself).",
    metavar="EFFORT|N",
    parse=_checked_reasoning,
)
MAX_THINKING = Option(
    "max_thinking",
    "Tokens that thinking may take beside the reply (default: by --reasoning; 8192 for models known to think).",
    kind="int",
    metavar="N",
    least=0,
    most=LONGEST_THOUGHT,
)
MODEL_SEED = Option("model_seed", "Random seed that is sent to the endpoint.", kind="int", metavar="N")
STOP = Option("stop", "Text at which the reply ends.", metavar="TEXT", parse=lambda text: (text,))
DETAIL = Option(
    "detail",
    "How finely pictures are looked at, as the provider names it: low, high, auto; for Gemini also medium, ultra_high.",
    metavar="LEVEL",
)
BASE_URL = Option("base_url", "Address of the endpoint, such as http://localhost:8000/v1.", metavar="URL")
API_KEY = Option(
    "api_key",
    "Key of the endpoint; better in the environment or in .env (OPENAI_API_KEY, ANTHROPIC_API_KEY, ...).",
    metavar="KEY",
)
LOGPROBS = Option(
    "logprobs",
    "Ask for token log-probabilities with K alternatives.",
    kind="int",
    default=0,
    metavar="K",
    least=0,
    most=20,
)
PRICE = Option(
    "price",
    "USD per million input and output tokens, such as 2.5/10, or a file of prices; goes before the built-in table.",
    metavar="IN/OUT|FILE",
)
EXTRA = Option(
    "extra",
    'More fields of the request body, such as \'{"provider": {"order": ["x"]}}\'.',
    metavar="JSON",
    parse=_object,
)
COMMON = (BASE_URL, API_KEY, MAX_TOKENS, TEMPERATURE, REASONING, MAX_THINKING, PRICE, EXTRA)
