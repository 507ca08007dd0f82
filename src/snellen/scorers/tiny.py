"""The shipped dual encoder on ONNX Runtime: the vectors that transformers gives (tests compare them), without torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from snellen.core.cores import cores
from snellen.core.scorer import EmbeddedTexts
from snellen.scorers.dual import BATCH, padding_of, rgb_pictures
from snellen.subjects.local.source import folder_digest, packaged
from snellen.subjects.onnx.pictures import Pictures
from snellen.subjects.onnx.runtime import load_runtime, open_graph, read
from snellen.subjects.onnx.words import Tokenizer


class _TinyTextConfig(msgspec.Struct, frozen=True):
    max_position_embeddings: int
    pad_token_id: int


class _TinyConfig(msgspec.Struct, frozen=True):
    text_config: _TinyTextConfig


class TinyDual:
    """A packaged SigLIP. The mode `trained` pads texts to the full length, `original` does not, as in dual.py."""

    def __init__(self, name: str, mode: str) -> None:
        runtime = load_runtime(f"the scorer {name}")
        folder = Path(packaged(name))
        self.name = name if mode == "trained" else f"{name}-{mode}"
        self._full = mode == "trained"
        self._text = read(folder / "config.json", _TinyConfig).text_config
        self._words = Tokenizer(folder / "tokenizer.json")
        self._pictures = Pictures(folder / "processor_config.json")
        self._vision = open_graph(runtime, folder / "vision.onnx", ("pixels",))
        self._language = open_graph(runtime, folder / "text.onnx", ("ids",))
        self.identity: dict[str, Any] = {
            "checkpoint": name,
            "version": folder_digest(folder, (".onnx",)),
            "padding": padding_of("siglip", mode),
            "runtime": "onnxruntime",
        }

    def texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        ends, longest = list(self._words.ends), self._text.max_position_embeddings
        found = [self._words.encode(text) for text in texts]
        rows = [ids[: longest - len(ends)] + ends for ids in found]
        cut = [len(ids) + len(ends) > longest for ids in found]
        if self._full:
            rows = [row + [self._text.pad_token_id] * (longest - len(row)) for row in rows]
        # unpadded texts differ in length, and the model attends to every position: so one at a time
        return EmbeddedTexts(_on_all_cores(self._said, rows, BATCH if self._full else 1), cut)

    def images(self, images: Sequence[bytes]) -> list[Sequence[float]]:
        return _on_all_cores(self._seen, images, BATCH)

    def _said(self, rows: Sequence[list[int]]) -> list[Sequence[float]]:
        return _unit(self._language.run(["vectors"], {"ids": np.array(rows, np.int64)})[0])

    def _seen(self, images: Sequence[bytes]) -> list[Sequence[float]]:
        return _unit(self._vision.run(["vectors"], {"pixels": self._pictures(rgb_pictures(images))})[0])


def _on_all_cores(
    embed: Callable[[Sequence[Any]], list[Sequence[float]]], items: Sequence[Any], size: int
) -> list[Sequence[float]]:
    """Return all vectors in order, computed in batches side by side; the work in a batch releases Python's lock."""
    batches = [items[i : i + size] for i in range(0, len(items), size)]
    with ThreadPoolExecutor(cores()) as pool:
        return [vector for vectors in pool.map(embed, batches) for vector in vectors]


def _unit(vectors: Any) -> list[Sequence[float]]:
    """Return vectors of length 1."""
    unit: list[Sequence[float]] = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).tolist()
    return unit
