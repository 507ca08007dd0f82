"""Options that are declared by exams and subjects, spelled as original tools spell them, and refused where they mean nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from tests.support.command import snellen
from tests.support.sets import write_set

from snellen.cli import doctor_command
from snellen.cli.run_command import command as run
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.subjects import build


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
    assert parsed("--attention", "eager")["attention"] == "eager"
    with pytest.raises(SnellenError, match="--attention someone/kernel: expected one of"):
        build("hf/a/b", Exam(), options={"attention": "someone/kernel"}, offline=True)


def test_help_shows_the_exams_own_options_in_groups() -> None:
    every = CliRunner().invoke(run, ["--help"]).output
    grounding = CliRunner().invoke(run, ["grounding", "--help"]).output
    assert "--omniparser-url" not in every.partition("Options of models")[0]
    assert "'snellen run EXAM --help' also shows the options of that exam." in " ".join(every.split())
    own = grounding.partition("Options of grounding")[2].partition("Options of models")[0]
    assert "--method" in own
    assert "--shots" not in grounding
    assert "--shots" in CliRunner().invoke(run, ["salbench", "--help"]).output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("salbench", "--method", "ocr"), "--method has no effect for salbench; it is an option of grounding"),
        (("salbench", "--scorer", "siglip"), "--scorer has no effect for salbench; it is an option of d3"),
        (("salbench", "--base-url", "http://x"), "--base-url has no effect for salbench with baseline/chance"),
        (
            ("salbench", "--device", "cpu"),
            "--device has no effect for salbench with baseline/chance; it is an option of hf/",
        ),
        (("salbench", "--concurrency", "3"), "--concurrency has no effect for baseline/chance: it calls no endpoint"),
        (("salbench", "--nothing"), "No such option"),
    ],
)
def test_an_option_that_means_nothing_is_refused(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    data = write_set(tmp_path / "set", 3)
    done = snellen(
        "run", *words, "--data", data, "--model", "baseline/chance", "--out", tmp_path / "runs", cache=tmp_path
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rnu",), "unknown command 'rnu': did you mean 'run'?"),
        (
            ("run", "salbensh", "--data", ".", "--model", "baseline/chance"),
            "unknown exam 'salbensh': did you mean 'salbench'?",
        ),
        (("mark", "salbench", "--protocol", "robus"), "did you mean 'robust'?"),
        (("run", "salbench", "--data", ".", "--model", "opena/x"), "did you mean 'openai'?"),
    ],
)
def test_did_you_mean(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = snellen(*words, cache=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_doctor_advises_only_what_can_work() -> None:
    advice = {f.what: f.detail for f in doctor_command._places() if f.ok is None}
    for name in ("vqax", "actx", "esnlive", "vcr"):
        assert "snellen data get" not in advice[f"data of {name}"]
        assert f"snellen data make {name}" in advice[f"data of {name}"]
    assert "'snellen data get salbench'" in advice["data of salbench"]
    assert CliRunner().invoke(doctor_command.command, ["--json"]).exit_code == 0
