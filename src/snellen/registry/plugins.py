"""User plugins: files named by `--plugin path.py`, or packages with entry points of the same groups as ours.

A plugin file is a Python module with one or more of
    EXAM = ...                             an exam: an object of a class that extends `snellen.Exam`
    PROTOCOLS = {"salbench": [..., ...]}   protocols to add to exams, by the exam's name
    SUBJECTS = {"mylab": ...}              kinds of subjects, by the prefix of `--model mylab/NAME`
    SCORERS = {"myclip": ...}              kinds of scorers, by the name in `--scorer myclip`
    METHODS = {"mine": ...}                functions that find things on screens, by the name in `--method mine`
Published names cannot be replaced: a name that is taken is an error.
The files' paths are kept in the environment variable SNELLEN_PLUGINS, so that the processes of a run find them too.
Loading a plugin runs it: name only files that you trust. Any error in it is reported in one line.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError, place_of, said_by, unknown
from snellen.core.exam import Exam
from snellen.core.having import HasExtras
from snellen.core.protocol import PluginCode, Protocol
from snellen.core.scorer import ScorerKind
from snellen.core.subject import SubjectKind

VARIABLE = "SNELLEN_PLUGINS"
GROUP = "snellen.plugins"
EXAMS, SUBJECTS, SCORERS = "snellen.exams", "snellen.subjects", "snellen.scorers"


class Plugins(NamedTuple):
    """The contents of all plugins."""

    exams: dict[str, Exam]
    protocols: dict[str, list[Protocol]]
    subjects: dict[str, SubjectKind]
    scorers: dict[str, ScorerKind]
    methods: dict[str, Callable[..., Any]]


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


def entries(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points of a group, for the folders that Python searches now."""
    return _entries(group, tuple(sys.path))


@lru_cache(maxsize=16)
def _entries(group: str, _path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))  # reads a file of every installed package


def found() -> Plugins:
    """Return the contents of all plugins, each file loaded once."""
    return _found(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=8)
def _found(files: str) -> Plugins:
    result = Plugins({}, {}, {}, {}, {})
    for entry in entries(GROUP):
        where = f"plugin '{entry.name}'"
        module = _run(entry.load, where)
        _add(result, module, where, _code(module))
    for path in filter(None, files.split(os.pathsep)):
        module = _load(Path(path))
        _add(result, module, f"plugin {path}", _code(module))
    known = _taken(EXAMS) | result.exams.keys()
    for name in result.protocols:
        if name not in known:
            raise SnellenError(f"a plugin's PROTOCOLS: {unknown('exam', name, sorted(known))}")
    return result


def _taken(group: str) -> set[str]:
    return {e.name for e in entries(group)}


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
    """Run a plugin's own code; any error gets one line and its place.

    Its bytecode is not kept: Python takes a file of the same size and second for unchanged, and an edit would go unnoticed.
    """
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        return work()
    except (Exception, SystemExit) as error:
        raise SnellenError(f"{where} does not load: {said_by(error)}{place_of(error, file)}") from None
    finally:
        sys.dont_write_bytecode = kept


def _code(module: ModuleType) -> str:
    """Return the digest of a plugin's source: its file and the modules beside it that it imports, or all files of its package."""
    file = getattr(module, "__file__", None)
    if not file:
        return ""
    path = Path(file)
    top = (module.__package__ or "").partition(".")[0]
    package = getattr(sys.modules.get(top), "__file__", None) if top else None
    files = sorted(Path(package).parent.rglob("*.py")) if package else sorted({path, *_beside(path)})
    return hashlib.sha256(b"\0".join(f.read_bytes() for f in files)).hexdigest()


def _beside(path: Path) -> set[Path]:
    """Return the loaded modules in a plugin file's own folder: those that it imports."""
    if "site-packages" in path.parts:
        return set()
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return {Path(file) for file in loaded if file and Path(file).parent == path.parent}


# ---------------------------------------------------------------- the contents of a module


