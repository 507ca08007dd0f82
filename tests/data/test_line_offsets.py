"""Places of lines say what a dict would, in less memory; and what else reads large files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core import cores
from snellen.core.digest import rank
from snellen.core.errors import SnellenError
from snellen.core.selection import choose
from snellen.data import line_offsets
from snellen.data.line_offsets import NOWHERE, Places
from snellen.subjects.replay import read_replies


@given(st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["a", "b"]), st.booleans()), max_size=80))
def test_places_are_those_of_a_dict(lines: list[tuple[int, str, bool]]) -> None:
    before, line_offsets.RECENT = line_offsets.RECENT, 5
    try:
        found, told = Places(), dict[tuple[str, str], tuple[int, bool]]()
        for place, (number, prompt, failed) in enumerate(lines):
            key = (f"s{number}", prompt)
            assert found.answered(key) == (key in told and not told[key][1])
            found.put(key, place, failed=failed)
            told[key] = place, failed
        found.settle()
    finally:
        line_offsets.RECENT = before
    assert len(found) == len(told)
    for key in ((f"s{n}", prompt) for n in range(14) for prompt in ("a", "b", "c")):
        assert found.get(key) == (told[key][0] if key in told else None)
        assert (key in found) == (key in told)
    assert list(found.in_order()) == sorted(place for place, _failed in told.values())
    assert sum(found.failures.values()) == sum(failed for _place, failed in told.values())
    names = [f"s{n}" for n in range(14)]
    wanted = [told[name, "a"][0] if (name, "a") in told else NOWHERE for name in names]
    known = found.of("a")
    places = dict(zip(known.hashes.tolist(), known.places.tolist(), strict=True))
    assert [places.get(hash(name), NOWHERE) for name in names] == wanted


@pytest.mark.parametrize("limit", [1, 30, 70, 299, 300, 400])
def test_the_few_that_are_chosen_are_the_first_of_all_in_order(limit: int) -> None:
    ids = [f"P3/{n}" for n in range(300)]
    ordered = sorted(ids, key=lambda i: rank(5, i.partition("/")[2]))
    assert choose(ids, limit, 5) == (frozenset(ordered[:limit]) if limit < 300 else None)


def test_two_replies_to_one_question_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"id": "a", "text": "one"}\n{"id": "b", "text": "x"}\n{"id": "a", "text": "two"}\n')
    with pytest.raises(SnellenError, match="record 3: another reply to 'a' came before"):
        read_replies(path, path.read_bytes())


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.process_cpu_count", lambda: 3, raising=False)
    assert cores.cores() == 3
    monkeypatch.delattr("os.process_cpu_count")
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: {1, 5}, raising=False)
    assert cores.cores() == 2
    monkeypatch.delattr("os.sched_getaffinity")
    assert cores.cores() == 64
