"""Loading a model with its processor, and setting both up for decoding in batches."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.subjects.local import chat
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.local.source import foreign_code
from snellen.subjects.local.stack import Stack, images_only

MARKS = ("image_token", "video_token", "boi_token", "start_image_token")


class DeviceChoice(NamedTuple):
    """The settings chosen for the model on this machine."""

    device: str
    dtype: str
    attention: str


class _LoadedModel(NamedTuple):
    """A model in memory. `template` is None if the processor has its own; `marks` are texts that stand for an image."""

    model: Any
    processor: Any
    tokenizer: Any
    template: str | None
    ends: frozenset[int]
    longest: int | None
    marks: tuple[str, ...]


def load(stack: Stack, folder: Path, name: str, choice: DeviceChoice, settings: LocalSettings) -> _LoadedModel:
    """Load a model from a folder alone. Raise SnellenError with one line if that fails."""
    with quiet(stack.transformers):
        try:
            chat.check_template(folder)
            code = _code(folder, name, settings.trust_remote_code)
            processor, model = _read(stack, folder, choice, {"local_files_only": True, "trust_remote_code": code})
        except SnellenError:
            raise
        except Exception as error:  # the libraries raise anything for a model that they cannot load
            raise SnellenError(f"hf/{name}: {_reason(error)}") from None
    tokenizer = getattr(processor, "tokenizer", None)
    if tokenizer is None or getattr(processor, "image_processor", None) is None:
        raise SnellenError(f"hf/{name}: its processor has no tokenizer and image processor of its own")
    if model.config.is_encoder_decoder:
        raise SnellenError(f"hf/{name}: an encoder-decoder model; only decoder-only models are supported")
    tokenizer.padding_side = "left"  # decoding goes on at the right end; set after loading, or it is lost
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    _complete_llava(processor, model.config)
    ends = _end_tokens(model, tokenizer)
    # only the settings below: no sampling, penalties or lengths of the model's own
    model.generation_config = stack.transformers.GenerationConfig(
        do_sample=False,
        max_new_tokens=settings.max_tokens,
        eos_token_id=sorted(ends) or None,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
    )
    return _LoadedModel(
        model=model,
        processor=processor,
        tokenizer=tokenizer,
        template=_template(processor, model.config.model_type, name),
        ends=ends,
        longest=getattr(model.config.get_text_config(), "max_position_embeddings", None),
        marks=tuple(str(m) for m in (getattr(processor, n, None) for n in MARKS) if m),
    )


def _read(stack: Stack, folder: Path, choice: DeviceChoice, places: dict[str, Any]) -> tuple[Any, Any]:
    images_only(stack.transformers)
    processor = stack.transformers.AutoProcessor.from_pretrained(folder, **places)
    model = stack.transformers.AutoModelForImageTextToText.from_pretrained(
        folder,
        dtype=getattr(stack.torch, choice.dtype),
        device_map=choice.device,
        attn_implementation=choice.attention,
        use_safetensors=True,
        **places,
    )
    return processor, model.eval()


def _code(folder: Path, name: str, named: str | None) -> bool:
    """Tell whether the model's own code may run: only that of the named repository at the named commit."""
    if named is None:
        return False
    other = foreign_code(folder, named.partition("@")[0])
    if other is not None:
        raise SnellenError(f"hf/{name}: its files ask for code of {one_line(other)}, which was not named")
    return True


def _complete_llava(processor: Any, config: Any) -> None:
    """Tell an early LLaVA processor how many tokens an image takes. Its export lacks the number; the model's configuration has it."""
    if config.model_type == "llava" and getattr(processor, "patch_size", None) is None:
        processor.patch_size = config.vision_config.patch_size
        processor.vision_feature_select_strategy = config.vision_feature_select_strategy
        processor.num_additional_image_tokens = int("clip" in config.vision_config.model_type)


def _template(processor: Any, kind: str, name: str) -> str | None:
    """Return None if the processor has a template, else the known one for LLaVA."""
    if getattr(processor, "chat_template", None) or getattr(processor.tokenizer, "chat_template", None):
        return None
    if kind == "llava":
        return chat.LLAVA
    raise SnellenError(f"hf/{name}: no chat template (chat_template.jinja), so no prompt can be written for it")


def _end_tokens(model: Any, tokenizer: Any) -> frozenset[int]:
    """Return the model's own end tokens, and its tokenizer's."""
    own = model.generation_config.eos_token_id
    if own is None:
        own = getattr(model.config.get_text_config(), "eos_token_id", None)
    found = own if isinstance(own, list) else [own]
    return frozenset(int(t) for t in [*found, tokenizer.eos_token_id] if t is not None)


def _reason(error: BaseException) -> str:
    """Return why loading failed, on one line."""
    if "trust_remote_code" in str(error):
        return (
            "needs code from its repository; read that code, then allow it with --trust-remote-code OWNER/NAME@COMMIT"
        )
    first = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return f"cannot be loaded: {one_line(first)}"


@contextlib.contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Silence the library's warnings and progress bars while it loads; they are for developers."""
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
