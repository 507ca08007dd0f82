"""Yes and no said of options: maps, also of maps, and tables with the options in their head."""

from __future__ import annotations

from typing import Any

import pytest

from snellen.core.reply.flags import Flags
from snellen.core.reply.vocabulary import Vocabulary

FLAGS = Flags(Vocabulary({"color": "color", "size": "size", "shape": "shape"}))


@pytest.mark.parametrize(
    ("value", "yes"),
    [
        ({"color": True, "size": False}, ("color",)),
        ({"color": 1, "size": 0}, ("color",)),
        ({"color": {"different": True, "why": "red"}, "size": {"different": False}}, ("color",)),
        ({"color": 7, "size": 2}, None),
        ({"color": "red", "size": "large"}, None),
        ({"answer": "color"}, None),
    ],
)
def test_a_map_says_yes_to_some(value: dict[str, Any], yes: tuple[str, ...] | None) -> None:
    assert FLAGS.in_map(value) == yes


def test_a_table_has_options_in_its_head_and_yes_and_no_below() -> None:
    table = "| color | size | shape |\n| --- | --- | --- |\n| no | yes | no |"
    assert FLAGS.in_text(table) == ("", ("size",))
