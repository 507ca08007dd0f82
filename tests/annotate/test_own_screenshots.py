"""One's own screenshots can be annotated and then run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from snellen.doors.openadapt.commands import main
from snellen.exams.grounding.check import check


def annotate(folder: Path) -> dict[str, Any]:
    """Run the command; gives what the page holds."""
    with pytest.raises(SystemExit) as done:
        main(["annotate", str(folder)])
    assert not done.value.code
    page = (folder / "annotate.html").read_text()
    held = re.search(r'id="given">(.*)</script>\n<script>', page)
    assert held is not None
    assert "<" not in held[1]
    found: dict[str, Any] = json.loads(held[1])
    return found


def test_a_page_with_every_screenshot_and_what_is_known_of_it(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    for name, size in (("a.png", (640, 400)), ("more/b <b>.jpg", (320, 200))):
        Image.new("RGB", size, "white").save(tmp_path / name)
    given = annotate(tmp_path)
    assert [(s["id"], s["image_path"], s["width"], s["height"]) for s in given["samples"]] == [
        ("a", "a.png", 640, 400),
        ("more-b <b>", "more/b <b>.jpg", 320, 200),
    ]
    assert "button" in given["types"]
    # what the page saves: samples with elements, without the list of types
    box = {
        "id": "a_0",
        "text": None,
        "element_type": "button",
        "instruction": "</script>",
        "bbox": [0.1, 0.1, 0.2, 0.1],
    }
    saved = {k: v for k, v in given.items() if k != "types"} | {"samples": [given["samples"][0] | {"elements": [box]}]}
    (tmp_path / "annotations.json").write_text(json.dumps(saved))
    assert list(check(tmp_path)) == []
    again = annotate(tmp_path)
    assert again["samples"][0]["elements"] == [box]
    assert len(again["samples"]) == 2


def test_bad_folders_get_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    for folder, told in ((tmp_path / "gone", "no folder"), (tmp_path / "empty", "no screenshots")):
        with pytest.raises(SystemExit) as done:
            main(["annotate", str(folder)])
        assert done.value.code == 2
        assert told in capsys.readouterr().err
