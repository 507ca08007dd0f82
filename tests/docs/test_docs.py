"""The documents name things that exist: files, modules, links, commands and flags; and "the seed" is a matter of chance."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from snellen.cli.main import COMMANDS, app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / n for n in ("README.md", "CONTRIBUTING.md"))])
ROOMS = ("src/snellen", "src/snellen/exams/vqa_nle", ".")  # where a path that a document names may begin
NAMED = pytest.mark.parametrize("page", PAGES, ids=[str(p.relative_to(ROOT)) for p in PAGES])


def code(page: Path) -> list[str]:
    """What stands between backquotes and in blocks, in lines."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    inline = re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL))
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines()] + inline


@NAMED
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]*)[^)]*\)", page.read_text(encoding="utf-8")):
        assert not target or target.startswith("http") or (page.parent / target).exists(), target


@NAMED
def test_files_that_are_named_exist(page: Path) -> None:
    ours = (
        "engine/",
        "core/",
        "stats/",
        "synthetic/",
        "exams/",
        "subjects/",
        "present/",
        "tests/",
        "bench/",
        "training/",
        "docs/",
    )
    for word in {w for line in code(page) for w in line.split()}:
        if word.startswith(ours) and word.endswith((".py", ".md", ".json")):
            assert any((ROOT / room / word).is_file() for room in ROOMS), word


@pytest.fixture(scope="module")
def flags() -> dict[tuple[str, ...], set[str]]:
    return {}


@NAMED
def test_commands_and_flags_exist(page: Path, flags: dict[tuple[str, ...], set[str]]) -> None:
    """Each `snellen COMMAND ...` that a document shows names a command, and only flags which its help lists."""
    for line in code(page):
        if not line.startswith("snellen ") or "|" in line.split("--")[0] or "..." in line:
            continue
        words = shlex.split(re.sub(r"[\[\]|]", " ", line), comments=True)[1:]
        if words[0].startswith(("COMMAND", "-")) or words[0][0].isdigit():  # `snellen 0.2`: what --version prints
            continue
        assert words[0] in COMMANDS, line
        stop = next((at for at, w in enumerate(words) if w.startswith("-")), len(words))
        asked = tuple(w for w in words[:stop] if re.fullmatch(r"[a-z0-9]+", w))[: 3 if words[0] == "data" else 2]
        if "--plugin" in words:
            continue  # the README's test tries plugins
        if asked not in flags:
            shown = CliRunner().invoke(app, [*asked, "--help"])
            assert shown.exit_code == 0, line
            flags[asked] = set(re.findall(r"--?[a-z][a-z_-]*", shown.output))
        named = {w.partition("=")[0] for w in words[stop:] if re.match(r"--?[a-z]", w)}
        exam_free = asked[0] == "run" and len(asked) == 1
        assert named <= flags[asked] or exam_free, (line, named - flags[asked])


def test_the_seed_is_a_matter_of_chance() -> None:
    """What the code was made after is called by its name; a seed is a random one. The marker of a set has a word of its own."""
    texts = [*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.html")]
    for path in texts:
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search(
                r"\b(?:the|a|fourth|fifth)\s+seed's\b|\b(?:fourth|fifth) seed\b|\bseed-compat\b", line, re.IGNORECASE
            ):
                assert '"style": "seed-compat"' in line or "are `--style" in line, (path, line)
