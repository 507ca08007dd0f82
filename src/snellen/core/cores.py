"""Count the cores to work on."""

from __future__ import annotations

import os


def cores() -> int:
    """Return the number of cores that this process may use: those that a scheduler gave it, if the system can tell, else all."""
    counted = getattr(os, "process_cpu_count", None)  # Python 3.13; PYTHON_CPU_COUNT overrides it
    if counted is not None:
        return counted() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
