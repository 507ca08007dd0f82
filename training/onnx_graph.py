"""A small writer of ONNX graphs whose weights stay where they are, in the model's safetensors file.

An initializer of an ONNX file may be a piece of another file, given by its name, offset and length. Tensors in a
safetensors file are raw, so a graph of some 30 KB refers to weights of 3 MB that are shipped anyway.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, checker, helper, numpy_helper

from snellen.subjects.onnx.runtime import HEADER, WEIGHTS, weights_header

OPSET, IR = 17, 8  # old enough for onnxruntime 1.17
KINDS = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT}


class Graph:
    """A graph under construction. A method adds nodes and returns the name of their result."""

    def __init__(self, folder: Path) -> None:
        header = weights_header(folder)
        self._header: dict[str, Any] = json.loads(header)
        self._begin = 8 + len(header)
        self._mark = hashlib.sha256(header).hexdigest()
        self._nodes: list[Any] = []
        self._initial: dict[str, Any] = {}
        self._cast: dict[str, str] = {}

    # ------------------------------------------------------------ leaves

    def has(self, name: str) -> bool:
        return name in self._header

    def weight(self, name: str) -> str:
        """Add a tensor of the safetensors file, as float32."""
        if name in self._cast:
            return self._cast[name]
        entry = self._header[name]
        first, last = entry["data_offsets"]
        tensor = TensorProto(name=name, data_type=KINDS[entry["dtype"]], dims=entry["shape"])
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in (("location", WEIGHTS), ("offset", self._begin + first), ("length", last - first)):
            tensor.external_data.add(key=key, value=str(value))
        self._initial[name] = tensor
        self._cast[name] = name if entry["dtype"] == "F32" else self.node("Cast", name, to=TensorProto.FLOAT)
        return self._cast[name]

    def constant(self, value: float | Sequence[float] | Sequence[int], dtype: str = "float32") -> str:
        name = f"{dtype}:{value}"
        self._initial.setdefault(name, numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def shape(self, *sizes: int) -> str:
        return self.constant(sizes, "int64")

    # ------------------------------------------------------------ nodes

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        return self.nodes(kind, 1, *inputs, **attributes)[0]

    def nodes(self, kind: str, outputs: int, *inputs: str, **attributes: Any) -> list[str]:
        names = [f"{kind}_{len(self._nodes)}_{i}" for i in range(outputs)]
        self._nodes.append(helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def linear(self, x: str, name: str) -> str:
        """Multiply rows by a matrix that is saved with a row for each output."""
        bias = [self.weight(f"{name}.bias")] if self.has(f"{name}.bias") else []
        return self.node("Gemm", x, self.weight(f"{name}.weight"), *bias, transB=1)

    def layer_norm(self, x: str, name: str, eps: float) -> str:
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.node("LayerNormalization", x, scale, bias, axis=-1, epsilon=eps)

    def rms_norm(self, x: str, name: str, eps: float) -> str:
        mean = self.node("ReduceMean", self.node("Mul", x, x), axes=[-1])
        root = self.node("Sqrt", self.node("Add", mean, self.constant(eps)))
        return self.node("Mul", self.node("Div", x, root), self.weight(f"{name}.weight"))

    def gelu(self, x: str) -> str:
        inner = self.node("Erf", self.node("Mul", x, self.constant(0.5**0.5)))
        return self._half(x, inner)

    def gelu_tanh(self, x: str) -> str:
        cube = self.node("Mul", self.node("Mul", x, self.node("Mul", x, x)), self.constant(0.044715))
        inner = self.node("Mul", self.node("Add", x, cube), self.constant((2.0 / np.pi) ** 0.5))
        return self._half(x, self.node("Tanh", inner))

    def _half(self, x: str, inner: str) -> str:
        return self.node("Mul", self.node("Mul", x, self.constant(0.5)), self.node("Add", inner, self.constant(1.0)))

    def silu(self, x: str) -> str:
        return self.node("Mul", x, self.node("Sigmoid", x))

    def heads(self, x: str, length: str, heads: int, width: int) -> str:
        """Reshape rows of several sequences of one length to (sequence, head, place, width)."""
        split = self.node("Concat", self.shape(-1), length, self.shape(heads, width), axis=0)
        return self.node("Transpose", self.node("Reshape", x, split), perm=[0, 2, 1, 3])

    def attention(self, q: str, k: str, v: str, width: int, mask: str | None = None) -> str:
        """Add attention between places; return rows again."""
        heads_first = self.node("Transpose", k, perm=[0, 1, 3, 2])
        scores = self.node("Mul", self.node("MatMul", q, heads_first), self.constant(width**-0.5))
        if mask is not None:
            scores = self.node("Add", scores, mask)
        taken = self.node("MatMul", self.node("Softmax", scores, axis=-1), v)
        return self.node("Transpose", taken, perm=[0, 2, 1, 3])

    # ------------------------------------------------------------ the whole

    def model(self, inputs: dict[str, tuple[str, list[Any]]], outputs: dict[str, tuple[str, list[Any]]]) -> ModelProto:
        """Return the graph, with names, types and shapes of its inputs, and the names of its outputs."""
        for name, (made, _) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [made], [name]))
        taken = [
            helper.make_tensor_value_info(n, TensorProto.INT64 if t == "int64" else TensorProto.FLOAT, s)
            for n, (t, s) in inputs.items()
        ]
        given = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, (_, s) in outputs.items()]
        graph = helper.make_graph(self._nodes, "snellen", taken, given, list(self._initial.values()))
        model = helper.make_model(
            graph, producer_name="snellen", ir_version=IR, opset_imports=[helper.make_opsetid("", OPSET)]
        )
        helper.set_model_props(model, {HEADER: self._mark})
        return model


def save(model: ModelProto, path: Path) -> None:
    """Write a graph beside its weights, and let onnx check it there: the files that it refers to must be in that folder."""
    path.write_bytes(model.SerializeToString(deterministic=True))
    checker.check_model(str(path), full_check=True)
