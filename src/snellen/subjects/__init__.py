"""Who answers: models behind an API or on this machine, baselines, replays. A subject receives Questions and never imports a benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from snellen.core.errors import SnellenError
from snellen.core.subject import Subject

if TYPE_CHECKING:
    from snellen.subjects.local.settings import LocalSettings
    from snellen.subjects.openai_api import Settings
    from snellen.subjects.replay import Recorded

FORMS = {
    "openrouter/NAME": "a model at OpenRouter (OPENROUTER_API_KEY)",
    "openai/NAME": "a model at OpenAI (OPENAI_API_KEY)",
    "ollama/NAME": "a model of a local Ollama (OLLAMA_HOST)",
    "vllm/NAME": "a model of a vLLM server (--base-url, default http://localhost:8000/v1)",
    "api/NAME": "a model of any OpenAI-compatible server (--base-url)",
    "hf/NAME": "a model on this machine: a saved model's folder, or its name on the Hugging Face hub (extra local)",
    "hf/snellen-tiny": "the model that is shipped with Snellen: a few MB, trained on its synthetic sets alone (extra local)",
    "llava": "short for hf/llava-hf/llava-1.5-7b-hf",
    "qwen": "short for hf/Qwen/Qwen3-VL-8B-Instruct",
    "baseline/chance": "a random option, or a random set of options",
    "baseline/constant:TEXT": "always TEXT",
    "baseline/pixels": "a classical image-processing solver, where the benchmark has one",
    "replay/FILE": "recorded replies: JSON, JSON lines or CSV with id and text",
}


TINY = "snellen-tiny"
SHORT = {"llava": "hf/llava-hf/llava-1.5-7b-hf", "qwen": "hf/Qwen/Qwen3-VL-8B-Instruct"}


def build(
    spec: str,
    settings: Settings,
    *,
    solvers: Mapping[str, str],
    seed: int = 0,
    offline: bool = False,
    local: LocalSettings | None = None,
    recorded: Recorded | None = None,
) -> Subject:
    """A subject from `--model SPEC`. `offline` builds one that will not be called, so it needs no key.

    `local` is for models that run here; how long and how hot they answer is taken from `settings` as for all others.
    """
    called = spec if spec in SHORT else None
    spec = SHORT.get(spec, spec)
    kind, _, name = spec.partition("/")
    if not name:
        raise SnellenError(f"--model {spec}: expected one of {', '.join(FORMS)}")
    if kind == "replay":
        from snellen.subjects.replay import Replay

        return Replay(Path(name), recorded)
    if kind == "baseline":
        return _baseline(name, solvers, seed)
    if kind == "hf":
        return _local(name, settings, local, seed, offline, called)
    from snellen.subjects.openai_api import KINDS, ChatSubject

    if kind in KINDS:
        return ChatSubject(kind, name, settings, offline=offline)
    raise SnellenError(f"--model {spec}: unknown kind '{kind}'; expected one of {', '.join(FORMS)}")


def _local(
    name: str, settings: Settings, local: LocalSettings | None, seed: int, offline: bool, called: str | None
) -> Subject:
    from snellen.subjects.local.settings import LocalSettings
    from snellen.subjects.local.source import packaged
    from snellen.subjects.local.subject import LocalSubject

    if settings.extra:
        raise SnellenError("--extra adds fields to a request; a model that runs here (hf/...) gets none")
    made = (local or LocalSettings())._replace(
        max_tokens=settings.max_tokens, temperature=settings.temperature or 0.0, seed=seed
    )
    if made.path is not None and called is None:
        raise SnellenError(f"--model-path is for --model {' or '.join(SHORT)}; else name the folder: --model hf/DIR")
    if name == TINY:
        name, called = packaged(TINY), f"hf/{TINY}"
    return LocalSubject(made.path or name, made, offline=offline, called=called)


def _baseline(name: str, solvers: Mapping[str, str], seed: int) -> Subject:
    from snellen.subjects.baselines import Chance, Constant, Solver

    word, _, text = name.partition(":")
    if word == "chance":
        return Chance(seed)
    if word == "constant":
        if not text:
            raise SnellenError("baseline/constant needs a text: baseline/constant:color")
        return Constant(text)
    if name in solvers:
        return Solver(name, solvers[name])
    have = ", ".join(["chance", "constant:TEXT", *solvers])
    raise SnellenError(f"unknown baseline '{name}' for this benchmark: choose from {have}")
