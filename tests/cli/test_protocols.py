"""`snellen protocols`: the seed's comparison, derived; and flips of runs with the stage that flipped them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image
from tests.support.command import snellen
from tests.support.endpoint import Endpoint, completion
from tests.support.sets import write_set

from snellen.cli.protocols_command import markdown_table, table_json, table_markdown
from snellen.core.arm import Arm
from snellen.core.errors import SnellenError
from snellen.core.extras import probes_of
from snellen.core.types import Outcome
from snellen.engine.mark import flips
from snellen.engine.plan.plan import ProtocolRun, choose
from snellen.engine.runs.run import open_run
from snellen.exams import load
from snellen.exams.illusionbench import reading
from snellen.exams.illusionbench.protocols import IllusionProtocol, IllusionReading, IllusionTruth
from snellen.present.model.protocol_table import ProtocolRow, ProtocolTable, build

ILLUSION = load("illusionbench")
NAMES = ["cat-Ocean-Easy-1.25-1.png", "dog-City-Hard-0.85-2.png", "paper_clip-Sand_dune-Easy-1.5-3.png"]


RIVALS = build(ILLUSION, choose(ILLUSION, ("original", "lmms-strict")))


def row(table: ProtocolTable, name: str, task: str = "") -> ProtocolRow:
    sections = (s for s in table.sections if task in ("", s.task))
    return next(r for s in sections for r in s.rows if r.name == name)


def by_name(table: ProtocolTable, name: str) -> dict[str, str]:
    return dict(zip(table.columns, row(table, name).values, strict=True))


def test_prompts_are_compared_by_a_unified_diff() -> None:
    (first, whole), (second, diff) = RIVALS.sections[0].diffs
    assert (first, second) == (["original"], ["lmms-strict"])
    assert whole == ILLUSION.ask("original", probes_of(ILLUSION)[0]).text
    assert diff.startswith("--- original\n+++ lmms-strict\n@@")
    assert "\n+Answer: <your choice>" in diff and "\n-This image contains" in diff


def test_the_options_of_prompts_stand_side_by_side() -> None:
    splits = tuple(ILLUSION.splits)
    for section in build(ILLUSION, choose(ILLUSION, ("original", "lmms-strict")), splits, ("scene",)).sections:
        own = next(r for r in section.rows if r.name == "options")
        first, second = (v.split(", ") for v in own.values)
        assert first != second and {name.lower() for name in second} <= {name.lower() for name in first}
    assert row(RIVALS, "options offered", "shape").values == ("27", "16")


def test_rules_are_told_by_the_replies_that_they_take() -> None:
    assert row(RIVALS, "inside another word: xxXxx").values == ("accepted", "unparsable")
    assert row(RIVALS, "as printed: X").values == ("accepted", "unparsable")
    assert row(RIVALS, "Answer: X").values == ("accepted", "accepted")
    assert row(RIVALS, "unrelated text").values == ("no", "unparsable")


def test_all_protocols_and_the_traps() -> None:
    table = build(ILLUSION, choose(ILLUSION, ()), ("ICON",), ("shape",))
    assert {s.split for s in table.sections} == {"Illusion_ICON"}
    listing = by_name(table, "every option listed")
    assert listing["original"] == listing["lmms-head"] == listing["lmms-first"] == "accepted"
    assert listing["robust"] != "accepted" and listing["lmms-strict"] != "accepted"
    inside = by_name(table, "inside another word: xxXxx")
    assert inside["original"] == "accepted"
    assert inside["robust"] == "unparsable"


@pytest.mark.parametrize("benchmark", ["grounding", "d3"])
def test_where_no_text_is_right_only_replies_without_an_answer_are_tried(benchmark: str) -> None:
    exam = load(benchmark)
    names = [r.name for r in build(exam, choose(exam, ())).sections[0].rows]
    assert names[-3:] == ["unrelated text", "a refusal", "empty"] and "as printed: X" not in names


# ---------------------------------------------------------------- a changed protocol changes the table


def changed(judge: Callable[[str, IllusionTruth], IllusionReading], prompt: str = "original") -> ProtocolTable:
    mine = IllusionProtocol("mine", "a test's", prompt=prompt, judge=judge)
    return build(ILLUSION, [*choose(ILLUSION, ("original",)), ProtocolRun(mine, Arm(prompt))])


def _equal(reply: str, asked: IllusionTruth) -> IllusionReading:
    hit = reply == asked.truths[asked.task]
    return IllusionReading(reply, bool(reply), {"shape": hit, "scene": hit})


def _bucket(reply: str, asked: IllusionTruth) -> IllusionReading:
    bucket = reading.bucket_original(reply, asked.shape, asked.scene)
    return IllusionReading(
        reply.lower(), bool(reply.strip()), {"shape": bucket == "shape", "scene": bucket == "texture"}
    )


def test_another_judge_changes_the_replies_and_only_them() -> None:
    same, equal = changed(_bucket), changed(_equal)
    assert all(r.same for r in same.sections[0].rows if r.name not in ("unrelated text", "a refusal", "empty"))
    assert row(equal, "as printed: X").same and not row(equal, "final period: X.").same
    assert all(len(s.diffs) == 1 for s in equal.sections)


def test_another_prompt_changes_the_diff() -> None:
    assert len(changed(_bucket, "lmms-strict").sections[0].diffs) == 2


def test_a_changed_wording_changes_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    from snellen.exams.illusionbench import prompts

    longer = {task: text + "Use two words.\n" for task, text in prompts.FORMS["lmms-strict"].items()}
    monkeypatch.setitem(prompts.FORMS, "lmms-strict", longer)
    after = build(ILLUSION, choose(ILLUSION, ("original", "lmms-strict")))
    assert after.sections[0].diffs[1][1].endswith("+Use two words.")
    assert row(after, "Answer: X") == row(RIVALS, "Answer: X")


# ---------------------------------------------------------------- forms


def cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)[1:-1]


@pytest.mark.parametrize("benchmark", ["illusionbench", "salbench"])
def test_markdown_is_well_formed(benchmark: str) -> None:
    exam = load(benchmark)
    splits = list(dict.fromkeys(p.tags["split"] for p in probes_of(exam)))
    text = table_markdown(build(exam, choose(exam, ()), splits))
    tables = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    assert len(tables) == text.count("\n## ")
    for table in tables:
        lines = table.strip().splitlines()
        assert {len(cells(line)) for line in lines} == {len(exam.protocols) + 2}
        assert set(cells(lines[1])) == {" --- "}


def test_json_holds_values_and_diffs() -> None:
    document = json.loads(json.dumps(table_json(RIVALS)))
    first = document["sections"][0]
    assert first["prompts"]["lmms-strict"].endswith("Answer: <your choice>\n")
    assert first["diffs"]["lmms-strict"].startswith("--- original")
    reply = next(r for r in first["rows"] if r["row"] == "as printed: X")
    assert reply == {
        "row": "as printed: X",
        "same": False,
        "values": {"original": "accepted", "lmms-strict": "unparsable"},
    }


def test_salbench_in_the_same_way() -> None:
    exam = load("salbench")
    table = build(exam, choose(exam, ()), ("O3",))
    assert table.columns == ("paper", "lmms-eval", "plan-v2", "robust")
    assert len(table.sections[0].diffs) == 1
    assert row(table, "final period: X.").values[0].startswith(("partly (", "unparsable"))
    other = build(exam, choose(exam, ("paper", "paper@lmms-eval")), ("O3",))
    assert "+Answer the question using a single word or phrase." in other.sections[0].diffs[1][1]


def test_unknown_names_are_errors(tmp_path: Path) -> None:
    with pytest.raises(SnellenError, match="unknown split 'val': choose from Illusion_IN"):
        build(ILLUSION, choose(ILLUSION, ()), ("val",))
    for words, message in (
        (("nothing",), "unknown exam"),
        (("salbench", "--protocol", "x"), "unknown protocol 'x'"),
        (("salbench", "--task", "x"), "unknown task 'x'"),
        (("salbench", "--protocol", "paper@question+blank"), "leave out '+blank'"),
        (("salbench", "--json", "--markdown"), "choose one"),
        (("salbench", "--run", tmp_path), "not a run folder"),
        (("salbench", tmp_path), "name run folders after --run"),
        (("salbench", "--run", tmp_path, "--task", "D"), "leave them out with --run"),
    ):
        done = snellen("protocols", *words, cache=tmp_path)
        assert done.returncode == 2, words
        assert message in done.stderr


def test_the_command_prints_all_three_forms(tmp_path: Path) -> None:
    plain = snellen(
        "protocols", "illusionbench", "--protocol", "original,lmms-strict", "--task", "shape", "-v", cache=tmp_path
    )
    assert plain.returncode == 0, plain.stderr
    assert "Illusion_IN · shape, original:" in plain.stdout
    assert "+++ lmms-strict" in plain.stdout
    done = snellen("protocols", "illusionbench", "--markdown", cache=tmp_path)
    assert "| as printed: X | accepted" in done.stdout
    assert "diff\n--- original" in done.stdout
    assert json.loads(snellen("protocols", "salbench", "--json", cache=tmp_path).stdout)["exam"] == "salbench"


def test_without_v_only_what_differs_is_shown(tmp_path: Path) -> None:
    some = snellen("protocols", "illusionbench", "--protocol", "original,lmms-strict", cache=tmp_path, COLUMNS="80")
    assert some.returncode == 0, some.stderr
    assert "as printed" in some.stdout and "headline score" not in some.stdout
    alike = snellen("protocols", "salbench", "--protocol", "paper,lmms-eval", cache=tmp_path)
    assert "these protocols ask alike" in alike.stdout
    many = snellen("protocols", "illusionbench", cache=tmp_path, COLUMNS="80")
    assert "They also differ in: options, wording" in many.stdout
    assert len(many.stdout.splitlines()) < 60


# ---------------------------------------------------------------- flips


def side(name: str, outcome: Outcome, said: Any, reply: str = "r", prompt: str = "p") -> flips.ProtocolSide:
    return flips.ProtocolSide(name, prompt, outcome, said, reply)


@pytest.mark.parametrize(
    ("first", "second", "stage"),
    [
        (side("a", Outcome.CORRECT, "x", "r1", "p"), side("b", Outcome.WRONG, "y", "r2", "q"), "prompt"),
        (side("a", Outcome.CORRECT, "x", "r", "p"), side("b", Outcome.WRONG, "y", "r", "q"), "reading"),
        (side("a", Outcome.CORRECT, ["b", "a"]), side("b", Outcome.WRONG, ["a", "b"]), "marking"),
        (side("a", Outcome.CORRECT, ["Cat"]), side("b", Outcome.WRONG, " cat"), "marking"),
        (side("a", Outcome.CORRECT, {"k": [1]}), side("b", Outcome.WRONG, {"k": [2]}), "reading"),
        (side("a", Outcome.CORRECT, "x"), side("b", Outcome.UNPARSABLE, None), "reading"),
        (
            side("a", Outcome.CORRECT, {"answer": "no", "explanation": "it is dark"}),
            side("b", Outcome.WRONG, {"answer": "No", "explanation": "because it is dark"}),
            "marking",
        ),
        (
            side("a", Outcome.CORRECT, {"answer": "no", "explanation": "it is dark"}),
            side("b", Outcome.WRONG, {"answer": "no because", "explanation": "it is dark"}),
            "reading",
        ),
    ],
)
def test_stages(first: flips.ProtocolSide, second: flips.ProtocolSide, stage: str) -> None:
    assert flips.stage_of(first, second) == stage
    assert [f.stage for f in flips.flips([("1", [first, second])])] == [stage]


def test_agreement_is_of_the_samples_that_both_have_marked() -> None:
    tally = {(1, 1): 3, (1, 0): 2, (0, 1): 1, (0, 0): 4, (1, -1): 7, (-1, 0): 9}
    first, second = np.array([pair for pair, times in tally.items() for _ in range(times)], np.int8).T
    assert flips.agreements({"a": first, "b": second})["a", "b"] == (3, 2, 1, 4)


HOSTILE = "cat\x1b[31m|<img src=x onerror=alert(1)> [red]x[/red] ![i](https://evil.example/a.png) @someone\n| a | b |"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three images, both tasks, all protocols. `Answer:` is asked for and given; to the mixed prompt the reply is verbose."""
    home = tmp_path_factory.mktemp("flips")
    path = home / "set" / "Illusion_IN" / "part.parquet"
    path.parent.mkdir(parents=True)
    images = []
    for i in range(3):
        out = io.BytesIO()
        Image.new("RGB", (8, 8), (i, 9, 9)).save(out, "PNG")
        images.append({"bytes": out.getvalue(), "path": NAMES[i]})
    pq.write_table(pa.table({"image_name": NAMES, "image": images}), path)

    def script(request: dict[str, Any], _n: int) -> tuple[int, dict[str, str], bytes]:
        text = json.dumps(request["messages"])
        verbose = "A dog, or a " + HOSTILE if "Identify the shape" in text else "cat or dog"
        reply = "Answer: paper clip" if "exact format" in text else verbose
        return 200, {}, json.dumps(completion(reply)).encode()

    with Endpoint(script=script) as endpoint:
        done = snellen(
            "run", "illusionbench", "--data", home / "set", "--model", "api/x", "--base-url", endpoint.url,
            "--out", home / "runs", "--json", cache=home / "cache",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    return next((home / "runs").iterdir())


def test_flips_of_a_run_with_their_stage(run: Path) -> None:
    found = flips.compare(open_run(run)).flips
    told = {(f.pair, f.id.split("/")[1].split("-")[0]): f.stage for f in found if f.id.endswith("shape")}
    assert {k[1]: v for k, v in told.items() if k[0] == ("original", "lmms-strict")} == {
        "cat": "prompt", "dog": "prompt", "paper_clip": "prompt",
    }  # fmt: skip
    assert {k[1]: v for k, v in told.items() if k[0] == ("original", "robust")} == {"cat": "reading", "dog": "reading"}
    assert not any(f.pair == ("original", "lmms-head") for f in found)  # the same answers, the same rule
    for flip in found:
        assert (flip.first.outcome is Outcome.CORRECT) != (flip.second.outcome is Outcome.CORRECT)
        if flip.first.prompt == flip.second.prompt:
            assert flip.stage in ("reading", "marking")
            assert flip.first.reply == flip.second.reply


def test_a_few_flips_are_enough_to_choose_from(run: Path) -> None:
    every = flips.compare(open_run(run))
    few = flips.compare(open_run(run), few=1)
    assert few[:-1] == every[:-1] and len(few.flips) < len(every.flips)
    assert {(f.pair, f.stage) for f in few.flips} == {(f.pair, f.stage) for f in every.flips}
    assert every.counts == {s: len({f.id for f in every.flips if f.stage == s}) for s in flips.STAGES}
    assert every.samples == len({f.id for f in every.flips})


def test_the_command_on_a_run(run: Path, tmp_path: Path) -> None:
    done = snellen("protocols", "illusionbench", "--run", run, "--json", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["runs"]
    protocols = list(ILLUSION.protocols)
    assert {s["protocol"] for s in found["scores"]} == set(protocols)
    assert all(s["low"] is None or s["low"] <= s["value"] <= s["high"] for s in found["scores"])
    assert len(found["pairs"]) == len(protocols) * (len(protocols) - 1) // 2
    for pair in found["pairs"]:
        mine = [
            f
            for f in found["flips"]
            if (f["first"]["protocol"], f["second"]["protocol"]) == (pair["first"], pair["second"])
        ]
        assert sum(pair["flips"].values()) == len(mine) == pair["counts"]["first"] + pair["counts"]["second"]
        n = 4 if "original-icl" in (pair["first"], pair["second"]) else 6  # one of three shapes is not in its exam
        assert pair["n"] == n
        assert pair["agreement"] == pytest.approx(1 - len(mine) / n)
    two = snellen("protocols", "illusionbench", "--run", run, "--protocol", "original,robust", "--json", cache=tmp_path)
    assert len(json.loads(two.stdout)["runs"][0]["pairs"]) == 1


def test_the_exam_is_the_runs_where_none_is_named(run: Path, tmp_path: Path) -> None:
    named = snellen("protocols", "illusionbench", "--run", run, cache=tmp_path)
    assert named.returncode == 0, named.stderr
    assert snellen("protocols", "--run", run, cache=tmp_path).stdout == named.stdout
    both = snellen("protocols", "--run", run, run / ".." / run.name, "--json", cache=tmp_path)
    assert len(json.loads(both.stdout)["runs"]) == 2
    neither = snellen("protocols", cache=tmp_path)
    assert neither.returncode == 2 and "name an exam" in neither.stderr and len(neither.stderr.splitlines()) == 1


def test_hostile_replies_are_inert_in_terminal_and_markdown(run: Path, tmp_path: Path) -> None:
    several = snellen("protocols", "illusionbench", "--run", run, run / ".." / run.name, "--json", cache=tmp_path)
    assert len(json.loads(several.stdout)["runs"]) == 2, "run folders may simply follow --run"
    plain = snellen("protocols", "illusionbench", "--run", run, "--all", cache=tmp_path)
    assert plain.returncode == 0, plain.stderr
    assert "\x1b" not in plain.stdout
    assert "\\x1b" in plain.stdout
    assert "[red]" in plain.stdout  # shown, not obeyed
    done = snellen("protocols", "illusionbench", "--run", run, "--all", "--markdown", cache=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "<img" not in done.stdout
    assert "https://" not in done.stdout
    assert "@someone" not in done.stdout
    flipped = done.stdout[done.stdout.index("## flipped samples") :]
    assert {len(cells(line)) for line in flipped.splitlines() if line.startswith("|")} == {4}


def test_markdown_cells_cannot_break_out() -> None:
    table = markdown_table("t", ["a"], [["x | y\n| z\\|"], ["`<b>`\r\n**"]])
    rows = table.splitlines()[4:]
    assert len(rows) == 2
    assert all(len(re.split(r"(?<!\\)(?:\\\\)*\|", line)) == 3 for line in rows)


def test_a_run_of_another_benchmark_is_refused(run: Path, tmp_path: Path) -> None:
    done = snellen("protocols", "salbench", "--run", run, cache=tmp_path)
    assert done.returncode == 2
    assert "is a run of illusionbench, not of salbench" in done.stderr


def test_flips_by_reading_on_salbench(tmp_path: Path) -> None:
    write_set(tmp_path / "set", 6)
    with Endpoint(answer="The answer is color.") as endpoint:
        made = snellen(
            "run", "salbench", "--data", tmp_path / "set", "--model", "api/x", "--base-url", endpoint.url,
            "--out", tmp_path / "runs", cache=tmp_path / "cache",
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
    path = next((tmp_path / "runs").iterdir())
    found = flips.compare(open_run(path), ("paper", "robust")).flips
    assert {f.stage for f in found} == {"reading"}
    assert len(found) == 2
    with pytest.raises(SnellenError, match="no marks of protocol 'x'"):
        flips.compare(open_run(path), ("x",))
