"""The front end of our own readers: thinking off, characters plain, JSON found, wrappers off; never slow, never raising."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.core.reply import after_correction, field, marked, opened, unwrapped

THINKING = {
    "<think>maybe red</think>blue": "blue",
    "<think>maybe red</think>\n\nblue": "blue",
    "maybe red</think>blue": "blue",
    "<THINK>maybe red</THINK>blue": "blue",
    "<thinking>maybe red</thinking>blue": "blue",
    "<think>maybe red</thinking>blue": "blue",
    '<think type="long">maybe red</think>blue': "blue",
    "<reasoning>maybe red</reasoning>blue": "blue",
    "<thought>maybe red</thought>blue": "blue",
    "<scratchpad>maybe red</scratchpad>blue": "blue",
    "<reflection>maybe red</reflection>blue": "blue",
    "<|begin_of_thought|>maybe red<|end_of_thought|><|begin_of_solution|>blue<|end_of_solution|>": "blue",
    "<|START_THINKING|>maybe red<|END_THINKING|><|START_RESPONSE|>blue<|END_RESPONSE|>": "blue",
    "\u25c1think\u25b7maybe red\u25c1/think\u25b7blue": "blue",
    "[THINK]maybe red[/THINK]blue": "blue",
    "<think>a <reasoning>red</reasoning> b</think>blue": "blue",
    "<think>a<think>red</think>red</think>blue": "blue",
    "<|channel|>analysis<|message|>red?<|end|><|start|>assistant<|channel|>final<|message|>blue<|return|>": "blue",
    "analysisMaybe it is red.assistantfinalblue": "blue",
    "Thinking...\nmaybe red\n...done thinking.\n\nblue": "blue",
    "<unused94>thought\nmaybe red<unused95>blue": "blue",
    "\uff1cthink\uff1emaybe red\uff1c/think\uff1eblue": "blue",
    "&lt;think&gt;maybe red&lt;/think&gt;blue": "blue",
    "blue<|im_end|>": "blue",
    "blue</s>": "blue",
    "<s> blue</s>": "blue",
    "<|im_start|>assistant\nblue<|im_end|>\n<|im_start|>user\nIs it red?": "blue",
    "<|start_header_id|>assistant<|end_header_id|>\n\nblue<|eot_id|>": "blue",
    "blue<end_of_turn>\n<start_of_turn>user\nred": "blue",
    "<\uff5cend\u2581of\u2581sentence\uff5c>blue": "blue",
}
CUT = [
    *(
        "<think>maybe red",
        "<thinking>maybe red",
        "<THINK>\nred",
        "<reasoning>red",
        "[THINK]red",
        "\u25c1think\u25b7red",
    ),
    *("<|begin_of_thought|>red", "<|channel|>analysis<|message|>red", "analysisMaybe it is red", "Thinking...\nred"),
    *("<think>a</think>b<think>red", "<think " + "x" * 50 + ">red", "<think>" + "red " * 9000),
]


@pytest.mark.parametrize("reply", THINKING)
def test_thinking_and_special_tokens_are_not_said(reply: str) -> None:
    assert opened(reply).text == THINKING[reply]
    assert not opened(reply).cut


@pytest.mark.parametrize("reply", CUT, ids=[c[:30] for c in CUT])
def test_a_reply_that_ends_in_its_thinking_says_nothing(reply: str) -> None:
    assert opened(reply) == opened("<think>")
    assert opened(reply).cut


@pytest.mark.parametrize(
    "reply", ["<point x='3' y='4'>", "<box>1, 2</box>", "<det1> is left", "<|box_start|>(1,2)<|box_end|>"]
)
def test_tags_of_the_answer_stay(reply: str) -> None:
    assert opened(reply).text == reply


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


WRAPPED = [
    *("red", "**red**", "`red`", '"red"', "'red'", "> red", "- red", "## red", "*red*", "_red_", "```\nred\n```"),
    *("```text\nred\n```", "<answer>red</answer>", "<answer>red", "[ANSWER]red[/ANSWER]", "\\boxed{red}", "$\\boxed{\\text{red}}$"),
    *("Final answer: red", "**Final Answer:** red", "**Answer**: red", "Sure! red", "Assistant: red", "ASSISTANT: Sure, here is the answer: red"),
    *("The answer is red", "So the correct answer is: **red**", "Therefore, the final answer is \\boxed{red}.", "<|begin_of_box|>red<|end_of_box|>"),
    *("Answer - red", "Let me see. Answer: red", "# Answer\n\nAnswer: red", "<CONCLUSION> red </CONCLUSION>", "\\(\\boxed{red}\\)"),
]  # fmt: skip


@pytest.mark.parametrize("text", WRAPPED)
def test_wrappers_come_off(text: str) -> None:
    assert unwrapped(text).removeprefix("Answer\n\nAnswer: ") == "red"


def test_an_explanation_stays_behind_the_answer() -> None:
    assert unwrapped("<answer>red</answer> because it glows") == "red because it glows"
    assert unwrapped("\\boxed{red} because it glows") == "red because it glows"
    assert marked("no mark") is None


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("red. No, wait, blue", "blue"),
        ("red... wait, it is blue", "it is blue"),
        ("red. Actually, blue.", "blue."),
        ("red - scratch that, blue", "blue"),
        ("red. Correction: blue", "blue"),
        ("red. Let me correct myself: blue", "blue"),
        ("red, I mean blue", "blue"),
        ("red. On second thought, blue", "blue"),
        ("red because he waits", "red because he waits"),
        ("red since it is actually hot", "red since it is actually hot"),
        ("red. Wait.", "red. Wait."),
    ],
)
def test_a_correction_takes_back_what_was_before(text: str, rest: str) -> None:
    assert after_correction(text) == rest


@given(st.text(alphabet="<>/think{}[]\"'`*_$\\boxed|answer:, \nA1.", max_size=200))
@settings(max_examples=300)
def test_nothing_raises(text: str) -> None:
    said = opened(text)
    field(said.value)
    assert isinstance(after_correction(unwrapped(said.text, numbered=True)), str)
