"""Options that speak the seed's language, and what the doctor advises."""

from __future__ import annotations

from typing import Any

import click
import pytest
from click.testing import CliRunner

from snellen.cli import doctor_command, options
from snellen.cli.run_command import command as run
from snellen.core.errors import SnellenError


def parsed(*words: str) -> dict[str, Any]:
    return run.make_context("run", ["vqax", *words]).params


@pytest.mark.parametrize(("said", "limit"), [("None", None), ("none", None), ("50", 50)])
def test_a_number_of_samples_or_none(said: str, limit: int | None) -> None:
    for flag in ("--n_samples", "--limit"):
        assert parsed(flag, said)["limit"] == limit
    assert parsed()["limit"] is None


def test_a_number_of_samples_is_still_checked() -> None:
    for wrong in ("0", "many"):
        with pytest.raises(click.BadParameter):
            parsed("--n_samples", wrong)


def test_attention_can_be_chosen_and_is_checked() -> None:
    assert options._local(parsed()).attention == "sdpa"
    assert options._local(parsed("--attention", "eager")).attention == "eager"
    with pytest.raises(SnellenError, match="--attention someone/kernel: expected one of"):
        options._local(parsed("--attention", "someone/kernel")).checked()


def test_the_doctor_advises_only_what_can_work() -> None:
    advice = {f.what: f.detail for f in doctor_command._places() if f.ok is None}
    for name in ("vqax", "actx", "esnlive", "vcr"):
        assert "snellen data get" not in advice[f"data of {name}"]
        assert f"snellen data make {name}" in advice[f"data of {name}"]
    assert "'snellen data get salbench'" in advice["data of salbench"]
    assert CliRunner().invoke(doctor_command.command, ["--json"]).exit_code == 0
