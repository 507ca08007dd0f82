"""`snellen list`: one screen of names; one list in full where it is asked for."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import snellen

from snellen.cli.list_command import MOST, ON_DEMAND, WHAT


def test_without_a_word_it_names_all_there_is_on_one_screen(tmp_path: Path) -> None:
    done = snellen("list", cache=tmp_path, COLUMNS="80")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= 30 and max(map(len, lines)) <= 80
    named = [line.split()[0] for line in lines if line[:1].strip()]
    assert set(named) >= {*WHAT, *ON_DEMAND}
    assert "salbench" in done.stdout and "openai/" in done.stdout and "and 24 more" in done.stdout


def test_json_without_a_word_has_every_row(tmp_path: Path) -> None:
    facts = json.loads(snellen("list", "--json", cache=tmp_path).stdout)
    assert set(facts) == set(WHAT)
    assert len(facts["methods"]) == MOST + 23
