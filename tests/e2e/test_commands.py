"""Commands as a user types them: what they print, their exit codes, their one-line errors."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support.command import SNELLEN, environment, snellen
from tests.support.endpoint import Endpoint
from tests.support.sets import png, write_config, write_set

ALL = ("P3", "P3_box", "P3_box_img", "O3", "O3_box", "O3_box_img")


def run(
    tmp_path: Path,
    *more: object,
    model: str = "baseline/constant:Color",
    count: int = 12,
    configs: tuple[str, ...] = ALL,
) -> Any:
    data = tmp_path / "set"
    if not data.exists():
        write_set(data, count, configs)
    return snellen(
        "run", "salbench", "--data", data, "--model", model, "--out", tmp_path / "runs", *more, cache=tmp_path / "cache"
    )


def only_run(tmp_path: Path) -> Path:
    found = [p for p in (tmp_path / "runs").iterdir() if p.is_dir()]
    assert len(found) == 1
    return found[0]


def test_all_metrics_with_intervals_and_floors(tmp_path: Path) -> None:
    done = run(tmp_path, "--protocol", "paper,lmms-eval,plan-v2,robust", "-v")
    assert done.returncode == 0, done.stderr
    for text in (
        "exact match",
        "precision (sample)",
        "recall (sample)",
        "F1 (sample)",
        "macro F1",
        "F1 of pattern",
        "95 % interval",
        "floor",
        "outcomes",
    ):
        assert text in done.stdout
    summary = json.loads((only_run(tmp_path) / "summary.json").read_text())
    assert [p["protocol"] for p in summary["protocols"]] == ["paper", "lmms-eval", "plan-v2", "robust"]
    for protocol in summary["protocols"]:
        assert {g["by"]["config"] for g in protocol["groups"]} == set(ALL)
        for group in protocol["groups"]:
            for metric in group["metrics"].values():
                assert {"value", "low", "high", "interval", "n"} <= metric.keys()
                assert metric["low"] - 1e-6 <= metric["value"] <= metric["high"] + 1e-6
            if set(group["by"]) == {"config"}:
                for name in ("exact_match", "f1", "precision", "macro_f1"):
                    assert group["metrics"][name]["floor"] is not None


def test_the_leaderboard_row_has_the_seeds_columns(tmp_path: Path) -> None:
    run(tmp_path, "--tasks", "D,R", "--protocol", "plan-v2,paper")
    path = only_run(tmp_path) / "exports"
    with (path / "leaderboard_row.csv").open() as file:
        header, row = csv.reader(file)
    assert header == [
        "Model",
        "Shot",
        "Detection_NAT",
        "Detection_SYN",
        "Referring_NAT",
        "Referring_SYN",
        "VisualRef_NAT",
        "VisualRef_SYN",
    ]
    assert row[:2] == ["baseline/constant:Color", "0"]
    assert row[3] == row[5] == "33.3"
    assert row[6:] == ["", ""]
    metrics = json.loads((path / "metrics.json").read_text())
    assert metrics["detailed_metrics"]["synthetic"]["D"]["total_samples"] == 12
    assert metrics["config"]["protocol"] == "plan-v2"
    assert json.loads((path / "paper" / "metrics.json").read_text())["config"]["protocol"] == "paper"
    records = json.loads((path / "raw_responses.json").read_text())
    assert len(records) == 48
    assert records[0]["predicted"] == ["color"]


def test_json_is_one_document_and_nothing_else(tmp_path: Path) -> None:
    done = run(tmp_path, "--json", configs=("P3",))
    document = json.loads(done.stdout)
    assert document["complete"]
    assert document["run"].startswith(str(tmp_path))
    for words in (("list", "--json"), ("doctor", "--json")):
        json.loads(snellen(*words, cache=tmp_path).stdout)


def test_remark_adds_a_protocol_without_a_call_and_shows_changes(tmp_path: Path) -> None:
    with Endpoint(answer="It is the **Colour**.") as endpoint:
        first = run(tmp_path, "--base-url", endpoint.url, "--protocol", "paper", model="api/x", configs=("P3",))
        assert first.returncode == 3, first.stderr  # 'paper' can read none of the replies
        asked = len(endpoint.requests)
        path = only_run(tmp_path)
        done = snellen("mark", path, "--protocol", "robust", cache=tmp_path / "cache")
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) == asked
    assert "0 of 24 marks changed" in done.stdout
    assert {p.name for p in (path / "marks").iterdir()} == {"paper.jsonl", "robust.jsonl"}
    marks = path / "marks" / "robust.jsonl"
    marks.write_text(marks.read_text().replace('"correct"', '"wrong"', 1))
    again = snellen("mark", path, cache=tmp_path / "cache")
    assert "1 of 24 marks changed\n  robust: 1 of 12" in again.stdout
    missing = snellen("mark", path, "--protocol", "paper@plan-v2", cache=tmp_path / "cache")
    assert missing.returncode == 2
    assert "12 questions would have to be asked, at an unknown cost" in missing.stderr
    listed = snellen("mark", path, "--protocol", "paper@plan-v2", "--json", cache=tmp_path / "cache")
    assert listed.returncode == 2
    lacking = json.loads(listed.stdout)[0]["unasked"][0]
    assert (lacking["prompt"], lacking["cost"], len(set(lacking["questions"]))) == ("plan-v2", None, 12)


def test_remark_says_what_the_missing_questions_would_cost(tmp_path: Path) -> None:
    with Endpoint(cost=0.002) as endpoint:
        run(tmp_path, "--base-url", endpoint.url, "--protocol", "paper", model="api/x", configs=("P3",))
    done = snellen("mark", only_run(tmp_path), "--protocol", "paper@plan-v2", cache=tmp_path / "cache")
    assert done.returncode == 2
    assert (
        "12 questions would have to be asked, at about 0.0240 USD by this run's mean of 0.002000 per call"
        in done.stderr
    )


def test_remark_names_every_protocol_that_lacks_answers_and_keeps_the_other_runs(tmp_path: Path) -> None:
    data = write_set(tmp_path / "data", 6)
    words = ("run", "salbench", "--data", data, "--out", tmp_path / "runs")
    for n, protocols in ((1, "paper@plan-v2"), (2, "paper")):
        model = f"baseline/constant:{n}"
        assert snellen(*words, "--model", model, "--protocol", protocols, cache=tmp_path).returncode in (0, 3)
    first, second = sorted((tmp_path / "runs").iterdir())
    wanted = ("--protocol", "paper@plan-v2,robust@lmms-eval")
    done = snellen("mark", first, second, *wanted, "--json", cache=tmp_path)
    assert done.returncode == 2
    one, two = json.loads(done.stdout)
    assert [u["protocol"] for u in one["unasked"]] == ["robust@lmms-eval"]
    assert [u["protocol"] for u in two["unasked"]] == ["paper@plan-v2", "robust@lmms-eval"]
    plain = snellen("mark", second, *wanted, cache=tmp_path)
    assert "Protocol paper@plan-v2 marks answers" in plain.stderr
    assert "Protocol robust@lmms-eval marks answers" in plain.stderr
    mixed = snellen("mark", first, second, "--protocol", "robust@plan-v2", "--json", cache=tmp_path)
    assert mixed.returncode == 2
    assert ["marks" in d for d in json.loads(mixed.stdout)] == [True, False], "the marked run has its document"


def test_protocols_that_share_a_prompt_share_answers_and_others_ask(tmp_path: Path) -> None:
    with Endpoint() as endpoint:
        run(tmp_path, "--base-url", endpoint.url, model="api/x", configs=("P3",))
        assert len(endpoint.requests) == 12
        done = run(tmp_path, "--base-url", endpoint.url, "--protocol", "paper,lmms-eval@lmms-eval", model="api/x")
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) == 24
        suffix = endpoint.requests[-1]["messages"][0]["content"][1]["text"]
        assert suffix.endswith("\nAnswer the question using a single word or phrase.")
    assert len(list((tmp_path / "runs").iterdir())) == 1


def test_fresh_puts_the_old_run_aside_and_asks_again(tmp_path: Path) -> None:
    with Endpoint() as endpoint:
        for more in ((), (), ("--fresh",)):
            run(tmp_path, "--base-url", endpoint.url, *more, model="api/x", configs=("P3",))
        assert len(endpoint.requests) == 24
    assert sorted(p.name.partition(".")[2] for p in (tmp_path / "runs").iterdir()) == ["", "old1"]


def test_shots_are_sent_and_recorded(tmp_path: Path) -> None:
    with Endpoint() as endpoint:
        done = run(
            tmp_path, "--base-url", endpoint.url, "--shots", 3, "--limit", 4, model="api/x", configs=("P3",), count=30
        )
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) == 4
        assert all(sum(p["type"] == "image_url" for p in r["messages"][0]["content"]) == 4 for r in endpoint.requests)
    lines = [json.loads(line) for line in (only_run(tmp_path) / "answers.jsonl").read_text().splitlines()]
    assert all(len(line["shots"]) == 3 and len(line["calls"][0]["images"]) == 4 for line in lines)


def test_the_seeds_flags(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 8, ("P3", "P3_box", "P3_box_img"))
    with Endpoint() as endpoint:
        done = snellen(
            "run", "salbench", "--backend", "ollama", "--base-url", endpoint.url.removesuffix("/v1"), "--model", "llava:7b",
            "--splits", "synthetic", "--tasks", "D,R,VR", "--samples", 5, "--dataset", data, "--output", tmp_path / "runs", "-v",
            cache=tmp_path / "cache",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert len(endpoint.requests) == 15
        assert endpoint.requests[0]["model"] == "llava:7b"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("run", "nothing", "--model", "baseline/chance", "--data", "{set}"),
            "unknown exam 'nothing': choose from",
        ),
        (("run", "illusionbench", "--data", "{set}"), "Specify --model"),
        (("run", "salbench", "--model", "baseline/chance"), "no data: give --data DIR"),
        (("run", "salbench", "--model", "baseline/chance", "--data", "/no/such"), "no such folder"),
        (
            ("run", "salbench", "--model", "baseline/chance", "--data", "{set}", "--protocol", "magic"),
            "unknown protocol 'magic'",
        ),
        (
            ("run", "salbench", "--model", "baseline/chance", "--data", "{set}", "--protocol", "paper@x"),
            "unknown prompt 'x'",
        ),
        (
            ("run", "salbench", "--model", "baseline/chance", "--data", "{set}", "--shots", "2"),
            "--shots 2: salbench has 0, 3, 5",
        ),
        (
            ("run", "salbench", "--model", "baseline/chance", "--data", "{set}", "--temperature", "hot"),
            "a number, or 'none'",
        ),
        (
            ("run", "salbench", "--model", "baseline/chance", "--data", "{set}", "--concurrency", "many"),
            "a number from 1, or 'auto'",
        ),
        (
            ("run", "salbench", "--model", "baseline/chance", "--data", "{set}", "--extra", "[1]"),
            "--extra must be a JSON object",
        ),
        (
            ("run", "salbench", "--model", "vllm/x", "--base-url", "http://127.0.0.1:1/v1", "--data", "{set}"),
            "no server at http://127.0.0.1:1/v1/chat/completions: start it with",
        ),
        (("mark", "{set}"), "is not a run folder"),
        (
            ("mark", "salbench", "--protocol", "paper", "--input", "{set}/bad.jsonl"),
            'line 2: field "response" (the reply, a text) is missing',
        ),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    data = write_set(tmp_path / "set", 4)
    (data / "bad.jsonl").write_text('{"id": 1, "split": "P3", "answer": "color", "response": "x"}\n{"id": 2}\n')
    done = snellen(*(w.replace("{set}", str(data)) for w in words), cache=tmp_path / "cache", stdin="")
    assert done.returncode == 2, done.stderr
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_a_broken_image_is_an_error_with_its_place_and_no_call(tmp_path: Path) -> None:
    write_config(tmp_path / "set", "P3", 2, image=[{"bytes": b"junk", "path": None}, {"bytes": None, "path": None}])
    with Endpoint() as endpoint:
        done = run(tmp_path, "--base-url", endpoint.url, model="api/x")
        assert done.returncode == 3, done.stderr
        assert endpoint.requests == []
    assert "bad-image: P3/shard_000.parquet row 0: image does not decode" in " ".join(done.stdout.split())


def test_data_check_lists_all_and_exits_2(tmp_path: Path) -> None:
    write_config(tmp_path / "set", "P3", 3, answer=["color", "x", "y"])
    done = snellen("data", "check", "salbench", "--data", tmp_path / "set", cache=tmp_path)
    assert done.returncode == 2
    assert done.stdout.count("is not a label of P3") == 2
    write_set(tmp_path / "good", 3)
    assert snellen("data", "check", "salbench", "--data", tmp_path / "good", cache=tmp_path).returncode == 0


def test_estimate_counts_without_calling(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", 10, ("P3", "O3"))
    done = snellen("run", "salbench", "--dry-run", "--data", data, "--model", "openai/gpt-4o", "--json", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["runs"]
    assert found["calls"] == 20
    assert found["money_usd"] == pytest.approx(found["input_tokens"] * 2.5e-6 + 20 * 8 * 1e-5)
    unknown = json.loads(
        snellen(
            "run", "salbench", "--dry-run", "--data", data, "--model", "openai/nobody-1", "--json", cache=tmp_path
        ).stdout
    )
    assert unknown["total"]["money_usd"] == "unknown"


def test_importing_and_help_load_nothing_heavy() -> None:
    heavy = {"numpy", "PIL", "pyarrow", "aiohttp", "jinja2", "torch", "rich", "asyncio"}
    code = "import sys, snellen; print(' '.join(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not loaded & heavy
    code = "import sys; sys.argv = ['snellen', '--help']; from snellen.cli.main import main\ntry: main()\nexcept SystemExit: pass\nprint(' '.join(sys.modules))"
    loaded = set(
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    )
    assert not loaded & heavy


def test_hostile_text_cannot_reach_the_terminal(tmp_path: Path) -> None:
    with Endpoint(script=lambda _r, _t: (422, {}, b'{"detail": "\\u001b[31mred [bold]x[/bold] \\u0007"}')) as endpoint:
        done = run(tmp_path, "--base-url", endpoint.url, model="api/x", configs=("P3",))
    assert "\x1b" not in done.stdout + done.stderr
    assert "\x07" not in done.stdout
    assert "[bold]x[/bold]" in done.stdout


def test_python_and_command_find_the_same_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import snellen as library

    run(tmp_path, configs=("P3",))
    found = library.evaluate("salbench", model="baseline/constant:Color", data=tmp_path / "set", out=tmp_path / "runs")
    assert found.path == only_run(tmp_path)
    assert len(list(found.marks("paper"))) == 12
    assert library.open_run(found.path).summary == found.summary


def test_version_and_help() -> None:
    for words in (["--version"], ["--help"], ["run", "--help"], ["data", "make", "--help"]):
        assert (
            subprocess.run(
                [SNELLEN, *words], env=environment(Path("unused")), capture_output=True, check=False
            ).returncode
            == 0
        )


def test_a_runs_first_protocol_stays_the_first_and_no_old_file_stays(tmp_path: Path) -> None:
    run(tmp_path, "--protocol", "paper,robust", "--limit", 6, configs=("P3",))
    path = only_run(tmp_path)
    before = (path / "exports" / "leaderboard_row.csv").read_text()
    snellen("mark", path, "--protocol", "plan-v2", cache=tmp_path / "cache")
    assert (path / "exports" / "leaderboard_row.csv").read_text() == before
    assert {p.name for p in (path / "exports").iterdir() if p.is_dir()} == {"robust", "plan-v2"}
    (path / "exports" / "old").mkdir()
    snellen("mark", path, cache=tmp_path / "cache")
    assert not (path / "exports" / "old").exists()
    assert json.loads((path / "exports" / "metrics.json").read_text())["config"]["prompt"] == "question"


def test_it_works_where_a_loop_runs_already(tmp_path: Path) -> None:
    """As in a notebook."""
    import asyncio

    import snellen as library

    write_set(tmp_path / "set", 5)

    async def cell() -> int:
        made = library.evaluate("salbench", model="baseline/chance", data=tmp_path / "set", out=tmp_path / "runs")
        return len(list(made.answers()))

    assert asyncio.run(cell()) == 5


def test_an_out_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    done = run(tmp_path, configs=("P3",))
    assert done.returncode == 2
    assert "choose another --out" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_plain_script_can_use_a_solver_on_all_cores(tmp_path: Path) -> None:
    """No guard for __main__, as in the README."""
    data = write_set(tmp_path / "set", 6)
    script = tmp_path / "example.py"
    script.write_text(
        "import snellen\n"
        f"run = snellen.evaluate('salbench', model='baseline/pixels', data={str(data)!r}, out={str(tmp_path / 'runs')!r})\n"
        "print(len(list(run.answers())))\n"
    )
    done = subprocess.run(
        [sys.executable, script],
        capture_output=True,
        text=True,
        env=environment(tmp_path / "c"),
        check=False,
        timeout=120,
    )
    assert done.stdout.strip() == "6", done.stderr


def test_a_run_that_fails_before_its_first_answer_leaves_no_folder(tmp_path: Path) -> None:
    with Endpoint(script=lambda _r, _t: (401, {}, b"no")) as endpoint:
        done = run(tmp_path, "--base-url", endpoint.url, model="api/x", configs=("P3",))
        assert done.returncode == 2
    assert [p for p in (tmp_path / "runs").iterdir() if p.is_dir()] == []


def test_a_run_in_which_nothing_was_answered_says_so_and_is_no_success(tmp_path: Path) -> None:
    with Endpoint(script=lambda _r, _t: (422, {}, b"no")) as endpoint:
        done = run(tmp_path, "--base-url", endpoint.url, model="api/x", configs=("P3",))
    assert done.returncode == 3
    assert "none of the 12 questions was answered" in done.stderr
    assert "INCOMPLETE: 0 of 12 questions answered, 12 failed" in done.stdout


def test_a_folder_of_several_sets_is_refused(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_set(tmp_path / "parent" / name, 3)
    done = snellen(
        "run",
        "salbench",
        "--data",
        tmp_path / "parent",
        "--model",
        "baseline/chance",
        "--out",
        tmp_path / "r",
        cache=tmp_path,
    )
    assert done.returncode == 2
    assert "holds several data sets (one, two)" in done.stderr


def test_a_broken_image_is_an_error_for_baselines_too(tmp_path: Path) -> None:
    write_config(tmp_path / "set", "P3", 3, image=[{"bytes": b, "path": None} for b in (png(1), b"junk", png(3)[:45])])
    done = run(tmp_path, "--json")
    assert json.loads(done.stdout)["failed"] == 2


def test_several_runs_are_told_apart_in_the_terminal(tmp_path: Path) -> None:
    run(tmp_path, configs=("P3",))
    run(tmp_path, "--limit", 5)
    run(tmp_path, model="baseline/chance")
    runs = sorted(p for p in (tmp_path / "runs").iterdir() if p.is_dir())
    done = snellen("report", *runs, "--out", tmp_path / "page.html", cache=tmp_path)
    assert [r.name in done.stdout for r in runs] == ["constant" in r.name for r in runs]
    assert "salbench · baseline/chance" in done.stdout
    (tmp_path / "page.html").unlink()
    assert json.loads(snellen("report", *runs, "--json", cache=tmp_path).stdout)["page"] is None
    assert not (tmp_path / "page.html").exists()


def test_doctor_names_the_extras(tmp_path: Path) -> None:
    assert "[nlg]'" in snellen("doctor", cache=tmp_path).stdout


def test_null_replies_are_empty_and_other_types_are_named(tmp_path: Path) -> None:
    row = {"id": 1, "split": "P3", "answer": "color", "response": None}
    done = snellen("mark", "salbench", "--protocol", "paper", cache=tmp_path, stdin=json.dumps(row))
    assert json.loads(done.stdout)["outcome"] == "empty"
    done = snellen(
        "mark", "salbench", "--protocol", "paper", cache=tmp_path, stdin=json.dumps(row | {"answer": ["color"]})
    )
    assert "not a text but list" in done.stderr
