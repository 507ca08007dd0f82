"""The tools with supported logs, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from snellen.core.errors import SnellenError, unknown
from snellen.importers import inspect_ai, lmms_eval, plain, vlmevalkit
from snellen.importers.log import Log

_READERS: dict[str, Callable[[Sequence[Path]], Log]] = {
    inspect_ai.TOOL: inspect_ai.read,
    lmms_eval.TOOL: lmms_eval.read,
    vlmevalkit.TOOL: vlmevalkit.read,
    plain.TOOL: plain.read,
}


def read_log(tool: str, paths: Sequence[Path], epoch: int | None = None) -> Log:
    """Read the log in these files."""
    if tool not in _READERS:
        raise unknown("tool", tool, _READERS)
    if epoch is None:
        return _READERS[tool](paths)
    if tool != inspect_ai.TOOL:
        raise SnellenError(f"--epoch has no effect for {tool}: only logs of Inspect have epochs")
    return inspect_ai.read(paths, epoch)
