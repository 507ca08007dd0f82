"""Files and tables: openadapt-grounding's, character by character; what it lacked beside them; oracles apart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.support.extras import of

from snellen.core.extras import GroupLabels, RunFacts
from snellen.core.outcomes import mark_answer
from snellen.core.records import DataEntry, Manifest, SubjectEntry, Totals
from snellen.core.types import Answer, Failure, Mark, Sample
from snellen.exams.grounding.compat import original
from snellen.exams.grounding.exam import EXAM
from snellen.exams.grounding.exports import display_name, exports
from snellen.exams.grounding.names import ORACLE_TITLE
from snellen.exams.grounding.protocols import PROTOCOLS
from snellen.exams.grounding.reading.predictions import Detection, Prediction, to_text
from snellen.exams.grounding.summary import ORACLE
from snellen.exams.grounding.tables import comparison, console_table, markdown_table
from snellen.stats.tally import summarised

GOLDEN = json.loads((Path(__file__).parents[2] / "parity" / "grounding.json").read_text())
SETS = GOLDEN["aggregate"]
COMPARED = [SETS[name]["metrics"] for name in GOLDEN["compare_methods"]["inputs"]]
ORIGINAL_KEYS = [
    "method_name", "dataset_name", "detection_rate", "mean_iou", "mean_latency_ms", "mean_attempts", "detection_rate_small",
    "detection_rate_medium", "detection_rate_large", "detection_rate_by_type", "total_elements", "detected_elements", "results",
]  # fmt: skip
ORIGINAL_ROW = [
    "sample_id", "element_id", "found", "iou", "latency_ms", "attempts", "size_category", "element_type",
    "distance_from_target", "method_info",
]  # fmt: skip


# ---------------------------------------------------------------- equal to the original


@pytest.mark.parametrize("name", SETS)
def test_aggregates_equal_the_seeds(name: str) -> None:
    found = original.aggregate(f"M-{name}", "ds", SETS[name]["results"])
    assert found == SETS[name]["metrics"]
    assert list(found) == list(SETS[name]["metrics"])


def test_the_comparison_equals_the_seeds() -> None:
    assert json.dumps(comparison(COMPARED)) == json.dumps(GOLDEN["compare_methods"]["out"])
    assert comparison([]) == GOLDEN["compare_methods"]["empty"]


def test_tables_equal_the_seeds_character_by_character() -> None:
    assert console_table(COMPARED) == GOLDEN["console_table"]
    assert console_table([]) == GOLDEN["console_table_empty"]
    assert markdown_table(COMPARED) == GOLDEN["markdown_table"]
    assert markdown_table([]) == GOLDEN["markdown_table_empty"]


@pytest.mark.parametrize(
    ("method", "shown"),
    [
        ("omniparser", "OmniParser + baseline"),
        ("omniparser-fixed", "OmniParser + fixed_crop"),
        ("uitars-screenseeker", "UI-TARS + screenseeker"),
        ("oracle/uitars-fixed", "oracle: UI-TARS + fixed_crop"),
        ("uitars+reground", "uitars+reground"),
        ("sliding-window", "sliding-window"),
        ("ocr", "ocr"),
    ],
)
def test_methods_are_named_as_in_the_seed_where_it_has_them(method: str, shown: str) -> None:
    assert display_name(method) == shown


# ---------------------------------------------------------------- oracles apart


def test_oracles_stand_in_a_block_of_their_own() -> None:
    best, other, _worst = COMPARED
    mixed = [best | {"oracle": True, "method_name": "oracle: M"}, other]
    compared = comparison(mixed)
    assert compared["summary"]["best_overall"] == other["method_name"]  # an oracle never wins
    assert compared["oracle"]["summary"]["best_overall"] == "oracle: M"
    assert compared["oracle"]["note"] == ORACLE_TITLE
    text = console_table(mixed)
    assert text.index(other["method_name"]) < text.index(ORACLE_TITLE) < text.index("oracle: M")
    table = markdown_table(mixed)
    assert table.index(other["method_name"]) < table.index(ORACLE_TITLE) < table.index("oracle: M")
    alone = comparison([best | {"oracle": True}])
    assert "summary" not in alone
    assert "oracle" in alone


def test_an_unknown_time_is_a_dash_and_never_the_fastest() -> None:
    best, other, _worst = COMPARED
    timeless = best | {"mean_latency_ms": None}
    assert comparison([timeless, other])["summary"]["fastest_method"] == other["method_name"]
    assert comparison([timeless])["summary"]["fastest_latency_ms"] is None
    assert " – " in console_table([timeless])
    assert "| – |" in markdown_table([timeless])


def test_hostile_names_cannot_break_a_table() -> None:
    evil = COMPARED[0] | {"method_name": "a|b\x1b[31m\nc", "dataset_name": "d|\n"}
    assert "\x1b" not in console_table([evil])
    assert len(markdown_table([evil]).splitlines()) == 3


# ---------------------------------------------------------------- exports of a run


def sample(i: int, **tags: str) -> Sample:
    every = {"split": "web", "task": "ground", "type": "button", "kind": "text", "size": "medium", "area": "small"}
    return Sample(
        id=f"s{i // 2}/e{i}",
        tags=every | {"platform": "web", "application": "shop"} | tags,
        truth={"boxes": [[100, 100, 200, 150]], "absent": False},
        facts={
            "image": f"{i // 2}.png",
            "screen": f"s{i // 2}",
            "width": 1000,
            "height": 500,
            "element_type": "button",
            "text": "Save",
            "instruction": "Click on the 'Save' button",
            "group": "Dev",
        },
    )


def run(protocol: str, oracle: bool = False, boxes: bool = True, failing: tuple[int, ...] = (11,)) -> RunFacts:
    rule = PROTOCOLS[protocol]
    samples = [
        sample(i, kind=("text", "icon")[i % 2], split=("mobile", "desktop", "web")[i // 2 % 3]) for i in range(12)
    ]
    answers = []
    for i, one in enumerate(samples):
        if i in failing:
            answers.append(
                Answer(id=one.id, prompt="instruction", failure=Failure(kind="server-500", reason="no text"))
            )
            continue
        prediction = Prediction(
            method="oracle/omniparser" if oracle else "omniparser",
            status="found",
            size=(1000, 500),
            point=(150.0 + 200 * (i % 3 == 2), 125.0),
            box=(100.0, 100.0, 200.0, 150.0) if boxes else None,
            text="Save",
            confidence=0.9,
            attempts=1,
            calls=1,
            detections=(Detection(box=(100.0, 100.0, 200.0, 150.0), text="Save"),),
            detections_total=1,
            replies=("raw",),
            seconds=0.25,
            oracle=oracle,
        )
        answers.append(Answer(id=one.id, prompt="instruction", text=to_text(prediction)))
    marks = [mark_answer(rule, s, a) for s, a in zip(samples, answers, strict=True)]
    rows: list[tuple[Sample, Answer, Mark]] = list(zip(samples, answers, marks, strict=True))

    def records() -> Iterator[tuple[Sample, Answer, Mark]]:
        yield from rows

    manifest = Manifest(
        snellen="0.1.0",
        created="2026-01-01T00:00:00Z",
        exam="grounding",
        subject=SubjectEntry(spec="method/omniparser", identity={"kind": "method", "parser": "omniparser 2"}),
        data=DataEntry(source="sets/tiny set", fingerprint="f", samples=12, synthetic=True),
    )
    groups = summarised(rule, ((s, m) for s, _a, m in rows))
    return RunFacts(manifest, rule, "instruction", groups, Totals(), records)


def files(facts: RunFacts) -> dict[str, str]:
    return {name: content.decode() for name, content in exports(facts)}


def test_the_result_file_has_the_originals_keys_first_and_then_what_it_lacked() -> None:
    written = files(run("click"))
    result: dict[str, Any] = json.loads(written["omniparser_tiny-set.json"])
    assert list(result)[: len(ORIGINAL_KEYS)] == ORIGINAL_KEYS
    assert (result["method_name"], result["dataset_name"]) == ("OmniParser + baseline", "tiny set")
    assert result["total_elements"] == 12
    assert result["detection_rate"] == pytest.approx(8 / 12)
    assert result["mean_latency_ms"] == pytest.approx(250)
    assert result["oracle"] is False
    assert result["errors"] == {"server-500: no text": 1}
    assert result["outcomes"] == {"correct": 8, "wrong": 3, "error": 1}
    assert result["protocol"]["name"] == "click"
    assert result["interval"][0] <= 8 / 12 <= result["interval"][1]
    assert result["versions"] == {"snellen": "0.1.0", "subject": {"kind": "method", "parser": "omniparser 2"}}
    assert result["synthetic_data"] is True
    row = result["results"][0]
    assert list(row)[: len(ORIGINAL_ROW)] == ORIGINAL_ROW
    assert (row["point"], row["outcome"], row["found"], row["size_category"]) == (
        [150.0, 125.0],
        "correct",
        True,
        "medium",
    )
    assert (row["sample_id"], row["element_id"]) == ("s0", "e0")
    lost = result["results"][11]
    assert (lost["found"], lost["error"], lost["latency_ms"], lost["point"]) == (
        False,
        "server-500: no text",
        None,
        None,
    )
    assert lost["distance_from_target"] is None  # the original writes 0, which looks perfect
    assert json.loads(written["comparison.json"])["summary"]["total_methods"] == 1
    assert "OmniParser + baseline" in written["table.txt"]
    assert written["table.md"].startswith("| Method | Dataset |")


def test_outside_the_originals_protocol_what_is_not_there_is_null_and_sizes_are_pixels() -> None:
    written = files(run("click", boxes=False))
    result: dict[str, Any] = json.loads(written["omniparser_tiny-set.json"])
    assert (result["mean_iou"], result["mean_attempts"]) == (None, 1.0)
    assert [result[f"detection_rate_{s}"] for s in ("small", "medium", "large")] == [None, pytest.approx(8 / 12), None]
    assert "pixels" in result["size_basis"]["size_category"]
    lost = result["results"][11]
    assert (lost["iou"], lost["attempts"], lost["size_area_category"]) == (None, None, "small")
    assert result["results"][0]["iou"] is None
    assert json.loads(written["comparison.json"])["size_analysis"]["large_best"] is None
    assert "in pixels of the screenshot" in written["table.txt"]
    assert "| – |" in written["table.md"]
    theirs = files(run("openadapt"))
    old = json.loads(theirs["omniparser_tiny-set.json"])
    assert (old["detection_rate_large"], old["results"][11]["iou"], old["results"][11]["attempts"]) == (0.0, 0.0, 0)
    assert old["results"][0]["size_category"] == "small"
    both = console_table([result, old])
    assert both.count("Detection Rate by Element Size") == 2
    assert "share of the screen" in both
    assert comparison([result, old])["size_analysis"]["medium_best"] is None  # two rules do not compare


def test_an_oracle_that_never_answers_is_one_all_the_same() -> None:
    facts = run("click", oracle=True, failing=tuple(range(12)))
    subject = {"spec": "oracle/omniparser", "identity": {"method": "oracle/omniparser", "oracle": "looks"}}
    groups = of(EXAM, GroupLabels).labelled(facts.groups, subject)
    assert all(g.by["part"] == ORACLE for g in groups)
    manifest = msgspec.structs.replace(facts.manifest, subject=msgspec.convert(subject, SubjectEntry))
    written = files(facts._replace(manifest=manifest, groups=groups))
    result = json.loads(written["oracle-omniparser_tiny-set.json"])
    assert result["oracle"] is True
    assert all(r["oracle"] for r in result["results"])
    assert ORACLE_TITLE in written["table.txt"]
    assert of(EXAM, GroupLabels).labelled(facts.groups, {"spec": "ocr", "identity": {}}) == facts.groups


def test_an_oracles_files_all_say_so() -> None:
    written = files(run("openadapt", oracle=True))
    result = json.loads(written["oracle-omniparser_tiny-set.json"])
    assert result["oracle"] is True
    assert result["method_name"].startswith("oracle: ")
    assert all(r["oracle"] for r in result["results"] if r["outcome"] != "error")
    assert set(json.loads(written["comparison.json"])) == {"oracle", "synthetic_data"}
    assert ORACLE_TITLE in written["table.txt"]
    assert ORACLE_TITLE in written["table.md"]


def test_screenspot_pros_report_and_leaderboard_entry() -> None:
    written = files(run("screenspot-pro"))
    report = json.loads(written["screenspot_pro.json"])
    assert report["metrics"]["overall"]["num_total"] == 12
    assert report["metrics"]["overall"]["num_correct_action"] == 8
    assert report["metrics"]["overall"]["wrong_format_num"] == 1
    assert report["details"][0]["correctness"] == "correct"
    assert set(report["metrics"]) == {
        "fine_grained", "seeclick_style", "leaderboard_simple_style", "leaderboard_detailed_style", "overall",
    }  # fmt: skip
    entry = json.loads(written["screenspot_pro_leaderboard.json"])["method/omniparser"]["results"]
    assert entry["overall"]["avg"] == 66.7
    assert entry["group"]["Dev"]["avg"] == 66.7


def test_later_protocols_have_no_records_and_no_files() -> None:
    assert files(run("click")._replace(records=None)) == {}
