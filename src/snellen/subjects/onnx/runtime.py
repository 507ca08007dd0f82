"""ONNX Runtime, imported when a graph needs it, and the files of an exported model, read and checked."""

from __future__ import annotations

import hashlib
import importlib
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.text import one_line

ERRORS_ONLY = 3
WEIGHTS = "model.safetensors"
HEADER = "sha256 of the weights' header"
LAYOUT = "docs/local.md says what onnx/ takes"

T = TypeVar("T")


def load_runtime(what: str) -> Any:
    """Import the library, or raise an error naming the extra that `what` needs."""
    try:
        runtime = importlib.import_module("onnxruntime")
    except ImportError:
        raise MissingExtra(what, "onnx") from None
    runtime.set_default_logger_severity(ERRORS_ONLY)  # its notes on machines and graphs are not for our users
    return runtime


def open_graph(runtime: Any, path: Path, inputs: tuple[str, ...]) -> Any:
    """Open a graph with these inputs, ready for several threads at once. One run uses one core: small graphs are faster that way."""
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    try:
        graph = runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the library raises classes of its own for a graph that it cannot load
        raise SnellenError(f"{path}: ONNX Runtime cannot load it: {one_line(str(error), 200)}") from None
    found = tuple(each.name for each in graph.get_inputs())
    if found != inputs:
        raise SnellenError(f"{path}: takes {', '.join(found)}, and not {', '.join(inputs)}; {LAYOUT}")
    known = graph.get_modelmeta().custom_metadata_map.get(HEADER)
    if known != hashlib.sha256(weights_header(path.parent)).hexdigest():  # tensors may lie elsewhere in the file
        raise SnellenError(f"{path}: made for another {WEIGHTS} than the one beside it: export it again; {LAYOUT}")
    return graph


def weights_header(folder: Path) -> bytes:
    """Return the header of the weights' file: which tensors it has, and where."""
    with (folder / WEIGHTS).open("rb") as file:
        return file.read(int.from_bytes(file.read(8), "little"))


def read(path: Path, kind: type[T]) -> T:
    """Read a JSON file of a model, with the fields that are needed."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise SnellenError(f"{path.parent}: no {path.name} in that folder; {LAYOUT}") from None
    except msgspec.MsgspecError as error:
        raise SnellenError(f"{path}: not of the layout that is known ({one_line(str(error))}); {LAYOUT}") from None
