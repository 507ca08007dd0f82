"""Thinking and special tokens are not said; nothing that a reply may be raises anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.reply import after_correction, field, opened, unwrapped

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


@given(st.text(alphabet="<>/think{}[]\"'`*_$\\boxed|answer:, \nA1.", max_size=200))
def test_nothing_raises(text: str) -> None:
    said = opened(text)
    field(said.value)
    assert isinstance(after_correction(unwrapped(said.text)), str)
