"""suite.toml: which exams, which models, and the settings for all of them. Reading it asks nothing and opens no data.

The keys of a table are declared in the same way as options. So a key that has no effect is refused with its place and a suggestion. A key
that takes one value may have a list of them: each value makes a run of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen import exams, subjects
from snellen.core.errors import SnellenError, unknown
from snellen.core.options import Option
from snellen.core.secret import is_key_like
from snellen.core.text import one_line

LARGEST = 1 << 20
_KEYS = tomllib.loads(files("snellen.engine.suite").joinpath("keys.toml").read_text("utf-8"))
SUITE, EXAM, MODEL = (
    tuple(Option(name, **said) for name, said in keys.items())
    for keys in (_KEYS["suite"] | _KEYS["every"], _KEYS["exam"] | _KEYS["every"], _KEYS["model"])
)
_TYPES: Mapping[str, tuple[Any, str]] = {
    "text": (str, "a text"),
    "int": (int, "a whole number"),
    "float": (int | float, "a number"),
    "flag": (bool, "true or false"),
    "bool": (bool, "true or false"),
    "pairs": (dict, "a table, such as {crop = 'fixed'}"),
    "words": (list[str] | str, "a list of texts"),
}
_SECRET = ("api_key", "apikey", "api-key", "authorization", "password", "secret", "token", "x-api-key")
"""Names, in any mix of cases, whose values are keys."""


class SuiteEntry(NamedTuple):
    """One exam or one model of a suite, with one value for each key: its place in the file, its name and its settings.

    `values` are those that distinguish it from others of its name, for people. `options` are the exam's or the model's own.
    """

    place: str
    name: str
    common: Mapping[str, Any]
    options: Mapping[str, Any]
    values: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Its name, and what distinguishes it from others of that name."""
        return " ".join([self.name, *self.values])


class Suite(NamedTuple):
    """A suite: every exam with every model that takes it. `common` is the table [suite]."""

    name: str
    exams: tuple[SuiteEntry, ...]
    models: tuple[SuiteEntry, ...]
    common: Mapping[str, Any] = {}


def read_suite(path: Path) -> Suite:
    """Read a suite from its file. An error is one line with the problem and its place."""
    document = _document(path)
    tables = ("suite", "exam", "model")
    for key in document:
        if key not in tables:
            raise SnellenError(f"{path}: {unknown('table', one_line(key), tables)}")
    suite = document.get("suite", {})
    if not isinstance(suite, dict):
        raise SnellenError(f"{path}: 'suite' is a table: write [suite]")
    common = _values(suite, SUITE, f"{path}: [suite]")
    found = {kind: tuple(_entries(path, document.get(kind, []), kind)) for kind in ("exam", "model")}
    for kind, some in found.items():
        if not some:
            raise SnellenError(f"{path}: no [[{kind}]]: a suite needs at least one")
    return Suite(str(common.get("name") or path.stem), found["exam"], found["model"], common)


