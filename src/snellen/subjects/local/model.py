"""A loaded model: it renders prompts, batches them and decodes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.pixels import as_rgb
from snellen.core.text import one_line
from snellen.core.types import Token
from snellen.subjects.local import decoding
from snellen.subjects.local.chat import ChatPrompt
from snellen.subjects.local.loading import DeviceChoice, load
from snellen.subjects.local.pieces import pieces
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.local.sizes import PromptSize
from snellen.subjects.local.stack import Stack

DIGITS = 6  # float32 has no more digits


class SampleError(Exception):
    """The reason why one question cannot be answered; `kind` is the failure's word."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class RenderedText(NamedTuple):
    """A prompt as text, and its size."""

    prompt: ChatPrompt
    text: str
    shape: PromptSize


class EncodedBatch(NamedTuple):
    """A batch as tensors, still on the processor. `seen` holds for each row how its images were processed."""

    inputs: Any
    rows: list[RenderedText]
    lengths: list[int]
    seen: list[tuple[str, ...]]


class ModelReply(NamedTuple):
    """The model's reply to one prompt."""

    text: str
    tokens: tuple[Token, ...]
    finish_reason: str
    input_tokens: int
    output_tokens: int
    seconds: float
    batch: int
    seen: tuple[str, ...]


class Model:
    """A model and its processor in memory. `encode` and `decode` may run in two threads at once."""

    def __init__(self, stack: Stack, folder: Path, name: str, choice: DeviceChoice, settings: LocalSettings) -> None:
        self.torch, self.transformers = stack
        self.choice, self._settings = choice, settings
        self._one_at_a_time = threading.Lock()  # the fast tokenizer must not pad in one thread while another uses it
        self.loaded = loaded = load(stack, folder, name, choice, settings)
        self._model, self._processor, self._tokenizer = loaded.model, loaded.processor, loaded.tokenizer
        self.facts = {
            "torch": str(self.torch.__version__),
            "transformers": str(self.transformers.__version__),
            "class": type(self._model).__name__,
            "processor": type(self._processor).__name__,
            "image_processor": type(self._processor.image_processor).__name__,
            "chat_template": "the model's own" if loaded.template is None else "snellen's for LLaVA-1.5",
        }

    def parameters(self) -> Iterator[Any]:
        """Return the model's weights."""
        yield from self._model.parameters()

    # ------------------------------------------------------------ prompts

    def render(self, prompt: ChatPrompt) -> RenderedText:
        """Render the prompt with the model's own template, and measure it."""
        check_marks(prompt, self.loaded.marks)
        own = {"chat_template": self.loaded.template} if self.loaded.template else {}
        text = str(
            self._processor.apply_chat_template(prompt.messages, add_generation_prompt=True, tokenize=False, **own)
        )
        with self._one_at_a_time:
            length = len(self._tokenizer(text, add_special_tokens=not self._begun(text))["input_ids"])
        images = self._image_sizes(prompt)
        shape = PromptSize(images, length + sum(i[0] - 1 for i in images if len(i) == 1))
        check_length(shape.length, self._settings.max_tokens, self.loaded.longest)
        return RenderedText(prompt, text, shape)

    def _begun(self, text: str) -> bool:
        """Tell whether the template wrote the first token itself."""
        first = self._tokenizer.bos_token
        return first is not None and text.startswith(first)

    def _image_sizes(self, prompt: ChatPrompt) -> tuple[tuple[int, ...], ...]:
        """Return the tokens of each image if the processor can tell, else its pixels."""
        sizes = [(s.height, s.width) for s in prompt.sent]
        try:
            found = self._processor._get_num_multimodal_tokens(image_sizes=sizes)["num_image_tokens"]
            return tuple((int(n),) for n in found)
        except Exception:
            return tuple(sizes)

    def encode(self, rows: Sequence[RenderedText]) -> EncodedBatch:
        """Encode a batch, padded on the left. All rows have the same number of images."""
        texts = [r.text for r in rows]
        images = [[decoded(data) for data in r.prompt.images] for r in rows]
        more = {"add_special_tokens": False} if self._begun(texts[0]) else {}
        with self._one_at_a_time:
            inputs = self._processor(
                text=texts, images=images if images[0] else None, padding=True, return_tensors="pt", **more
            )
        lengths = inputs["attention_mask"].sum(-1).tolist()
        for length in lengths:
            check_length(length, self._settings.max_tokens, self.loaded.longest)
        return EncodedBatch(inputs, list(rows), lengths, self._seen(inputs, rows))

    def _seen(self, inputs: Any, rows: Sequence[RenderedText]) -> list[tuple[str, ...]]:
        """Return how the image processor changed each image, in the ledger's terms."""
        processor = self._processor.image_processor
        counts = [len(r.prompt.images) for r in rows]
        pixels, grid = inputs.get("pixel_values"), inputs.get("image_grid_thw")
        word = f"by {type(processor).__name__}"
        if grid is not None and getattr(processor, "patch_size", None):
            side = int(processor.patch_size)
            words = [f"resized to {w * side}x{h * side} {word}" for _, h, w in grid.tolist()]
        elif pixels is not None and pixels.dim() == 4:
            words = [f"resized to {pixels.shape[3]}x{pixels.shape[2]} {word}"] * sum(counts)
        else:
            words = [f"prepared {word}"] * sum(counts)
        rest = iter(words)
        return [tuple(next(rest) for _ in range(n)) for n in counts]

    # ------------------------------------------------------------ decoding

    def decode(self, batch: EncodedBatch, closing: threading.Event) -> list[ModelReply | SampleError]:
        """Decode replies to a batch, each with the log-probability and the full-vocabulary entropy of every token."""
        torch, lists = self.torch, self.transformers
        begin = time.perf_counter()
        seeds = [decoding.seed_of(self._settings.seed, r.prompt.draw) for r in batch.rows]
        recorder = decoding.Recorder(torch, self._settings.max_tokens, self._settings.temperature, seeds)
        with torch.inference_mode():
            inputs = batch.inputs.to(self.choice.device, dtype=getattr(torch, self.choice.dtype))
            ids = self._model.generate(
                **inputs,
                logits_processor=lists.LogitsProcessorList([recorder]),
                stopping_criteria=lists.StoppingCriteriaList([decoding.Halt(torch, closing)]),
            )
            found = recorder.rows(ids[:, inputs["input_ids"].shape[1] :], self.loaded.ends)
        seconds = time.perf_counter() - begin
        return [self._reply(row, batch, i, seconds) for i, row in enumerate(found)]

    def _reply(
        self, row: decoding.DecodedReply, batch: EncodedBatch, number: int, seconds: float
    ) -> ModelReply | SampleError:
        if not all(map(math.isfinite, row.logprobs + row.entropies)):
            return SampleError(
                "not-a-number", f"the model's scores overflow in {self.choice.dtype}; try another --dtype"
            )
        texts = pieces(row.ids, self._texts)
        tokens = tuple(
            Token(text=text, logprob=round(logprob, DIGITS), entropy=max(0.0, round(entropy, DIGITS)))
            for text, logprob, entropy in zip(texts, row.logprobs, row.entropies, strict=True)
        )
        return ModelReply(
            text="".join(texts),
            tokens=tokens,
            finish_reason="stop" if row.ended else "length",
            input_tokens=batch.lengths[number],
            output_tokens=len(row.ids) + row.ended,
            seconds=seconds,
            batch=len(batch.rows),
            seen=batch.seen[number],
        )

    def _texts(self, rows: list[list[int]]) -> Sequence[str]:
        with self._one_at_a_time:
            backend = getattr(self._tokenizer, "backend_tokenizer", None)
            if backend is not None:
                texts: list[str] = backend.decode_batch(rows, skip_special_tokens=True)
                return texts
            return [
                self._tokenizer.decode(r, skip_special_tokens=True, clean_up_tokenization_spaces=False) for r in rows
            ]


def check_marks(prompt: ChatPrompt, marks: Sequence[str]) -> None:
    """Refuse a text that holds the model's own mark for an image: the mark would be taken for an image."""
    texts = [part["text"] for message in prompt.messages for part in message["content"] if "text" in part]
    found = next((mark for mark in marks if any(mark in text for text in texts)), None)
    if found is not None:
        raise SampleError("bad-prompt", f"the question's text holds the model's own mark for an image, '{found}'")


def check_length(length: int, max_tokens: int, longest: int | None) -> None:
    """Refuse a prompt that, with its reply, does not fit into the model's context."""
    if longest is not None and length + max_tokens > longest:
        raise SampleError(
            "too-long",
            f"the prompt has {length} tokens; with {max_tokens} for the reply that is more than the model's {longest}",
        )


def decoded(data: bytes) -> Any:
    """Decode an image for the model."""
    try:
        return as_rgb(data)
    except Exception as error:
        raise SampleError(
            "bad-image", f"image does not decode ({type(error).__name__}: {one_line(str(error))})"
        ) from None
