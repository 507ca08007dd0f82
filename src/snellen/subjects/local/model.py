"""A loaded model: renders prompts, makes batches of them, decodes."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.core.types import Token
from snellen.subjects.local import chat, decoding
from snellen.subjects.local.chat import Prompt
from snellen.subjects.local.pieces import pieces
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.local.sizes import Shape
from snellen.subjects.local.source import foreign_code
from snellen.subjects.local.stack import Stack, images_only


class SampleError(Exception):
    """Why one question cannot be answered; `kind` is the failure's word."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class Rendered(NamedTuple):
    """A prompt as text, and its size."""

    prompt: Prompt
    text: str
    shape: Shape


class Encoded(NamedTuple):
    """A batch as tensors, on the processor still. `seen` says for each row what became of its images."""

    inputs: Any
    rows: list[Rendered]
    lengths: list[int]
    seen: list[tuple[str, ...]]


class Reply(NamedTuple):
    """What the model said to one prompt."""

    text: str
    tokens: tuple[Token, ...]
    finish_reason: str
    input_tokens: int
    output_tokens: int
    seconds: float
    batch: int
    seen: tuple[str, ...]


class Choice(NamedTuple):
    """What was chosen of the machine for the model."""

    device: str
    dtype: str
    attention: str


class Model:
    """A model and its processor in memory. `encode` and `decode` may run in two threads at once."""

    def __init__(self, stack: Stack, folder: Path, name: str, choice: Choice, settings: LocalSettings) -> None:
        self.torch, self.transformers = stack
        self.choice, self._settings, self._name = choice, settings, name
        self._one_at_a_time = threading.Lock()  # a fast tokenizer must not pad in one thread while another uses it
        with _quiet(self.transformers):
            try:
                self._load(folder)
            except SnellenError:
                raise
            except Exception as error:  # whatever the libraries raise for what they cannot load
                raise SnellenError(f"hf/{name}: cannot be loaded: {one_line(_first_line(error))}") from None
        self.facts = {
            "torch": str(self.torch.__version__),
            "transformers": self.transformers.__version__,
            "class": type(self._model).__name__,
            "processor": type(self._processor).__name__,
            "image_processor": type(getattr(self._processor, "image_processor", None)).__name__,
            "chat_template": "snellen's for LLaVA-1.5" if self._template is chat.LLAVA else "the model's own",
        }

    # ------------------------------------------------------------ loading

    def _load(self, folder: Path) -> None:
        code = self._code(folder)
        images_only(self.transformers)
        places = {"local_files_only": True, "trust_remote_code": code}
        self._processor = self.transformers.AutoProcessor.from_pretrained(folder, **places)
        self._model = self.transformers.AutoModelForImageTextToText.from_pretrained(
            folder,
            dtype=getattr(self.torch, self.choice.dtype),
            device_map=self.choice.device,
            attn_implementation=self.choice.attention,
            use_safetensors=True,
            **places,
        ).eval()
        self._tokenizer = getattr(self._processor, "tokenizer", None)
        if self._tokenizer is None or getattr(self._processor, "image_processor", None) is None:
            raise SnellenError(f"hf/{self._name}: its processor has no tokenizer and image processor of its own")
        self._tokenizer.padding_side = "left"  # decoding goes on at the right end; set after loading, or it is lost
        if self._tokenizer.pad_token_id is None:
            self._tokenizer.pad_token = self._tokenizer.eos_token
        self._complete_llava()
        self._template = self._chat_template()
        self.ends = self._end_tokens()
        # only what is meant here: no sampling, penalties or lengths of the model's own
        self._model.generation_config = self.transformers.GenerationConfig(
            do_sample=False,
            max_new_tokens=self._settings.max_tokens,
            eos_token_id=sorted(self.ends) or None,
            pad_token_id=self._tokenizer.pad_token_id,
            bos_token_id=self._tokenizer.bos_token_id,
        )
        text = self._model.config.get_text_config()
        self.longest: int | None = getattr(text, "max_position_embeddings", None)

    def _code(self, folder: Path) -> bool:
        """Whether code of the model's own may run: only that of the repository that was named, at the commit that was named."""
        named = self._settings.trust_remote_code
        if named is None:
            return False
        other = foreign_code(folder, named.partition("@")[0])
        if other is not None:
            raise SnellenError(f"hf/{self._name}: its files ask for code of {one_line(other)}, which was not named")
        return True

    def _complete_llava(self) -> None:
        """Early LLaVA exports do not tell the processor how many tokens an image is; the model's configuration knows."""
        processor, config = self._processor, self._model.config
        if config.model_type == "llava" and getattr(processor, "patch_size", None) is None:
            processor.patch_size = config.vision_config.patch_size
            processor.vision_feature_select_strategy = config.vision_feature_select_strategy
            processor.num_additional_image_tokens = int("clip" in config.vision_config.model_type)

    def _chat_template(self) -> str | None:
        """None where the processor has one, else the known one for LLaVA."""
        if getattr(self._processor, "chat_template", None) or getattr(self._tokenizer, "chat_template", None):
            return None
        if self._model.config.model_type == "llava":
            return chat.LLAVA
        raise SnellenError(
            f"hf/{self._name}: no chat template (chat_template.jinja): how to put a question to it is not known"
        )

    def _end_tokens(self) -> frozenset[int]:
        """The model's own end tokens, and its tokenizer's."""
        own = self._model.generation_config.eos_token_id
        if own is None:
            own = getattr(self._model.config.get_text_config(), "eos_token_id", None)
        found = own if isinstance(own, list) else [own]
        return frozenset(int(t) for t in [*found, self._tokenizer.eos_token_id] if t is not None)

    def parameters(self) -> Iterator[Any]:
        """The model's weights."""
        yield from self._model.parameters()

    # ------------------------------------------------------------ prompts

    def render(self, prompt: Prompt) -> Rendered:
        """The prompt as the model's own template has it, and how large it is."""
        text = str(
            self._processor.apply_chat_template(
                prompt.messages,
                add_generation_prompt=True,
                tokenize=False,
                **({"chat_template": self._template} if self._template else {}),
            )
        )
        mark = getattr(self._processor, "image_token", None)
        if isinstance(mark, str) and text.count(mark) != len(prompt.images):
            raise SampleError("bad-prompt", f"the question's text holds the model's own mark for an image, '{mark}'")
        with self._one_at_a_time:
            length = len(self._tokenizer(text, add_special_tokens=not self._begun(text))["input_ids"])
        images = self._image_sizes(prompt)
        shape = Shape(images, length + sum(i[0] - 1 for i in images if len(i) == 1))
        self._check_length(shape.length)
        return Rendered(prompt, text, shape)

    def _begun(self, text: str) -> bool:
        """Whether the template wrote the first token itself."""
        first = self._tokenizer.bos_token
        return first is not None and text.startswith(first)

    def _image_sizes(self, prompt: Prompt) -> tuple[tuple[int, ...], ...]:
        """Tokens of each image where the processor can tell, else its pixels."""
        sizes = [(s.height, s.width) for s in prompt.sent]
        try:
            found = self._processor._get_num_multimodal_tokens(image_sizes=sizes)["num_image_tokens"]
            return tuple((int(n),) for n in found)
        except Exception:
            return tuple(sizes)

    def _check_length(self, length: int) -> None:
        if self.longest is not None and length + self._settings.max_tokens > self.longest:
            raise SampleError(
                "too-long",
                f"the prompt has {length} tokens; with {self._settings.max_tokens} for the reply that is more than the model's "
                f"{self.longest}",
            )

    def encode(self, rows: Sequence[Rendered]) -> Encoded:
        """A batch, padded on the left. All rows have the same number of images."""
        texts = [r.text for r in rows]
        images = [[_decoded(data) for data in r.prompt.images] for r in rows]
        more = {"add_special_tokens": False} if self._begun(texts[0]) else {}
        with self._one_at_a_time:
            inputs = self._processor(
                text=texts, images=images if images[0] else None, padding=True, return_tensors="pt", **more
            )
        lengths = inputs["attention_mask"].sum(-1).tolist()
        for length in lengths:
            self._check_length(length)
        return Encoded(inputs, list(rows), lengths, self._seen(inputs, rows))

    def _seen(self, inputs: Any, rows: Sequence[Rendered]) -> list[tuple[str, ...]]:
        """What the image processor made of each image, in the ledger's words."""
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

    def decode(self, batch: Encoded, closing: threading.Event) -> list[Reply]:
        """Replies to a batch, each with the log-probability and the full-vocabulary entropy of every token."""
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
            found = recorder.rows(ids[:, inputs["input_ids"].shape[1] :], self.ends)
        seconds = time.perf_counter() - begin
        return [self._reply(row, batch, i, seconds) for i, row in enumerate(found)]

    def _reply(self, row: decoding.Row, batch: Encoded, number: int, seconds: float) -> Reply:
        texts = pieces(row.ids, self._texts)
        tokens = tuple(
            Token(text=text, logprob=logprob, entropy=entropy)
            for text, logprob, entropy in zip(texts, row.logprobs, row.entropies, strict=True)
        )
        return Reply(
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


def _decoded(data: bytes) -> Any:
    try:
        return chat.decode(data)
    except Exception as error:
        raise SampleError(
            "bad-image", f"image does not decode ({type(error).__name__}: {one_line(str(error))})"
        ) from None


def _first_line(error: BaseException) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)


@contextlib.contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """No warnings and progress bars of the library's while it loads; they are for developers."""
    log = transformers.utils.logging
    before, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(before)
        if bars:
            log.enable_progress_bar()
