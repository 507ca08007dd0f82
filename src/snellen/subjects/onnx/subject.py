"""A small model on ONNX Runtime as a subject: the shipped one, or another one with the same export."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

from snellen.core.cores import cores
from snellen.core.errors import SnellenError
from snellen.core.subject import Caller, Subject
from snellen.core.text import one_line
from snellen.core.types import Answer, Question
from snellen.subjects.local.chat import ChatPrompt, to_prompt
from snellen.subjects.local.ledger import LocalIdentity, answer_of, failure_of
from snellen.subjects.local.source import folder_digest
from snellen.subjects.onnx.model import OnnxModel
from snellen.subjects.onnx.runtime import LAYOUT, load_runtime

GRAPHS = (".onnx",)


class OnnxSubject(Subject):
    """A model by its folder. Questions are answered one by one, on as many cores as there are.

    It always takes the likeliest token, so the same weights give the same answers.
    """

    def __init__(self, folder: Path, max_tokens: int, *, offline: bool = False, called: str | None = None) -> None:
        """Set up the subject. With `offline` it is never asked and needs neither the library nor the folder. `called` is its short name."""
        self.spec = called or f"onnx/{folder.name}"
        self._parameters = {"max_tokens": max_tokens, "temperature": 0.0}
        self._closing = threading.Event()
        self.parallel = cores()
        self.identity: dict[str, Any] = {"kind": "onnx", "model": folder.name, "parameters": self._parameters}
        self._named = dict(self.identity)
        if offline:
            return
        if not folder.is_dir():
            raise SnellenError(f"onnx/{one_line(str(folder))}: no such folder; {LAYOUT}")
        runtime = load_runtime(f"a model on ONNX Runtime ({self.spec})")
        self._model = OnnxModel(runtime, folder, max_tokens)
        self._ran = LocalIdentity(
            "onnx", "cpu", folder.resolve().name, folder_digest(folder, GRAPHS), f"onnxruntime {runtime.__version__}"
        )
        self.spec = called or f"onnx/{self._ran.model}"  # a run is named after the model, not after its location
        self.identity = {
            "kind": "onnx",
            "model": self._ran.model,
            "sha256": self._ran.version,
            "dtype": "float32",
            "parameters": self._parameters,
        }
        self._named = dict(self.identity)
        self.identity["listed"] = {"onnxruntime": str(runtime.__version__)}

    def about(self) -> str:
        return f"{self._ran.model} (sha256 {self._ran.version[:12]}) on {self._ran.provider}, {self.parallel} threads"

    def why_same(self, repeats: int) -> str:
        return f"{self.spec} always takes the likeliest word"

    def prepare(self, question: Question) -> ChatPrompt:
        return to_prompt(question, self._named)

    async def answer(self, question: Question, prepared: ChatPrompt, call: Caller) -> Answer:
        try:
            reply = await asyncio.to_thread(self._model.reply, prepared, self._closing)
            return answer_of(question, prepared, reply, self._ran)
        except Exception as error:
            return failure_of(question, error, self.spec)

    async def close(self) -> None:
        """Stop the questions in work after their present token; later ones are answered."""
        self._closing.set()
        self._closing = threading.Event()
