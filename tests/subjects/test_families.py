"""The table of model families: complete, exact about names, and in step with the grounding exam."""

from __future__ import annotations

import re

import pytest

from snellen.cli.list_command import gather
from snellen.methods.formats import FORMATS as EXAMS_OWN
from snellen.subjects.families import FORMATS, PLAIN, Family, families, family_of

EVERY = pytest.mark.parametrize("family", families(), ids=[f.name for f in families()])


@EVERY
def test_an_entry_says_where_it_is_from_when_and_how_sure(family: Family) -> None:
    assert family.source.startswith("https://")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", family.looked_up)
    assert family.sure in ("documented", "measured", "reported")
    assert bool(family.space) == bool(family.space_sure) == bool(family.space_source)
    assert family.sizes_known or family.rule


@EVERY
def test_an_entry_names_a_format_that_reads_its_space(family: Family) -> None:
    if family.format:
        assert family.format in FORMATS
        own = FORMATS[family.format]
        assert not family.space or own == family.space or (own, family.space) == ("resized_pixels", "image_pixels")


def test_formats_are_those_of_the_exam() -> None:
    assert {name: form.space for name, form in EXAMS_OWN.items()} == FORMATS
    assert set(PLAIN.values()) <= set(FORMATS)


@pytest.mark.parametrize("size", [(1920, 1080), (2560, 1440), (640, 480), (3840, 2160), (300, 2000)])
def test_what_a_format_sends_is_seen_as_it_is(size: tuple[int, int]) -> None:
    """The exam resizes before it sends; an endpoint of the family must then have nothing left to do."""
    for family in families():
        if family.format and FORMATS[family.format] == "resized_pixels":
            sent = EXAMS_OWN[family.format].size(*size)
            seen = family.seen(*sent)
            assert all(abs(a - b) <= 1 for a, b in zip(sent, seen, strict=True)), (family.name, sent, seen)


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-4o", "gpt-4o"),
        ("openai/gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4.1-nano", "gpt-4.1-mini"),
        ("gpt-5.4-mini", "gpt-5-mini"),
        ("gpt-5.6-terra", "gpt-5.6"),
        ("o3", "o-series"),
        ("anthropic/claude-3.5-sonnet", "claude-3-4"),
        ("claude-opus-4-1-20250805", "claude-3-4"),
        ("claude-opus-4-7", "claude-4.7"),
        ("claude-sonnet-5", "claude-4.7"),
        ("google/gemini-2.5-pro", "gemini-2"),
        ("gemini-3-flash-preview", "gemini-3"),
        ("qwen2.5vl:7b", "qwen2.5-vl"),
        ("Qwen/Qwen2-VL-7B-Instruct", "qwen2-vl"),
        ("qwen/qwen3-vl-235b-a22b-instruct", "qwen3-vl"),
        ("ByteDance-Seed/UI-TARS-1.5-7B", "ui-tars-1.5"),
        ("ByteDance-Seed/UI-TARS-7B-SFT", "ui-tars"),
        ("llava:7b", "llava-1.6"),
        ("llava-hf/llava-1.5-7b-hf", "llava-1.5"),
        ("OpenGVLab/InternVL3-8B", "internvl"),
        ("mistralai/pixtral-12b-2409", "pixtral"),
        ("allenai/Molmo-7B-D-0924", "molmo"),
        ("llama3.2-vision:11b", "llama-3.2-vision"),
        ("meta-llama/llama-4-scout", "llama-4"),
    ],
)
def test_models_find_their_family(model: str, family: str) -> None:
    found = family_of(model)
    assert found is not None and found.name == family


@pytest.mark.parametrize(
    "model",
    ["gpt-4o-audio-preview", "gpt-4o-realtime", "gpt-5.9", "my-gpt-4o", "claude-2.1", "claude-opus-6", "gemini-1.0-pro", "gemini", "qwen2.5-72b-instruct", "qwen3-32b", "llama-3.2-3b-instruct", "o3x", "", "reader"],
)  # fmt: skip
def test_nothing_is_guessed_from_how_a_name_begins(model: str) -> None:
    assert family_of(model) is None


def test_every_model_is_of_one_family_only() -> None:
    names = [
        "gpt-4o",
        "gpt-5",
        "gpt-5-mini",
        "gpt-5.4",
        "gpt-5.4-mini",
        "claude-opus-4-6",
        "claude-opus-4-7",
        "qwen2-vl-7b",
        "qwen2.5-vl-7b",
    ]
    for name in names:
        assert sum(any(re.fullmatch(p, name) for p in f.models) for f in families()) == 1, name


@pytest.mark.parametrize(
    ("family", "sent", "seen"),
    [
        ("gpt-4o", (1920, 1080), (1365, 768)),
        ("gpt-4.1-mini", (1800, 2400), (1056, 1408)),
        ("claude-3-4", (3000, 2000), (1344, 896)),
        ("qwen2.5-vl", (1920, 1080), (1932, 1092)),
        ("llava-1.5", (640, 480), (336, 336)),
        ("gpt-5.6", (4000, 3000), (4000, 3000)),
    ],
)
def test_sizes_by_the_families_own_rules(family: str, sent: tuple[int, int], seen: tuple[int, int]) -> None:
    entry = next(f for f in families() if f.name == family)
    got = entry.seen(*sent)
    assert all(abs(a - b) <= 0.02 * b for a, b in zip(got, seen, strict=True)), got


def test_the_list_shows_every_family() -> None:
    rows = gather("families")
    assert [r["family"] for r in rows] == [f.name for f in families()]
    assert all(r["source"] and r["sure"] for r in rows)
