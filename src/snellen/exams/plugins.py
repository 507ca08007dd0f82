"""Benchmarks and protocols of the user's own: files named by `--plugin path.py`, or packages with an entry point.

A plugin is a Python module with one or both of
    BENCHMARK = ...                        an object with the Benchmark interface (`benchmarks.simple` makes that short)
    PROTOCOLS = {"salbench": [..., ...]}   protocols to add to benchmarks, by the benchmark's name
A protocol with an attribute `ask` (sample -> text or Question) brings its own prompt, named by its `prompt`. Nothing that is
published can be replaced: a name that is taken is an error.
The files' paths are kept in the environment variable SNELLEN_PLUGINS, so that the processes of a run find them too.
Loading a plugin runs it: name only files that you trust. Whatever it does wrong gets one line.
"""

from __future__ import annotations

import copy
import functools
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import msgspec

from snellen.core.dataset import Dataset
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.options import Selection
from snellen.core.protocol import Protocol
from snellen.core.types import Question, Sample, Text

VARIABLE = "SNELLEN_PLUGINS"
GROUP = "snellen.plugins"


BENCHMARKS = "snellen.exams"
FIELDS = ("name", "version", "prompt", "about", "headline")
METHODS = ("judge", "blank", "summarise")
GUARDED = (*METHODS, "judge_tokens", "judge_evidence")
Ask = Callable[[Sample], Question]


class Found(NamedTuple):
    """What all plugins bring."""

    benchmarks: dict[str, Exam]
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
    loaded = [
        (_run(entry.load, f"plugin '{entry.name}'"), f"plugin '{entry.name}'") for entry in entry_points(group=GROUP)
    ]
    loaded += [(_load(Path(path)), f"plugin {path}") for path in files.split(os.pathsep) if path]
    for module, where in loaded:
        _add(result, module, where)
    known = {e.name for e in entry_points(group=BENCHMARKS)} | result.benchmarks.keys()
    for name in result.protocols:
        if name not in known:
            raise SnellenError(
                f"a plugin's PROTOCOLS names the unknown benchmark '{name}': choose from {', '.join(sorted(known))}"
            )
    return result


def _load(path: Path) -> ModuleType:
    name = f"snellen_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise SnellenError(f"plugin {path}: not a Python file (it must end in .py)")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _run(functools.partial(spec.loader.exec_module, module), f"plugin {path}", path)
    return module


def _run(work: Callable[[], Any], where: str, file: Path | None = None) -> Any:
    """Run a plugin's own code; whatever it does wrong, it gets one line and its place."""
    try:
        return work()
    except (Exception, SystemExit) as error:
        raise SnellenError(f"{where} does not load: {_said(error)}{_place(error, file)}") from None


def _said(error: BaseException) -> str:
    what = error.msg if isinstance(error, SyntaxError) else str(error)
    return f"{type(error).__name__}: {' '.join(what.split())}".removesuffix(": ")


def _place(error: BaseException, file: Path | None = None) -> str:
    """The line of the plugin's file at which it went wrong, or else of the last file."""
    if isinstance(error, SyntaxError):
        return f" (line {error.lineno} of {Path(error.filename or '?').name})"
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if file is not None and f.filename == str(file)]
    return "".join(f" (line {f.lineno} of {Path(f.filename).name})" for f in (own or frames)[-1:])


# ---------------------------------------------------------------- what a module brings


def _add(result: Found, module: ModuleType, where: str) -> None:
    benchmark = getattr(module, "BENCHMARK", None)
    protocols = getattr(module, "PROTOCOLS", {})
    if benchmark is None and not protocols:
        raise SnellenError(f"{where}: has neither BENCHMARK nor PROTOCOLS")
    if benchmark is not None:
        _check_benchmark(benchmark, where)
        if benchmark.name in {e.name for e in entry_points(group=BENCHMARKS)} | result.benchmarks.keys():
            raise SnellenError(f"{where}: there is a benchmark '{benchmark.name}' already: choose another name")
        for name, protocol in benchmark.protocols.items():
            _check_protocol(protocol, f'{where}: BENCHMARK.protocols["{name}"]')
            _guard(protocol)
        result.benchmarks[benchmark.name] = benchmark
    if not isinstance(protocols, dict):
        raise SnellenError(f'{where}: PROTOCOLS must be a dictionary such as {{"salbench": [protocol]}}')
    for name, some in protocols.items():
        if not isinstance(some, list | tuple):
            raise SnellenError(f'{where}: PROTOCOLS["{name}"] must be a list of protocols, not {type(some).__name__}')
        for protocol in some:
            _check_protocol(protocol, f'{where}: PROTOCOLS["{name}"]')
            _guard(protocol)
        result.protocols.setdefault(name, []).extend(some)


