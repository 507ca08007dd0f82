"""`snellen protocols`: the seed's comparison, derived; and flips of runs with the stage that flipped them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def row(table: ProtocolTable, kind: str, name: str, split: str = "", task: str = "") -> ProtocolRow:
    sections = (s for s in table.sections if s.kind == kind and split in ("", s.split) and task in ("", s.task))
    return next(r for s in sections for r in s.rows if r.name == name)


def by_name(table: ProtocolTable, kind: str, name: str) -> dict[str, str]:
    return dict(zip(table.columns, row(table, kind, name).values, strict=True))


# what the seed's tables compare (1.3, 2.3, 3, 4.1) and find unlike: its row, our row
SEED = [
    ("1.3 描述语言", ("prompt", "wording", "", "shape")),
    ("1.3 描述语言 (scene)", ("prompt", "description", "", "scene")),
    ("1.3 Shape 选项", ("prompt", "options offered", "", "shape")),
    ("1.3 Scene 选项", ("prompt", "options offered", "", "scene")),
    ("1.3 输出格式要求", ("prompt", "answer format demanded", "", "shape")),
    ("1.3 任务描述", ("prompt", "task sentence", "", "shape")),
    ("2.3 匹配方式", ("rule", "matching", "", "shape")),
    ("2.3 文本提取", ("rule", "extraction", "", "shape")),
    ("2.3 文本归一化", ("rule", "normalisation", "", "shape")),
    ("2.3 容错性", ("rule", "tolerance", "", "shape")),
    ("2.3 格式要求", ("rule", "format required", "", "shape")),
    ("3.1 ICON", ("candidates", "shape candidates", "Illusion_ICON", "")),
    ("3.1 LOGO", ("candidates", "shape candidates", "Illusion_LOGO", "")),
    ("3.1 IN", ("candidates", "shape candidates", "Illusion_IN", "")),
    ("4.1 Shape Prompt 描述", ("prompt", "description", "", "shape")),
    ("4.1 Scene Prompt 描述", ("prompt", "wording", "", "scene")),
    ("4.1 Shape 选项列表", ("prompt", "options listed", "", "shape")),
    ("4.1 Scene 选项列表", ("prompt", "options listed", "", "scene")),
    ("4.1 输出格式", ("prompt", "answer format demanded", "", "scene")),
    ("4.1 评分方式", ("rule", "matching", "", "scene")),
    ("4.1 文本归一化", ("rule", "normalisation", "", "scene")),
    ("4.1 Shape 候选类别", ("candidates", "shape candidates, difference", "Illusion_ICON", "")),
]
RIVALS = build(ILLUSION, choose(ILLUSION, ("original", "lmms-strict")))


@pytest.mark.parametrize(("seed", "where"), SEED, ids=[s[0] for s in SEED])
def test_every_row_of_the_seeds_tables_is_there(seed: str, where: tuple[str, str, str, str]) -> None:
    found = row(RIVALS, *where)
    assert len(found.values) == 2
    assert not found.same
    assert all(found.values)


def test_the_scene_candidates_agree_as_sets_and_the_spellings_are_named() -> None:
    for split in ILLUSION.splits:
        scenes = row(RIVALS, "candidates", "scene candidates", split)
        first, second = (set(v.split(", ")) for v in scenes.values)
        assert first == second
        assert len(first) == 11
        assert row(RIVALS, "candidates", "scene candidates, difference", split).values[1] == "same set; other order"
    icon = row(RIVALS, "candidates", "shape candidates, difference", "Illusion_ICON").values[1]
    logo = row(RIVALS, "candidates", "shape candidates, difference", "Illusion_LOGO").values[1]
    assert "spelled stationary for Stationery" in icon
    assert "spelled benz for Mercedes Benz" in logo


def test_what_the_seed_says_of_the_rules_is_derived() -> None:
    assert row(RIVALS, "rule", "matching").values == ("substring; a second name does no harm", "equality")
    assert row(RIVALS, "rule", "extraction").values == ("whole reply", "only what follows the first 'Answer:'")
    assert row(RIVALS, "rule", "format required").values == ("none", "'Answer: X'")
    only_case, more = row(RIVALS, "rule", "normalisation").values
    assert only_case == "case"
    assert {"case", "final period", "spaces for underscores", "hyphens for underscores"} <= set(more.split(", "))
    assert row(RIVALS, "rule", "fallback").values[1].startswith("unparsable: recall 0")
    offered = row(RIVALS, "prompt", "options offered", task="shape").values
    assert offered == ("mixed: 16 shape + 11 scene; the same for scene", "only 16 shape; other tasks get another list")
    assert row(RIVALS, "prompt", "option order", task="scene").values == ("same order", "other order")


def _last_word(reply: str, asked: IllusionTruth) -> IllusionReading:
    hit = reply.lower().split()[-1:] == [asked.truth.lower()]
    return IllusionReading(reply, bool(reply), hit, hit)


def test_which_part_of_the_reply_counts_is_derived() -> None:
    table = build(ILLUSION, choose(ILLUSION, ("original-icl", "lmms-head")), ("IN",), ("shape",))
    assert by_name(table, "rule", "extraction") == {
        "original-icl": "only the first line or first sentence",
        "lmms-head": "whole reply",
    }
    forgiven = by_name(table, "rule", "normalisation")
    assert "punctuation inside" in forgiven["original-icl"]
    assert "punctuation inside" not in forgiven["lmms-head"]
    last = row(changed(_last_word), "rule", "extraction", task="shape").values[1]
    assert last == "only the end of the reply"


@pytest.mark.parametrize("benchmark", ["grounding", "d3"])
def test_rules_that_cannot_be_told_are_left_out(benchmark: str) -> None:
    exam = load(benchmark)
    table = build(exam, choose(exam, ()))
    assert "takes no form tried" not in table_markdown(table)


def test_all_protocols_and_the_traps() -> None:
    table = build(ILLUSION, choose(ILLUSION, ()), ("ICON",), ("shape",))
    assert {s.split for s in table.sections} == {"Illusion_ICON"}
    listing = by_name(table, "rule", "can be won by listing every option")
    assert listing["original"] == listing["lmms-head"] == listing["lmms-first"] == "yes"
    assert listing["robust"].startswith("no")
    assert listing["lmms-strict"].startswith("no")
    misprinted = by_name(table, "rule", "true options marked wrong as printed")
    assert misprinted["original"] == "Stationery"
    assert misprinted["robust"] == misprinted["lmms-strict"] == "none"
    spelled = by_name(table, "replies", "another prompt's spelling: Stationery for stationary")
    assert spelled["robust"] == "accepted"
    assert spelled["original"] == "no"
    inside = by_name(table, "replies", "inside another word: xxXxx")
    assert inside["original"] == "accepted"
    assert inside["robust"] == "unparsable"


# ---------------------------------------------------------------- a changed protocol changes the table


def changed(judge: Callable[[str, IllusionTruth], IllusionReading], prompt: str = "original") -> ProtocolTable:
    mine = IllusionProtocol("mine", "a test's", prompt=prompt, judge=judge)
    return build(ILLUSION, [*choose(ILLUSION, ("original",)), ProtocolRun(mine, Arm(prompt))])


def _equal(reply: str, asked: IllusionTruth) -> IllusionReading:
    hit = reply == asked.truth
    return IllusionReading(reply, bool(reply), hit, hit)


def _word(reply: str, asked: IllusionTruth) -> IllusionReading:
    hit = re.search(rf"\b{asked.truth.lower()}\b", reply.lower()) is not None
    return IllusionReading(reply, bool(reply), hit, hit)


def _bucket(reply: str, asked: IllusionTruth) -> IllusionReading:
    bucket = reading.bucket_original(reply, asked.shape, asked.scene)
    return IllusionReading(reply.lower(), bool(reply.strip()), bucket == "shape", bucket == "texture")


def test_another_judge_changes_the_rules_and_only_them() -> None:
    same, equal, word = changed(_bucket), changed(_equal), changed(_word)
    for name in ("matching", "extraction", "normalisation", "tolerance"):
        assert row(same, "rule", name).same
    assert [row(t, "rule", "matching", task="scene").values[1].split(";")[0] for t in (same, equal, word)] == [
        "substring", "equality", "whole words",
    ]  # fmt: skip
    assert row(equal, "rule", "normalisation", task="scene").values[1] == "nothing forgiven"
    assert row(equal, "rule", "extraction", task="scene").values[1] == "whole reply, nothing else may be in it"
    assert all(r.same for s in equal.sections if s.kind == "prompt" for r in s.rows)


def test_another_prompt_changes_the_prompt_rows() -> None:
    assert not row(changed(_bucket, "lmms-strict"), "prompt", "answer format demanded").same


def test_a_changed_wording_changes_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    from snellen.exams.illusionbench import prompts

    before = build(ILLUSION, choose(ILLUSION, ("original", "lmms-strict")))
    longer = {task: text + "Use two words.\n" for task, text in prompts.FORMS["lmms-strict"].items()}
    monkeypatch.setitem(prompts.FORMS, "lmms-strict", longer)
    after = build(ILLUSION, choose(ILLUSION, ("original", "lmms-strict")))
    assert row(after, "prompt", "answer format demanded").values[1].endswith("Use two words.")
    assert row(before, "prompt", "wording") != row(after, "prompt", "wording")
    assert row(before, "rule", "matching") == row(after, "rule", "matching")


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
    assert row(RIVALS, "prompt", "wording").values[0] == ILLUSION.ask("original", probes_of(ILLUSION)[0]).text
    document = json.loads(json.dumps(table_json(RIVALS)))
    wording = next(r for s in document["sections"] for r in s["rows"] if r["row"] == "wording")
    assert wording["values"]["lmms-strict"].endswith("Answer: <your choice>\n")
    assert "[-This-] {+You are given an+} image" in wording["shown"]["lmms-strict"]


def test_salbench_in_the_same_way() -> None:
    exam = load("salbench")
    table = build(exam, choose(exam, ()), ("O3",))
    assert table.columns == ("paper", "lmms-eval", "plan-v2", "robust")
    assert [v.split(";")[0] for v in row(table, "rule", "matching").values] == [
        "equality",
        "equality",
        "substring",
        "whole words",
    ]
    assert row(table, "rule", "extraction").values[0].endswith("pieces by comma")
    assert row(table, "prompt", "wording").same
    assert row(table, "replies", "British spelling: Colour, Shape").values[3] == "accepted"
    assert row(table, "replies", "final period: X.").values[0].startswith("partly (")
    other = build(exam, choose(exam, ("paper", "paper@lmms-eval")), ("O3",))
    shown = row(other, "prompt", "wording").shown or ()
    assert shown[1].endswith("{+⏎ Answer the question using a single word or phrase.+}")


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
    assert "Illusion_IN · shape: wording" in plain.stdout
    assert "{+You are given an+}" in plain.stdout
    done = snellen("protocols", "illusionbench", "--markdown", cache=tmp_path)
    assert "| matching | substring" in done.stdout
    assert "Illusion_LOGO: candidate classes" in done.stdout
    assert json.loads(snellen("protocols", "salbench", "--json", cache=tmp_path).stdout)["exam"] == "salbench"


def test_without_v_only_what_differs_is_shown(tmp_path: Path) -> None:
    some = snellen("protocols", "illusionbench", "--protocol", "original,lmms-head", cache=tmp_path, COLUMNS="80")
    assert some.returncode == 0, some.stderr
    assert "tolerance" in some.stdout and "matching" not in some.stdout and "task sentence" not in some.stdout
    alike = snellen("protocols", "salbench", "--protocol", "paper,lmms-eval", cache=tmp_path)
    assert "these protocols ask and judge alike" in alike.stdout
    many = snellen("protocols", "illusionbench", cache=tmp_path, COLUMNS="80")
    assert "They also differ in: wording" in many.stdout
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
    tally = {(True, True): 3, (True, False): 2, (False, True): 1, (False, False): 4, (True, None): 7, (None, False): 9}
    assert flips.agreements(("a", "b"), tally)["a", "b"] == (3, 2, 1, 4)


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
