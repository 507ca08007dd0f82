"""The files of multimodal-vqa-eval from a run: names, columns, cells; hostile replies stay inert in all of them."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from snellen.core.cells import from_cell
from snellen.core.extras import RunFacts, rows_of
from snellen.core.installing import install_command
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import protocol_for
from snellen.core.records import DataEntry, Manifest, SubjectEntry, Totals
from snellen.core.types import Answer, Failure, Mark, Outcome, Sample, Token
from snellen.exams.vqa_nle.entropy.spans import entropies_of
from snellen.exams.vqa_nle.exam import VQAX
from snellen.exams.vqa_nle.exports import grid, tables
from snellen.exams.vqa_nle.names import MULTIMODAL_VQA_EVAL, TASKS
from snellen.exams.vqa_nle.protocols import protocols_of
from snellen.stats.tally import summarised

PROTOCOLS = protocols_of("")  # of no exam in particular

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "nle_tables.json").read_text("utf-8"))
Record = tuple[Sample, Answer, Mark]


def record(
    task: str,
    key: str,
    answer: str = "yes",
    explanation: str = "a dog is there",
    *,
    correct: float | None = 1.0,
    split: str = "val",
    truth: dict[str, Any] | None = None,
    tokens: tuple[Token, ...] = (),
    **facts: Any,
) -> Record:
    sample = Sample(id=f"{task}/{split}/{key}", tags={"split": split, "task": task}, truth=truth, facts=facts)
    outcome = Outcome.CORRECT if correct else Outcome.WRONG
    reading = {"answer": answer, "explanation": explanation}
    mark = Mark(id=sample.id, outcome=outcome, reading=reading, metrics={"accuracy": correct} | entropies_of(tokens))
    return sample, Answer(id=sample.id, prompt="zero", text=f"{answer} because {explanation}", tokens=tokens), mark


def run(
    *records: Record,
    spec: str = "llava",
    prompt: str = "zero",
    created: str = "2024-01-02T03:04:05Z",
    protocol: str = MULTIMODAL_VQA_EVAL,
) -> RunFacts:
    manifest = Manifest(
        snellen="0",
        created=created,
        exam="vqax",
        subject=SubjectEntry(spec=spec),
        data=DataEntry(source="d", fingerprint="", samples=1),
    )
    return RunFacts(manifest, protocol_for(PROTOCOLS[protocol], prompt), prompt, (), Totals(), lambda: iter(records))


def publish(task: str, one: RunFacts, folder: Path) -> list[str]:
    return list(tables.publish(task, one, folder))


def read(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode())))


DOG = (
    Token(text="yes", logprob=0, entropy=0.1),
    Token(text=" because", logprob=0, entropy=0.2),
    Token(text=" a", logprob=0, entropy=0.3),
    Token(text=" dog", logprob=0, entropy=1.23456),
)
TRUTH = {"answers": ["Yes", "no", "yes!", "the no", "yes"], "explanations": ["a dog stands there", "there is a dog"]}


# ---------------------------------------------------------------- columns and cells of each task


def test_vqax_two_questions_of_one_image_keep_their_own_truths() -> None:
    first = record("vqax", "1", truth=TRUTH, tokens=DOG, image_id="77", image_name="COCO_x.jpg", question="a dog?")
    other = {"answers": ["red"], "explanations": ["it is red"]}
    second = record("vqax", "2", "blue", "sky", correct=0.0, truth=other, image_id="77", question="which colour?")
    files = dict(tables.exports("vqax", run(first, second)))
    content = files["with_explanation/llava_results/vqax_val_eval.csv"]
    assert content.decode() == (
        "image_id,question,gt_answer,generated_answer,gt_explanation,generated_explanation,correct,token_entropy\n"
        + '77,a dog?,yes,yes,a dog stands there,a dog is there,1,"{""dog"": 1.235}"\n'
        + "77,which colour?,red,blue,it is red,sky,0,{}\n"
    )
    assert files["with_explanation/accuracy_grid.csv"].decode().splitlines()[1] == "VQA-X,,,0.500 (2),,,"
    result = json.loads(files["with_explanation/accuracy_grid.json"])["VQA-X"]["llava_val"]
    assert (result["prompt_mode"], result["accuracy"], result["n_samples"]) == ("zero", 0.5, 2)


def test_columns_of_the_other_tasks() -> None:
    truth = {"answers": ["yoga"], "explanations": ["she stretches"]}
    cases = {
        "actx": (
            {"image_id": "015601864", "image_name": "015601864.jpg"},
            "image_id,gt_label,generated_label,gt_explanation,generated_explanation,correct,token_entropy",
            "015601864,yoga,yes,she stretches,a dog is there,1,{}",
        ),
        "esnlive": (
            {"image_name": "3416050480.jpg", "hypothesis": "A man, asleep."},
            "image_name,image_numeric_id,hypothesis,gt_label,generated_label,gt_explanation,generated_explanation,correct,token_entropy",
            '3416050480.jpg,3416050480,"A man, asleep.",yoga,yes,she stretches,a dog is there,1,{}',
        ),
        "vcr": (
            {"image_name": "lsmdc_x/x@0.jpg", "question": "Why?", "choices": ["a", "b", "c", "d"]},
            "image_name,question,gt_answer,generated_answer,gt_explanation,generated_explanation,correct,token_entropy",
            "x@0.jpg,Why?,yoga,yes,she stretches,a dog is there,1,{}",
        ),
    }
    for task, (facts, header, line) in cases.items():
        files = dict(tables.exports(task, run(record(task, "1", truth=truth, split="test", **facts), spec="hf/a/b-7B")))
        content = files[f"with_explanation/hf-a-b-7b_results/{task}_test_eval.csv"].decode()
        assert content == f"{header}\n{line}\n"
        row = TASKS[task].grid_row
        assert f"{row},,,,,,,1.000 (1)" in files["with_explanation/accuracy_grid.csv"].decode()


def test_answer_only_goes_to_its_own_folder_without_explanations_and_statistics() -> None:
    one = record("vqax", "1", explanation="", truth=TRUTH, tokens=DOG, image_id="77", question="a dog?")
    files = dict(tables.exports("vqax", run(one, spec="qwen", prompt="answer-only")))
    assert {n for n in files if not n.startswith("entropy")} == {
        "without_explanation/qwen_results/vqax_val_eval.csv",
        "without_explanation/qwen_results/vqax_val_eval.xlsx",
        "without_explanation/accuracy_grid.csv",
        "without_explanation/accuracy_grid.json",
        "without_explanation/accuracy_grid.xlsx",
    }
    [row] = read(files["without_explanation/qwen_results/vqax_val_eval.csv"])
    assert (row["generated_explanation"], row["token_entropy"], row["generated_answer"]) == ("", "", "yes")


def test_splits_apart_no_truth_and_a_failed_call() -> None:
    sample = Sample(id="vqax/test/9", tags={"split": "test", "task": "vqax"}, facts={"image_id": "5"})
    failed = Answer(id=sample.id, prompt="zero", failure=Failure(kind="timeout", reason="no reply"))
    blank = Mark(id=sample.id, outcome=Outcome.ERROR, metrics={"accuracy": None, "valid_explanation": 0.0})
    files = dict(tables.exports("vqax", run(record("vqax", "1", truth=TRUTH), (sample, failed, blank))))
    [row] = read(files["with_explanation/llava_results/vqax_test_eval.csv"])
    assert (row["generated_answer"], row["gt_answer"], row["correct"], row["token_entropy"]) == ("", "", "", "{}")
    line = files["with_explanation/accuracy_grid.csv"].decode().splitlines()[1]
    assert line == "VQA-X,,,1.000 (1),,,"  # nothing marked in test: no number
    stats = read(files["with_explanation/explanation_stats.csv"])
    assert [(r["split"], r["accuracy"], r["valid_expl_pct"]) for r in stats] == [
        ("val", "1.0", "100.0"),
        ("test", "", "0.0"),
    ]


def test_a_protocol_without_records_writes_nothing() -> None:
    assert list(tables.exports("vqax", run()._replace(records=None))) == []


# ---------------------------------------------------------------- statistics


def test_explanation_statistics_are_the_originals_row_by_row(tmp_path: Path) -> None:
    said = ["it is so"] * 8 + ["explanation missing"] * 2
    half = [record("vqax", str(i), explanation=said[i], correct=float(i < 5)) for i in range(10)]
    none = [record("vcr", str(i), explanation="no further details", correct=None, split="test") for i in range(5)]
    runs = [("vqax", run(*half)), ("vcr", run(*none, spec="qwen", prompt="3shot"))]
    for task, one in (*runs, runs[0]):  # the same run again adds nothing
        publish(task, one, tmp_path)
    found = (tmp_path / "with_explanation" / "explanation_stats.csv").read_text()
    assert found == GOLDEN["explanation_stats_csv"]


def test_publishing_merges_runs_into_one_folder_and_says_what_it_kept(tmp_path: Path) -> None:
    many = [record("vqax", str(i), correct=float(i % 4 > 0)) for i in range(40)]
    publish("vqax", run(*many, prompt="3shot"), tmp_path)
    [said] = publish("vqax", run(*many[1:4], created="2024-02-02T00:00:00Z"), tmp_path)
    assert said == (
        "VQA-X llava_val: the grid and its table stay: that is on 3 samples only; this run's own are in its exports"
    )
    home = tmp_path / "with_explanation"
    assert "0.750 (40)" in (home / "accuracy_grid.csv").read_text()
    assert len(read((home / "llava_results" / "vqax_val_eval.csv").read_bytes())) == 40  # what the cell is about
    assert len(read((home / "explanation_stats.csv").read_bytes())) == 2
    assert publish("vqax", run(*many, prompt="answer-only"), tmp_path) == ["VQA-X llava_val: 0.750 (40)"]
    assert publish("vqax", run(*many, prompt="zero+blank"), tmp_path) == [], "a control"
    assert "0.750 (40)" in (tmp_path / "without_explanation" / "accuracy_grid.csv").read_text()


def test_another_protocol_has_files_and_columns_of_its_own(tmp_path: Path) -> None:
    records = [record("vqax", str(i), correct=float(i % 2)) for i in range(4)]
    publish("vqax", run(*records), tmp_path)
    better = [record("vqax", str(i), correct=1.0) for i in range(9)]
    assert publish("vqax", run(*better, protocol="strict"), tmp_path) == ["VQA-X llava@strict_val: 1.000 (9)"]
    home = tmp_path / "with_explanation"
    cells = grid.read(home).rows["VQA-X"]
    assert cells == {"llava_val": "0.500 (4)", "llava@strict_val": "1.000 (9)"}
    assert {p.name for p in home.iterdir() if p.is_dir()} == {"llava_results", "llava@strict_results"}
    assert [r["model"] for r in read((home / "explanation_stats.csv").read_bytes())] == ["llava", "llava@strict"]


def test_two_models_never_share_a_name() -> None:
    specs = ["llava", "ollama/llava", "openrouter/x/llava", "hf/models/llava", "hf/llava", "hf/a/foo", "hf/b/foo"]
    specs += ["hf/x/" + "long" * 30, "hf/x/" + "long" * 31]
    assert len({tables.short_name(s) for s in specs}) == len(specs)
    for name, spec in (("llava", "hf/llava-hf/llava-1.5-7b-hf"), ("qwen", "hf/Qwen/Qwen3-VL-8B-Instruct")):
        assert tables.short_name(name) == tables.short_name(spec) == name
    assert all(len(tables.short_name(s)) <= tables.LONGEST_NAME for s in specs)


def test_statistics_count_explanations_of_cut_and_unmarked_replies_as_the_summary_does() -> None:
    protocol = PROTOCOLS[MULTIMODAL_VQA_EVAL]
    given = [({"answers": ["yes"] * 3}, "no because it rains and", "length"), ({}, "no because it rains", "stop")]
    given += [({"answers": ["yes"] * 3}, "", "stop"), ({"answers": ["yes"] * 3}, "blue", "stop")]
    samples = [rows_of(VQAX).sample({"id": i, "split": "val"} | truth) for i, (truth, _, _) in enumerate(given)]
    marks = [mark_reply(protocol, s, reply, finish) for s, (_, reply, finish) in zip(samples, given, strict=True)]
    failed = rows_of(VQAX).sample({"id": 9, "split": "val", "answers": ["yes"] * 3})
    samples.append(failed)
    marks.append(Mark(id="9", outcome=Outcome.ERROR, metrics=protocol.blank(failed)))
    records = [(s, Answer(id=s.id, prompt="zero"), m) for s, m in zip(samples, marks, strict=True)]
    [stats] = read(dict(tables.exports("vqax", run(*records)))["with_explanation/explanation_stats.csv"])
    metric = summarised(protocol, zip(samples, marks, strict=True))[0].metrics["valid_explanation"]
    assert (stats["valid_expl_count"], stats["total_samples"]) == ("2", "5")
    assert (metric.value, metric.n) == (pytest.approx(2 / 5), 5)


# ---------------------------------------------------------------- hostile replies

LONG = "because it is so " * 2500
HOSTILE = [
    "=cmd()",
    "\t=1+1",
    "@x",
    "\x1b[31mred\x07",
    "<script>alert(1)</script>",
    LONG,
    "http://x.example",
    "line\nbreak",
]


def test_hostile_replies_are_inert_in_csv_and_excel(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("xlsxwriter")
    records = [record("vqax", str(i), answer=t, explanation=t, truth=TRUTH) for i, t in enumerate(HOSTILE)]
    files = dict(tables.exports("vqax", run(*records)))
    rows = read(files["with_explanation/llava_results/vqax_val_eval.csv"])
    for text, row in zip(HOSTILE, rows, strict=True):
        cell = row["generated_explanation"]
        assert not cell.lstrip().startswith(("=", "+", "-", "@"))
        assert not any(ord(c) < 32 and c not in "\n\t" for c in cell)
        if "\x1b" not in text:
            assert from_cell(cell) == text  # whole, and as it was
    path = tmp_path / "eval.xlsx"
    path.write_bytes(files["with_explanation/llava_results/vqax_val_eval.xlsx"])
    sheet = openpyxl.load_workbook(path)["eval"]
    assert [c.value for c in sheet[1]] == list(TASKS["vqax"].columns)
    for column in sheet.iter_cols(min_row=2):
        for cell in column:
            assert cell.data_type in ("s", "n")
            assert cell.hyperlink is None
            assert not str(cell.value or "").lstrip().startswith(("=", "+", "-", "@"))
    assert str(sheet.cell(7, 6).value).endswith(
        f"[cut: {len(LONG)} characters, Excel holds 32767; the CSV file has all]"
    )
    assert sheet.cell(2, 7).value == 1


def test_a_hostile_model_name_cannot_leave_the_folder() -> None:
    for spec in ("hf/../../etc", "api/=cmd|x", "replay//", "hf/C:\\Windows", "..", "hf/" + "x" * 300):
        for name, _ in tables.exports("vqax", run(record("vqax", "1"), spec=spec)):
            assert ".." not in Path(name).parts
            assert not Path(name).is_absolute()
            assert "\\" not in name
            assert len(Path(name).parts) <= 3


def test_without_the_extra_a_note_stands_in_for_excel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    files = dict(tables.exports("vqax", run(record("vqax", "1"))))
    assert not any(n.endswith(".xlsx") for n in files)
    assert install_command("excel").encode() in files["with_explanation/accuracy_grid.xlsx.missing.txt"]
    assert "with_explanation/accuracy_grid.csv" in files


def test_the_same_run_gives_the_same_bytes() -> None:
    def content() -> Iterator[tuple[str, bytes]]:
        return tables.exports("vqax", run(record("vqax", "1", truth=TRUTH, tokens=DOG)))

    assert dict(content()) == dict(content())


# ---------------------------------------------------------------- entropy against correctness


def test_entropy_files_hold_spans_and_how_they_go_with_correctness() -> None:
    def sure(entropy: float) -> tuple[Token, ...]:
        return (
            Token(text="yes", logprob=0, entropy=entropy),
            Token(text=" because", logprob=0, entropy=9.0),
            Token(text=" x", logprob=0, entropy=1.0),
        )

    records = [record("vqax", str(i), correct=float(i < 6), tokens=sure(i / 10)) for i in range(10)]
    files = dict(tables.exports("vqax", run(*records)))
    rows = read(files["entropy.csv"])
    assert [float(r["answer_max"]) for r in rows] == [i / 10 for i in range(10)]
    assert {r["explanation_mean"] for r in rows} == {"1.0"}
    curve = read(files["entropy_curve.csv"])
    assert {(r["split"], r["bounded"]) for r in curve} == {("val", "0")}
    assert {r["entropy"]: float(r["auroc"]) for r in curve} == {
        "answer_mean": 1.0,
        "answer_max": 1.0,
        "explanation_mean": 0.5,
        "explanation_max": 0.5,
    }
    assert [float(r["bin_accuracy"]) for r in curve if r["entropy"] == "answer_mean"] == [1.0] * 6 + [0.0] * 4
    assert not [n for n, _ in tables.exports("vqax", run(record("vqax", "1"))) if n.startswith("entropy")]


def test_grid_rows_are_those_of_multimodal_vqa_eval() -> None:
    rows = {name: task.grid_row for name, task in TASKS.items()}
    assert rows == {"vqax": "VQA-X", "actx": "ACT-X", "esnlive": "ESNLI-VE", "vcr": "VCR"}
    assert tuple(grid.blank().rows) == tuple(rows.values())
