"""Prices: by exact names, dated and sourced; a user's file goes before the table; what nobody confirmed has no price."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.support.remote import remote

from snellen.core.errors import SnellenError
from snellen.core.secret import Secret
from snellen.core.subject import Price
from snellen.subjects.prices import built_in, given_price, read_table, table_price
from snellen.subjects.remote.settings import Settings, settings_from

KEY = Secret("sk-abc123456")
TODAY = dt.date(2026, 11, 17)


def found(service: str, model: str) -> Price:
    price = table_price(service, model, TODAY)
    assert price is not None
    return price


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize(
    ("service", "model", "figures"),
    [
        # what the providers' pages said on the day that the table names
        ("openai", "gpt-4o", (2.5, 10.0, 1.25)),
        ("openai", "gpt-4o-2024-11-20", (2.5, 10.0, 1.25)),
        ("openai", "gpt-4o-2024-05-13", (5.0, 15.0, None)),
        ("openai", "gpt-4o-mini", (0.15, 0.6, 0.075)),
        ("openai", "gpt-5-mini-2025-08-07", (0.25, 2.0, 0.025)),
        ("openai-chat", "gpt-4o", (2.5, 10.0, 1.25)),
        ("anthropic", "claude-opus-4-5", (5.0, 25.0, 0.5)),
        ("anthropic", "claude-opus-4-5-20251101", (5.0, 25.0, 0.5)),
        ("anthropic", "claude-opus-4-20250514", (15.0, 75.0, 1.5)),
        ("anthropic", "claude-haiku-4-5", (1.0, 5.0, 0.1)),
        ("openrouter", "anthropic/claude-opus-4.5", (5.0, 25.0, 0.5)),
        ("openrouter", "anthropic/claude-3-haiku", (0.25, 1.25, None)),
        ("gemini", "gemini-2.5-flash", (0.3, 2.5, 0.03)),
    ],
)
def test_known_models(service: str, model: str, figures: tuple[float, float, float | None]) -> None:
    price = found(service, model)
    assert (price.input, price.output, price.cached) == figures


@pytest.mark.parametrize(
    ("service", "model"),
    [
        ("openai", "gpt-4o-2031-01-01"),  # a snapshot that nobody has listed may cost anything
        ("openai", "gpt-4omega"),
        ("openai", "GPT-4o"),
        ("openai", "openai/gpt-4o"),
        ("anthropic", "claude-opus-4"),
        ("anthropic", "claude-opus-4-9"),
        ("anthropic", "claude-fable-5-2"),  # in Anthropic's package, and no source has a price
        ("openrouter", "gpt-4o"),
        ("openrouter", "google/paligemma-3b"),
        ("openrouter", "qwen/qwen2.5-vl-72b-instruct"),  # three sources, three prices
        ("azure", "gpt-4o"),  # a deployment's name says nothing
        ("vllm", "Qwen/Qwen2.5-VL-7B-Instruct"),
    ],
)
def test_nothing_is_guessed(service: str, model: str) -> None:
    assert table_price(service, model, TODAY) is None


def test_every_entry_has_a_source_a_date_and_says_how_it_is_known() -> None:
    entries = built_in().entries
    assert len(entries) >= 80
    for service, model, entry in entries:
        assert urlsplit(entry.source).scheme == "https", model
        assert entry.valid is not None, model
        assert dt.date(2025, 1, 1) <= entry.valid <= TODAY, model
        assert entry.known in ("page", "tables", "reports"), model
        assert entry.input <= entry.output, model
        assert entry.cached is None or entry.cached < entry.input, model
        assert entry.batch in (None, 0.5), model
        assert service in ("openai", "anthropic", "gemini", "openrouter"), model
        said = found(service, model).source
        assert str(entry.valid) in said
        assert entry.source in said


def test_a_price_that_ends_is_unknown_afterwards() -> None:
    assert table_price("gemini", "gemini-3.8-flash", dt.date(2026, 12, 31)) is not None
    assert table_price("gemini", "gemini-3.8-flash", dt.date(2027, 1, 1)) is None


def test_the_price_of_a_long_input_is_unknown_where_it_differs() -> None:
    assert found("openai", "gpt-5.5").up_to == 272_000
    assert found("anthropic", "claude-haiku-5-5").up_to == 100_000
    assert found("gemini", "gemini-2.5-pro").up_to == 200_000


def test_free_models_of_openrouter_are_free() -> None:
    assert found("openrouter", "qwen/qwen2.5-vl-72b-instruct:free").input == 0.0
    assert table_price("openai", "gpt-9:free") is None


# ---------------------------------------------------------------- --price


def test_in_and_out() -> None:
    price = given_price("2.5/10").price
    assert price is not None
    assert price.of(1_000_000, 1_000_000) == 12.5
    assert price.source == "--price"


@pytest.mark.parametrize("text", ["cheap", "1", "1/2/3", "1/x", "-1/2", "nan/1", "1/inf", "prices.yaml"])
def test_what_is_no_price_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SnellenError) as error:
        given_price(text)
    assert f"--price {text}: " in str(error.value)
    assert "\n" not in str(error.value)


TOML = """
[openai."gpt-4o"]
input = 1
output = 2
cached = 0.5
batch = 0.25
also = ["gpt-4o-mine"]
valid = 2026-11-01
source = "our contract"

