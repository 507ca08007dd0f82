"""suite.toml: what it may say, and one line with the place where it says something else. No server is needed: nothing is asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.sets import write_set

from snellen.core.errors import SnellenError
from snellen.engine.plan.request import Limits
from snellen.engine.suite.cells import SuiteRun, make_cells
from snellen.engine.suite.file import read_suite

HEAD = '[[exam]]\nname = "salbench"\n'
MODEL = '[[model]]\nspec = "baseline/chance"\n'


def file(folder: Path, text: str) -> Path:
    path = folder / "suite.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(folder: Path, text: str) -> str:
    with pytest.raises(SnellenError) as caught:
        read_suite(file(folder, text))
    said = str(caught.value)
    assert "\n" not in said
    assert caught.value.exit_code == 2
    return said


def cells(folder: Path, text: str, *, offline: bool = False) -> tuple[SuiteRun, ...]:
    write_set(folder / "data", 4)
    suite = read_suite(file(folder, text))
    return make_cells(suite, Limits(), folder / "out", lambda name, _data: (name, folder / "data"), offline=offline)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEAD, "no [[model]]: a suite needs at least one"),
        (MODEL, "no [[exam]]: a suite needs at least one"),
        (HEAD + MODEL + "[[exams]]\n", "unknown table 'exams': did you mean 'exam'?"),
        ("[suite]\nmaxcost = 1\n" + HEAD + MODEL, "[suite]: unknown key 'maxcost': did you mean 'max_cost'?"),
        (HEAD + "limt = 3\n" + MODEL, "[[exam]] 1 (salbench): unknown key 'limt': did you mean 'limit'?"),
        (HEAD + MODEL + "temprature = 1\n", "[[model]] 1 (baseline/chance): unknown key 'temprature'"),
        (
            '[[exam]]\nname = "salbnch"\n' + MODEL,
            "[[exam]] 1 (salbnch): unknown exam 'salbnch': did you mean 'salbench'?",
        ),
        (HEAD + '[[model]]\nspec = "opnai/x"\n', "[[model]] 1 (opnai/x): --model opnai/x: unknown kind of subject"),
        ("[[exam]]\nlimit = 3\n" + MODEL, '[[exam]] 1 has no name: write name = "salbench"'),
        (HEAD + 'limit = "3"\n' + MODEL, "limit = '3': a whole number is wanted"),
        (HEAD + "limit = true\n" + MODEL, "limit = True: a whole number is wanted"),
        (HEAD + "limit = 0\n" + MODEL, "limit = 0: a number from 1 is wanted"),
        (HEAD + "shots = []\n" + MODEL, "shots = []: at least one value"),
        (HEAD + "controls = [1]\n" + MODEL, "controls = [1]: a list of texts is wanted"),
        ("[exam]\nname = 'salbench'\n" + MODEL, "'exam' is a list of tables: write [[exam]] above each"),
        (HEAD + MODEL + "x = = 1", "not TOML"),
        ("\x00", "not TOML"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    said = refused(tmp_path, text)
    assert told in said
    assert said.startswith(str(tmp_path / "suite.toml"))


@pytest.mark.parametrize(
    "line",
    [
        'api_key = "whatever"',
        'extra = {headers = {Authorization = "Bearer x"}}',
        'base_url = "http://127.0.0.1:1/v1?key=sk-or-v1-0f3a9c11d2e45b67"',
        'extra = {user = "hf_abcdefghijklmnopqrstuv"}',
    ],
)
def test_keys_are_refused_and_not_repeated(tmp_path: Path, line: str) -> None:
    said = refused(tmp_path, HEAD + '[[model]]\nspec = "api/m"\n' + line + "\n")
    assert "does not belong in a file" in said
    assert "sk-or" not in said and "hf_abc" not in said and "whatever" not in said


def test_a_key_that_a_variable_has_is_found_and_a_missing_one_is_told_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEAD + '[[model]]\nspec = "openai/m"\napi_key_env = "MY_OWN_KEY"\n'
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(SnellenError, match=r"the variable MY_OWN_KEY is set neither in the environment nor in \.env"):
        cells(tmp_path, text)
    assert len(cells(tmp_path, text, offline=True)) == 1, "an estimate needs no key"
    monkeypatch.setenv("MY_OWN_KEY", "k-123")
    (cell,) = cells(tmp_path, text)
    assert cell.request.options["api_key"] == "k-123"


def test_a_missing_key_of_the_usual_name_is_told_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SnellenError, match=r"^salbench with openai/m: openai needs a key"):
        cells(tmp_path, HEAD + '[[model]]\nspec = "openai/m"\n')


def test_every_exam_meets_every_model_and_lists_make_more_of_them(tmp_path: Path) -> None:
    text = "[suite]\nlimit = 2\nseed = 3\n" + HEAD + "seed = [1, 2]\n" + MODEL
    text += '[[model]]\nspec = ["baseline/constant:Color", "baseline/constant:Size"]\n'
    made = cells(tmp_path, text)
    assert [c.label for c in made] == [
        f"salbench seed={seed} · {model}"
        for seed in (1, 2)
        for model in ("baseline/chance", "baseline/constant:Color", "baseline/constant:Size")
    ]
    assert {(c.request.selection.limit, c.request.selection.seed) for c in made} == {(2, 1), (2, 2)}
    assert len({c.plan.folder_name for c in made}) == 6


def test_a_model_may_take_some_exams_only_and_a_name_that_is_not_there_is_told(tmp_path: Path) -> None:
    text = HEAD + MODEL + '[[model]]\nspec = "baseline/constant:Color"\nexams = ["salbench"]\n'
    assert len(cells(tmp_path, text)) == 2
    with pytest.raises(SnellenError, match="exams has 'd3', and no"):
        cells(tmp_path, text.replace('exams = ["salbench"]', 'exams = ["d3"]'))


def test_an_exam_that_a_model_cannot_answer_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(
        SnellenError, match="1 of 2 runs cannot be started, so nothing was asked: salbench with method/ocr"
    ):
        cells(tmp_path, HEAD + MODEL + '[[model]]\nspec = "method/ocr"\n')
    assert not (tmp_path / "out").exists()


def test_one_run_that_stands_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="are the same run"):
        cells(tmp_path, HEAD + HEAD + 'controls = ["blank"]\n' + MODEL)


def test_servers_are_lanes_and_what_runs_here_is_one(tmp_path: Path) -> None:
    text = HEAD + MODEL + '[[model]]\nspec = "baseline/constant:Color"\n'
    text += "".join(
        f'[[model]]\nspec = "api/{name}"\nbase_url = "http://127.0.0.1:{port}/v1"\n'
        for name, port in (("a", 1), ("b", 1), ("c", 2))
    )
    lanes = [cell.lane for cell in cells(tmp_path, text)]
    assert lanes == ["this machine", "this machine", "127.0.0.1:1", "127.0.0.1:1", "127.0.0.1:2"]
