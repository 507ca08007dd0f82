"""An annotator's boxes as `annotations.json`, openadapt-grounding's format that the grounding exam reads, and the reverse."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from snellen.annotate.pictures import AnnotatedPicture
from snellen.annotate.rows import BoxRow, checked_box
from snellen.core.dataset import Problem
from snellen.core.errors import SnellenError
from snellen.data.files import PictureFolders
from snellen.engine.runs.writing import replacing
from snellen.exams.grounding.formats.annotations import FILE, read
from snellen.exams.grounding.formats.base import read_json

TOOL = "snellen annotate"


def document(name: str, annotator: str, shots: Sequence[AnnotatedPicture], rows: Sequence[BoxRow]) -> dict[str, Any]:
    """Return the file's content. Boxes without an instruction are left out: there is no question for them."""
    samples = []
    for shot in shots:
        elements = [_element(row, shot) for row in rows if row.image == shot.name and row.instruction.strip()]
        if elements:
            size = {"width": shot.width, "height": shot.height}
            samples.append({"id": shot.title, "image_path": shot.name, **size, "elements": elements, "metadata": {}})
    return {"name": name, "version": "1", "metadata": {"made_by": TOOL, "annotator": annotator}, "samples": samples}


def write(folder: Path, content: dict[str, Any]) -> Path:
    """Write the file. One that we wrote before is replaced, but a file of another program is never overwritten."""
    path = folder / FILE
    if path.exists() or path.is_symlink():
        try:
            found = read_json(path, PictureFolders(folder))
        except SnellenError:
            found = None
        about = found.get("metadata") if isinstance(found, dict) else None
        if not isinstance(about, dict) or about.get("made_by") != TOOL:
            raise SnellenError(f"{path} is there, and not of 'snellen annotate --export': move it away first")
    with replacing(folder, FILE) as out:
        out.write(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
    return path


def known(folder: Path, shots: Sequence[AnnotatedPicture], annotator: str, time: str) -> list[BoxRow]:
    """Return the existing content of annotations.json, as rows to correct."""
    path = folder / FILE
    if not path.is_file():
        raise SnellenError(f"--correct: {folder} has no {FILE} to correct; leave --correct out to begin anew")
    names = {shot.name for shot in shots}
    rows: list[BoxRow] = []
    taken: set[str] = set()
    for screen in read(PictureFolders(folder), [path]):
        if isinstance(screen, Problem):
            raise SnellenError(f"{screen}; 'snellen data check grounding --data {folder}' lists all")
        for target in screen.targets if screen.image in names else ():
            box = checked_box(list(target.boxes[0].corners), screen.width, screen.height) if target.boxes else []
            name = target.id if target.id not in taken else f"{screen.id}_{target.id}"
            taken.add(name)
            about: dict[str, Any] = {
                "element_type": target.element_type,
                "absent": not box,
                "annotator": annotator,
                "time": time,
            }
            rows.append(BoxRow(name, screen.image, target.instruction, box, **about))
    return rows


def _element(row: BoxRow, shot: AnnotatedPicture) -> dict[str, Any]:
    x1, y1, x2, y2 = row.box or (0, 0, 0, 0)
    bbox = [x1 / shot.width, y1 / shot.height, (x2 - x1) / shot.width, (y2 - y1) / shot.height]
    element = {
        "id": row.id,
        "text": None,
        "element_type": row.element_type,
        "instruction": row.instruction,
        "bbox": [round(value, 12) for value in bbox],
    }
    return element | ({"absent": True} if row.absent else {})
