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
from rich.text import Text

from snellen import exams
from snellen.cli import options
from snellen.cli.flags import flags
from snellen.core.errors import SnellenError
from snellen.core.extras import hub_data_of
from snellen.core.installing import install_command
from snellen.engine.call.store import cache_folder
from snellen.present.terminal.tables import print_table

KNOWN = tomllib.loads((files("snellen.cli") / "doctor.toml").read_text(encoding="utf-8"))
EXTRAS: dict[str, dict[str, str]] = KNOWN["extras"]
_LOW_DISK = 1 << 30


class _Line(NamedTuple):
    """One line of the report. `ok` None means optional and absent."""

    what: str
    ok: bool | None
    detail: str


@click.command("doctor")
@flags("doctor")
def command(as_json: bool) -> int:
    """Say what works on this machine, what is missing and how to get it. Calls no endpoint. Exit code 2 if the core is broken."""
    keys = {name: bool(os.environ.get(name)) for name in KNOWN["keys"]}  # only whether they are set, never their values
    found = [
        *_core(),
        *_extras(),
        *_places(),
        *(_Line(name, known or None, "set" if known else "not set") for name, known in keys.items()),
    ]
    if as_json:
        options.print_json([line._asdict() for line in found])
    else:
        signs = {True: Text("ok", "green"), False: Text("broken", "red"), None: Text("absent", "dim")}
        rows = [(signs[line.ok], line.what, line.detail) for line in found]
        print_table("What works on this machine", ("", "what", "detail"), rows)
    return 2 if any(line.ok is False for line in found) else 0


def _core() -> list[_Line]:
    system = f"{platform.python_version()} on {platform.system()}, {os.cpu_count()} cores"
    found = [_Line("python", sys.version_info >= (3, 11), system)]
    for requirement in requires("snellen") or ():
        if ";" in requirement:
            continue
        name = requirement.split(">")[0].split("=")[0].strip()
        try:
            found.append(_Line(name, True, version(name)))
        except PackageNotFoundError:
            found.append(_Line(name, False, f"missing: pip install {name}"))
    return found


def _extras() -> list[_Line]:
    found = []
    for extra, needed in EXTRAS.items():
        there = importlib.util.find_spec(needed["module"]) is not None
        how = "" if there else f": {install_command(extra)}"
        found.append(_Line(f"extra {extra}", there or None, f"for {needed['purpose']}{how}"))
    return found


def _places() -> list[_Line]:
    found = [_writable("answer store", cache_folder())]
    for name in exams.names():
        folder = options.default_data_folder(name)
        there = folder.is_dir()
        where = str(folder)
        if not there:
            try:  # some cannot be downloaded by one command; for those the error says what else helps
                hub_data_of(exams.load(name)).find(None)
                where = f"none in {folder}: 'snellen data get {name}'"
            except SnellenError as error:
                where = f"none in {folder}: {error}"
        found.append(_Line(f"data of {name}", there or None, where))
    return found


def _writable(what: str, folder: Path) -> _Line:
    near = next(p for p in (folder, *folder.parents) if p.exists())
    free = shutil.disk_usage(near).free
    ok = os.access(near, os.W_OK) and free > _LOW_DISK
    more = "" if ok else " (not writable or nearly full; SNELLEN_CACHE_DIR moves it)"
    return _Line(what, ok, f"{folder}, {free / 1e9:.0f} GB free{more}")