[api.eyes]
input = 0.1
output = 0.2
"""


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_file_goes_before_the_table_and_the_table_fills_its_gaps(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"prices.{suffix}"
    mine = {"input": 1, "output": 2, "cached": 0.5, "batch": 0.25, "also": ["gpt-4o-mine"], "valid": "2026-11-01"}
    document = {"openai": {"gpt-4o": mine}, "api": {"eyes": {"input": 0.1, "output": 0.2}}}
    file.write_text(TOML if suffix == "toml" else json.dumps(document))
    settings = settings_from({"price": str(file)}, 64)._replace(key=KEY, base_url="http://127.0.0.1:1/v1")
    own = remote("openai", "gpt-4o", settings).price
    assert own == Price(1.0, 2.0, f"--price prices.{suffix}, as of 2026-11-01", cached=0.5, batch=0.25)
    assert remote("openai", "gpt-4o-mine", settings).price == own
    assert remote("openai", "gpt-4.1", settings).price.source.startswith("built-in table")
    assert remote("api", "eyes", settings).price.input == 0.1
    assert remote("api", "ears", settings).price is None


def test_the_endpoints_own_list_goes_before_the_table_and_not_before_a_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[openrouter."openai/gpt-4o"]\ninput = 1\noutput = 2\n')
    listing = json.dumps(
        {"data": [{"id": "openai/gpt-4o", "pricing": {"prompt": "0.000003", "completion": "0.000009"}}]}
    )
    plain = remote("openrouter", "openai/gpt-4o", Settings(key=KEY))
    plain.learn(listing.encode())
    assert (plain.price.input, plain.price.output) == (pytest.approx(3.0), pytest.approx(9.0))
    given = remote("openrouter", "openai/gpt-4o", Settings(key=KEY, price_file=str(file)))
    given.learn(listing.encode())
    assert (given.price.input, given.price.output) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[openai.'gpt-4o']\ninput = 1\n", '[openai."gpt-4o"]: Object missing required field `output`'),
        ("[openai.'gpt-4o']\ninput = 'x'\noutput = 1\n", '[openai."gpt-4o"]: Expected `float`, got `str`'),
        ("[openai.'gpt-4o']\ninput = -1\noutput = 1\n", '[openai."gpt-4o"]: Expected `float` >= 0'),
        ("[openai.'gpt-4o']\ninput = 1\noutput = 1\nbatch = 2\n", '[openai."gpt-4o"]: Expected `float` <= 1'),
        ("[openai.'gpt-4o']\ninput = 1\noutput = 1\ncahced = 2\n", "unknown field `cahced`"),
        ("[openai.'gpt-4o']\ninput = 1\noutput = 1\nvalid = 'soon'\n", "Invalid RFC3339"),
        (
            "[openai.a]\ninput=1\noutput=1\nalso=['b']\n[openai.b]\ninput=1\noutput=1\n",
            '[openai."b"]: "b" is there twice',
        ),
        ("openai = 3\n", "[openai]: expected models"),
        ("[openai\n", "not TOML"),
    ],
)
def test_a_wrong_file_is_told_with_entry_and_fault(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(SnellenError) as error:
        given_price(str(file))
    assert str(error.value).startswith(f"--price {file}: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b'{"openai": []}'])
def test_a_wrong_json_file_too(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "prices.json"
    file.write_bytes(content)
    with pytest.raises(SnellenError, match=r"prices\.json: "):
        given_price(str(file))
    with pytest.raises(SnellenError, match="cannot be read"):
        given_price(str(tmp_path / "none.json"))


def test_the_built_in_table_is_a_file_of_the_same_form(tmp_path: Path) -> None:
    from snellen.subjects import prices

    copy = tmp_path / "copy.toml"
    copy.write_bytes(prices.BUILT_IN.read_bytes())
    assert read_table(copy).entries == built_in().entries
