"""Whose rule for the tokens of a picture is which: by the model's name, each with its source and the date when it said so."""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.core.resizing import PROCESSOR, PixelLimits
from snellen.subjects import image_rules as rules
from snellen.subjects.image_rules import UNLIMITED, Count, PatchLimit

OPENAI = "https://developers.openai.com/api/docs/guides/images-vision (2026-10)"
CLAUDE = "https://platform.claude.com/docs/en/build-with-claude/vision (2026-07)"
GEMINI_2 = "https://ai.google.dev/gemini-api/docs/image-understanding (2026-09)"
GEMINI_3 = "https://ai.google.dev/gemini-api/docs/media-resolution (2026-09)"
TOGETHER = "https://docs.together.ai/docs/vision-overview (2026)"
WEIGHTS = "the model's image processor in Hugging Face transformers"
NO_SIZE = 1500
"""What a picture counts whose size cannot be read."""


class Rule(NamedTuple):
    """How a family counts. `published` says that its source names the model; else it is what its relatives do."""

    family: str
    tokens: Count
    source: str
    published: bool = True

    @property
    def about(self) -> str:
        """The rule in a line for people."""
        if self.source:
            return (
                f"{self.family}, by {self.source}" if self.published else f"{self.family}: estimated, as {self.source}"
            )
        return self.family


_OLD = PatchLimit(1536, 2048)
_NEW = PatchLimit(2500, 2048)
_LARGE = PatchLimit(10_000, 6000)
_TILES = {
    ("gpt-4o", "gpt-4.1", "gpt-4.5-preview", "gpt-4-turbo", "gpt-4-vision-preview", "chatgpt-4o-latest"): (85, 170),
    ("gpt-4o-mini",): (2833, 5667),
    ("gpt-5", "gpt-5-chat-latest"): (70, 140),
    ("o1", "o1-pro", "o3"): (75, 150),
    ("computer-use-preview",): (65, 129),
}
_PATCHES = {
    ("gpt-4.1-mini",): rules.patches(1.62, _OLD),
    ("gpt-4.1-nano",): rules.patches(2.46, _OLD),
    ("o4-mini",): rules.patches(1.72, _OLD),
    ("gpt-5-mini", "gpt-5.2", "gpt-5.2-chat-latest", "gpt-5.4-mini", "gpt-5.4-nano"): rules.patches(1.2, _OLD),
    ("gpt-5-nano",): rules.patches(1.5, _OLD),
    ("gpt-5.4",): rules.patches(1.2, _NEW, original=_LARGE),
    ("gpt-5.5",): rules.patches(1.2, _NEW, auto=_LARGE, original=_LARGE),
    # the limits of `high` are not told for these; 2,500 patches are what others have measured
    ("gpt-5.6", "gpt-5.6-sol", "gpt-5.6-terra", "gpt-5.6-luna", "gpt-6-astra"): rules.patches(
        1.2, PatchLimit(2500), auto=UNLIMITED, original=UNLIMITED
    ),
}
_OPENAI = {
    **{name: Rule("OpenAI tiles", rules.tiles(*cost), OPENAI) for names, cost in _TILES.items() for name in names},
    **{name: Rule("OpenAI patches", count, OPENAI) for names, count in _PATCHES.items() for name in names},
}
_CLAUDE_STANDARD = Rule("Claude, up to 1568 tokens", rules.visual_tokens(1568, 1568), CLAUDE)
_CLAUDE_FINE = Rule("Claude, up to 4784 tokens", rules.visual_tokens(2576, 4784), CLAUDE)
_QWEN_2 = Rule("Qwen2-VL, patches of 28", rules.merged_patches(28, PROCESSOR), WEIGHTS)
_QWEN_3 = Rule("Qwen3-VL, patches of 32", rules.merged_patches(32, PixelLimits(65_536, 16_777_216)), WEIGHTS)

