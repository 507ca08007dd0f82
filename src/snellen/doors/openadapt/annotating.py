"""A page to annotate screenshots: draw a box, write the instruction, save `annotations.json`. No server, no network."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import msgspec

from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.exams.grounding.formats.annotations import FILE, ElementType
from snellen.exams.grounding.formats.base import file_size, read_json

PAGE = "annotate.html"
ENDINGS = frozenset({".png", ".jpg", ".jpeg", ".webp"})


def page(folder: Path) -> str:
    """Return the page for a folder's screenshots, with the existing content of its annotations.json."""
    known = _known(folder)
    named = {str(s.get("image_path")): s for s in known["samples"] if isinstance(s, dict)}
    shots = sorted(p for p in folder.rglob("*") if p.suffix.lower() in ENDINGS and p.is_file())
    if not shots:
        raise SnellenError(f"{folder}: no screenshots ({', '.join(sorted(ENDINGS))})")
    samples = [named.get(name) or _new(name, path) for path in shots for name in (path.relative_to(folder).as_posix(),)]
    given = msgspec.json.encode(known | {"samples": samples, "types": get_args(ElementType)}).decode()
    # a text in a page's script ends at the first "<"; JSON allows an escape for it
    template = files("snellen.doors.openadapt").joinpath(PAGE).read_text(encoding="utf-8")
    return template.replace("{{ given }}", given.replace("<", "\\u003c"))


def _known(folder: Path) -> dict[str, Any]:
    """Return the existing annotations, or an empty set."""
    if not (folder / FILE).is_file():
        return {"name": folder.resolve().name, "version": "1", "samples": []}
    found = read_json(folder / FILE, PictureFolders(folder))
    if not isinstance(found, dict) or not isinstance(found.get("samples"), list):
        raise SnellenError(
            f"{folder / FILE}: no annotations ('snellen data check grounding --data {folder}' tells more)"
        )
    return found


def _new(name: str, path: Path) -> dict[str, Any]:
    width, height = file_size(path)
    title = name.rpartition(".")[0].replace("/", "-")
    return {"id": title, "image_path": name, "width": width, "height": height, "elements": [], "metadata": {}}
