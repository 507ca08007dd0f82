"""Tokens of pictures: the worked examples of the providers' documentation, and the image processors of open models."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.without_torch import needs_local

from snellen.subjects import image_rules as rules
from snellen.subjects.image_tokens import UNKNOWN, image_rule, image_tokens

SIZES = [(64, 64), (336, 336), (640, 480), (480, 640), (1000, 700), (1024, 1024), (1920, 1080), (1080, 1920), (2000, 500), (3840, 2160)]  # fmt: skip


@pytest.mark.parametrize(
    ("model", "size", "detail", "tokens"),
    [
        # developers.openai.com/api/docs/guides/images-vision, "Calculating costs": the two squares, and any size in low detail
        ("gpt-4o", (1024, 1024), "high", 765),
        ("gpt-4o", (2048, 4096), "high", 1105),
        ("gpt-4o", (4096, 8192), "low", 85),
        ("gpt-4.1", (1024, 1024), None, 765),
        ("gpt-4o-mini", (1024, 1024), None, 2833 + 4 * 5667),
        ("gpt-4o-mini", (1024, 1024), "low", 2833),
        ("gpt-5", (1024, 1024), "auto", 70 + 4 * 140),
        ("o3", (2048, 4096), None, 75 + 6 * 150),
        # the same page, patches: 1024 and 1452 of them before the model's multiplier
        ("gpt-4.1-mini", (1024, 1024), None, math.ceil(1024 * 1.62)),
        ("gpt-4.1-mini", (1800, 2400), None, math.ceil(1452 * 1.62)),
        ("gpt-4.1-nano", (1800, 2400), None, math.ceil(1452 * 2.46)),
        ("o4-mini", (1024, 1024), None, math.ceil(1024 * 1.72)),
        ("gpt-5-mini", (1800, 2400), None, math.ceil(1452 * 1.2)),
        ("gpt-5-nano", (1024, 1024), None, 1536),
        # what others counted at the API: huggingface.co/datasets/JOHNISKING/image-token-cost, 2026-10
        ("gpt-6-astra", (256, 256), None, 77),
        ("gpt-6-astra", (1280, 720), None, 1104),
        ("gpt-6-astra", (3840, 2160), None, 9792),
        ("gpt-6-astra", (4032, 3024), None, 14364),
        ("gpt-6-astra", (2560, 1440), "high", 2931),
        ("gpt-6-astra", (4032, 3024), "high", 2942),
        ("gpt-5.5", (3840, 2160), None, 9792),
        ("gpt-5.5", (4032, 3024), None, 11868),
    ],
)
def test_openai(model: str, size: tuple[int, int], detail: str | None, tokens: int) -> None:
    assert image_tokens(model, *size, detail) == tokens
    assert image_tokens(f"openai/{model}", *size, detail) == tokens
    assert image_rule(model).published


@pytest.mark.parametrize(
    ("size", "standard", "fine"),
    [
        # platform.claude.com/docs/en/build-with-claude/vision, "Resolution and token cost": the table of sizes
        ((200, 200), 64, 64),
        ((1000, 1000), 1296, 1296),
        ((1092, 1092), 1521, 1521),
        ((1920, 1080), 1560, 2691),
        ((2000, 1500), 1564, 3888),
        ((3840, 2160), 1560, 4784),
        # .../vision-coordinates: a page of A4 is 924 x 1307 for the standard models
        ((1075, 1520), 33 * 47, 39 * 55),
    ],
)
def test_claude(size: tuple[int, int], standard: int, fine: int) -> None:
    for model in (
        "claude-opus-4-5",
        "claude-haiku-4-5-20251001",
        "anthropic/claude-sonnet-4.6",
        "claude-3-haiku-20240307",
    ):
        assert image_tokens(model, *size) == standard
    for model in (
        "claude-opus-4-7",
        "anthropic/claude-opus-4.8",
        "claude-sonnet-5",
        "claude-fable-5-1",
        "claude-haiku-5-5",
    ):
        assert image_tokens(model, *size) == fine


@pytest.mark.parametrize(
    ("model", "size", "detail", "tokens"),
    [
        # ai.google.dev/gemini-api/docs/image-understanding: small pictures, and 960 x 540 in six tiles
        ("gemini-2.5-flash", (384, 384), None, 258),
        ("gemini-2.5-pro", (960, 540), None, 6 * 258),
        ("gemini-2.0-flash", (960, 540), None, 6 * 258),
        # cloud.google.com/vertex-ai: tiles are between 256 and 768 pixels
        ("gemini-2.5-flash", (3072, 3072), None, 16 * 258),
        ("gemini-2.5-flash", (600, 300), None, 6 * 258),
        # ai.google.dev/gemini-api/docs/media-resolution
        ("gemini-2.5-flash", (960, 540), "low", 64),
        ("gemini-2.5-flash", (960, 540), "medium", 256),
        ("gemini-3-flash-preview", (960, 540), None, 1120),
        ("google/gemini-3.1-pro-preview", (4000, 3000), "low", 280),
        ("gemini-3.5-flash", (4000, 3000), "medium", 560),
        ("gemini-3.8-flash", (4000, 3000), "ultra_high", 2240),
    ],
)
def test_gemini(model: str, size: tuple[int, int], detail: str | None, tokens: int) -> None:
    assert image_tokens(model, *size, detail) == tokens


@pytest.mark.parametrize(
    ("size", "tokens"), [((480, 720), 1601), ((720, 1280), 3202), ((1120, 1120), 6404), ((4000, 4000), 6404)]
)
def test_llama_3_2_as_together_bills_it(size: tuple[int, int], tokens: int) -> None:
    assert image_tokens("meta-llama/llama-3.2-11b-vision-instruct", *size) == tokens


# ---------------------------------------------------------------- open weights: transformers is the reference


@needs_local
@pytest.mark.parametrize("size", SIZES)
def test_qwen(size: tuple[int, int]) -> None:
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    width, height = size
    old = Qwen2VLImageProcessorPil(min_pixels=56 * 56, max_pixels=28 * 28 * 16384)
    new = Qwen2VLImageProcessorPil(patch_size=16, merge_size=2, min_pixels=65536, max_pixels=16777216)
    for names, processor in (
        (("qwen/qwen2-vl-7b-instruct", "Qwen/Qwen2.5-VL-72B-Instruct"), old),
        (("qwen/qwen3-vl-8b-instruct", "Qwen3.5-9B"), new),
    ):
        kwargs = {"min_pixels": processor.size["shortest_edge"], "max_pixels": processor.size["longest_edge"]}
        tokens = processor.get_number_of_image_patches(height, width, kwargs) // 4 + 2  # and vision_start, vision_end
        for name in names:
            assert image_tokens(name, width, height) == tokens


@needs_local
@pytest.mark.parametrize("size", SIZES)
def test_internvl(size: tuple[int, int]) -> None:
    from transformers.models.got_ocr2.image_processing_pil_got_ocr2 import GotOcr2ImageProcessorPil

    width, height = size
    processor = GotOcr2ImageProcessorPil(size={"height": 448, "width": 448}, crop_to_patches=True, max_patches=12)
    found = processor.get_number_of_image_patches(height, width, {"crop_to_patches": True, "max_patches": 12})
    assert image_tokens("OpenGVLab/InternVL3-8B", width, height) == 256 * found + 2


@needs_local
@pytest.mark.parametrize("size", SIZES)
def test_llava_next(size: tuple[int, int]) -> None:
    from transformers.models.llava_next.processing_llava_next import LlavaNextProcessor

    width, height = size

    class Stand:
        """As much of the processor as its own arithmetic asks for."""

        patch_size, num_additional_image_tokens = 14, 1
        image_processor = type("P", (), {"image_grid_pinpoints": [[336, 672], [672, 336], [672, 672], [1008, 336], [336, 1008]]})  # fmt: skip
        _get_unpadded_features = LlavaNextProcessor._get_unpadded_features

    stand: Any = Stand()
    tokens = LlavaNextProcessor._get_number_of_features(stand, height, width, 336, 336) - 1
    assert image_tokens("llava-hf/llava-v1.6-mistral-7b-hf", width, height) == tokens
    assert image_tokens("llava-1.5-7b-hf", width, height) == 576


@needs_local
@pytest.mark.parametrize("size", SIZES)
def test_mistral(size: tuple[int, int]) -> None:
    import numpy as np
    from transformers.models.pixtral.image_processing_pil_pixtral import get_resize_output_image_size

    width, height = size
    for name, patch, longest in (
        ("pixtral-12b-2409", 16, 1024),
        ("mistralai/mistral-small-3.2-24b-instruct", 28, 1540),
    ):
        high, wide = get_resize_output_image_size(
            np.zeros((height, width, 3), np.uint8), (longest, longest), (patch, patch)
        )
        assert image_tokens(name, width, height) == (wide // patch + 1) * (high // patch)


@pytest.mark.parametrize(
    ("size", "tokens"),
    [
        # transformers 5.22, models/llama4: find_supported_resolutions and get_best_fit, 144 patches a tile, and its marks
        ((336, 336), 147),
        ((640, 480), 727),
        ((1000, 700), 1452),
        ((1024, 1024), 2467),
        ((1080, 1920), 2322),
        ((2000, 500), 1887),
        ((3840, 2160), 2322),
    ],
)
def test_llama_4(size: tuple[int, int], tokens: int) -> None:
    assert image_tokens("meta-llama/llama-4-scout", *size) == tokens


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    "model",
    ["gpt-6.1-terra", "gpt-6-luna", "gpt-5.1", "gpt-5.3-chat-latest", "o3-pro", "claude-opus-5-5", "anthropic/claude-sonnet-5.5", "gemini-flash-latest", "llava-onevision", "qwen-vl-max"],
)  # fmt: skip
def test_a_model_that_the_source_does_not_name_is_an_estimate(model: str) -> None:
    rule = image_rule(model)
    assert not rule.published
    assert rule is not UNKNOWN
    assert "estimated, as" in rule.about


def test_an_unknown_family_is_estimated_by_area_and_says_so() -> None:
    assert image_rule("acme/eyes-7b") is UNKNOWN
    assert image_tokens("acme/eyes-7b", 1000, 750) == 1000
    assert "estimated" in UNKNOWN.about
    assert image_tokens("gpt-4o", 0, 0) == 1500


def test_every_published_rule_has_a_source() -> None:
    for model in ("gpt-4o", "gpt-5.4", "claude-sonnet-5", "gemini-2.5-pro", "gemini-3-flash-preview", "qwen2.5-vl-7b-instruct", "llama-4-maverick"):  # fmt: skip
        rule = image_rule(model)
        assert rule.published
        assert rule.source
        assert rule.source in rule.about


@given(st.integers(1, 9000), st.integers(1, 9000), st.sampled_from([None, "low", "high", "auto", "original", "medium"]))
def test_every_rule_counts_every_size_within_its_limits(width: int, height: int, detail: str | None) -> None:
    most = {
        "gpt-4o": 85 + 170 * 8,
        "gpt-4.1-mini": math.ceil(1536 * 1.62),
        "gpt-5.4": math.ceil(10_000 * 1.2),
        "claude-opus-4-5": 1568,
        "claude-opus-5": 4784,
        "gemini-3-flash-preview": 1120,
        "qwen2.5-vl-7b": 16384 + 2,
        "qwen3-vl-8b": 16384 + 2,
        "llava-v1.6": 2928,
        "internvl3-8b": 256 * 13 + 2,
        "pixtral-12b": 4160,
        "llama-4-scout": 147 + 145 * 16,
        "llama-3.2-90b": 6404,
    }
    for model, limit in most.items():
        assert 1 <= image_tokens(model, width, height, detail) <= limit, (model, width, height)
    assert rules.tiles(85, 170)(width, height, None) >= 255
