"""Runs that a user names in commands that take many: run folders, and folders that hold runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from snellen.cli import options
from snellen.comparison.thresholds import is_folder_of_runs
from snellen.core.errors import SnellenError
from snellen.engine.runs.listing import listing, shards_of
from snellen.engine.runs.run import Run, open_run


def opened(paths: Sequence[Path], command: str, check: Callable[[Run], None] | None) -> tuple[list[Run], list[str]]:
    """Return the named runs, those in the named folders, and why other runs of these folders are left out.

    `check` raises SnellenError if a run is not valid.
    """
    found: dict[Path, Run] = {}
    passed: list[str] = []
    for path in paths:
        if not is_folder_of_runs(path):
            run = open_run(options.run_folder(path, command))
            if check is not None:
                check(run)
            found.setdefault(path.resolve(), run)
            continue
        options.merge_shards(path)
        there = listing(path)
        passed += [f"{one.path.name} ({one.kind}): {one.why}" for one in there.passed]
        for listed in sorted(there.runs, key=lambda one: (one.manifest.exam, one.manifest.created)):
            run = open_run(listed.path)
            try:
                if check is not None:
                    check(run)
            except SnellenError as error:
                passed.append(str(error))
            else:
                found.setdefault(listed.path.resolve(), run)
    for path in [p for p in found if any(p.name in shards_of(other) for other in found)]:
        del found[path]
        passed.append(f"{path.name} (shard): its whole run is there, too")
    if not found:
        raise SnellenError(f"{paths[0]} has no run that can be shown: {'; '.join(passed)}")
    return list(found.values()), passed
