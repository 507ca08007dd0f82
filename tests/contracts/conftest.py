"""Every exam there is, ours and the example plugin, each with a small data set of its own."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from snellen import exams
from snellen.core.exam import Exam
from snellen.core.extras import maker_of
from snellen.registry import plugins
from tests.support.blink import make_blink

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
OURS = ("actx", "d3", "esnlive", "grounding", "illusionbench", "own", "salbench", "vcr", "vqax")
EVERY = (*OURS, "dots", "blink")


@pytest.fixture(autouse=True)
def example_plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(plugins.VARIABLE, "")
    plugins.name_files(
        [str(EXAMPLES / name) for name in ("dots.py", "blink.py", "one_word.py", "last_word.py", "brightness.py")]
    )
    yield


@pytest.fixture(params=EVERY)
def exam(request: pytest.FixtureRequest, example_plugins: None) -> Exam:
    return exams.load(request.param)


def make_dots(folder: Path, count: int) -> None:
    folder.mkdir(parents=True)
    with (folder / "truth.csv").open("w", newline="") as table:
        rows = csv.writer(table)
        rows.writerow(["file", "dots"])
        for n in range(1, count + 1):
            image = Image.new("RGB", (90, 20), "white")
            for i in range(n):
                ImageDraw.Draw(image).ellipse([4 + 10 * i, 6, 10 + 10 * i, 12], fill="black")
            image.save(folder / f"{n}.png")
            rows.writerow([f"{n}.png", n])


@pytest.fixture(scope="session")
def sets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of data sets by exam, made when first asked for."""
    home = tmp_path_factory.mktemp("sets")

    class Sets(dict[str, Path]):
        def __missing__(self, name: str) -> Path:
            folder = home / name
            if name == "dots":
                make_dots(folder, 6)
            elif name == "blink":
                make_blink(folder)
            else:
                maker_of(exams.load(name)).make(folder, count=3, seed=5, workers=1)
            self[name] = folder
            return folder

    return Sets()
