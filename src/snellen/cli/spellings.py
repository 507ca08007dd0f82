"""The flags of the VQA seed's own command, put into Snellen's: `snellen run --task vqax --model llava --prompt_mode 3shot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from snellen.core.errors import SnellenError


class CountOrNone(click.IntRange):
    """A number of samples, or `None` for all of them, as the seed's README writes it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number; None for none."""
        return None if str(value).strip().lower() == "none" else super().convert(value, param, ctx)


def translate(benchmark: str | None, given: dict[str, Any]) -> str:
    """The benchmark that is meant; `given` is changed so that the other commands' options say the same."""
    from snellen import exams as benchmarks

    names = benchmarks.names()
    if benchmark is None:
        exams = [t for t in given["tasks"] if t in names]
        if len(given["tasks"]) != 1 or not exams:
            raise SnellenError(f"which benchmark? 'snellen run BENCHMARK ...', one of {', '.join(names)}")
        benchmark = exams[0]
        given["tasks"] = ()
        given["model"] = given["model"] or "llava"
        if given["data"] is None and Path("nle_data").is_dir():
            given["data"] = "."
    given["prompt"] = _prompt(benchmark, given)
    return benchmark


def _prompt(benchmark: str, given: dict[str, Any]) -> str | None:
    from snellen import exams as benchmarks

    mode: str | None = given.get("prompt_mode")
    explain: bool | None = given.get("generate_explanations")
    prompt: str | None = given["prompt"]
    if mode is None and explain is None:
        return prompt
    if prompt is not None:
        raise SnellenError(
            f"--prompt {prompt} and --prompt_mode or --generate_explanations say the same: give one of them"
        )
    have = benchmarks.load(benchmark).prompts
    wanted = "answer-only" if explain is False else (mode or "zero")
    if explain is False and mode not in (None, "zero"):
        raise SnellenError(f"--prompt_mode {mode}: without explanations there is only the zero-shot prompt")
    if wanted not in have:
        raise SnellenError(f"--prompt_mode {wanted}: {benchmark} has {', '.join(have)}")
    return wanted
