"""The exams with explanations as a user runs them: the seed's own flags, its files, hostile replies, models that run here."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import openpyxl
import pytest
from tests.support.command import here, snellen
from tests.support.endpoint import Endpoint
from tests.support.extras import of
from tests.support.tiny_models import save_llava, save_qwen

from snellen.core.extras import DefaultModel
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX

OFFLINE = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
COLUMNS = {
    "vqax": "image_id,question,gt_answer,generated_answer,gt_explanation,generated_explanation,correct,token_entropy",
    "actx": "image_id,gt_label,generated_label,gt_explanation,generated_explanation,correct,token_entropy",
    "esnlive": "image_name,image_numeric_id,hypothesis,gt_label,generated_label,gt_explanation,generated_explanation,correct,token_entropy",
    "vcr": "image_name,question,gt_answer,generated_answer,gt_explanation,generated_explanation,correct,token_entropy",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all four synthetic sets in the seed's layout, and both tiny models."""
    folder = tmp_path_factory.mktemp("vqa")
    for task in COLUMNS:
        done = snellen("data", "make", task, "--count", 8, "--seed", 2, "--out", folder / task, cache=folder)
        assert done.returncode == 0, done.stderr
    save_llava(folder / "llava")
    save_qwen(folder / "qwen")
    return folder


@pytest.mark.parametrize(
    ("words", "where", "file"),
    [
        (
            "--task vqax --model llava --split val --n_samples 50 --generate_explanations true --prompt_mode zero",
            "with_explanation",
            "llava_results/vqax_val_eval.csv",
        ),
        (
            "--task actx --model qwen --split test --generate_explanations true --prompt_mode 3shot",
            "with_explanation",
            "qwen_results/actx_test_eval.csv",
        ),
        (
            "--task esnlive --model llava --split test --n_samples 100 --generate_explanations true --prompt_mode 1shot",
            "with_explanation",
            "llava_results/esnlive_test_eval.csv",
        ),
        (
            "--task vcr --model qwen --split val --n_samples 200 --generate_explanations false",
            "without_explanation",
            "qwen_results/vcr_val_eval.csv",
        ),
    ],
)
def test_the_seeds_examples_with_their_own_flags(home: Path, tmp_path: Path, words: str, where: str, file: str) -> None:
    task, model = words.split()[1], words.split()[3]
    done = here(
        *("run", *words.split(), "--data", home / task, "--model-path", home / model),
        *("--out", tmp_path / "runs", "--results", tmp_path / "results", "--json"),
        cache=tmp_path,
        **OFFLINE,
    )
    assert done.returncode in (0, 3), done.stderr  # models with random weights say little that can be read
    assert json.loads(done.stdout)["complete"]
    table = (tmp_path / "results" / where / file).read_text()
    assert table.splitlines()[0] == f"{COLUMNS[task]},synthetic_data"
    assert len(list(csv.reader(io.StringIO(table)))) == 9
    sheet = openpyxl.load_workbook(tmp_path / "results" / where / "accuracy_grid.xlsx").active
    cells = [[c.value for c in row] for row in sheet.iter_rows()]
    assert cells[0] == ["task", *(f"{m}_{s}" for m in ("llava", "qwen") for s in ("train", "test", "val"))]
    filled = [c for row in cells[1:] for c in row[1:] if c]
    assert len(filled) == 1
    assert filled[0].endswith("(8) synthetic")
    assert (tmp_path / "results" / where / "explanation_stats.csv").exists() == (where == "with_explanation")


@pytest.mark.parametrize("model", ["llava", "qwen"])
def test_batches_of_one_and_of_eight_answer_alike(home: Path, tmp_path: Path, model: str) -> None:
    answers = {}
    for batch in (1, 8):
        done = here(
            *("run", "vqax", "--data", home / "vqax", "--model", f"hf/{home / model}", "--prompt_mode", "3shot"),
            *("--split", "val", "--batch", batch, "--out", tmp_path / str(batch), "--json"),
            cache=tmp_path,
            **OFFLINE,
        )
        assert done.returncode in (0, 3), done.stderr  # models with random weights say little that can be read
        run = Path(json.loads(done.stdout)["run"])
        answers[batch] = {(r := json.loads(line))["id"]: r for line in (run / "answers.jsonl").open()}
        exported = {str(p.relative_to(run / "exports")) for p in (run / "exports" / "with_explanation").rglob("*.*")}
        assert exported == {
            *(f"with_explanation/{n}" for n in ("accuracy_grid.csv", "accuracy_grid.json", "accuracy_grid.xlsx")),
            *(f"with_explanation/hf-{model}_results/vqax_val_eval.{kind}" for kind in ("csv", "xlsx")),
            "with_explanation/explanation_stats.csv",
        }
    assert answers[1].keys() == answers[8].keys()
    for name, alone in answers[1].items():
        together = answers[8][name]
        assert alone["text"] == together["text"]
        assert [t["entropy"] for t in alone["tokens"]] == pytest.approx(
            [t["entropy"] for t in together["tokens"]], abs=1e-3
        )


