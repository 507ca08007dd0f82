"""Answers under one name from several backends: told apart, counted, and said."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

import snellen
from snellen.core.records import BackendRow
from snellen.core.types import Call
from snellen.engine.runs.backends import MOST, Backends, mixed_notes


def call(**fields: Any) -> Call:
    return Call(**{"key": "k", "kind": "openrouter", "endpoint": "u", "model": "m", "latency": 0.1, **fields})


def counted(*calls: Call) -> tuple[BackendRow, ...]:
    backends = Backends()
    for one in calls:
        backends.add(one)
    return backends.rows()


def test_one_backend_is_not_mixed() -> None:
    rows = counted(*[call(provider="Together", model_returned="m")] * 3)
    assert [(row.provider, row.answers) for row in rows] == [("Together", 3)]
    assert mixed_notes(rows) == []


def test_two_providers_are() -> None:
    rows = counted(*[call(provider="Together", model_returned="m")] * 39, *[call(provider="DeepInfra (fp8)", model_returned="m")] * 61)  # fmt: skip
    assert [(row.provider, row.answers) for row in rows] == [("DeepInfra (fp8)", 61), ("Together", 39)]
    (note,) = mixed_notes(rows)
    assert note.startswith("mixed: the answers of openrouter/m are 61 by DeepInfra (fp8), 39 by Together.")
    plain = mixed_notes(counted(*[call(provider="Together")] * 2, call(provider="DeepInfra")))[0]
    assert plain.endswith('--extra \'{"provider": {"order": ["Together"], "allow_fallbacks": false}}\'')


def test_two_models_under_one_name_are() -> None:
    rows = counted(call(model_returned="gpt-4o-2024-08-06"), call(model_returned="gpt-4o-2024-11-20"))
    (note,) = mixed_notes(rows)
    assert "1 by gpt-4o-2024-08-06, 1 by gpt-4o-2024-11-20" in note
    assert "dated" in note


def test_fingerprints_alone_are_noted_and_not_mixed() -> None:
    rows = counted(call(model_returned="m", fingerprint="fp_1"), call(model_returned="m", fingerprint="fp_2"))
    assert rows[0].fingerprints == {"fp_1": 1, "fp_2": 1}
    assert mixed_notes(rows) == []


def test_what_says_nothing_or_failed_does_not_count() -> None:
    rows = counted(call(provider="A"), call(), call(provider="B", latency=None))
    assert [row.provider for row in rows] == ["A"]


def test_a_hostile_endpoint_with_a_new_name_each_time_stays_short() -> None:
    rows = counted(*(call(provider=f"P{i}'; rm", fingerprint=f"x{i}") for i in range(300)))
    assert len(rows) == MOST + 1
    assert sum(row.answers for row in rows) == 300
    assert len(mixed_notes(rows)[0]) < 400
    same = counted(*(call(provider="P", fingerprint=f"x{i}") for i in range(300)))
    assert len(same[0].fingerprints) == MOST + 1


def test_two_models_asked_in_turns_are_not_mixed() -> None:
    assert mixed_notes(counted(call(model="a", provider="A"), call(model="b", provider="B"))) == []


def test_batches_of_several_sizes_are_one_model() -> None:
    said = [call(provider=f"torch 2.13.0, float32, batch of {size}") for size in (16, 16, 8)]
    assert mixed_notes(counted(*said)) == []
    assert len(mixed_notes(counted(*said, call(provider="torch 2.13.0, float16, batch of 8")))) == 1


@pytest.mark.parametrize("several", [False, True])
def test_a_run_says_so_in_its_summary_and_on_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, several: bool
) -> None:
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))
    names = itertools.cycle(["DeepInfra", "Together"] if several else ["Together"])

    def script(_request: dict[str, Any], _times: int) -> tuple[int, dict[str, str], bytes]:
        reply = {**completion("Color"), "provider": next(names), "system_fingerprint": "fp_7"}
        return 200, {}, json.dumps(reply).encode()

    with Endpoint(script=script) as endpoint:
        run = snellen.evaluate(
            "salbench", model="api/fake", data=write_set(tmp_path / "set", 8), base_url=endpoint.url, out=tmp_path / "runs"
        )  # fmt: skip
    summary = run.summary
    assert sum(row.answers for row in summary.backends) == 8
    assert len(summary.backends) == 1 + several
    said = [note for note in summary.notes if note.startswith("mixed: ")]
    assert len(said) == several
    answer = next(iter(run.answers()))
    assert (answer.calls[0].provider in ("DeepInfra", "Together"), answer.calls[0].fingerprint) == (True, "fp_7")
    page = tmp_path / "page.html"
    from snellen.present.page.report import write_report

    write_report([run], page)
    assert ("mixed: the answers of api/fake" in page.read_text()) is several
    assert "fp_7 (8)" in page.read_text()
