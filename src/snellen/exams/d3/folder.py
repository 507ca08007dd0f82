"""A D3 folder on disk: the sets in `dataset.json`, the places of their images, and the known differences. Without that file, the folder has
a user's own pairs; see pairs.py.

Nothing is decided here: unusable entries become problems, and absent images are reported as missing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import msgspec

from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.core.json_keys import repeated_key
from snellen.core.text import one_line
from snellen.data.files import PictureFolders, check_inside, digest_of
from snellen.data.folder import check_folder, find_files
from snellen.data.synthetic_marker import MARK, folder_label
from snellen.exams.d3.names import MOST, PAIR, names_in
from snellen.exams.d3.pairs import EntrySource, UncheckedEntry, own_pairs

DATASET, DIFFERENCES = "dataset.json", "differences.json"
README = "linked from github.com/manugaurdl/detect-describe-discriminate"
_ENOUGH = 4096
_LIST = re.compile(
    rb'\s*\{\s*"[^"]*"\s*:\s*\{[^{}]*?"(?:left|right|image1)"\s*:\s*"[^"]*\.(?:png|jpe?g|webp|gif|bmp)"', re.IGNORECASE
)
"""The beginning of a list in the format of dataset.json, whatever the file's name."""
ELSEWHERE = ("images", "images/train2014", "images/val2014", "train2014", "val2014")
"""Folders to search for an image by its name if it is not at its path."""


class LocatedEntry(NamedTuple):
    """A pair or set: its place in messages, the paths of its slots, the files there (None for a missing one), and what is known of how its
    images differ.
    """

    where: str
    uid: str
    paths: dict[str, str]
    files: dict[str, Path | None]
    known: dict[str, Any]

    @property
    def missing(self) -> list[str]:
        """The missing images, as dataset.json names them."""
        return [self.paths[name] for name, file in self.files.items() if file is None]


def _source_of(where: Path) -> EntrySource:
    """Return D3's list in a folder, or in the only folder below with a list; otherwise the user's own pairs."""
    if not where.is_file():
        check_folder(where, "d3")
    found = _lists(where)
    own = None if found else own_pairs(where)
    if own is not None:
        return own
    found = found or find_files(where, f"*/{DATASET}")
    if not found:
        raise SnellenError(
            f"{where}: no {DATASET} and no pairs; unzip D3's dataset.zip there ({README}), write pairs of your own as "
            "'snellen data init pair --out DIR' shows, or make a synthetic set with 'snellen data make d3 --out DIR'"
        )
    path, *others = found
    if path.parent == where and others:
        raise SnellenError(f"{where} holds several lists of pairs ({', '.join(p.name for p in found)}): name one")
    raw = _bytes(path)
    entries = [UncheckedEntry(f"{path.name} entry {uid!r}", uid, value) for uid, value in _object(path, raw).items()]
    return EntrySource(path.parent, path.name, raw, entries, [])


def _lists(where: Path) -> list[Path]:
    """Return dataset.json, otherwise the files of any name that begin as it does."""
    direct = where if where.name == DATASET else where / DATASET
    if direct.is_file():
        return [direct]
    files = [where] if where.is_file() else sorted(where.glob("*.json"))
    return [path for path in files if path.suffix.lower() == ".json" and _LIST.match(_head(path))]


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_ENOUGH)


def recognised(where: Path) -> str | None:
    """Return the type of a file or folder if it belongs to D3 or has pairs; entries are not read."""
    try:
        if found := _lists(where):
            return "D3's dataset.json" if found[0].name != DATASET or _LIST.match(_head(found[0])) else None
        return "pairs of pictures" if own_pairs(where) is not None else None
    except SnellenError:  # several files: the code that opens it reports that
        return "several files of pairs of pictures"


