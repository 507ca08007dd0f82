"""Data that is named by its path: the exam that it belongs to says so, and no other does."""

from __future__ import annotations

from pathlib import Path

import pytest

from snellen import exams
from snellen.core.extras import DataTemplates, Maker, maker_of, traits_of
from tests.support.extras import of

MAKERS = sorted(name for name in exams.names() if exams.load(name).extra(Maker) is not None)
ASKED = ("grounding", "d3")


def recognised(where: Path) -> list[str]:
    """The exams that take a path, without those that take what nobody else does."""
    every = {name: exams.load(name) for name in MAKERS}
    found = [name for name, exam in every.items() if exam.recognises(where)]
    return [name for name in found if not traits_of(every[name]).last_resort] or found


@pytest.mark.parametrize("name", ASKED)
def test_a_set_is_recognised_by_its_exam_alone(tmp_path: Path, name: str) -> None:
    maker_of(exams.load(name)).make(tmp_path / "set", count=3, seed=1, workers=1)
    assert recognised(tmp_path / "set") == [name]


@pytest.mark.parametrize("name", sorted(exams.names()))
def test_what_is_nobodys_is_not_recognised(tmp_path: Path, name: str) -> None:
    exam = exams.load(name)
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "odd.json").write_text("[[[")
    (tmp_path / "odd.csv").write_bytes(b"\xff\xfe\x00")
    for where in (tmp_path, tmp_path / "notes.txt", tmp_path / "odd.json", tmp_path / "odd.csv", tmp_path / "gone"):
        assert exam.recognises(where) is None


@pytest.mark.parametrize(
    ("exam", "kind"),
    [
        (name, kind)
        for name in sorted(exams.names())
        if (templates := exams.load(name).extra(DataTemplates)) is not None
        for kind in templates.kinds
    ],
)
def test_a_template_is_data_of_its_exam_without_a_problem(tmp_path: Path, exam: str, kind: str) -> None:
    found = exams.load(exam)
    write = of(found, DataTemplates).kinds[kind]
    written, _model = write(tmp_path / "mine")
    assert written.is_file() and written.read_text(encoding="utf-8").startswith("#")
    for where in (tmp_path / "mine", written):
        assert recognised(where) == [exam]
        assert not [problem for problem in found.check(where) if problem.fatal]
    with pytest.raises(Exception, match="not empty"):
        write(tmp_path / "mine")
