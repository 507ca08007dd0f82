"""`evaluate()` has the planner, addresses, log-probabilities and results that `snellen run` has."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.endpoint import Endpoint

import snellen
from snellen import exams
from snellen.core.extras import maker_of


@pytest.fixture(scope="module")
def screens(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("screens")
    maker_of(exams.load("grounding")).make(folder, count=2, seed=1, workers=1)
    return folder


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNELLEN_CACHE_DIR", str(tmp_path / "cache"))


def test_planner_and_addresses_reach_the_method(screens: Path, tmp_path: Path) -> None:
    with Endpoint(answer="(10, 10)") as server:
        run = snellen.evaluate(
            "grounding",
            model="api/grounder",
            base_url=server.url,
            data=screens,
            out=tmp_path / "runs",
            limit=2,
            method="vlm+screenseeker",
            planner="api/planner",
        )
        assert {r["model"] for r in server.requests} == {"planner", "grounder"}
        assert run.summary.complete


def test_an_address_that_nothing_uses_is_refused(screens: Path, tmp_path: Path) -> None:
    with pytest.raises(snellen.SnellenError, match="omniparser"):
        snellen.evaluate(
            "grounding", model="baseline/center", data=screens, out=tmp_path / "r", omniparser_url="http://127.0.0.1:9"
        )


def test_logprobs_are_asked_for_and_results_are_merged(tmp_path: Path) -> None:
    data = tmp_path / "vqax"
    maker_of(exams.load("vqax")).make(data, count=4, seed=1, workers=1)
    with Endpoint(answer="red because it is") as server:
        snellen.evaluate(
            "vqax",
            model="api/m",
            base_url=server.url,
            data=data,
            out=tmp_path / "runs",
            limit=2,
            logprobs=True,
            results=tmp_path / "results",
        )
        assert all(r["logprobs"] is True for r in server.requests)
    assert list((tmp_path / "results").rglob("*.csv"))
