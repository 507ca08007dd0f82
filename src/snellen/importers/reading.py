"""The tools whose logs can be read, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from snellen.core.errors import SnellenError, unknown
from snellen.importers import inspect_ai, lmms_eval, plain, vlmevalkit
from snellen.importers.log import Log

TOOLS: dict[str, str] = {
    "inspect": "Inspect AI: LOG.eval or LOG.json",
    "lmms-eval": "lmms-eval: DATE_samples_TASK.jsonl, or DATE_results.json with the samples beside it",
    "vlmevalkit": "VLMEvalKit: MODEL_DATASET.xlsx, .tsv or .json, or the scored ..._result.xlsx",
    "csv": "any table: .csv, .tsv, .xlsx, .json or .jsonl with the columns id and response",
}
_SEVERAL: dict[str, Callable[[Sequence[Path]], Log]] = {
    "lmms-eval": lmms_eval.read,
    "vlmevalkit": vlmevalkit.read,
    "csv": plain.read,
}


def read_log(tool: str, paths: Sequence[Path], epoch: int | None = None) -> Log:
    """The log that these files are."""
    if tool not in TOOLS:
        raise unknown("tool", tool, TOOLS)
    if tool == "inspect":
        if len(paths) > 1:
            raise SnellenError("a log of Inspect is one evaluation: import one at a time")
        return inspect_ai.read(paths[0], epoch)
    if epoch is not None:
        raise SnellenError(f"--epoch means nothing for {tool}: only logs of Inspect have epochs")
    return _SEVERAL[tool](paths)
