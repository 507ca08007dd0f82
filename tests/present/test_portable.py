"""Records for others: Every Eval Ever and Hugging Face's .eval_results, checked by an own statement of their rules and by their readers."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import yaml
from click.testing import CliRunner, Result
from huggingface_hub import parse_eval_result_entries
from tests.present.made import group, made_run, protocol, score
from tests.present.portable_rules import LINE, RECORD
from tests.support.command import snellen
from tests.support.sets import write_config

from snellen.cli.main import app
from snellen.core.errors import SnellenError
from snellen.core.records import SubjectEntry
from snellen.core.results import Metric
from snellen.engine.runs.run import Run, open_run
from snellen.present.files.eval_results import eval_results
from snellen.present.files.every_eval import SCHEMA, Evaluator, records
from snellen.present.files.portable import model_of

NOW = 1_800_000_000
SCHEMAS = os.environ.get("SNELLEN_EEE_SCHEMAS", "")
LAB = Evaluator("A lab", "third_party")
HOSTILE = 'x: "y" #z\n- {a: [b]} \x1b[31m \u202e 🙂 \\ %'

PLACE = r"data/[^/]+/[^/]+/[^/]+/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


def call(*words: object) -> Result:
    return CliRunner().invoke(app, ["export", *map(str, words)], standalone_mode=False)


def simple(path: Path, subject: str = "openai/gpt-x", identity: dict[str, Any] | None = None, **summary: Any) -> Run:
    """A run of which only the records exist: one part, a share and a number that may be anything."""
    metrics = (Metric(name="accuracy", label="accuracy"), Metric(name="cider", label="CIDEr", kind="own"))
    part = group({"split": "P3"}, accuracy=score(0.5, floor=0.25), cider=score(2.7))
    run = made_run(path, protocol("paper", part, metrics=metrics), subject=subject, **summary)
    known = msgspec.structs.replace(
        run.manifest,
        created="2026-11-17T05:00:00Z",
        subject=SubjectEntry(spec=subject, identity=identity or {}),
        data=msgspec.structs.replace(
            run.manifest.data, fingerprint="f" * 64, synthetic=summary.get("synthetic", False)
        ),
    )
    (path / "run.json").write_bytes(msgspec.json.encode(known))
    return open_run(path)


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A real run of SalBench on a set in the real format, which no one calls synthetic."""
    place = tmp_path_factory.mktemp("portable")
    for config in ("P3", "O3"):
        write_config(place / "data", config, 6)
    words = ["run", "salbench", "--data", place / "data", "--model", "baseline/constant:Color", "--out", place / "runs"]
    done = snellen(*words, cache=place / "cache")
    assert done.returncode == 0, done.stderr
    return open_run(next((place / "runs").iterdir()))


# ---------------------------------------------------------------- Every Eval Ever


def test_a_record_keeps_the_schema_and_says_what_it_takes_to_read_a_score(tmp_path: Path) -> None:
    identity = {
        "kind": "openai",
        "endpoint": "https://secret.example",
        "parameters": {"temperature": 0, "max_tokens": 9},
    }
    run = simple(tmp_path / "run", identity=identity)
    [(name, content)] = records([run], LAB, NOW)
    document = json.loads(content)
    jsonschema.validate(document, RECORD)
    assert re.fullmatch(PLACE + r"\.json", name) and name.startswith("data/made-up/openai/gpt-x/")
    accuracy, cider = document["evaluation_results"]
    assert accuracy["evaluation_result_id"] == "made-up.P3.paper.accuracy"
    assert accuracy["metric_config"]["metric_id"] == "accuracy"
    assert (accuracy["metric_config"]["min_score"], accuracy["metric_config"]["max_score"]) == (0, 1)
    assert (cider["metric_config"]["min_score"], cider["metric_config"]["max_score"]) == ("-Infinity", "Infinity")
    assert accuracy["score_details"]["score"] == 0.5
    interval = {"lower": 0.101, "upper": 0.9, "confidence_level": 0.95, "method": "wilson"}
    assert accuracy["score_details"]["uncertainty"] == {"num_samples": 24, "confidence_interval": interval}
    assert accuracy["score_details"]["details"]["floor_without_looking"] == "0.25"
    assert accuracy["source_data"]["additional_details"]["fingerprint"] == "f" * 64
    assert accuracy["metric_config"]["additional_details"] == {
        "protocol": "paper",
        "protocol_version": "1",
        "headline": "true",
    }
    assert accuracy["generation_config"]["generation_args"] == {"temperature": 0.0, "max_tokens": 9}
    assert document["source_metadata"]["source_organization_name"] == "A lab"
    assert document["retrieved_timestamp"] == str(NOW)
    said = content.decode()
    assert "secret.example" not in said and str(tmp_path) not in said


