"""torch and transformers, imported when a local model needs them, and the choices of device and precision."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.installing import install_command
from snellen.core.text import one_line

DTYPES = ("float32", "float16", "bfloat16")
NO_MEMORY = ("out of memory", "can't allocate memory", "alloc_failed")
VISION_WITHOUT_VIDEO = ("Qwen2VLProcessor", "Qwen2_5_VLProcessor", "Qwen3VLProcessor")


class Stack(NamedTuple):
    """The two libraries. Typed as Any: the extra may be missing, and type-checking them takes minutes."""

    torch: Any
    transformers: Any


def load_stack(what: str = "a local model (hf/...)") -> Stack:
    """Import both libraries, or raise an error naming the extra that `what` needs."""
    try:
        stack = Stack(importlib.import_module("torch"), importlib.import_module("transformers"))
    except ImportError:
        raise MissingExtra(what, "local") from None
    stack.transformers.logging.set_verbosity_error()  # its notes on configurations are not for our users
    if not hasattr(stack.transformers, "AutoModelForImageTextToText"):
        raise SnellenError(
            f"transformers {stack.transformers.__version__} is too old for local models: {install_command('local')} --upgrade"
        )
    return stack


def choose_device(torch: Any, wanted: str) -> str:
    """Return the device: for `auto` the first GPU, else the processor. Any other name is checked."""
    if wanted == "auto":
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        device = torch.device(wanted)
    except RuntimeError:
        raise SnellenError(f"--device {one_line(wanted)}: expected auto, cpu, cuda, cuda:N or mps") from None
    have = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not have.get(device.type, True):
        raise SnellenError(f"--device {one_line(wanted)}: this machine has none that torch can use; choose auto or cpu")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise SnellenError(f"--device {one_line(wanted)}: there are {torch.cuda.device_count()} such devices")
    return wanted


def every_gpu() -> tuple[str, ...]:
    """Return all CUDA GPUs of this machine; raise an error if there are none."""
    count = load_stack().torch.cuda.device_count()
    if not count:
        raise SnellenError("--devices all: this machine has no GPU that torch can use; name devices, such as cpu,cpu")
    return tuple(f"cuda:{number}" for number in range(count))


def choose_dtype(wanted: str, device: str, saved: str | None, bfloat16: bool) -> str:
    """Return the precision. `auto`: float32 on the processor; on a GPU the half precision of the saved model, if the GPU has it.

    >>> choose_dtype("auto", "cpu", "float16", True), choose_dtype("auto", "cuda", "float16", True)
    ('float32', 'float16')
    >>> choose_dtype("auto", "cuda", "float32", True), choose_dtype("auto", "cuda", "bfloat16", False)
    ('bfloat16', 'float16')
    """
    if wanted != "auto":
        if wanted not in DTYPES:
            raise SnellenError(f"--dtype {one_line(wanted)}: expected auto, {', '.join(DTYPES)}")
        return wanted
    if device.startswith("cpu"):
        return "float32"
    return "float16" if saved == "float16" or not bfloat16 else "bfloat16"


def has_bfloat16(torch: Any, device: str) -> bool:
    """Tell whether the GPU computes in bfloat16."""
    return device.startswith("cuda") and bool(torch.cuda.is_bf16_supported())


def device_name(torch: Any, device: str) -> str:
    """Return the GPU's own name, for the record."""
    return str(torch.cuda.get_device_name(device)) if device.startswith("cuda") else device


def free_memory(torch: Any, device: str) -> None:
    """Free the memory of a failed batch."""
    import gc

    gc.collect()
    if device.startswith("cuda"):
        torch.cuda.empty_cache()
    elif device == "mps":
        torch.mps.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error means out of memory: torch's own class on a GPU, a plain RuntimeError elsewhere."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    said = str(error).lower()
    return isinstance(error, RuntimeError) and any(word in said for word in NO_MEMORY)


def images_only(transformers: Any) -> None:
    """Let the Qwen processors load without torchvision, which only their video half needs. Do nothing if it is installed."""
    if transformers.utils.is_torchvision_available():
        return
    for name in VISION_WITHOUT_VIDEO:
        processor = getattr(transformers, name, None)
        if processor is not None and hasattr(processor, "get_attributes"):
            processor.get_attributes = classmethod(lambda cls: ["image_processor", "tokenizer"])
            processor.video_processor = None
