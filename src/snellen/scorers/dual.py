"""Dual encoders (SigLIP, SigLIP 2, CLIP) as scorers: texts and pictures to vectors of length 1.

SigLIP was trained on texts padded to its full length and looks at the last position, so padding is part of the model. The
D3 script does not pad; `original` does as it does, `trained` as the model expects.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.pixels import BadPicture, as_rgb
from snellen.core.scorer import EmbeddedTexts
from snellen.core.text import one_line
from snellen.subjects.local.loading import quiet
from snellen.subjects.local.source import config_of, fetch, find
from snellen.subjects.local.stack import choose_device, load_stack

BATCH = 32
FAMILIES = ("siglip", "siglip2", "clip")


class DualEncoder:
    """A checkpoint by folder or hub name, loaded with the first text or picture."""

    def __init__(self, name: str, checkpoint: str, mode: str, device: str) -> None:
        self.name = name if mode == "trained" else f"{name}-{mode}"
        self._mode = mode
        self._stack = load_stack(f"the scorer {name}")
        try:
            self._source = find(checkpoint)
            config = config_of(self._source)
        except SnellenError as error:
            told = str(error).removeprefix(f"hf/{checkpoint}").removeprefix(": ")
            raise SnellenError(f"--scorer {name}: {checkpoint}: {told}") from None
        self._family = str(config.get("model_type"))
        if self._family not in FAMILIES:
            raise SnellenError(
                f"scorer {name}: {checkpoint} is a '{one_line(self._family)}' model; expected one of {', '.join(FAMILIES)}"
            )
        self._device = choose_device(self._stack.torch, device)
        self._loaded: tuple[Any, Any, int] | None = None
        self.identity: dict[str, Any] = {
            "checkpoint": self._source.name,
            "version": self._source.version,
            "padding": padding_of(self._family, mode),
        }

    def texts(self, texts: Sequence[str]) -> EmbeddedTexts:
        model, processor, longest = self._model()
        vectors: list[Sequence[float]] = []
        cut: list[bool] = []
        for batch in _batches(texts):
            tokens = processor.tokenizer(list(batch))["input_ids"]
            cut += [len(ids) > longest for ids in tokens]
            vectors += self._embed_texts(model, processor, list(batch), longest)
        return EmbeddedTexts(vectors, cut)

    def _embed_texts(self, model: Any, processor: Any, batch: list[str], longest: int) -> list[Sequence[float]]:
        if self._mode == "original":  # one text at a time, unpadded: the last position differs from text to text
            return [v for text in batch for v in self._encode_texts(model, processor, [text], longest, padding=False)]
        padding = "max_length" if self._family != "clip" else True
        return self._encode_texts(model, processor, batch, longest, padding=padding)

    def _encode_texts(
        self, model: Any, processor: Any, batch: list[str], longest: int, padding: str | bool
    ) -> list[Sequence[float]]:
        given = processor.tokenizer(batch, padding=padding, truncation=True, max_length=longest, return_tensors="pt")
        inputs = {"input_ids": given["input_ids"].to(self._device)}
        if self._family == "clip":
            inputs["attention_mask"] = given["attention_mask"].to(self._device)
        with self._stack.torch.inference_mode():
            return self._unit(model.get_text_features(**inputs))

    def images(self, images: Sequence[bytes]) -> list[Sequence[float]]:
        model, processor, _longest = self._model()
        vectors: list[Sequence[float]] = []
        for batch in _batches(images):
            pixels = processor.image_processor(images=rgb_pictures(batch), return_tensors="pt")
            inputs = {k: v.to(self._device) for k, v in pixels.items()}
            with self._stack.torch.inference_mode():
                vectors += self._unit(model.get_image_features(**inputs))
        return vectors

    def _unit(self, found: Any) -> list[Sequence[float]]:
        """Return vectors of length 1, however the library wraps them."""
        vectors = found if self._stack.torch.is_tensor(found) else found.pooler_output
        unit: list[Sequence[float]] = self._stack.torch.nn.functional.normalize(vectors.float(), dim=-1).cpu().tolist()
        return unit

    def _model(self) -> tuple[Any, Any, int]:
        if self._loaded is None:
            folder = fetch(self._source)
            transformers = self._stack.transformers
            try:
                with quiet(transformers):
                    model = transformers.AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
                    processor = transformers.AutoProcessor.from_pretrained(folder, local_files_only=True)
                model = model.to(self._device).eval()
            except Exception as error:
                raise SnellenError(f"scorer {self.name} does not load: {one_line(str(error), 200)}") from None
            self._loaded = model, processor, int(model.config.text_config.max_position_embeddings)
        return self._loaded


def rgb_pictures(images: Sequence[bytes]) -> list[Any]:
    """Open pictures in three channels; raise SnellenError for one that does not decode."""
    try:
        return [as_rgb(data) for data in images]
    except BadPicture as error:
        raise SnellenError(one_line(str(error), 160)) from None


def padding_of(family: str, mode: str) -> str:
    """Return the padding of texts, for the record. CLIP ignores its padding."""
    if mode == "original":
        return "none, as the D3 script"
    return "to the longest text, masked" if family == "clip" else "to the full length, as trained"


def _batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[i : i + BATCH] for i in range(0, len(items), BATCH)]
