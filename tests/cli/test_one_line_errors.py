"""Bad input gets one line, not a traceback. Damage by chance is in tests/faults."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.command import environment, snellen
from tests.support.forks import Ended, Forks, forking
from tests.support.sets import write_set

from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.exams.d3.exam import EXAM as D3
from snellen.subjects.replay import Replay

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    if not sys.platform.startswith("linux"):
        pytest.skip("the fork server is for Linux")
    with forking() as found:
        yield found


def one_line(ended: Ended) -> str:
    """What is wrong, said once."""
    return next(line for line in ended.well(2).err.splitlines() if line.startswith("snellen: "))


@pytest.fixture
def run(forks: Forks, tmp_path: Path) -> Path:
    data = write_set(tmp_path / "set", 4)
    words = ("run", "salbench", "--data", data, "--model", "baseline/constant:Color", "--out", tmp_path / "runs")
    forks.run(*words, cache=tmp_path / "cache").well(0)
    return next((tmp_path / "runs").iterdir())


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("run.json", {"exam": 5}),
        ("run.json", {"subject": None}),
        ("run.json", {"protocols": [{}]}),
        ("run.json", {"data": []}),
        ("summary.json", {"samples": "many"}),
        ("summary.json", {"protocols": None}),
        ("samples.jsonl", {"tags": 3}),
        ("samples.jsonl", {"id": None}),
        ("samples.jsonl", {"tags": {}}),
    ],
)
def test_a_record_with_a_wrong_field(
    forks: Forks, run: Path, tmp_path: Path, file: str, change: dict[str, object]
) -> None:
    rows = (run / file).read_text().splitlines() if file.endswith("jsonl") else [(run / file).read_text()]
    rows[0] = json.dumps({**json.loads(rows[0]), **change})
    (run / file).write_text("\n".join(rows) + "\n")
    words = ("show", run) if file == "summary.json" else ("mark", run)
    assert str(run / file) in one_line(forks.run(*words, cache=tmp_path)) or "tags" in change


@pytest.mark.parametrize(
    "choices", ["[[1, 2, 3, 4]]", "[1, 2, 3, 4]", '[["a"], 2]', "{}", '[["a", {"b": 1}]]', "[[[9]]]"]
)
def test_choices_of_vcr_that_are_none(forks: Forks, tmp_path: Path, choices: str) -> None:
    row = f'{{"id": 1, "choices": {choices}, "label": 0, "response": "A"}}\n'
    forks.run("mark", "vcr", "--protocol", "strict", cache=tmp_path, stdin=row.encode()).well(0, 2)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_replies_that_are_nested_very_deeply(tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"replies.{ending}"
    file.write_text(f'{{"id": "a", "text": {DEEP}}}\n')
    with pytest.raises(SnellenError, match="cannot be read as json") as said:
        Replay(file, lambda _document: None)
    assert "\n" not in str(said.value)


def test_a_data_set_that_is_nested_very_deeply(tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_text(f'{{"a": {DEEP}}}')
    with pytest.raises(SnellenError):
        D3.open(tmp_path, Selection())


@pytest.mark.parametrize("proxy", ["http://u:p@[::1", "http://:99999", "nonsense://", "http://u:p@h:port", "http://"])
def test_a_malformed_proxy(forks: Forks, tmp_path: Path, proxy: str) -> None:
    words = (
        "run",
        "salbench",
        "--data",
        write_set(tmp_path / "set", 2),
        "--model",
        "api/m",
        "--out",
        tmp_path / "runs",
    )
    env = {"HTTP_PROXY": proxy, "NO_PROXY": ""}
    assert "u:p" not in one_line(forks.run(*words, "--base-url", "http://192.0.2.1/v1", cache=tmp_path, env=env))


@pytest.mark.parametrize("url", ["http://u:p@[::1", "http://[", "ftp://u:p@h", "http://u:p@h:x/", "://"])
def test_a_malformed_address(forks: Forks, tmp_path: Path, url: str) -> None:
    words = (
        "run",
        "salbench",
        "--data",
        write_set(tmp_path / "set", 2),
        "--model",
        "api/m",
        "--out",
        tmp_path / "runs",
    )
    assert "u:p" not in one_line(forks.run(*words, "--base-url", url, cache=tmp_path))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_outputs_of_another_encoding(run: Path, tmp_path: Path, encoding: str) -> None:
    for words in (
        ["show", str(run)],
        ["list", "exams"],
        ["protocols", "salbench"],
        ["show", str(tmp_path / "na\u00efve\u2192")],
    ):
        done = subprocess.run(
            [sys.executable, "-m", "snellen", *words],
            env=environment(tmp_path, PYTHONIOENCODING=encoding),
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == (2 if "na" in Path(words[-1]).name[:2] and words[0] == "show" else 0), done.stderr
        assert b"Traceback" not in done.stderr
        (done.stdout + done.stderr).decode(
            "utf-8" if encoding == "ascii" else encoding
        )  # click takes ASCII for a mistake


def test_json_is_json_in_ascii_too(tmp_path: Path) -> None:
    data = write_set(tmp_path / "naïve→🙂", 3)
    words = (
        "run",
        "salbench",
        "--data",
        data,
        "--model",
        "baseline/constant:Color",
        "--out",
        tmp_path / "naïve→🙂",
        "--json",
    )
    done = snellen(*words, cache=tmp_path / "cache", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_an_output_that_nobody_reads_is_no_error(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "snellen", "list", "exams"],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 0