class Folder:
    """The content of a folder. `problems` are unusable entries."""

    def __init__(self, where: Path, images: str = "") -> None:
        source = _source_of(where)
        self.root, self.file = source.root, source.label
        self._folders = PictureFolders(self.root, images)
        self.problems = list(source.problems)
        self.entries = list(self._entries(source.entries))
        labels = (entry.value.get(MARK) for entry in source.entries if isinstance(entry.value, dict))
        pictures = (file for one in self.entries for file in one.files.values() if file is not None)
        self.synthetic, self.origin = folder_label(labels, pictures)
        self._digest = hashlib.sha256(source.raw)

    def _entries(self, given: list[UncheckedEntry]) -> Iterator[LocatedEntry]:
        seen: set[str] = set()
        differences = self._differences()
        for where, uid, value in given:
            problem = f"id {uid!r} is given twice" if uid in seen else _entry_problem(uid, value)
            seen.add(uid)
            try:
                if problem:
                    raise SnellenError(problem)
                paths = {name: value[name] for name in names_in(value) or ()}
                files = {name: self.find(path) for name, path in paths.items()}
                known = differences.get(uid) or {key: str(kind) for key, kind in value.items() if key == "kind"}
                yield LocatedEntry(where, uid, paths, files, known)
            except SnellenError as error:  # also for a path that leads out of the folder
                self.problems.append(Problem(where, str(error)))
        if not given:
            self.problems.append(Problem(self.file, "no entries"))

    def _differences(self) -> dict[str, dict[str, Any]]:
        """Return what differences.json says about each pair."""
        path = self.root / DIFFERENCES
        found = _object(path, _bytes(path)) if path.is_file() else {}
        for uid, value in found.items():
            if not isinstance(value, dict) or not isinstance(value.get("kind"), str) or not value["kind"]:
                self.problems.append(Problem(f"{DIFFERENCES} entry {uid!r}", 'expected an object with a text "kind"'))
        return found

    def find(self, path: str) -> Path | None:
        """Return the file for a path: as given from the folder of dataset.json, else by its name in the usual folders."""
        found = self._folders.find(path) or self._folders.find(PurePosixPath(path).name, ELSEWHERE)
        return found if found is not None and found.is_file() else None

    def label(self, file: Path) -> str:
        """Return the name of a file in messages and facts."""
        return self._folders.label(file)

    def fingerprint(self, located: list[LocatedEntry]) -> str:
        """Return a fingerprint that changes with dataset.json, with the kinds of difference, and with any image's name, place, size or
        content.
        """
        digest = self._digest.copy()
        for one in located:
            kind = one.known.get("kind", "")
            files = (f"{self.label(f)}\x1f{f.stat().st_size}" if f else "" for f in one.files.values())
            digest.update("\x1e".join((one.uid, kind, *files, "")).encode("utf-8", "replace"))
        pictures = {file for one in located for file in one.files.values() if file}
        digest.update(digest_of((file, file.stat().st_size) for file in pictures).encode())
        return digest.hexdigest()


def _entry_problem(uid: str, value: Any) -> str | None:
    """Return the reason why an entry of dataset.json cannot be used."""
    if not uid.strip():
        return "the key is empty"
    names = names_in(value) if isinstance(value, dict) else None
    if names is None:
        return "expected an object with the paths of left and right, or of image1 to imageN"
    if len(names) > MOST:
        return f"{len(names)} images; a set may have {MOST}"
    if names != PAIR and set(PAIR) & value.keys():
        return "has image1, image2 and a left or right: name the images in one way"
    for name in names:
        path = value[name]
        if not isinstance(path, str) or not path.strip():
            return f"{name} must be the path of an image"
    return None


def _bytes(path: Path) -> bytes:
    try:
        return check_inside(path).read_bytes()
    except OSError as error:
        raise SnellenError(f"{path} cannot be read ({error.strerror})") from None


def _object(path: Path, raw: bytes) -> dict[str, Any]:
    if (twice := repeated_key(raw)) is not None:
        raise SnellenError(f"{path} has the key {one_line(twice, 80)!r} twice; rename one of them")
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SnellenError(f"{path} is not a JSON object ({error})") from None
