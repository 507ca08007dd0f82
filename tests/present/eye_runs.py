"""Runs of the eye exam that several tests look at, made once."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from tests.present.pages import HOSTILE
from tests.support.sharp_observer import examined_run

import snellen
from snellen.exams.eye.faculties import FACULTIES

FINE, COARSE = FACULTIES["letters"].levels[12], FACULTIES["letters"].levels[20]
"""The smallest letters that two observers read: about 6 and 12 pixels."""


class Eyes(NamedTuple):
    """`sharp` sees finer than `dull`, and neither sees all; `best` sees the finest letters asked."""

    sharp: snellen.Run
    dull: snellen.Run
    best: snellen.Run


@pytest.fixture(scope="session")
def eyes(tmp_path_factory: pytest.TempPathFactory) -> Eyes:
    out = tmp_path_factory.mktemp("eyes")

    def run(model: str, letters: float, contrast: float, says: dict[str, str] | None = None) -> snellen.Run:
        return examined_run(out, model, {"letters": letters, "contrast": contrast}, says)

    return Eyes(
        run("sharp", FINE, 1.0, {"colour": f"It is disc 3. {HOSTILE}"}),
        run("dull", COARSE, 1.0),
        examined_run(out, "best", {"letters": 0.1}),
    )
