"""Grounding as a user runs it: methods against servers that speak OmniParser's and UI-TARS's language, and the embedded parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.support.command import snellen
from tests.support.omniparser import Item, OmniParserServer, icon_item, text_item
from tests.support.uitars import MARK, PIXEL_FORMS, THOUSAND_FORMS, UitarsServer, find_mark

WIDE, HIGH = 1280, 720
TARGETS = {
    0: (300, 200, 400, 240),
    1: (900, 500, 1000, 560),
    2: (40, 640, 120, 700),
    3: (600, 90, 700, 130),
    4: (1100, 80, 1200, 130),
}


def write_set(folder: Path, elements: int = 1) -> Path:
    """Screens in the seed's schema, each with one patch of a colour that servers can see; `elements` targets at its place."""
    (folder / "images").mkdir(parents=True)
    samples = []
    for i, (x1, y1, x2, y2) in TARGETS.items():
        image = Image.new("RGB", (WIDE, HIGH), (230, 230, 230))
        image.paste(MARK, (x1, y1, x2, y2))
        image.save(folder / "images" / f"s{i}.png")
        box = [x1 / WIDE, y1 / HIGH, (x2 - x1) / WIDE, (y2 - y1) / HIGH]
        samples.append(
            {
                "id": f"s{i}",
                "image_path": f"images/s{i}.png",
                "width": WIDE,
                "height": HIGH,
                "metadata": {"difficulty": "easy", "theme": "light", "num_elements": elements},
                "elements": [
                    {
                        "id": f"s{i}_elem_{n:03d}",
                        "bbox": box,
                        "text": f"Save {n}",
                        "element_type": "button",
                        "instruction": f"Click on the 'Save {n}' button",
                    }
                    for n in range(elements)
                ],
            }
        )
    document = {"name": "marks", "version": "1.0", "metadata": {"num_samples": len(samples)}, "samples": samples}
    (folder / "annotations.json").write_text(json.dumps(document))
    return folder


def run(folder: Path, data: Path, *words: object) -> tuple[dict[str, Any], Path]:
    done = snellen("run", "grounding", "--data", data, "--out", folder / "runs", "--json", *words, cache=folder)
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    return summary, Path(summary["run"])


def points(path: Path) -> dict[str, tuple[float, float]]:
    found = {}
    for line in (path / "answers.jsonl").read_text().splitlines():
        answer = json.loads(line)
        found[answer["id"]] = tuple(json.loads(answer["text"])["point"])
    return found


def click_accuracy(summary: dict[str, Any]) -> float:
    click = next(p for p in summary["protocols"] if p["protocol"] == "click")
    return float(click["groups"][0]["metrics"]["click_accuracy"]["value"])


@pytest.mark.parametrize(("version", "form"), [*(("1.5", f) for f in PIXEL_FORMS), *(("1", f) for f in THOUSAND_FORMS)])
def test_every_reply_form_of_uitars_ends_at_the_same_pixel(tmp_path: Path, version: str, form: str) -> None:
    data = write_set(tmp_path / "set")
    old = version == "1"
    with UitarsServer((THOUSAND_FORMS if old else PIXEL_FORMS)[form], thousand=old) as server:
        summary, path = run(
            *(tmp_path, data, "--method", "uitars", "--method-option", f"version={version}"),
            *("--model", "vllm/ui-tars", "--base-url", server.url),
        )
    assert click_accuracy(summary) == 1.0
    for name, (x, y) in points(path).items():
        x1, y1, x2, y2 = TARGETS[int(name.split("/")[0][1:])]
        assert abs(x - (x1 + x2) / 2) <= 2, (name, x)
        assert abs(y - (y1 + y2) / 2) <= 2, (name, y)


def see(image: Image.Image) -> list[Item]:
    found = find_mark(image)
    items = [text_item((0.02, 0.02, 0.2, 0.06), "File Edit View")]
    if found is not None:
        x, y = found
        items.append(icon_item((max(0, x - 0.03), max(0, y - 0.02), min(1, x + 0.03), min(1, y + 0.02)), "Save 0"))
    return items