def _add(result: Plugins, module: ModuleType, where: str, code: str) -> None:
    brings = vars(module)
    exam = brings.get("EXAM")
    tables = {name: brings.get(name, {}) for name in ("PROTOCOLS", "SUBJECTS", "SCORERS", "METHODS")}
    if exam is None and not any(tables.values()):
        raise SnellenError(f"{where}: has none of EXAM, PROTOCOLS, SUBJECTS, SCORERS, METHODS")
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise SnellenError(f'{where}: {name} must be a dictionary, such as {{"salbench": ...}}')
    if exam is not None:
        _add_exam(result, exam, where, code)
    for name, some in tables["PROTOCOLS"].items():
        if not isinstance(some, list | tuple):
            raise SnellenError(f'{where}: PROTOCOLS["{name}"] must be a list of protocols, not {type(some).__name__}')
        for protocol in some:
            _check_protocol(protocol, f'{where}: PROTOCOLS["{name}"]', where, code)
        result.protocols.setdefault(name, []).extend(some)
    _add_kinds(result.subjects, tables["SUBJECTS"], SubjectKind, SUBJECTS, f"{where}: SUBJECTS")
    _add_kinds(result.scorers, tables["SCORERS"], ScorerKind, SCORERS, f"{where}: SCORERS")
    for name, function in tables["METHODS"].items():
        if not callable(function) or isinstance(function, type):
            raise SnellenError(f'{where}: METHODS["{name}"] must be a function, not a {type(function).__name__}')
        if name in result.methods:
            raise SnellenError(f'{where}: METHODS["{name}"]: that name is taken already: choose another')
        result.methods[name] = function


def _add_exam(result: Plugins, exam: Any, where: str, code: str) -> None:
    if isinstance(exam, type):
        raise SnellenError(f"{where}: EXAM is a class: make an object of it, {exam.__name__}()")
    if not isinstance(exam, Exam):
        raise SnellenError(f"{where}: EXAM is a {type(exam).__name__}; it must be of a class that extends snellen.Exam")
    for name, value in (("name", exam.name), ("title", exam.title)):
        if not isinstance(value, str) or not value.strip():
            raise SnellenError(f"{where}: EXAM.{name} must be a text that says something")
    if not isinstance(exam.protocols, dict) or not exam.protocols:
        raise SnellenError(f"{where}: EXAM.protocols must be a dictionary of protocols by name")
    if exam.name in _taken(EXAMS) | result.exams.keys():
        raise SnellenError(f"{where}: there is an exam '{exam.name}' already: choose another name")
    for name, protocol in exam.protocols.items():
        _check_protocol(protocol, f'{where}: EXAM.protocols["{name}"]', where, code)
    _check_extras(exam, f"{where}: EXAM")
    exam.origin = where
    result.exams[exam.name] = exam


def _check_protocol(protocol: Any, what: str, where: str, code: str) -> None:
    if not isinstance(protocol, Protocol):
        raise SnellenError(
            f"{what}: {type(protocol).__name__} is no protocol: it must be of a class that extends snellen.Protocol"
        )
    if not protocol.name:
        raise SnellenError(f"{what}: a protocol needs a name")
    _check_extras(protocol, what)
    protocol.origin = where
    protocol.extras = (*(one for one in protocol.extras if not isinstance(one, PluginCode)), PluginCode(code))


def _check_extras(owner: HasExtras, what: str) -> None:
    """Refuse extras without the comma that makes a tuple of one, which is easily forgotten, and two of a kind."""
    if type(owner.extras) is not tuple or len({type(one) for one in owner.extras}) < len(owner.extras):
        raise SnellenError(f"{what}.extras must be a tuple with one extra of each type, such as (Probes(...),)")


def _add_kinds(known: dict[str, Any], brought: dict[str, Any], kind: type[Any], group: str, where: str) -> None:
    for name, thing in brought.items():
        if not isinstance(thing, kind):
            raise SnellenError(f'{where}["{name}"]: a {type(thing).__name__}, not a {kind.__name__}')
        if name in _taken(group) | known.keys():
            raise SnellenError(f'{where}["{name}"]: that name is taken already: choose another')
        known[name] = thing