def _check_benchmark(benchmark: Any, where: str) -> None:
    parts = sorted({*Exam.__annotations__, *(n for n in vars(Exam) if not n.startswith("_"))})
    lacking = [n for n in parts if not hasattr(benchmark, n)]
    if isinstance(benchmark, type):
        raise SnellenError(f"{where}: BENCHMARK is a class: make an object of it, {benchmark.__name__}()")
    if lacking:
        raise SnellenError(f"{where}: BENCHMARK has no {', '.join(lacking)} (snellen.exams.simple has defaults)")
    for name in ("name", "title"):
        if not isinstance(getattr(benchmark, name), str) or not getattr(benchmark, name).strip():
            raise SnellenError(f"{where}: BENCHMARK.{name} must be a text that says something")
    if not isinstance(benchmark.protocols, dict) or not benchmark.protocols:
        raise SnellenError(f"{where}: BENCHMARK.protocols must be a dictionary of protocols by name")


def _check_protocol(protocol: Any, where: str) -> None:
    lacking = [n for n in FIELDS if not isinstance(getattr(protocol, n, None), str)]
    lacking += [n for n in METHODS if not callable(getattr(protocol, n, None))]
    if lacking:
        raise SnellenError(f"{where}: {type(protocol).__name__} is no protocol: it has no {', '.join(lacking)}")


def _guard(protocol: Any) -> None:
    """An error in a plugin's rules names the protocol and the place, in one line."""

    def guarded(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(*args: Any, **named: Any) -> Any:
            try:
                return method(*args, **named)
            except SnellenError:
                raise
            except Exception as error:
                sample = next((f" on sample {a.id}" for a in args if isinstance(a, Sample)), "")
                raise SnellenError(
                    f"protocol {protocol.name}: {name}() failed{sample}: {_said(error)}{_place(error)}"
                ) from error

        return call

    if hasattr(protocol, "__dict__") and "judge" not in vars(protocol):
        vars(protocol).update({n: guarded(n, getattr(protocol, n)) for n in GUARDED if hasattr(protocol, n)})


# ---------------------------------------------------------------- beside a benchmark's own


def with_protocols(benchmark: Exam, more: Found) -> Exam:
    """A benchmark with the plugins' protocols beside its own, and with the prompts that these bring."""
    protocols = dict(benchmark.protocols)
    for protocol in more.protocols.get(benchmark.name, ()):
        if protocol.name in protocols:
            raise SnellenError(f"a plugin's protocol '{protocol.name}': {benchmark.name} has one of that name already")
        protocols[protocol.name] = protocol
    prompts: dict[str, str] = {}
    asks: dict[str, Ask] = {}
    for protocol in (p for p in protocols.values() if callable(getattr(p, "ask", None))):
        if protocol.prompt in (*benchmark.prompts, *prompts):
            raise SnellenError(
                f"protocol {protocol.name}: {benchmark.name} has a prompt '{protocol.prompt}' already; choose another name"
            )
        prompts[protocol.prompt] = f"the prompt of the protocol {protocol.name}"
        asks[protocol.prompt] = _asker(protocol, benchmark.name)
    for protocol in protocols.values():
        if protocol.prompt not in (*benchmark.prompts, *prompts):
            raise SnellenError(
                f"protocol {protocol.name} asks the prompt '{protocol.prompt}', which {benchmark.name} does not have: "
                f"choose from {', '.join(benchmark.prompts)}, or give the protocol an ask()"
            )
    if len(protocols) == len(benchmark.protocols) and not asks:
        return benchmark
    extended = copy.copy(benchmark)
    vars(extended).update(protocols=protocols)
    if asks:
        vars(extended).update(prompts={**benchmark.prompts, **prompts}, **_asking(benchmark, asks))
    return extended


def _asker(protocol: Any, benchmark: str) -> Ask:
    """What a protocol asks, as a Question; a text alone comes after the pictures."""

    def ask(sample: Sample) -> Question:
        try:
            said = protocol.ask(sample)
        except SnellenError:
            raise
        except Exception as error:
            raise SnellenError(
                f"protocol {protocol.name}: ask() failed on sample {sample.id}: {_said(error)}{_place(error)}"
            ) from error
        if isinstance(said, str):
            said = Question(id="", benchmark="", prompt="", parts=(*sample.pictures, Text(text=said)))
        if not isinstance(said, Question):
            raise SnellenError(f"protocol {protocol.name}: ask() gave {type(said).__name__}, not a text or a Question")
        return msgspec.structs.replace(said, id=sample.id, benchmark=benchmark, prompt=protocol.prompt)

    return ask


def _asking(benchmark: Exam, asks: dict[str, Ask]) -> dict[str, Any]:
    """`render` and `open` of a benchmark with more prompts."""

    def render(prompt: str, sample: Sample) -> Question:
        return asks[prompt](sample) if prompt in asks else benchmark.render(prompt, sample)

    def open_set(where: Path, options: Selection) -> Dataset:
        data = benchmark.open(where, options)
        own = data.asker

        def asker(prompt: str) -> Ask:
            if prompt in asks and options.shots:
                raise SnellenError(f"the prompt '{prompt}' takes no examples: leave out --shots")
            return asks[prompt] if prompt in asks else own(prompt)

        vars(data).update(asker=asker)
        return data

    return {"render": render, "open": open_set}
