from __future__ import annotations

from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.data import dotenv


def test_quotes_comments_and_export() -> None:
    text = "\n".join(
        [
            "# a comment",
            "EVAL_PLAIN = one two  # said",
            'export EVAL_DOUBLE="a # b\\n\\"c\\""  # comment',
            "EVAL_SINGLE='a\\n # b'",
            "EVAL_HASH=a#b",
            "EVAL_EMPTY=",
            "EVAL_ONLY= # nothing",
            "EVAL_URL=http://h:1/v1?x=y",
            "EVAL_TWICE=1",
            "EVAL_TWICE=2",
        ]
    )
    assert dotenv.parse(text, "EVAL_") == {
        "EVAL_PLAIN": "one two",
        "EVAL_DOUBLE": 'a # b\n"c"',
        "EVAL_SINGLE": "a\\n # b",
        "EVAL_HASH": "a#b",
        "EVAL_EMPTY": "",
        "EVAL_ONLY": "",
        "EVAL_URL": "http://h:1/v1?x=y",
        "EVAL_TWICE": "2",
    }


def test_other_keys_are_not_looked_into() -> None:
    assert dotenv.parse("OPENAI_API_KEY='never ends\n???\nEVAL_A=1\nXEVAL_B=2", "EVAL_") == {"EVAL_A": "1"}


@pytest.mark.parametrize("line", ["EVAL_A='sk-verysecret", 'EVAL_A="sk-verysecret\\"', "EVAL_A='x' sk-verysecret"])
def test_bad_quotes_name_line_and_key_but_no_value(line: str) -> None:
    with pytest.raises(SnellenError, match=r"\.env line 2, EVAL_A") as caught:
        dotenv.parse(f"EVAL_B=1\n{line}", "EVAL_")
    assert "sk-verysecret" not in str(caught.value)


def test_the_environment_wins_and_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfEVAL_A=file\r\nEVAL_B=file\r\nOTHER=file\r\n")
    environ = {"EVAL_A": "environment", "HOME": "x"}
    assert dotenv.overlaid(environ, tmp_path, "EVAL_") == {"EVAL_A": "environment", "EVAL_B": "file"}
    assert environ == {"EVAL_A": "environment", "HOME": "x"}


def test_no_file_or_a_folder_of_that_name_is_nothing(tmp_path: Path) -> None:
    assert dotenv.read(tmp_path, "EVAL_") == {}
    (tmp_path / ".env").mkdir()
    assert dotenv.read(tmp_path, "EVAL_") == {}


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"#" * (dotenv.MOST + 1))
    with pytest.raises(SnellenError, match="larger than"):
        dotenv.read(tmp_path, "EVAL_")
