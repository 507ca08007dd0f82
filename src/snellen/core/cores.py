"""How many cores there are to work on."""

from __future__ import annotations

import os


def cores() -> int:
    """Cores that this process may use: those that a scheduler has given it, where the system can tell; else all there are."""
    counted = getattr(os, "process_cpu_count", None)  # Python 3.13; PYTHON_CPU_COUNT says otherwise
    if counted is not None:
        return counted() or 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
