"""Every block of the documents is run as it stands, or named in held.py with a reason."""

from __future__ import annotations

import ast
import json
import tomllib
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.docs.blocks import DOCS, PAGES, ROOT, blocks_of, every_block, run, shows
from tests.docs.desks import BEFORE, Desk
from tests.docs.held import ELSEWHERE, NO_CODE, NOT_RUN
from tests.support.clone import clone, git
from tests.support.probed_endpoint import Manners

NAMES = {block.name for block in every_block()}
HELD = ELSEWHERE | NOT_RUN | NO_CODE
WITH_BLOCKS = [page for page in PAGES if any(b.name not in HELD for b in blocks_of(page))]


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_a_page_shows_is_what_happens(page: Path, checkout: Path) -> None:
    """Its blocks in order, in a clone, as a reader would try them; no file of the clone changes."""
    folder = checkout
    with ExitStack() as servers:
        desk = Desk(folder, servers, {}, Manners())
        for block in blocks_of(page):
            if block.name in HELD:
                continue
            if block.name in BEFORE:
                BEFORE[block.name](desk)
            if block.is_session or block.language == "python" or block.file:
                run(block, folder, desk.addresses)
            elif block.language == "json":
                json.loads(block.text)
            elif block.language == "toml":
                tomllib.loads(block.text)
            else:
                pytest.fail(
                    f"{block.name} is no session ('$ command'), Python, JSON or TOML: make it one, or name it in held.py"
                )
    assert git("diff", "--name-only", cwd=folder) == ""


@pytest.fixture(scope="session")
def one_clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone for all pages that this process tries."""
    return clone(tmp_path_factory.mktemp("docs") / "snellen")


@pytest.fixture
def checkout(one_clone: Path) -> Path:
    """The clone as it was committed, without what another page left in it."""
    git("reset", "--quiet", "--hard", cwd=one_clone)
    git("clean", "--quiet", "-ffdx", cwd=one_clone)
    return one_clone


def test_the_lists_name_blocks_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert HELD.keys() <= NAMES and BEFORE.keys() <= NAMES
    assert len(HELD) == len(ELSEWHERE) + len(NOT_RUN) + len(NO_CODE), "a block is in one list only"
    assert NAMES - NOT_RUN.keys() - NO_CODE.keys()
    with capsys.disabled():
        print(f"\n{len(NAMES)} blocks in the documents: {len(NOT_RUN)} not run, {len(NO_CODE)} no code")
    assert len(NOT_RUN) <= 11, "keep the list short: let the block run, or run it in a test of its own"


def test_tests_elsewhere_speak_of_the_page() -> None:
    """A test that is said to run a block reads that page, or the file that the page shows."""
    for name, test in ELSEWHERE.items():
        text = (ROOT / test).read_text(encoding="utf-8")
        page = name.partition("#")[0]
        assert any(isinstance(n, ast.FunctionDef) and n.name.startswith("test_") for n in ast.parse(text).body), test
        assert page in text or "EXAMPLE" in text, (name, test)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        (["a", "..."], ["a", "b", "c"], True),
        (["...", "c"], ["a", "b", "c"], True),
        (["a", "...", "c"], ["a", "c"], True),
        (["a", "...", "d"], ["a", "b", "c"], False),
        (["a"], ["a", "b"], False),
        ([], ["a"], False),
    ],
)
def test_three_dots_stand_for_any_lines(shown: list[str], printed: list[str], same: bool) -> None:
    assert shows(shown, printed) is same


def test_a_page_that_shows_something_else_is_found(tmp_path: Path) -> None:
    (block, *_others) = [b for b in blocks_of(DOCS / "installing.md") if b.is_session]
    run(block, tmp_path)
    with pytest.raises(AssertionError, match="snellen --version"):
        run(block._replace(text="$ snellen --version\nsnellen 9\n"), tmp_path)


def test_every_kind_of_block_is_there() -> None:
    assert Counter(b.language for b in every_block()).keys() >= {"", "python", "json", "toml"}
