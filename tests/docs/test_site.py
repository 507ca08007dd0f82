"""`make docs` builds a site without a warning: every link leads somewhere, every page is in the menu, nothing comes from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import snellen
from snellen.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the extra 'docs' is not installed")
    pytest.importorskip("mkdocstrings", reason="the extra 'docs' is not installed")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_nothing_comes_from_outside(site: Path) -> None:
    """No font, script, style or picture of another host: the site works offline and tells nobody who reads it."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert not re.findall(r"<(?:script|img|iframe|source)[^>]+src=[\"']?(?:https?:)?//", text), page
        loaded = re.findall(r"<link[^>]+href=[\"']?(?:https?:)?//[^>]+>", text)
        assert not [tag for tag in loaded if 'rel="canonical"' not in tag and "rel=canonical" not in tag], page


def test_every_command_and_every_public_name_has_its_place(site: Path) -> None:
    commands = (site / "commands.html").read_text(encoding="utf-8")
    for name in (*COMMANDS, "data make"):
        assert f'id="snellen-{name.replace(" ", "-")}"' in commands, name
    python = (site / "python.html").read_text(encoding="utf-8")
    for name in snellen.__all__:
        assert re.search(rf'id="(?:[\w.]+\.)?{name}"', python), name


def test_the_page_on_python_names_what_there_is() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^::: snellen\.(\w+)$", page, re.MULTILINE)) == sorted(snellen.__all__)


def test_every_page_is_in_the_menu() -> None:
    yaml = pytest.importorskip("yaml")
    menu = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = {page for part in menu for entry in next(iter(part.values())) for page in entry.values()}
    there = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
    assert named - there == {"changelog.md", "contributing.md", "security.md"} and there <= named
