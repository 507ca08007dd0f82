"""The JSON Schemas say what run folders and files hold: real ones fit, spoilt ones do not, and no field goes without a word."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from tests.support.command import snellen as command

import snellen

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "schemas"


def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_schemas", ROOT / "docs" / "tools" / "schemas.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def closed(schema: Any) -> Any:
    """The same schema, with no room for a field that it does not name."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: closed(value) for key, value in schema.items()}
    return found | {"additionalProperties": False} if isinstance(found.get("properties"), dict) else found


def checked(name: str, document: Any) -> None:
    schema = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(closed(schema)).validate(document)


def lines(path: Path) -> Iterator[Any]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("schemas")


@pytest.fixture(scope="module")
def runs(desk: Path) -> tuple[Path, Path]:
    """Two runs of all that a baseline can do: parts, controls, repeats, several protocols."""
    done = command("data", "make", "salbench", "--count", 4, "--seed", 1, "--out", desk / "D", cache=desk / "cache")
    assert done.returncode == 0, done.stderr
    how: Any = {"data": desk / "D", "controls": ["blank"], "out": desk / "runs"}
    chance = snellen.evaluate("salbench", model="baseline/chance", repeats=2, **how)
    return chance.path, snellen.evaluate("salbench", model="baseline/pixels", **how).path


def test_the_folder_holds_what_the_records_give() -> None:
    made = maker().schemas()
    there = {p.name: p.read_text(encoding="utf-8") for p in FOLDER.iterdir()}
    assert there == made, "a record has changed: python docs/tools/schemas.py"


def test_the_page_names_every_schema() -> None:
    page = (ROOT / "docs" / "schemas.md").read_text(encoding="utf-8")
    for name, described in maker().SCHEMAS.items():
        row = next(line for line in page.splitlines() if f"](schemas/{name}.json)" in line)
        assert described.of.replace("`", "") in row.replace("`", "")


def test_a_run_folder_fits(runs: tuple[Path, Path]) -> None:
    for run in runs:
        for name in ("run", "summary"):
            checked(name, json.loads((run / f"{name}.json").read_text(encoding="utf-8")))
        marks = sorted((run / "marks").glob("*.jsonl"))
        assert len(marks) >= 8
        files = [("sample", run / "samples.jsonl"), ("answer", run / "answers.jsonl"), *(("mark", m) for m in marks)]
        for name, path in files:
            every = list(lines(path))
            assert every
            for line in every[:12]:
                checked(name, line)


@pytest.mark.parametrize("exam", ["grounding", "illusionbench", "vqax"])
def test_runs_of_other_exams_fit(exam: str, desk: Path) -> None:
    data = desk / exam
    done = command("data", "make", exam, "--count", 3, "--seed", 1, "--out", data, cache=desk / "cache")
    assert done.returncode == 0, done.stderr
    run = snellen.evaluate(exam, model="baseline/constant:yes", data=data, out=desk / "runs").path
    for name in ("run", "summary"):
        checked(name, json.loads((run / f"{name}.json").read_text(encoding="utf-8")))
    for line in lines(run / "samples.jsonl"):
        checked("sample", line)
    if exam == "grounding":
        (found,) = list(data.rglob("annotations.json"))[:1]
        schema = json.loads((FOLDER / "annotations.json").read_text(encoding="utf-8"))
        Draft202012Validator(schema).validate(json.loads(found.read_text(encoding="utf-8")))


def test_an_imported_run_fits(desk: Path, runs: tuple[Path, Path]) -> None:
    rows = "".join(
        f"{line['id']},color,1\n" for line in lines(runs[0] / "samples.jsonl") if line["id"].startswith("P3/")
    )
    (desk / "mine.csv").write_text("id,response,score\n" + rows, encoding="utf-8")
    words = ("import", "csv", desk / "mine.csv", "--exam", "salbench", "--data", desk / "D", "--json")
    done = command(*words, "--out", desk / "imported", cache=desk / "cache")
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    checked("imported", json.loads((run / "imported.json").read_text(encoding="utf-8")))
    for line in lines(run / "imported.jsonl"):
        checked("imported-sample", line)


def test_what_json_prints_fits(desk: Path, runs: tuple[Path, Path]) -> None:
    first, second = runs
    commands: dict[str, tuple[object, ...]] = {
        "compare": ("compare", first, second, "--power", 5, "--explain"),
        "explain": ("explain", first, "62.5"),
        "gate": ("gate", second, "--baseline", first, "--max-drop", 2),
    }
    for name, words in commands.items():
        done = command(*words, "--json", cache=desk / "cache")
        assert done.returncode == 0, done.stderr
        checked(name, json.loads(done.stdout))
    done = command("export", *runs, "--samples", "--format", "json", cache=desk / "cache")
    rows = json.loads(done.stdout)
    for kind in ("score", "sample"):
        assert rows[f"{kind}s"]
        for row in rows[f"{kind}s"][:60]:
            checked(f"{kind}-row", row)


def test_marked_rows_and_replies_fit(desk: Path) -> None:
    said = '{"id": 1, "split": "P3", "answer": "color", "response": "The **Colour**."}\n'
    for protocol in ("paper", "robust"):
        done = command("mark", "salbench", "--protocol", protocol, cache=desk / "cache", stdin=said)
        checked("marked", json.loads(done.stdout))
    checked("reply", {"id": "P3/1", "text": "Color", "prompt": "question#2"})


def test_the_price_table_fits() -> None:
    table = tomllib.loads((ROOT / "src/snellen/subjects/prices.toml").read_text(encoding="utf-8"))
    plain = json.loads(json.dumps(table, default=str))
    checked("prices", plain)
    plain["openai"]["gpt-4o"]["input"] = -1
    with pytest.raises(ValidationError):
        checked("prices", plain)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("run", lambda d: d.pop("exam")),
        ("run", lambda d: d["data"].update(samples="many")),
        ("summary", lambda d: d["protocols"][0]["groups"][0].update(n="8")),
        ("summary", lambda d: d.update(surprise=1)),
    ],
)
def test_spoilt_records_do_not_fit(runs: tuple[Path, Path], name: str, spoil: Any) -> None:
    document = json.loads((runs[0] / f"{name}.json").read_text(encoding="utf-8"))
    spoil(document)
    with pytest.raises(ValidationError):
        checked(name, document)