_FAMILIES: tuple[tuple[str, Rule], ...] = (
    # OpenAI's that its guide does not name: as their nearest relatives
    (r"gpt-5\.1(?!\d)|o3-pro|gpt-5-pro", Rule("OpenAI tiles", rules.tiles(70, 140), "its guide has GPT-5", False)),
    (r"gpt-5[.-]", Rule("OpenAI patches", rules.patches(1.2, _OLD), "its guide has GPT-5.2", False)),
    (
        r"gpt-[6-9]",
        Rule(
            "OpenAI patches", rules.patches(1.2, PatchLimit(2500), UNLIMITED, UNLIMITED), "its guide has GPT-6", False
        ),
    ),
    # the copy of the guide is older than these, and others have counted fewer tokens for pictures of more than 2 megapixels
    (
        r"claude-(?:opus|sonnet|haiku)-[5-9][.-]\d(?!\d)",
        _CLAUDE_FINE._replace(source="its guide has 'Claude 4.7 and later models'", published=False),
    ),
    (r"claude-(?:opus-4[.-][789]|(?:opus|sonnet|haiku)-[5-9]|fable|mythos)", _CLAUDE_FINE),
    (r"claude", _CLAUDE_STANDARD),
    (r"gemini-(?:1\.5|2)", Rule("Gemini tiles", rules.gemini_tiles, GEMINI_2)),
    (r"gemini-3", Rule("Gemini 3, about 1120 a picture", rules.gemini_budget, GEMINI_3)),
    (r"gemini", Rule("Gemini 3", rules.gemini_budget, "its guide has Gemini 3", False)),
    (r"gemma-?3", Rule("Gemma 3", rules.fixed(258), WEIGHTS)),
    (r"qwen-?2(?:\.5)?-?vl|ui-?tars", _QWEN_2),
    (r"qwen-?3[\w.-]*|qwen3-?vl", _QWEN_3),
    (r"qwen", _QWEN_2._replace(source="Qwen2-VL does", published=False)),
    (r"llava-?(?:v?1\.6|next)|llava-v1\.6", Rule("LLaVA-NeXT", rules.llava_next, WEIGHTS)),
    (r"llava-?(?:v?1\.5)", Rule("LLaVA 1.5", rules.fixed(576), WEIGHTS)),
    (r"llava", Rule("LLaVA", rules.fixed(576), "LLaVA 1.5 does", False)),
    (r"internvl", Rule("InternVL tiles", rules.internvl, WEIGHTS)),
    (r"pixtral", Rule("Pixtral", rules.mistral(16, 1024), WEIGHTS)),
    (r"mistral-small", Rule("Mistral", rules.mistral(28, 1540), WEIGHTS)),
    (r"(?:mi|magi)stral|ministral", Rule("Mistral", rules.mistral(28, 1540), "Mistral Small does", False)),
    (r"llama-?4", Rule("Llama 4 tiles", rules.llama_4, WEIGHTS)),
    (r"llama-?3\.2", Rule("Llama 3.2", rules.llama_3, TOGETHER)),
)
_KNOWN = tuple((re.compile(pattern), rule) for pattern, rule in _FAMILIES)
UNKNOWN = Rule("unknown family: estimated as a token for 750 pixels", rules.by_area, "", False)
_SNAPSHOT = re.compile(r"-20\d\d-\d\d-\d\d$")


def image_rule(model: str) -> Rule:
    """The rule of a model, by its name after the vendor's; that of its relatives, or a plain guess, where nobody published one.

    >>> image_rule("openai/gpt-4o-2024-08-06").family, image_rule("claude-opus-4-5").family
    ('OpenAI tiles', 'Claude, up to 1568 tokens')
    >>> image_rule("gpt-6.1-terra").published, image_rule("acme/eyes-1").about
    (False, 'unknown family: estimated as a token for 750 pixels')
    """
    name = model.rpartition("/")[2].lower().partition(":")[0]
    exact = _OPENAI.get(_SNAPSHOT.sub("", name))
    if exact is not None:
        return exact
    return next((rule for pattern, rule in _KNOWN if pattern.search(name)), UNKNOWN)


def image_tokens(model: str, width: int, height: int, detail: str | None = None) -> int:
    """How many tokens a picture of that size is for a model.

    >>> image_tokens("openai/gpt-4o", 1024, 1024), image_tokens("openai/gpt-4o", 1024, 1024, "low")
    (765, 85)
    """
    if width <= 0 or height <= 0:
        return NO_SIZE
    return image_rule(model).tokens(width, height, detail)