def test_samples_are_lines_that_belong_to_their_record(answered: Run) -> None:
    files = dict(records([answered], LAB, NOW, protocol="paper", samples=True))
    [(name, content)] = [(n, c) for n, c in files.items() if n.endswith(".json")]
    document = json.loads(content)
    jsonschema.validate(document, RECORD)
    told = document["detailed_evaluation_results"]
    lines = files[told["file_path"]]
    assert re.fullmatch(PLACE + r"_samples\.jsonl", told["file_path"]) and told["file_path"].startswith(name[:-5])
    assert told["checksum"] == hashlib.sha256(lines).hexdigest()
    rows = [json.loads(line) for line in lines.splitlines()]
    assert len(rows) == told["total_rows"] == 12
    known = {r["evaluation_result_id"]: r["score_details"]["score"] for r in document["evaluation_results"]}
    for row in rows:
        jsonschema.validate(row, LINE)
        assert row["evaluation_id"] == document["evaluation_id"] and row["model_id"] == document["model_info"]["id"]
    for part in ("P3", "O3"):
        own = [r for r in rows if r["evaluation_result_id"] == f"salbench.{part}.paper.exact_match"]
        assert len(own) == 6
        assert sum(r["evaluation"]["score"] for r in own) / 6 == pytest.approx(known[own[0]["evaluation_result_id"]])
    first = rows[0]
    assert first["input"]["reference"] == ["color"] and "Orientation, Color, Size" in first["input"]["raw"]
    assert first["output"]["raw"] == ["Color"] and first["evaluation"]["is_correct"]
    assert first["answer_attribution"][0]["extracted_value"] == '["color"]'


@pytest.mark.skipif(not SCHEMAS, reason="SNELLEN_EEE_SCHEMAS names no folder with the project's schema files")
def test_the_published_schema_itself(answered: Run, tmp_path: Path) -> None:
    published = {
        kind: json.loads((Path(SCHEMAS) / f"{kind}.schema.json").read_text())
        for kind in ("eval", "instance_level_eval")
    }
    assert {schema["version"] for schema in published.values()} == {SCHEMA}
    for name, content in [
        *records([answered], LAB, NOW, samples=True),
        *records([simple(tmp_path / "run")], LAB, NOW),
    ]:
        kind = "eval" if name.endswith(".json") else "instance_level_eval"
        for text in [content] if kind == "eval" else content.splitlines():
            jsonschema.validate(json.loads(text), published[kind], jsonschema.Draft7Validator)


def test_the_same_run_has_the_same_place_and_another_run_another(tmp_path: Path) -> None:
    one, other = simple(tmp_path / "a"), simple(tmp_path / "b", identity={"parameters": {"temperature": 1}})
    assert records([one], LAB, NOW)[0][0] == records([one], LAB, NOW + 5)[0][0]
    assert len({name for name, _ in records([one, other], LAB, NOW)}) == 2
    with pytest.raises(SnellenError, match="would be the same record"):
        records([one, one], LAB, NOW)


@pytest.mark.parametrize(
    ("spec", "identity", "model", "deployment", "weights"),
    [
        ("openai/gpt-x", {"kind": "openai"}, "openai/gpt-x", "externally_managed", "closed_weights"),
        ("gemini/gemma-3", {"kind": "gemini"}, "google/gemma-3", "externally_managed", "unknown"),
        ("openrouter/qwen/qwen-vl", {"kind": "openrouter"}, "qwen/qwen-vl", "externally_managed", "unknown"),
        ("hf/Qwen/Qwen2-VL", {"kind": "hf", "commit": "abc"}, "Qwen/Qwen2-VL", "self_deployed", "open_weights"),
        ("ollama/llava:7b", {"kind": "ollama"}, "unknown/llava:7b", "self_deployed", "unknown"),
        ("replay/home/me/gpt4o.json", {"kind": "replay"}, "unknown/gpt4o", "unknown", "unknown"),
        ("center", {"kind": "method"}, "snellen/method-center", "unknown", "unknown"),
    ],
)
def test_a_model_is_named_as_far_as_the_run_says_it(
    tmp_path: Path, spec: str, identity: dict[str, Any], model: str, deployment: str, weights: str
) -> None:
    found = model_of(simple(tmp_path / "run", spec, identity).manifest)
    assert (found.id, found.deployment, found.weights) == (model, deployment, weights)


def test_a_hostile_name_leaves_no_folder(tmp_path: Path) -> None:
    run = simple(tmp_path / "run", "api/../../etc/CON:x", {"kind": "api"})
    [(name, _content)] = records([run], LAB, NOW)
    assert re.fullmatch(r"data/made-up/_/etc_CON_x/[0-9a-f-]+\.json", name)


