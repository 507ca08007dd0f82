"""The kind of subjects that run on this machine: `hf/NAME`, and the short names `llava` and `qwen`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snellen.core.errors import SnellenError
from snellen.core.options import Option
from snellen.core.subject import BuildContext, Hosting, Subject, SubjectKind
from snellen.subjects.remote.settings import MAX_TOKENS, TEMPERATURE

if TYPE_CHECKING:
    from snellen.subjects.local.settings import LocalSettings
    from snellen.subjects.local.subject import LocalSubject

TINY = "snellen-tiny"


def _batch(text: str) -> int | str:
    if text != "auto" and not text.isdigit():
        raise SnellenError(f"--batch {text}: a number from 1, or 'auto'")
    return text if text == "auto" else int(text)


def _devices(given: str | Sequence[str]) -> tuple[str, ...]:
    """Return device names, given as one text (as on the command line) or one by one."""
    names = given.split(",") if isinstance(given, str) else given
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) and name.strip() for name in names):
        raise SnellenError(f"--devices {given}: devices, comma separated, such as cuda:0,cuda:1, or 'all'")
    return tuple(name.strip() for name in names)


DEVICE = Option("device", "Where the model runs: auto, cpu, cuda, cuda:1, mps.", default="auto")
DEVICES = Option(
    "devices",
    "A process with a model of its own on each of these devices: cuda:0,cuda:1, or all (every GPU here).",
    metavar="D,...",
    parse=_devices,
)
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


class _LocalKind(SubjectKind):
    """Models on this machine. `called` is a short name for one of them, whose weights may be anywhere (--model-path)."""

    options: tuple[Option, ...] = (
        *(MAX_TOKENS, TEMPERATURE),
        *(DEVICE, DEVICES, ATTENTION, DTYPE, BATCH, REMOTE_CODE, CHECK_BATCHING),
    )

    in_workers = True
    hosting = Hosting("self", "transformers")

    def __init__(self, forms: Mapping[str, str], called: str = "", stands_for: str = "") -> None:
        self.forms, self._called, self._stands_for = forms, called, stands_for
        self.prefix = called or "hf"
        if called:
            self.options = (*_LocalKind.options, MODEL_PATH)

    def build(self, name: str, given: BuildContext) -> Subject:
        from snellen.subjects.local.settings import LocalSettings

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
        name = self._named(name, asked.get("model_path"))
        if not asked["devices"]:
            return self._subject(name, settings, offline=given.offline)
        if settings.device != DEVICE.default:
            raise SnellenError("--device and --devices: name the devices in one of them")
        if given.offline:
            return self._subject(name, settings, offline=True)
        if asked["check_batching"]:
            raise SnellenError("--check-batching is for one device: give --device in place of --devices")
        from snellen.subjects.in_workers import on_devices
        from snellen.subjects.local.stack import every_gpu

        named = _devices(asked["devices"])
        devices = every_gpu() if named == ("all",) else named
        return on_devices(lambda d: self._subject(name, settings._replace(device=d), offline=True), devices)

    def _named(self, name: str, path: str | None) -> str:
        """Return the model's name: the one behind the prefix, or the one that a short name stands for."""
        if not self._called and not name:
            raise SnellenError("--model hf: which model? Write hf/NAME or hf/DIR")
        if self._called and name:
            raise SnellenError(
                f"--model {self._called}/{name}: '{self._called}' takes no name after it; other models are hf/NAME"
            )
        return name or path or self._stands_for

    def _subject(self, name: str, settings: LocalSettings, *, offline: bool) -> LocalSubject:
        from snellen.subjects.local.source import packaged
        from snellen.subjects.local.subject import LocalSubject

        shipped = name == TINY and not self._called
        called = f"hf/{TINY}" if shipped else self._called or None
        subject = LocalSubject(packaged(TINY) if shipped else name, settings, offline=offline, called=called)
        folder = Path(name).expanduser()  # another process may start in another folder
        subject.worker_spec = {
            "name": str(folder.resolve()) if folder.is_dir() and not shipped else name,
            "settings": settings._asdict(),
        }
        return subject

    def worker(self, spec: Mapping[str, Any]) -> Subject:
        from snellen.subjects.local.settings import LocalSettings

        return self._subject(spec["name"], LocalSettings(**spec["settings"]), offline=False)


HF = _LocalKind(
    {
        "hf/NAME": "a model on this machine: a saved model's folder, or its name on the Hugging Face hub (extra local)",
        f"hf/{TINY}": "the model that is shipped with Snellen: a few MB, trained on its synthetic sets alone (extra local)",
    }
)
LLAVA = _LocalKind({"llava": "short for hf/llava-hf/llava-1.5-7b-hf"}, "llava", "llava-hf/llava-1.5-7b-hf")
QWEN = _LocalKind({"qwen": "short for hf/Qwen/Qwen3-VL-8B-Instruct"}, "qwen", "Qwen/Qwen3-VL-8B-Instruct")
