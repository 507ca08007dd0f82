"""The command as a user would start it, with a cache of its own: `installed` and `start` as processes, `snellen` in a fork, which is quicker, `here` in this process."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

SNELLEN = str(Path(sys.executable).parent / "snellen")
SECONDS = 300.0
UNLIMITED = -1
AT_START = ("PYTHON", "LC_", "LANG", "OMP_", "OPENBLAS_")
"""Variables that are read when a process starts."""


def environment(cache: Path, **more: str) -> dict[str, str]:
    keep = {k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_AUTH_TOKEN", "_BASE_URL"))}
    return keep | {"SNELLEN_CACHE_DIR": str(cache), "SNELLEN_DATA_DIR": str(cache / "data"), "COLUMNS": "120"} | more


def installed(
    *words: object, cache: Path, stdin: str | None = None, cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a separate process."""
    return subprocess.run(
        [SNELLEN, *map(str, words)],
        capture_output=True,
        text=True,
        input=stdin,
        cwd=cwd,
        env=environment(cache, **more),
        timeout=SECONDS,
        check=False,
    )


def snellen(
    *words: object, cache: Path, stdin: str | None = None, cwd: Path | None = None, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in a fork of a process that has imported it, unless the environment sets variables that Python reads at its start."""
    from tests.support.forks import shared

    with shared() as forks:
        if forks is None or any(name.startswith(AT_START) for name in more):
            return installed(*words, cache=cache, stdin=stdin, cwd=cwd, **more)
        ended = forks.run(
            *words,
            cache=cache,
            cwd=cwd or Path.cwd(),
            env=more,
            stdin=(stdin or "").encode(),
            seconds=SECONDS,
            memory=UNLIMITED,
        )
    assert not ended.hung, f"snellen {' '.join(ended.words)} hangs"
    return subprocess.CompletedProcess(ended.words, ended.code, ended.out, ended.err)


def here(*words: object, cache: Path, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, for a model that runs here: torch is imported once instead of in every fork."""
    from snellen.cli.main import main

    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, environment(cache, **more), clear=True),
        patch.object(sys, "argv", ["snellen", *map(str, words)]),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
            code: object = 0
        except SystemExit as done:
            code = done.code
    return subprocess.CompletedProcess(sys.argv, code if isinstance(code, int) else 1, out.getvalue(), err.getvalue())


def start(*words: object, cache: Path, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SNELLEN, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(cache, **more),
    )