# ---------------------------------------------------------------- .eval_results


def test_eval_results_are_read_by_the_hubs_own_reader(answered: Run, tmp_path: Path) -> None:
    words = ("--format", "hf", "--dataset", "salbench-vlm/salbench", "--source-url", "https://example.org/run")
    done = call(answered.path, *words, "--out", tmp_path)
    assert done.exit_code == 0 and "pull request" in done.output
    text = (tmp_path / ".eval_results" / "salbench_paper.yaml").read_text(encoding="utf-8")
    document = yaml.safe_load(text)
    for entry in document:
        assert set(entry) == {"dataset", "value", "date", "source", "notes"}
        assert set(entry["dataset"]) == {"id", "task_id"} and isinstance(entry["date"], str)
    entries = parse_eval_result_entries(document)
    assert [(e.dataset_id, e.task_id) for e in entries] == [
        ("salbench-vlm/salbench", "P3"),
        ("salbench-vlm/salbench", "O3"),
    ]
    for entry in entries:
        headline = answered.scores()["paper", entry.task_id]
        assert headline.value is not None and entry.value == round(100 * headline.value, 2)
        for said in (
            "protocol paper version 2",
            "macro F1 in percent",
            "n = 6",
            "95 % interval [",
            "never looking gets",
        ):
            assert said in (entry.notes or "")
    assert entries[0].source_url == "https://example.org/run"


def test_the_data_set_and_its_commit_are_those_that_were_fetched(tmp_path: Path) -> None:
    run = simple(tmp_path / "run", "hf/a/b")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "snellen-data.json").write_text(json.dumps({"repo": "own/er", "commit": "c0ffee"}))
    data = msgspec.structs.replace(run.manifest.data, source=str(tmp_path / "data"))
    (run.path / "run.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(run.manifest, data=data)))
    run = open_run(run.path)
    [(_name, content)] = eval_results([run])
    assert yaml.safe_load(content)[0]["dataset"] == {"id": "own/er", "task_id": "P3", "revision": "c0ffee"}
    [(_name, content)] = eval_results([run], dataset="an/other")
    assert yaml.safe_load(content)[0]["dataset"] == {"id": "an/other", "task_id": "P3"}
    [(_name, content)] = records([run], LAB, NOW)
    source = json.loads(content)["evaluation_results"][0]["source_data"]
    assert (source["source_type"], source["hf_repo"], source["additional_details"]["revision"]) == (
        "hf_dataset",
        "own/er",
        "c0ffee",
    )


def test_hostile_text_stays_text_in_yaml(tmp_path: Path) -> None:
    part = group({"split": HOSTILE}, accuracy=score(0.5))
    run = made_run(tmp_path / "run", protocol(HOSTILE, part, prompt=HOSTILE, metrics=(Metric(name="accuracy"),)))
    [(name, content)] = eval_results([run], dataset=HOSTILE, url=HOSTILE)
    [entry] = yaml.safe_load(content)
    assert entry["dataset"]["id"] == HOSTILE and entry["source"]["url"] == HOSTILE
    assert set(entry) == {"dataset", "value", "date", "source", "notes"} and "\x1b" not in entry["notes"]
    assert re.fullmatch(r"\.eval_results/[A-Za-z0-9._+-]+\.yaml", name)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("form", ["eee", "hf"])
@pytest.mark.parametrize(
    ("summary", "identity", "says"),
    [
        ({"synthetic": True}, {}, "its data is synthetic"),
        ({"complete": False}, {}, "it is not complete"),
        ({"answers_bytes": 5}, {}, "answers came after it was marked"),
        ({}, {"oracle": "sees the truth"}, "looks at the answers"),
    ],
)
def test_what_may_not_be_taken_for_a_result_has_no_record(
    tmp_path: Path, form: str, summary: dict[str, Any], identity: dict[str, Any], says: str
) -> None:
    run = simple(tmp_path / "run", identity=identity, **summary)
    words = ("--evaluator", "x", "--dataset", "a/b", "--out", tmp_path / "out")
    done = call(run.path, "--format", form, *words)
    assert isinstance(done.exception, SnellenError) and says in str(done.exception)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "eee"), "name it with --out"),
        (("--format", "eee", "--out", "x"), "--evaluator"),
        (("--format", "eee", "--out", "x", "--evaluator", "y", "--model-id", "z"), "is OWNER/NAME"),
        (("--format", "eee", "--out", "x", "--table", "paper"), "the scores of runs alone"),
        (("--format", "hf", "--out", "x"), "--dataset OWNER/NAME"),
        (("--format", "hf", "--out", "x", "--samples"), "choose eee"),
        (("--format", "hf", "--out", "x", "--dataset", "a/b", "--protocol", "no"), "no scores by protocol no"),
    ],
)
def test_bad_usage_is_one_clear_line(answered: Run, words: tuple[str, ...], says: str) -> None:
    done = call(answered.path, *words)
    assert isinstance(done.exception, SnellenError) and says in str(done.exception)
    assert "\n" not in str(done.exception) and not Path("x").exists()