def test_check_batching(home: Path, tmp_path: Path) -> None:
    words = ("run", "vqax", "--data", home / "vqax", "--split", "val", "--check-batching", 4)
    done = here(*words, "--model", f"hf/{home / 'llava'}", cache=tmp_path, **OFFLINE)
    assert done.returncode == 0, done.stderr
    assert "batching: 0 of 4 answers differ alone and in batches of 8" in done.stdout
    other = snellen(*words, "--model", "baseline/constant:yes", cache=tmp_path)
    assert other.returncode == 2
    assert (
        "--check-batching has no effect for vqax with baseline/constant:yes; it is an option of hf/, llava/, qwen/ models"
        in other.stderr
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--prompt_mode", "5shot"), "--prompt_mode 5shot: vqax has zero, 1shot, 3shot, answer-only"),
        (("--prompt_mode", "3shot", "--generate_explanations", "false"), "there is only the zero-shot prompt"),
        (("--split", "nope"), "'nope'"),
    ],
)
def test_bad_flags_get_one_line(home: Path, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    done = snellen(
        *("run", "vqax", "--data", home / "vqax", "--model", "baseline/constant:yes"), *words, cache=tmp_path
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("named", [("--task", "vqax"), ("vqax",)])
def test_the_command_alone_reads_and_writes_the_working_folder(
    home: Path, tmp_path: Path, named: tuple[str, ...]
) -> None:
    import shutil

    shutil.copytree(home / "vqax", tmp_path / "here")
    words = ("run", *named, "--model", "baseline/constant:yes because it is so", "--split", "val")
    done = snellen(*words, cache=tmp_path, cwd=tmp_path / "here")
    assert done.returncode == 0, done.stderr
    home_of = tmp_path / "here" / "results" / "with_explanation"
    assert {"accuracy_grid.csv", "accuracy_grid.xlsx", "explanation_stats.csv"} <= {p.name for p in home_of.iterdir()}
    done = snellen(*words, cache=tmp_path, cwd=tmp_path)
    assert done.returncode == 2
    assert ("no folder nle_data here" if len(named) == 2 else "no data: give --data DIR") in done.stderr
    assert not (tmp_path / "results").exists()


def test_without_a_model_it_is_the_originals() -> None:
    assert {of(exam, DefaultModel).spec for exam in (VQAX, ACTX, ESNLIVE, VCR)} == {"llava"}


def test_a_split_that_does_not_exist_names_those_that_do(home: Path, tmp_path: Path) -> None:
    done = snellen(
        *("run", "--task", "actx", "--model", "baseline/constant:x", "--split", "val", "--data", home / "actx"),
        cache=tmp_path,
    )
    assert done.returncode == 2
    assert "val" in done.stderr
    assert "train, test" in done.stderr


def test_missing_images_stop_the_run_unless_they_are_allowed(home: Path, tmp_path: Path) -> None:
    import shutil

    shutil.copytree(home / "vqax", tmp_path / "set")
    next((tmp_path / "set" / "images" / "val2014").iterdir()).unlink()
    words = ("run", "vqax", "--data", tmp_path / "set", "--split", "val", "--model", "baseline/constant:yes", "--json")
    done = snellen(*words, "--out", tmp_path / "runs", cache=tmp_path)
    assert done.returncode == 2
    assert "missing" in done.stderr
    allowed = snellen(*words, "--max-missing", 8, "--out", tmp_path / "runs", cache=tmp_path)
    assert allowed.returncode == 0, allowed.stderr
    assert json.loads(allowed.stdout)["samples"] < 8
    run = next((tmp_path / "runs").iterdir())
    assert json.loads((run / "run.json").read_text())["data"]["missing"]


HOSTILE = (
    "yes because =cmd|' /C calc'!A0",
    "yes because " + "long " * 8000,
    "yes because \x1b[31mred\x1b[0m \x07 bell",
    "yes because <script>alert(1)</script>",
    "=HYPERLINK('http://x','y') because +1+1",
    "@SUM(1) because \t-2",
)


def test_hostile_explanations_are_inert_everywhere(home: Path, tmp_path: Path) -> None:
    ids = [json.loads(line)["id"] for line in _samples(home, tmp_path)]
    replies = tmp_path / "replies.json"
    replies.write_text(json.dumps({name: HOSTILE[i % len(HOSTILE)] for i, name in enumerate(ids)}))
    done = snellen(
        *("run", "vqax", "--data", home / "vqax", "--split", "val", "--model", f"replay/{replies}"),
        *("--out", tmp_path / "hostile"),
        cache=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    run = next((tmp_path / "hostile").iterdir())
    for path in run.glob("exports/**/*.csv"):
        for row in csv.reader(io.StringIO(path.read_text())):
            for cell in row:
                assert not cell.lstrip().startswith(("=", "+", "@", "\t", "\r")), (path, cell[:40])
                assert "\x1b" not in cell
    for path in run.glob("exports/**/*.xlsx"):
        for row in openpyxl.load_workbook(path).active.iter_rows():
            for cell in row:
                assert cell.data_type != "f"
                assert cell.hyperlink is None
                assert len(str(cell.value or "")) <= 32767
    page = tmp_path / "page.html"
    shown = snellen("report", run, "--out", page, cache=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "\x1b" not in done.stdout + shown.stdout
    assert "<script>alert" not in page.read_text()


def _samples(home: Path, tmp_path: Path) -> list[str]:
    first = snellen(
        *("run", "vqax", "--data", home / "vqax", "--split", "val", "--model", "baseline/constant:yes"),
        *("--out", tmp_path / "first"),
        cache=tmp_path,
    )
    assert first.returncode == 0, first.stderr
    return (next((tmp_path / "first").iterdir()) / "samples.jsonl").read_text().splitlines()


def test_log_probabilities_of_an_endpoint_bound_the_entropy(home: Path, tmp_path: Path) -> None:
    top = [{"token": "yes", "logprob": -0.1}, {"token": "no", "logprob": -3.0}]
    token = {"token": "yes", "logprob": -0.1, "top_logprobs": top}

    def script(_request: object, _number: int) -> tuple[int, dict[str, str], bytes]:
        choice = {"message": {"content": "yes"}, "finish_reason": "stop", "logprobs": {"content": [token]}}
        return 200, {}, json.dumps({"choices": [choice]}).encode()

    with Endpoint(script=script) as server:
        done = snellen(
            *("run", "vqax", "--data", home / "vqax", "--split", "val", "--model", "api/m", "--base-url", server.url),
            *("--logprobs", 2, "--out", tmp_path / "runs", "--json"),
            cache=tmp_path,
        )
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    said = json.loads((run / "answers.jsonl").read_text().splitlines()[0])["tokens"][0]
    assert 0 < said["entropy"] < said["entropy_high"]
    page = tmp_path / "page.html"
    assert snellen("report", run, "--out", page, cache=tmp_path).returncode == 0
    assert f"{said['entropy']:.2f} to {said['entropy_high']:.2f} nats" in page.read_text()


@pytest.mark.parametrize("protocol", ["multimodal-vqa-eval", "strict", "nlxgpt"])
def test_mark_reads_and_marks_rows(protocol: str, tmp_path: Path) -> None:
    rows = {
        "vqax": [
            {"id": 1, "response": "yes because a dog", "answers": ["yes"] * 10, "explanation": ["there is a dog"]}
        ],
        "actx": [{"id": 1, "response": "walking because she walks", "label": "walking", "explanation": "legs move"}],
        "esnlive": [{"id": 1, "response": "neutral because unclear", "label": "neutral", "explanation": "unclear"}],
        "vcr": [
            {"id": 1, "response": "B because of it", "choices": ["a b", "c d", "e f", "g h"], "label": 1},
            {"id": 2, "response": "B because of it", "choices": ["a b", "c d", "e f", "g h"]},
        ],
    }
    for task, some in rows.items():
        done = snellen("mark", task, "--protocol", protocol, stdin="\n".join(map(json.dumps, some)), cache=tmp_path)
        assert done.returncode == 0, done.stderr
        marks = [json.loads(line) for line in done.stdout.splitlines()]
        assert marks[0]["outcome"] == "correct", (task, marks)
        assert marks[0]["metrics"]["accuracy"] == 1.0
        assert set(marks[0]["reading"]) >= {"answer", "explanation"}
        if task == "vcr":
            assert marks[1]["outcome"] == "unmarked"
            assert marks[1]["metrics"]["accuracy"] is None
