"""Benchmarks and protocols of the user's own: files named by `--plugin path.py`, or packages with an entry point.

A plugin is a Python module with one or both of
    BENCHMARK = ...                        an object with the Benchmark interface (`benchmarks.simple` makes that short)
    PROTOCOLS = {"salbench": [..., ...]}   protocols to add to benchmarks, by the benchmark's name
The files' paths are kept in the environment variable SNELLEN_PLUGINS, so that the processes of a run find them too.
Loading a plugin runs it: name only files that you trust.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.exam import Benchmark, Protocol

VARIABLE = "SNELLEN_PLUGINS"
GROUP = "snellen.plugins"


class Found(NamedTuple):
    """What all plugins bring."""

    benchmarks: dict[str, Benchmark]
    protocols: dict[str, list[Protocol]]


def name_files(paths: list[str]) -> None:
    """Add plugin files to those that this process and its children load."""
    known = [p for p in os.environ.get(VARIABLE, "").split(os.pathsep) if p]
    for path in paths:
        if not Path(path).is_file():
            raise SnellenError(f"--plugin {path}: no such file")
        whole = str(Path(path).resolve())
        if whole not in known:
            known.append(whole)
    os.environ[VARIABLE] = os.pathsep.join(known)


def found() -> Found:
    """The benchmarks and protocols of all plugins, each file loaded once."""
    return _found(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=8)
def _found(files: str) -> Found:
    result = Found({}, {})
    for entry in entry_points(group=GROUP):
        _add(result, entry.load(), f"plugin '{entry.name}'")
    for path in (p for p in files.split(os.pathsep) if p):
        _add(result, _load(Path(path)), f"plugin {path}")
    return result


def _load(path: Path) -> ModuleType:
    name = f"snellen_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SnellenError(f"plugin {path}: not a Python file (it must end in .py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # whatever the user's file does wrong, it gets one line and its place
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        line = f" (line {place.tb_lineno} of {Path(place.tb_frame.f_code.co_filename).name})" if place else ""
        raise SnellenError(f"plugin {path} does not load: {type(error).__name__}: {error}{line}") from None
    return module


def _add(result: Found, module: ModuleType, where: str) -> None:
    benchmark: Benchmark | None = getattr(module, "BENCHMARK", None)
    protocols: dict[str, list[Protocol]] = getattr(module, "PROTOCOLS", {})
    if benchmark is None and not protocols:
        raise SnellenError(f"{where}: has neither BENCHMARK nor PROTOCOLS")
    if benchmark is not None:
        result.benchmarks[benchmark.name] = benchmark
    if not isinstance(protocols, dict):
        raise SnellenError(f'{where}: PROTOCOLS must be a dictionary such as {{"salbench": [protocol]}}')
    for name, some in protocols.items():
        result.protocols.setdefault(name, []).extend(some)


def with_protocols(benchmark: Benchmark, more: Found) -> Benchmark:
    """A benchmark with the plugins' protocols beside its own."""
    added = {p.name: p for p in more.protocols.get(benchmark.name, ())}
    for protocol in added.values():
        if protocol.prompt not in benchmark.prompts:
            raise SnellenError(
                f"protocol {protocol.name} asks the prompt '{protocol.prompt}', which {benchmark.name} does not have: "
                f"choose from {', '.join(benchmark.prompts)}"
            )
    if added:
        benchmark.protocols = {**benchmark.protocols, **added}
    return benchmark