def test_a_parser_is_called_once_an_image_and_not_once_an_element(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set", elements=5)
    with OmniParserServer(see) as server:
        summary, path = run(tmp_path, data, "--method", "omniparser", "--omniparser-url", server.url)
        assert len(server.parsed) == len(TARGETS)
        assert summary["samples"] == 5 * len(TARGETS)
        again, _ = run(
            tmp_path,
            data,
            "--method",
            "omniparser",
            "--omniparser-url",
            server.url,
            "--method-option",
            "confidence=0.01",
        )
        # another run of the same pictures asks the server three times whether it still sees the same, then takes the stored parses
        assert len(server.parsed) == len(TARGETS) + 3
        assert again["complete"]
    images = [
        i for line in (path / "answers.jsonl").open() for c in json.loads(line).get("calls", ()) for i in c["images"]
    ]
    assert len(images) == len(TARGETS)


def only_icons(image: Image.Image) -> list[Item]:
    return [item for item in see(image) if item["type"] == "icon"]


def test_a_500_on_pictures_without_text_is_tried_with_a_strip_and_else_an_error(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set")
    with OmniParserServer(only_icons) as server:
        summary, _ = run(tmp_path / "a", data, "--method", "omniparser", "--omniparser-url", server.url)
        assert click_accuracy(summary) == 1.0
        assert sorted(server.statuses) == [200] * len(TARGETS) + [500] * len(TARGETS)
    with OmniParserServer(only_icons, broken=True) as server:
        done = snellen(
            *("run", "grounding", "--data", data, "--out", tmp_path / "b", "--json"),
            *("--method", "omniparser", "--omniparser-url", server.url),
            cache=tmp_path,
        )
        oracle = snellen(
            *("run", "grounding", "--data", data, "--out", tmp_path / "c", "--json"),
            *("--method", "oracle/omniparser", "--omniparser-url", server.url),
            *("--protocol", "click", "--protocol", "screenspot-pro"),
            cache=tmp_path,
        )
    assert done.returncode == 3, done.stderr
    outcomes = json.loads(done.stdout)["protocols"][0]["groups"][0]["outcomes"]
    assert outcomes == {"error": len(TARGETS)}, "a server that fails is an error and no wrong answer"
    told = json.loads(oracle.stdout)
    assert all("ORACLE" in g["by"]["part"] for p in told["protocols"] for g in p["groups"]), (
        "an oracle by its name alone"
    )
    later = Path(told["run"]) / "exports" / "screenspot-pro"
    assert json.loads((later / "screenspot_pro.json").read_text())["oracle"] is True
    assert (later / "screenspot_pro_leaderboard.json").is_file()
    answers = (Path(json.loads(done.stdout)["run"]) / "answers.jsonl").read_text().splitlines()
    assert all(len(json.loads(line)["calls"]) == 2 for line in answers), "calls that failed are in the ledger too"


def test_two_services_in_one_method(tmp_path: Path) -> None:
    from tests.support.endpoint import Endpoint

    data = write_set(tmp_path / "set")
    with OmniParserServer(see) as parser, Endpoint(answer="{'Analysis': 'x', 'Click BBox ID': '1'}") as model:
        summary, path = run(
            *(tmp_path, data, "--method", "omniparser", "--method-option", "chooser=model"),
            *("--omniparser-url", parser.url, "--model", "api/m", "--base-url", model.url),
        )
        assert len(parser.parsed) == len(model.requests) == len(TARGETS)
    assert click_accuracy(summary) == 1.0
    kinds = [c["kind"] for line in (path / "answers.jsonl").open() for c in json.loads(line)["calls"]]
    assert sorted(kinds) == ["api"] * len(TARGETS) + ["omniparser"] * len(TARGETS)


def test_the_leak_stays_documented(tmp_path: Path) -> None:
    made = snellen("data", "make", "grounding", "--count", 6, "--seed", 3, "--out", tmp_path / "set", cache=tmp_path)
    assert made.returncode == 0, made.stderr
    blind, _ = run(tmp_path, tmp_path / "set", "--method", "center")
    assert click_accuracy(blind) < 0.1
    peeking, path = run(tmp_path, tmp_path / "set", "--method", "oracle/center-fixed")
    assert click_accuracy(peeking) > 0.5, "even without the seed's tolerance"
    seed = next(p for p in peeking["protocols"] if p["protocol"] == "openadapt")
    assert seed["groups"][0]["metrics"][seed["headline"]]["value"] > 0.7, (
        "its text boxes are smaller than the seed's, where it is over 90 %"
    )
    manifest = json.loads((path / "run.json").read_text())
    assert "oracle" in manifest["subject"]["spec"]
    assert manifest["subject"]["identity"]["oracle"]
    page = tmp_path / "page.html"
    assert snellen("report", path, "--out", page, cache=tmp_path).returncode == 0
    assert "oracle" in page.read_text().lower()


def test_the_embedded_parser_finds_text(tmp_path: Path) -> None:
    made = snellen("data", "make", "grounding", "--count", 1, "--seed", 8, "--out", tmp_path / "set", cache=tmp_path)
    assert made.returncode == 0, made.stderr
    summary, _ = run(tmp_path, tmp_path / "set", "--method", "ocr")
    click = next(p for p in summary["protocols"] if p["protocol"] == "click")
    text = next(g for g in click["groups"] if list(g["by"].values())[-1] == "text" and "kind" in g["by"])
    assert text["metrics"]["click_accuracy"]["value"] > 0.6


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--method", "nope"), "unknown method 'nope'"),
        (("--method", "vlm"), "asks a model: name it with --model"),
        (("--method", "center", "--method-option", "x"), "expected NAME=VALUE"),
        (("--method", "center", "--method-option", "x=1"), "unknown option 'x'"),
        ((), "Specify --method or --model"),
    ],
)
def test_bad_methods_get_one_line(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    data = write_set(tmp_path / "set")
    done = snellen("run", "grounding", "--data", data, *words, cache=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    data = write_set(tmp_path / "set")
    done = snellen(
        *("run", "grounding", "--data", data, "--method", "omniparser", "--omniparser-url", "http://127.0.0.1:9"),
        cache=tmp_path,
    )
    assert done.returncode == 2
    assert "no server at http://127.0.0.1:9/parse/" in done.stderr


def test_methods_are_listed_with_what_they_need(tmp_path: Path) -> None:
    rows = json.loads(snellen("list", "methods", "--json", cache=tmp_path).stdout)["methods"]
    names = {r["name"]: r for r in rows}
    seeds = (
        "omniparser",
        "omniparser-fixed",
        "omniparser-screenseeker",
        "uitars",
        "uitars-fixed",
        "uitars-screenseeker",
    )
    assert all(n in names for n in seeds)
    assert "installed" in names["ocr"]["needs"]
    assert all("ORACLE" in r["about"] for n, r in names.items() if n.startswith("oracle/"))
    assert [n for n, r in names.items() if r["oracle"]] == [n for n in names if n.startswith("oracle/")]
    printed = snellen("list", "methods", cache=tmp_path).stdout
    assert printed.index("sliding-window") < printed.index("ORACLE methods") < printed.index("oracle/omniparser")


def test_servers_of_methods_are_looked_for_where_dotenv_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from snellen.cli.list_command import gather

    monkeypatch.chdir(tmp_path)
    with OmniParserServer(see) as server:
        (tmp_path / ".env").write_text(f"EVAL_OMNIPARSER_URL={server.url}\nEVAL_UITARS_URL=http://127.0.0.1:9/v1\n")
        needs = {row["name"]: row["needs"] for row in gather("methods")}
    assert needs["omniparser"] == f"parser:omniparser: a server at {server.url} (there)"
    assert "at http://127.0.0.1:9/v1 (not reachable)" in needs["uitars"]
    assert needs["vlm"] == "model: --model"


def test_uitars_is_asked_as_its_maintainers_ask_it(tmp_path: Path) -> None:
    from tests.support.endpoint import Endpoint

    data = write_set(tmp_path / "set")
    words = ("--method", "uitars", "--model", "vllm/ui-tars", "--limit", 1)
    with Endpoint(answer="(10, 20)") as model:
        run(tmp_path, data, *words, "--base-url", model.url)
        run(tmp_path, data, *words, "--base-url", model.url, "--max-tokens", 64, "--extra", '{"top_p": 0.5}')
        sent = [(r["max_tokens"], r["top_p"], r["temperature"]) for r in model.requests]
    assert sent == [(128, 1, 0), (64, 0.5, 0)]
