"""JSON in replies, and fields by name."""

from __future__ import annotations

import pytest

from snellen.core.reply import field, opened


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"answer": "red"}', {"answer": "red"}),
        ('```json\n{"answer": "red"}\n```', {"answer": "red"}),
        ("```\n[1, 2]\n```", [1, 2]),
        ("{'answer': 'red', 'sure': True, }", {"answer": "red", "sure": True}),
        ("{answer: \"red\"}", {"answer": "red"}),
        ("{'answer': \"it's red\"}", {"answer": "it's red"}),
        ('"{\\"answer\\": \\"red\\"}"', {"answer": "red"}),
        ('Draft {"answer": "blue"}, then {"answer": "red"} [1]', {"answer": "red"}),
        ("[Color, Size]", None),
        ("red", None),
        ("{" * 50_000, None),
        ("[" * 50_000, None),
    ],
)  # fmt: skip
def test_json_is_found(reply: str, value: object) -> None:
    assert opened(reply).value == value


def test_a_field_is_found_by_name_however_deep() -> None:
    assert field({"response": {"answer": "red"}}) == "red"
    assert field({"output": '{"answer": "red"}'}) == "red"
    assert field({"reasoning": "x", "Final Answer": "red"}) == "red"
    assert field({"finalAnswer": "red"}) == "red"
    assert field([{"step": 1}, {"answer": "red"}]) == "red"
    assert field({"colour": "red"}) is None
