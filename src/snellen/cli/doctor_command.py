"""`snellen doctor`: what works on this machine."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import click

from snellen.cli import options
from snellen.cli.flags import flags
from snellen.core.installing import install_command

KNOWN = tomllib.loads((files("snellen.cli") / "doctor.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, dict[str, str]] = KNOWN["extras"]
LOW_DISK = 1 << 30


class DoctorLine(NamedTuple):
    """One line of the doctor's report. `ok` None means it is optional and absent."""

    what: str
    ok: bool | None
    detail: str


@click.command("doctor")
@flags("doctor")
def command(as_json: bool) -> int:
    """Say what works on this machine, what is missing and how to get it. Calls no endpoint. Exit code 2 if the core is broken."""
    findings = [*_core(), *_extras(), *_places(), *_keys()]
    if as_json:
        options.print_json([f._asdict() for f in findings])
    else:
        _print(findings)
    return 2 if any(f.ok is False for f in findings) else 0


def _print(findings: list[DoctorLine]) -> None:
    from rich.text import Text

    from snellen.present.terminal.tables import print_table

    signs = {True: Text("ok", "green"), False: Text("broken", "red"), None: Text("absent", "dim")}
    print_table(
        "What works on this machine", ("", "what", "detail"), [(signs[f.ok], f.what, f.detail) for f in findings]
    )


def _core() -> list[DoctorLine]:
    system = f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} cores"
    found = [DoctorLine("python", sys.version_info >= (3, 11), system)]
    for requirement in requires("snellen") or ():
        if ";" in requirement:
            continue
        name = requirement.split(">")[0].split("=")[0].strip()
        try:
            found.append(DoctorLine(name, True, version(name)))
        except PackageNotFoundError:
            found.append(DoctorLine(name, False, f"missing: pip install {name}"))
    return found


def _extras() -> list[DoctorLine]:
    found = []
    for extra, needed in EXTRAS.items():
        there = importlib.util.find_spec(needed["module"]) is not None
        how = "" if there else f": {install_command(extra)}"
        found.append(DoctorLine(f"extra {extra}", there or None, f"for {needed['purpose']}{how}"))
    return found


def _places() -> list[DoctorLine]:
    from snellen import exams
    from snellen.engine.call.store import cache_folder

    found = [_writable("answer store", cache_folder())]
    for name in exams.names():
        folder = options.default_data_folder(name)
        there = folder.is_dir()
        where = str(folder) if there else f"none in {folder}: {_how_to_get(name)}"
        found.append(DoctorLine(f"data of {name}", there or None, where))
    return found


def _how_to_get(name: str) -> str:
    """What to do for a data set: not all can be downloaded by one command, and those that cannot say what else helps."""
    from snellen import exams
    from snellen.core.errors import SnellenError
    from snellen.core.extras import hub_data_of

    try:
        hub_data_of(exams.load(name)).find(None)
    except SnellenError as error:
        return str(error)
    return f"'snellen data get {name}'"


def _writable(what: str, folder: Path) -> DoctorLine:
    near = next(p for p in (folder, *folder.parents) if p.exists())
    free = shutil.disk_usage(near).free
    ok = os.access(near, os.W_OK) and free > LOW_DISK
    more = "" if ok else " (not writable or nearly full; SNELLEN_CACHE_DIR moves it)"
    return DoctorLine(what, ok, f"{folder}, {free / 1e9:.0f} GB free{more}")


def _keys() -> list[DoctorLine]:
    """Say which keys are set; never what they are."""
    there = {name: bool(os.environ.get(name)) for name in KNOWN["keys"]}
    return [DoctorLine(name, known or None, "set" if known else "not set") for name, known in there.items()]
