"""`snellen import` as a user starts it: what it prints, its exit codes, the page that shows it, and exams of every kind."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image
from tests.importers.conftest import LOGS, Imports
from tests.support.command import snellen as command

import snellen
from snellen import exams
from snellen.core.extras import maker_of
from snellen.core.options import Selection

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "importing.md"
CANARY = "sk-canary-0123456789abcdef"


def test_the_page_shows_what_the_command_prints(
    salbench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    shown = [block for block in blocks if block.startswith("$ snellen ")]
    assert len(shown) == 4
    monkeypatch.chdir(tmp_path)
    shutil.copytree(salbench, tmp_path / "data" / "small")
    shutil.copytree(LOGS, tmp_path / "logs")
    (tmp_path / "replies.csv").write_text(next(b for b in blocks if b.startswith("id,response")), encoding="utf-8")
    for block in shown:
        first, _, rest = block.partition("\n")
        done = command(*first.removeprefix("$ snellen ").split(), cache=tmp_path / "cache", COLUMNS="80")
        assert (done.returncode, done.stderr) == (0, ""), first
        assert [line.rstrip() for line in done.stdout.splitlines()] == rest.splitlines()


def test_json_is_one_document(salbench: Path, tmp_path: Path) -> None:
    words = ("import", "inspect", LOGS / "inspect.eval", "--exam", "salbench", "--data", salbench, "--json")
    done = command(*words, "--out", tmp_path / "runs", cache=tmp_path / "cache")
    found = json.loads(done.stdout)
    assert (found["imported"]["tool"], found["imported"]["samples"]) == ("inspect", 12)
    assert {row["protocol"] for row in found["against"]} == {"paper", "lmms-eval", "plan-v2", "robust"}
    assert (Path(found["run"]) / "imported.json").is_file()


def test_a_total_that_was_changed_is_loud_and_exit_code_1(salbench: Path, lmms: Path, tmp_path: Path) -> None:
    document = json.loads(lmms.read_text(encoding="utf-8"))
    document["results"]["p3"]["exact_match,none"] = 0.9
    document["configs"]["p3"]["metric_list"][0]["aggregation"] = "mean"
    lmms.write_text(json.dumps(document), encoding="utf-8")
    done = command(
        "import", "lmms-eval", lmms, "--exam", "salbench", "--data", salbench, "--out", tmp_path, cache=tmp_path
    )
    assert done.returncode == 1
    assert "DIFFERS: 1 figure of the log is not what its samples give." in done.stdout
    assert "0.3333333333333333" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("helm", "x.json", "--exam", "salbench"), "unknown tool 'helm'"),
        (("inspect", "x.eval", "--exam", "salbench"), "x.eval: no such file"),
        (("inspect", LOGS / "inspect.eval", "--exam", "salbanch"), "did you mean 'salbench'"),
        (("inspect", LOGS / "inspect.eval", LOGS / "inspect.json", "--exam", "salbench"), "import one at a time"),
        (("csv", LOGS / "inspect.json", "--exam", "salbench", "--epoch", "1"), "--epoch has no effect for csv"),
        (("inspect", LOGS / "inspect.eval", "--exam", "salbench", "--prompt", "what"), "unknown prompt 'what'"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(words: tuple[object, ...], says: str, tmp_path: Path) -> None:
    done = command("import", *words, "--out", tmp_path / "runs", cache=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "runs").exists()


def test_a_key_in_the_logs_settings_does_not_come_along(imported: Imports, tmp_path: Path) -> None:
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    log["eval"]["model_generate_config"] |= {"extra_headers": {"Authorization": CANARY}, "system_message": CANARY}
    log["eval"]["model_args"] = {"api_key": CANARY}
    (tmp_path / "x.json").write_text(json.dumps(log), encoding="utf-8")
    run = imported("inspect", tmp_path / "x.json").run
    assert '"temperature": 0' in (run.path / "imported.json").read_text(encoding="utf-8")
    assert not [p for p in run.path.rglob("*") if p.is_file() and CANARY.encode() in p.read_bytes()]


@pytest.mark.parametrize(
    ("exam", "reply"), [("grounding", "(0.5, 0.5)"), ("illusionbench", "cat"), ("vqax", "yes because it is red")]
)
def test_replies_to_any_exam_give_the_scores_of_a_run_of_our_own(
    imported: Imports, tmp_path: Path, exam: str, reply: str
) -> None:
    loaded = exams.load(exam)
    maker_of(loaded).make(tmp_path / exam, count=2, seed=1, workers=1)
    prompt = next(iter(loaded.protocols.values())).prompt
    samples = loaded.open(tmp_path / exam, Selection()).light()
    asked = [s.id for s in samples if loaded.prompts[prompt].asked_about(s)]
    file = tmp_path / f"{exam}.jsonl"
    file.write_text("\n".join(json.dumps({"id": i, "response": reply}) for i in asked), encoding="utf-8")
    own = snellen.evaluate(exam, model=f"replay/{file}", data=tmp_path / exam, prompt=prompt, out=tmp_path / "own")
    done = imported("csv", file, exam=exam, data=tmp_path / exam)
    assert done.record.samples == len(asked)
    found = snellen.compare(own.path, done.run.path)
    assert found.rows
    assert all(row.difference == 0 for row in found.rows)


def test_an_exam_of_a_plugin(tmp_path: Path) -> None:
    folder = tmp_path / "dots"
    folder.mkdir()
    for n in (1, 2):
        Image.new("RGB", (8, 8), (n, 0, 0)).save(folder / f"{n}.png")
    (folder / "truth.csv").write_text("file,dots\n1.png,3\n2.png,5\n", encoding="utf-8")
    (tmp_path / "mine.csv").write_text("id,response,target\n2.png,I count 5,5\n1.png,four: 4,3\n", encoding="utf-8")
    words = ("import", "csv", tmp_path / "mine.csv", "--exam", "dots", "--data", folder, "--json")
    plugin = ("--plugin", ROOT / "docs" / "examples" / "dots.py", "--out", tmp_path / "runs")
    done = command(*words, *plugin, cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert {(row["protocol"], row["right"], row["n"]) for row in json.loads(done.stdout)["against"]} == {
        ("exact", 1, 2),
        ("near", 1, 2),
    }


def test_a_log_in_which_every_sample_failed_has_no_score(salbench: Path, tmp_path: Path) -> None:
    log = json.loads((LOGS / "inspect.json").read_text(encoding="utf-8"))
    log["results"] = None
    for sample in log["samples"]:
        sample["error"] = {"message": "RateLimitError: 429", "traceback": "", "traceback_ansi": ""}
        sample |= {"output": sample["output"] | {"choices": [], "completion": ""}, "scores": {}}
    (tmp_path / "log.json").write_text(json.dumps(log), encoding="utf-8")
    words = ("import", "inspect", tmp_path / "log.json", "--exam", "salbench", "--data", salbench, "--out", tmp_path)
    done = command(*words, cache=tmp_path)
    assert done.returncode == 3
    assert "0.0" not in done.stdout.partition("NO ANSWER")[0]
    assert "no answer" in done.stdout
    assert "1 x imported: RateLimitError: 429" in done.stdout
    assert "most questions got no answer (1 of 1 in" in done.stderr
    assert "ask again with the tool that made it" in done.stderr
    assert "same command" not in done.stdout + done.stderr
    told = command(*words, "--json", cache=tmp_path)
    assert told.returncode == 3
    assert {row["score"] for row in json.loads(told.stdout)["against"]} == {None}


def test_a_log_with_some_failures_says_how_many(salbench: Path, tmp_path: Path) -> None:
    whole = command(
        "import",
        "inspect",
        LOGS / "inspect.eval",
        "--exam",
        "salbench",
        "--data",
        salbench,
        "--out",
        tmp_path,
        "--json",
        cache=tmp_path,
    )
    answers = Path(json.loads(whole.stdout)["run"]) / "answers.jsonl"
    ids = [json.loads(line)["id"] for line in answers.read_text(encoding="utf-8").splitlines()]
    for failed, code in ((1, 0), (7, 3)):
        rows = [{"id": name, "response": "Size"} for name in ids[failed:]]
        rows += [{"id": name, "response": "", "error": "timed out"} for name in ids[:failed]]
        log = tmp_path / f"{failed}.jsonl"
        log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        done = command(
            "import", "csv", log, "--exam", "salbench", "--data", salbench, "--out", tmp_path, cache=tmp_path
        )
        assert done.returncode == code, done.stderr
        assert f"{failed} failed. The log that it was imported from has no answer to the rest." in done.stdout
        assert f"{failed} x imported: timed out" in done.stdout
