"""An exported model in memory: it encodes a prompt, encodes the images once, and adds the likeliest token until it ends.

One question at a time, unpadded: a reply does not depend on the other questions.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.core.types import Token
from snellen.subjects.local.chat import ChatPrompt, check_template
from snellen.subjects.local.decoding import LEAST
from snellen.subjects.local.model import DIGITS, ModelReply, SampleError, check_length, check_marks, decoded
from snellen.subjects.onnx.pictures import Pictures
from snellen.subjects.onnx.runtime import LAYOUT, open_graph, read
from snellen.subjects.onnx.words import Tokenizer

Array = npt.NDArray[Any]


class _LlavaTextConfig(msgspec.Struct, frozen=True):
    max_position_embeddings: int
    hidden_size: int
    head_dim: int
    num_hidden_layers: int
    num_attention_heads: int


class _LlavaConfig(msgspec.Struct, frozen=True):
    model_type: str
    image_token_index: int
    image_seq_length: int
    text_config: _LlavaTextConfig


class _Processor(msgspec.Struct, frozen=True):
    image_token: str


class _Generation(msgspec.Struct, frozen=True):
    eos_token_id: int | list[int]


class _DecodingStep(NamedTuple):
    """A chosen token, its log-probability, and the entropy over all tokens, in nats."""

    token: int
    logprob: float
    entropy: float


class OnnxModel:
    """A LLaVA as `training/onnx_export.py` exports it. Several threads may use it at once."""

    def __init__(self, runtime: Any, folder: Path, max_tokens: int) -> None:
        self.config = read(folder / "config.json", _LlavaConfig)
        if self.config.model_type != "llava":
            raise SnellenError(f"{folder}: a '{one_line(self.config.model_type)}' model, and no LLaVA; {LAYOUT}")
        self._max_tokens = max_tokens
        self._mark = read(folder / "processor_config.json", _Processor).image_token
        self._pictures = Pictures(folder / "processor_config.json")
        self._words = Tokenizer(folder / "tokenizer.json")
        ends = read(folder / "generation_config.json", _Generation).eos_token_id
        self._ends = frozenset(ends if isinstance(ends, list) else [ends])
        self._template = _template(folder / "chat_template.jinja")
        self._vision = open_graph(runtime, folder / "vision.onnx", ("pixels",))
        self._language = open_graph(runtime, folder / "language.onnx", ("ids", "places", "seen", "past"))

    def reply(self, prompt: ChatPrompt, closing: threading.Event) -> ModelReply:
        """Return the reply to a prompt. Raise SampleError if it cannot be answered."""
        begin = time.perf_counter()
        check_marks(prompt, (self._mark,))
        ids = self._ids(prompt)
        check_length(len(ids), self._max_tokens, self.config.text_config.max_position_embeddings)
        steps, ended = self._steps(ids, self._seen(prompt), closing)
        texts = [self._words.text(step.token) for step in steps]
        tokens = tuple(
            Token(text=text, logprob=round(step.logprob, DIGITS), entropy=max(0.0, round(step.entropy, DIGITS)))
            for text, step in zip(texts, steps, strict=True)
        )
        return ModelReply(
            text="".join(texts),
            tokens=tokens,
            finish_reason="stop" if ended else "length",
            input_tokens=len(ids),
            output_tokens=len(steps) + ended,
            seconds=time.perf_counter() - begin,
            batch=1,
            seen=(self._pictures.about,) * len(prompt.images),
        )

    def _ids(self, prompt: ChatPrompt) -> Array:
        """Return the prompt's tokens; each image takes as many as it has patches."""
        text = self._template.render(messages=prompt.messages, add_generation_prompt=True)
        image, patches = self.config.image_token_index, self.config.image_seq_length
        found = [i for n in self._words.encode(text) for i in ([n] * patches if n == image else [n])]
        return np.array([*found, *self._words.ends], np.int64)

    def _seen(self, prompt: ChatPrompt) -> Array:
        """Return rows for the patches of all images."""
        if not prompt.images:
            return np.zeros((0, self.config.text_config.hidden_size), np.float32)
        pixels = self._pictures([decoded(data) for data in prompt.images])
        seen: Array = self._vision.run(["features"], {"pixels": pixels})[0]
        return seen

    def _steps(self, ids: Array, seen: Array, closing: threading.Event) -> tuple[list[_DecodingStep], bool]:
        """Return the likeliest tokens one after another, and whether the model ended by itself."""
        sizes = self.config.text_config
        past: Array = np.zeros((sizes.num_hidden_layers, 2, sizes.num_attention_heads, 0, sizes.head_dim), np.float32)
        places = np.flatnonzero(ids == self.config.image_token_index)[:, None]
        steps: list[_DecodingStep] = []
        while not closing.is_set():
            scores, past = self._language.run(
                ["scores", "kept"], {"ids": ids, "places": places, "seen": seen, "past": past}
            )
            step = _likeliest(scores)
            if step.token in self._ends:
                return steps, True
            steps.append(step)
            if len(steps) == self._max_tokens:
                return steps, False
            ids, places, seen = np.array([step.token]), places[:0], seen[:0]
        raise SampleError("closed", "the run was stopped before this question was answered")


def _likeliest(scores: Array) -> _DecodingStep:
    """Return the likeliest token. With y = x - max and Z = sum of exp(y): ln p = y - ln Z, and H = ln Z - sum of y exp(y) / Z,
    as local/decoding.py."""
    token = int(scores.argmax())
    shifted = np.maximum(scores - scores[token], LEAST)
    weights = np.exp(shifted)
    total = weights.sum()
    log_total = float(np.log(total))
    if not np.isfinite(log_total):
        raise SampleError("not-a-number", "the model's scores are no numbers")
    return _DecodingStep(token, -log_total, log_total - float((weights * shifted).sum() / total))


def _template(path: Path) -> Any:
    """Return the chat template, in a sandbox: it comes with the model, which may be from anywhere."""
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    check_template(path.parent)
    try:
        return ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, autoescape=False).from_string(
            path.read_text(encoding="utf-8")
        )
    except FileNotFoundError:
        raise SnellenError(f"{path.parent}: no {path.name} in that folder; {LAYOUT}") from None
    except (TemplateError, UnicodeDecodeError) as error:
        raise SnellenError(f"{path}: not a chat template ({one_line(str(error))})") from None