def _document(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise SnellenError(f"{path}: the suite cannot be read ({error.strerror})") from None
    if len(raw) > LARGEST:
        raise SnellenError(f"{path}: too long for a suite (more than {LARGEST:,} bytes)")
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SnellenError(f"{path}: not a text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise SnellenError(f"{path}: not TOML: {one_line(str(error))}") from None


def _entries(path: Path, tables: Any, kind: str) -> Iterator[SuiteEntry]:
    if not isinstance(tables, list) or not all(isinstance(one, dict) for one in tables):
        raise SnellenError(f"{path}: '{kind}' is a list of tables: write [[{kind}]] above each")
    named = "name" if kind == "exam" else "spec"
    for number, table in enumerate(tables, 1):
        place = f"{path}: [[{kind}]] {number}"
        _refuse_keys(table, place)
        names = table.get(named)
        several = names if isinstance(names, list) else [names]
        if not several or not all(isinstance(name, str) and name for name in several):
            example = 'name = "salbench"' if kind == "exam" else 'spec = "openai/gpt-4o"'
            raise SnellenError(f"{place} has no {named}: write {example}")
        for name in several:
            yield from _each(
                f"{place} ({one_line(name, 80)})", name, {k: v for k, v in table.items() if k != named}, kind
            )


def _each(place: str, name: str, table: dict[str, Any], kind: str) -> Iterator[SuiteEntry]:
    """Yield the entries of a table: one for each value of a key that has several."""
    try:
        own = _own(name, table, kind)
    except SnellenError as error:
        raise SnellenError(f"{place}: {error}") from None
    allowed = {o.name: o for o in ((*EXAM, *own) if kind == "exam" else (*MODEL, *own))}
    for key in table:
        if key not in allowed:
            raise SnellenError(f"{place}: {unknown('key', one_line(key), [k for k in allowed if k not in _SECRET])}")
    axes = {k: v for k, v in table.items() if isinstance(v, list) and allowed[k].kind != "words"}
    for key, values in axes.items():
        if not values:
            raise SnellenError(f"{place}: {key} = []: at least one value")
    for chosen in product(*axes.values()):
        one = table | dict(zip(axes, chosen, strict=True))
        chosen_values = tuple(f"{k}={v}" for k, v in zip(axes, chosen, strict=True) if len(axes[k]) > 1)
        found = _values(one, allowed.values(), place)
        common = {k: v for k, v in found.items() if k not in {o.name for o in own}}
        yield SuiteEntry(place, name, common, {k: v for k, v in found.items() if k not in common}, chosen_values)


def _own(name: str, table: Mapping[str, Any], kind: str) -> tuple[Option, ...]:
    """Return the options that the exam or the model declares."""
    if kind == "exam":
        return exams.load(exams.known(name)).options
    found, behind = subjects.find(name)
    return found.takes(behind, table, subjects.options_of)


def _values(table: Mapping[str, Any], allowed: Iterable[Option], place: str) -> dict[str, Any]:
    """Return checked values by key."""
    by_name = {o.name: o for o in allowed}
    found = {}
    for key, value in table.items():
        if key not in by_name:
            raise SnellenError(f"{place}: {unknown('key', one_line(key), by_name)}")
        found[key] = _value(by_name[key], value, f"{place}: {key}")
    return found


def _value(option: Option, value: Any, place: str) -> Any:
    kind, said = _TYPES[option.kind]
    free = option.kind == "text" and option.parse is not None and isinstance(value, (int, float, dict))
    try:
        value = value if free else msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise SnellenError(f"{place} = {one_line(repr(value), 80)}: {said} is wanted") from None
    if option.kind == "words":
        return tuple(dict.fromkeys([value] if isinstance(value, str) else value))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        least, most = option.least, option.most
        if (least is not None and value < least) or (most is not None and value > most):
            bounds = f"from {least:g}" if most is None else f"from {least or 0:g} to {most:g}"
            raise SnellenError(f"{place} = {value}: a number {bounds} is wanted")
    if option.parse is not None and isinstance(value, str):
        try:
            return option.parse(value)
        except SnellenError as error:
            raise SnellenError(f"{place}: {error}") from None
    return value


def _refuse_keys(value: Any, place: str) -> None:
    """Refuse a key in a file, because other people may read it: it belongs in the environment."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name.lower() in _SECRET and inner:
                raise SnellenError(
                    f"{place}: {one_line(name)} does not belong in a file: put the key into the environment or .env, and name the "
                    'variable if it is not the usual one: api_key_env = "MY_KEY"'
                )
            _refuse_keys(inner, place)
    elif isinstance(value, list):
        for inner in value:
            _refuse_keys(inner, place)
    elif isinstance(value, str) and is_key_like(value):
        raise SnellenError(
            f"{place} holds what looks like an API key, which does not belong in a file: put it into the environment or .env "
            "(and take this one back at the provider if others could read the file)"
        )
