"""The installed command, started as a user would start it, with a cache of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SNELLEN = str(Path(sys.executable).parent / "snellen")


def environment(cache: Path, **more: str) -> dict[str, str]:
    keep = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_AUTH_TOKEN", "_BASE_URL"))}
    return keep | {"SNELLEN_CACHE_DIR": str(cache), "SNELLEN_DATA_DIR": str(cache / "data"), "COLUMNS": "120"} | more


def snellen(*words: object, cache: Path, stdin: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SNELLEN, *map(str, words)],
        capture_output=True,
        text=True,
        input=stdin,
        env=environment(cache, **more),
        timeout=300,
        check=False,
    )


def start(*words: object, cache: Path, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SNELLEN, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(cache, **more),
    )
