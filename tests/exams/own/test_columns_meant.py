"""A misspelt column is named, with what it may have been meant to be: for questions and for screenshots alike."""

from __future__ import annotations

import pytest

from snellen.core.errors import SnellenError
from snellen.exams.own.columns import columns_of


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["image", "instuction", "x", "y", "width", "height"], "did you mean 'instruction' by 'instuction'?"),
        (["image", "instruction", "x", "y", "widht", "height"], "did you mean 'width' by 'widht'?"),
        (["image", "question", "anwser"], "did you mean 'answer' by 'anwser'?"),
    ],
)
def test_a_misspelt_column_is_named(names: list[str], said: str) -> None:
    with pytest.raises(SnellenError, match="no column") as error:
        columns_of(names)
    assert str(error.value).endswith(said)


def test_a_column_of_its_own_is_not_taken_for_a_mistake() -> None:
    with pytest.raises(SnellenError) as error:
        columns_of(["image", "question", "topic", "remark"])
    assert "did you mean" not in str(error.value)
