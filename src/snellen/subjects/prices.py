"""Token prices: a dated table with sources (prices.toml), by exact names, and a user's own prices. An unknown model has no price."""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from math import inf
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.subject import Price
from snellen.core.text import one_line

BUILT_IN = Path(__file__).with_name("prices.toml")
SAME_SERVICE = {"openai-chat": "openai"}
"""Prefixes of `--model` that are other ways to the same service, at its prices."""
FREE = ":free"
FORM = "expected IN/OUT in USD per million tokens, such as 2.5/10, or a file of prices (.toml or .json)"
_EXPLAINED = "known"
_Rate = Annotated[float, msgspec.Meta(ge=0, lt=1e6)]


class PriceEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One model of a price file; prices.toml explains each field."""

    input: _Rate
    output: _Rate
    cached: _Rate | None = None
    cache_write: _Rate | None = None
    reasoning: _Rate | None = None
    batch: Annotated[float, msgspec.Meta(gt=0, le=1)] | None = None
    up_to: Annotated[int, msgspec.Meta(gt=0)] | None = None
    also: tuple[str, ...] = ()
    valid: dt.date | None = None
    until: dt.date | None = None
    source: str = ""
    known: str = ""
    note: str = ""

    def holds(self, today: dt.date) -> bool:
        """Tell whether the price still holds, according to its own dates."""
        return self.until is None or today <= self.until

    def price(self, source: str) -> Price:
        """Return the price with its source."""
        return Price(
            self.input, self.output, source, self.cached, self.cache_write, self.reasoning, self.batch, self.up_to
        )


class _ListedPrice(NamedTuple):
    """An entry with its service and model name, as `snellen list prices` shows it."""

    service: str
    model: str
    entry: PriceEntry


class _PriceTable:
    """A price file: every entry by service and exact name."""

    def __init__(self, entries: tuple[_ListedPrice, ...]) -> None:
        self.entries = entries
        self._by_name: dict[tuple[str, str], PriceEntry] = {}
        for service, model, entry in entries:
            for name in (model, *entry.also):
                if (service, name) in self._by_name:
                    raise SnellenError(f'{_place(service, model)}: "{name}" is there twice')
                self._by_name[service, name] = entry

    def get(self, service: str, model: str) -> PriceEntry | None:
        """Return the entry of a model by its exact name."""
        return self._by_name.get((SAME_SERVICE.get(service, service), model)) or self._by_name.get((service, model))


# ---------------------------------------------------------------- looking up


@cache
def built_in() -> _PriceTable:
    """Return the table that comes with Snellen."""
    return read_table(BUILT_IN)


def table_price(service: str, model: str, today: dt.date | None = None) -> Price | None:
    """Return the price of a model from the built-in table, by its exact name in the service's spelling; None if it is not listed.

    >>> table_price("openai", "gpt-4o-mini-2024-07-18").input, table_price("openai", "gpt-4o").input
    (0.15, 2.5)
    >>> table_price("openai", "gpt-4o-mini-tomorrow"), table_price("azure", "gpt-4o")
    (None, None)
    >>> table_price("openrouter", "acme/anything:free").input
    0.0
    """
    if service == "openrouter" and model.endswith(FREE):
        return Price(0.0, 0.0, f"'{FREE}' in the name")
    entry = built_in().get(service, model)
    if entry is None or not entry.holds(today or dt.datetime.now(dt.UTC).date()):
        return None
    return entry.price(f"built-in table, as of {entry.valid}: {entry.source}")


class PriceOption(NamedTuple):
    """The value of `--price`: one price for all calls, or a file."""

    price: Price | None = None
    file: str | None = None


def given_price(text: str) -> PriceOption:
    """Parse `--price IN/OUT`, USD for a million tokens, or `--price FILE`, which is read and checked at once."""
    path = Path(text)
    if path.suffix.lower() in (".toml", ".json"):
        _user_table(str(path))
        return PriceOption(file=str(path.absolute()))
    try:
        per_input, per_output = (float(x) for x in text.split("/"))
    except ValueError:
        raise SnellenError(f"--price {one_line(text)}: {FORM}") from None
    if not (0 <= per_input < inf and 0 <= per_output < inf):
        raise SnellenError(f"--price {one_line(text)}: a price is a number from 0 on")
    return PriceOption(Price(per_input, per_output, "--price"))


def file_price(file: str | None, service: str, model: str) -> Price | None:
    """Return the price of a model from a user's file; None without a file, or if the model is not in it."""
    entry = _user_table(file).get(service, model) if file else None
    if entry is None or file is None:
        return None
    return entry.price(f"--price {Path(file).name}" + (f", as of {entry.valid}" if entry.valid else ""))


@cache
def _user_table(file: str) -> _PriceTable:
    try:
        return read_table(Path(file))
    except SnellenError as error:
        raise SnellenError(f"--price {one_line(file)}: {error}") from None


# ---------------------------------------------------------------- reading


def read_table(path: Path) -> _PriceTable:
    """Read and check a price file; an error names the wrong entry and the problem."""
    found = _parsed(path)
    if not isinstance(found, dict):
        raise SnellenError("expected tables of models under the services' names")
    return _PriceTable(tuple(_entries(found)))


def _parsed(path: Path) -> Any:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise SnellenError(f"cannot be read ({error.strerror})") from None
    try:
        if path.suffix.lower() == ".json":
            return json.loads(raw.decode("utf-8-sig"))
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:  # both kinds of decoding errors are ValueErrors
        raise SnellenError(f"not {path.suffix[1:].upper()} ({one_line(str(error), 120)})") from None


def _entries(found: Mapping[str, Any]) -> Iterator[_ListedPrice]:
    for service, models in found.items():
        if service == _EXPLAINED:
            continue
        if not isinstance(models, dict):
            raise SnellenError(f"[{one_line(service, 60)}]: expected models, each with input and output")
        for model, fields in models.items():
            try:
                yield _ListedPrice(service, model, msgspec.convert(fields, PriceEntry, strict=True))
            except msgspec.ValidationError as error:
                raise SnellenError(f"{_place(service, model)}: {one_line(str(error), 160)}") from None


def _place(service: str, model: str) -> str:
    return f'[{one_line(service, 60)}."{one_line(model, 120)}"]'
