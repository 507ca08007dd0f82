"""Snellen: an eye exam for vision-language models.

`evaluate()` runs an exam, `remark()` marks stored answers again, `open_run()` reads a run, `compare()` compares runs, `explain()`
shows which choices give which number, `gate()` judges one run by another. Names load when used, so `import snellen` is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0.dev0"

if TYPE_CHECKING:
    from snellen.api import compare, evaluate, explain, gate
    from snellen.comparison.explained import Explanation
    from snellen.comparison.gating import Gate
    from snellen.comparison.results import Comparison
    from snellen.core.errors import SnellenError, Stopped
    from snellen.core.exam import Exam
    from snellen.core.options import Option
    from snellen.core.prompt import Prompt
    from snellen.core.protocol import Protocol
    from snellen.core.results import Metric, Score
    from snellen.core.subject import Subject, SubjectKind
    from snellen.core.types import Answer, Call, Mark, Outcome, Picture, Question, Sample, Text
    from snellen.engine.remark import remark
    from snellen.engine.runs.run import Run, open_run

__all__ = [
    "Answer",
    "Call",
    "Comparison",
    "Exam",
    "Explanation",
    "Gate",
    "Mark",
    "Metric",
    "Option",
    "Outcome",
    "Picture",
    "Prompt",
    "Protocol",
    "Question",
    "Run",
    "Sample",
    "Score",
    "SnellenError",
    "Stopped",
    "Subject",
    "SubjectKind",
    "Text",
    "compare",
    "evaluate",
    "explain",
    "gate",
    "open_run",
    "remark",
]

_HOME = {
    "snellen.api": ("compare", "evaluate", "explain", "gate"),
    "snellen.comparison.explained": ("Explanation",),
    "snellen.comparison.gating": ("Gate",),
    "snellen.comparison.results": ("Comparison",),
    "snellen.engine.remark": ("remark",),
    "snellen.engine.runs.run": ("Run", "open_run"),
    "snellen.core.errors": ("SnellenError", "Stopped"),
    "snellen.core.exam": ("Exam",),
    "snellen.core.options": ("Option",),
    "snellen.core.prompt": ("Prompt",),
    "snellen.core.protocol": ("Protocol",),
    "snellen.core.results": ("Metric", "Score"),
    "snellen.core.subject": ("Subject", "SubjectKind"),
    "snellen.core.types": ("Answer", "Call", "Mark", "Outcome", "Picture", "Question", "Sample", "Text"),
}
_WHERE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    raise AttributeError(f"module 'snellen' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
