"""What stands around an answer comes off."""

from __future__ import annotations

import pytest

from snellen.core.reply import marked, unwrapped

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
