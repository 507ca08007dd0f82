"""The hub addresses of the published grounding sets, so that `snellen data get grounding` can pin a commit of them.

Only publications in the original files are named, since repackaged copies write other boxes. Two sets have none on the hub. The copies
of ScreenSpot there are other people's, and the hub's OSWorld-G leaves the refusals out and turns polygons into boxes. For these the
error names the place where their authors have them.
"""

from __future__ import annotations

import shutil
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from snellen.core.errors import SnellenError, unknown
from snellen.core.extras import HubSet
from snellen.data.folder import UNFINISHED
from snellen.data.hub import LOCK, Lock, is_inside, read_lock
from snellen.synthetic.writing import whole

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
)  # the last: it has a password
LARGEST = 16 << 30  # bytes unpacked; the largest published archive has 1.3 GB


class _DownloadSet(NamedTuple):
    """A set: its hub repository and the files to get, or in `instead` how else to get it; `archives` are to be unpacked."""

    title: str
    repo: str | None = None
    patterns: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    instead: str = ""


SOURCES = {
    "screenspot": _DownloadSet(
        "ScreenSpot",
        instead="its authors publish it with SeeClick (github.com/njucckevin/SeeClick), not on the hub: put "
        "screenspot_{mobile,desktop,web}.json and the folder screenspot_imgs/ into a folder and name that with --data",
    ),
    "screenspot-v2": _DownloadSet(
        "ScreenSpot-v2",
        "OS-Copilot/ScreenSpot-v2",
        ("screenspot_mobile_v2.json", "screenspot_desktop_v2.json", "screenspot_web_v2.json", "screenspotv2_image.zip"),
        archives=("screenspotv2_image.zip",),
    ),
    "screenspot-pro": _DownloadSet("ScreenSpot-Pro", "likaixin/ScreenSpot-Pro", ("annotations/*.json", "images/**")),
    "osworld-g": _DownloadSet(
        "OSWorld-G",
        instead="the hub has only a copy without its refusals and polygons: 'git clone https://github.com/xlang-ai/OSWorld-G', "
        "check out the commit that you want, and name the clone (or its folder benchmark/) with --data",
    ),
}


def source(name: str | None) -> _DownloadSet:
    """Return a set by its name, in any case."""
    if name is None:
        names = ", ".join(SOURCES)
        raise SnellenError(
            f"grounding reads several data sets: get one with 'snellen data get grounding --set screenspot-v2' ({names})"
        )
    found = SOURCES.get(name.strip().lower())
    if found is None:
        raise unknown("set", name, SOURCES, of="grounding")
    return found


def hub(name: str | None) -> HubSet:
    """Return the hub repository of a set and the patterns of its files; raise SnellenError where the set is not on the hub."""
    found = source(name)
    if found.repo is None:
        raise SnellenError(f"{found.title} cannot be downloaded from the hub: {found.instead}")
    return HubSet(found.repo, found.patterns)


def unpack(name: str | None, folder: Path) -> list[Path]:
    """Unpack the archives of a downloaded set beside themselves; return the new files. Existing files stay."""
    written: list[Path] = []
    for archive in source(name).archives:
        path = folder / archive
        if not path.is_file():
            raise SnellenError(f"{path} is missing: get the set again")
        try:
            with zipfile.ZipFile(path) as opened:
                written += _extracted(opened, folder, archive)
        except _BROKEN as error:
            raise SnellenError(f"{path} cannot be unpacked ({error}): delete it and get the set again") from None
    return written


def _extracted(archive: zipfile.ZipFile, folder: Path, name: str) -> list[Path]:
    members = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
    if sum(m.file_size for m in members) > LARGEST:
        raise SnellenError(f"{name}: unpacks to more than {LARGEST >> 30} GiB, which no published set does")
    kept = {LOCK, UNFINISHED, name, *((read_lock(folder) or Lock()).files)}
    for member in members:
        if not is_inside(member.filename) or ":" in member.filename:
            raise SnellenError(f"{name}: its file {member.filename!r} lies outside the folder; the archive is not used")
        if PurePosixPath(member.filename).as_posix() in kept:
            raise SnellenError(
                f"{name}: its file {member.filename!r} would replace what was downloaded; the archive is not used"
            )
    written = []
    for member in members:
        target = folder / member.filename
        if target.is_file() and target.stat().st_size == member.file_size:
            continue
        with whole(target) as part, archive.open(member) as inside, part.open("wb") as out:
            shutil.copyfileobj(inside, out, 1 << 20)
        written.append(target)
    return written
