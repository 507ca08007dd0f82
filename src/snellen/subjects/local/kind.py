"""The kind of subjects that run on this machine: `hf/NAME`, and the short names `llava` and `qwen`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.options import Option
from snellen.core.subject import Given, Subject, SubjectKind
from snellen.subjects.remote.settings import MAX_TOKENS, TEMPERATURE

TINY = "snellen-tiny"


def _batch(text: str) -> int | str:
    if text != "auto" and not text.isdigit():
        raise SnellenError(f"--batch {text}: a number from 1, or 'auto'")
    return text if text == "auto" else int(text)


DEVICE = Option("device", "Where the model runs: auto, cpu, cuda, cuda:1, mps.", default="auto")
ATTENTION = Option(
    "attention",
    "Attention implementation: sdpa, eager, flash_attention_2 (which must be installed).",
    default="sdpa",
)
DTYPE = Option("dtype", "Precision: auto, float32, bfloat16, float16.", default="auto")
BATCH = Option("batch", "Batch size.", default="auto", metavar="N|auto", parse=_batch)
REMOTE_CODE = Option(
    "trust_remote_code",
    "Run the model code of this repository at this commit; off unless it is named.",
    metavar="REPO@COMMIT",
)
CHECK_BATCHING = Option(
    "check_batching",
    "Answer K samples alone and in batches, report how many answers differ, and stop.",
    kind="int",
    metavar="K",
    least=1,
)
MODEL_PATH = Option("model_path", "Folder of the weights for --model llava or qwen.", metavar="DIR")


class LocalKind(SubjectKind):
    """Models on this machine. `called` is a short name for one of them, whose weights may lie anywhere (--model-path)."""

    options: tuple[Option, ...] = (
        *(MAX_TOKENS, TEMPERATURE),
        *(DEVICE, ATTENTION, DTYPE, BATCH, REMOTE_CODE, CHECK_BATCHING),
    )

    def __init__(self, forms: Mapping[str, str], called: str = "", stands_for: str = "") -> None:
        self.forms, self._called, self._stands_for = forms, called, stands_for
        self.prefix = called or "hf"
        if called:
            self.options = (*LocalKind.options, MODEL_PATH)

    def build(self, name: str, given: Given) -> Subject:
        from snellen.subjects.local.settings import LocalSettings
        from snellen.subjects.local.source import packaged
        from snellen.subjects.local.subject import LocalSubject

        asked: Mapping[str, Any] = given.options
        settings = LocalSettings(
            max_tokens=asked["max_tokens"] or given.exam.max_tokens,
            temperature=asked["temperature"] or 0.0,
            seed=given.seed,
            device=asked["device"],
            dtype=asked["dtype"],
            attention=asked["attention"],
            batch=asked["batch"],
            trust_remote_code=asked["trust_remote_code"],
        )
        called = self._called or None
        if called is not None:
            if name:
                raise SnellenError(
                    f"--model {called}/{name}: '{called}' takes no name after it; other models are hf/NAME"
                )
            name = asked["model_path"] or self._stands_for
        elif not name:
            raise SnellenError("--model hf: which model? Write hf/NAME or hf/DIR")
        elif name == TINY:
            name, called = packaged(TINY), f"hf/{TINY}"
        return LocalSubject(name, settings, offline=given.offline, called=called)


HF = LocalKind(
    {
        "hf/NAME": "a model on this machine: a saved model's folder, or its name on the Hugging Face hub (extra local)",
        f"hf/{TINY}": "the model that is shipped with Snellen: a few MB, trained on its synthetic sets alone (extra local)",
    }
)
LLAVA = LocalKind({"llava": "short for hf/llava-hf/llava-1.5-7b-hf"}, "llava", "llava-hf/llava-1.5-7b-hf")
QWEN = LocalKind({"qwen": "short for hf/Qwen/Qwen3-VL-8B-Instruct"}, "qwen", "Qwen/Qwen3-VL-8B-Instruct")
