"""Damaged rows of `snellen mark`, for every exam: marked, or one line that names the row."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import msgspec
import pytest

from snellen import exams
from snellen.cli.mark_command import _mark
from snellen.core.errors import SnellenError
from tests.faults.chance import each
from tests.faults.conftest import EXAMS
from tests.faults.damage import ODD, bytes_damaged, json_damaged
from tests.faults.rows import ROWS
from tests.support.forks import Forks


@pytest.mark.faults
@pytest.mark.parametrize("exam", EXAMS)
def test_damaged_rows(forks: Forks, tmp_path: Path, exam: str) -> None:
    protocols = sorted(exams.load(exam).protocols)
    good = json.dumps(ROWS[exam]).encode() + b"\n"

    def check(draw: Random, _number: int) -> None:
        rows = b"".join(
            json_damaged(draw, good) if draw.random() < 0.8 else bytes_damaged(draw, good).replace(b"\n", b"") + b"\n"
            for _ in range(draw.choice((1, 1, 3)))
        )
        words = ("mark", exam, "--protocol", draw.choice(protocols))
        ended = forks.run(*words, cache=tmp_path, stdin=rows).well(0, 2)
        if ended.code == 2:
            assert "line " in ended.err, ended.err
        else:
            marks = [json.loads(line) for line in ended.out.splitlines()]
            assert len(marks) == sum(bool(r.strip()) for r in rows.split(b"\n")), rows[:2000]

    each(f"rows of {exam}", check, 0.4)


@pytest.mark.parametrize("exam", EXAMS)
def test_every_field_with_every_odd_value(exam: str) -> None:
    found = exams.load(exam)
    for protocol in found.protocols.values():
        for field in ROWS[exam]:
            for value in ODD:
                raw = json.dumps({**ROWS[exam], field: value}).encode()
                try:
                    assert msgspec.json.encode(_mark(found, protocol, msgspec.json.decode(raw)))
                except (SnellenError, msgspec.DecodeError) as error:
                    assert str(error)


@pytest.mark.parametrize(
    "line", [b'{"id": 1, "response": "caf\xe9"}', b'{"id": 1, "x": ' + b"[" * 90_000 + b"]" * 90_000 + b"}"]
)
def test_a_line_that_is_no_json_is_named(forks: Forks, tmp_path: Path, line: bytes) -> None:
    ended = forks.run("mark", "vcr", "--protocol", "strict", cache=tmp_path, stdin=b"\n" + line + b"\n").well(2)
    assert "line 2: not a JSON object" in ended.err
