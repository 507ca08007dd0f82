"""ONNX Runtime, imported when a graph is wanted, and the files of an exported model, read and checked."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.text import one_line

ERRORS_ONLY = 3
LAYOUT = "docs/local.md says what onnx/ takes"

T = TypeVar("T")


def load_runtime(what: str) -> Any:
    """The library, or which extra it is that `what` needs."""
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        raise MissingExtra(what, "onnx") from None
    runtime.set_default_logger_severity(ERRORS_ONLY)  # its notes on machines and graphs are not for our users
    return runtime


def open_graph(runtime: Any, path: Path, inputs: tuple[str, ...]) -> Any:
    """A graph with these inputs, ready to run from several threads at once. Alone it uses one core: small ones are quicker so."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    try:
        graph = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises classes of its own for what it cannot load
        raise SnellenError(f"{path}: ONNX Runtime cannot load it: {one_line(str(error), 200)}") from None
    found = tuple(each.name for each in graph.get_inputs())
    if found != inputs:
        raise SnellenError(f"{path}: takes {', '.join(found)}, and not {', '.join(inputs)}; {LAYOUT}")
    return graph


def read(path: Path, kind: type[T]) -> T:
    """A JSON file of a model, by the fields that are needed of it."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise SnellenError(f"{path.parent}: no {path.name} in that folder; {LAYOUT}") from None
    except msgspec.MsgspecError as error:
        raise SnellenError(f"{path}: not of the layout that is known ({one_line(str(error))}); {LAYOUT}") from None