def test_one_folder_is_one_models(tmp_path: Path) -> None:
    runs = [simple(tmp_path / "a", "openai/a"), simple(tmp_path / "b", "openai/b")]
    with pytest.raises(SnellenError, match="runs of 2 subjects"):
        eval_results(runs, dataset="a/b")
    with pytest.raises(SnellenError, match="would be the same file"):
        eval_results([runs[0], runs[0]], dataset="a/b")


# ---------------------------------------------------------------- imported answers, and several answers to a question


LOG = {
    "tool": "inspect",
    "version": "0.3.1",
    "made": "2026-11-01T00:00:00+00:00",
    "files": ["ab" * 32],
    "truth": "data set",
}


def imported(path: Path, **log: Any) -> Run:
    return simple(path, "import/inspect:openai/gpt-x", {"kind": "import", "imported": LOG | log})


def test_a_record_of_imported_answers_says_who_asked(tmp_path: Path) -> None:
    run = imported(tmp_path / "run")
    [(name, content)] = records([run], LAB, NOW)
    document = json.loads(content)
    jsonschema.validate(document, RECORD)
    assert name.startswith("data/made-up/openai/gpt-x/")
    assert document["eval_library"] == {
        "name": "inspect",
        "version": "0.3.1",
        "additional_details": {"marked_by": f"snellen {run.manifest.snellen}"},
    }
    details = document["source_metadata"]["additional_details"]
    assert "Not asked by Snellen" in details["imported"] and details["log_sha256"] == "ab" * 32
    asked = "1793491200"
    assert document["evaluation_timestamp"] == document["evaluation_results"][0]["evaluation_timestamp"] == asked
    table = imported(tmp_path / "table", tool="csv", version="")
    library = json.loads(records([table], LAB, NOW)[0][1])["eval_library"]
    assert (library["name"], library["version"]) == ("unknown", "unknown")
    [(_name, said)] = eval_results([run], dataset="owner/data")
    (entry,) = yaml.safe_load(said)
    assert "answers imported from a log of inspect, not asked by snellen" in entry["notes"]
    assert str(entry["date"]).startswith("2026-11-01")
    parse_eval_result_entries(yaml.safe_load(said))


def test_truths_of_a_log_make_no_record(tmp_path: Path) -> None:
    run = imported(tmp_path / "run", truth="log")
    for write in (lambda: records([run], LAB, NOW), lambda: eval_results([run], dataset="owner/data")):
        with pytest.raises(SnellenError, match="its truths are those of a log"):
            write()


def test_a_question_that_was_asked_several_times_has_a_line_for_each_answer(tmp_path: Path) -> None:
    write_config(tmp_path / "data", "P3", 6)
    words = ["run", "salbench", "--data", tmp_path / "data", "--model", "baseline/chance", "--out", tmp_path / "runs"]
    done = snellen(*words, "--repeats", 3, "--protocol", "paper", cache=tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    run = open_run(next((tmp_path / "runs").iterdir()))
    files = dict(records([run], LAB, NOW, samples=True))
    [document] = [json.loads(content) for name, content in files.items() if name.endswith(".json")]
    jsonschema.validate(document, RECORD)
    scored = document["evaluation_results"][0]["score_details"]
    assert scored["uncertainty"]["num_samples"] == 6
    assert scored["details"]["times_each_question_was_asked"] == "3"
    assert scored["details"]["answers_of_the_part"] == "18"
    rows = [json.loads(line) for line in files[document["detailed_evaluation_results"]["file_path"]].splitlines()]
    for row in rows:
        jsonschema.validate(row, LINE)
    assert len(rows) == 18
    assert {row["metadata"]["repeat"] for row in rows} == {"1", "2", "3"}
    said = {(row["sample_id"], row["metadata"]["repeat"]): row["output"]["raw"] for row in rows}
    kept = {(a.id, a.prompt.partition("#")[2] or "1"): [a.text] for a in run.answers()}
    assert said == kept
    [(_name, text)] = eval_results([run], dataset="owner/data")
    assert all("each question asked 3 times" in entry["notes"] for entry in yaml.safe_load(text))
