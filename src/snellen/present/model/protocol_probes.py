"""The replies that protocols are tried with, to see what each accepts: the right answer said in many ways, and replies without it."""

from __future__ import annotations

from collections.abc import Sequence

# made of X (the right answer, as the protocol's own prompt prints it), Y (a wrong one) and ALL (every option)
HARMLESS = {
    "as printed: X": "{X}",
    "lower case": "{lower}",
    "upper case": "{upper}",
    "final period: X.": "{X}.",
    "Answer: X": "Answer: {X}",
    "The answer is X.": "The answer is {X}.",
    "in a sentence: I think that it is X here": "I think that it is {X} here",
    "on a line of its own": "Let me look at the picture.\n{X}",
    "markdown: **X**": "**{X}**",
    'quoted: "X"': '"{X}"',
    'JSON: {"answer": "X"}': '{{"answer": "{X}"}}',
    "fenced JSON": '```json\n{{"answer": "{X}"}}\n```',
    "tag: <answer>X</answer>": "<answer>{X}</answer>",
    "LaTeX: \\boxed{X}": "\\boxed{{{X}}}",
    "after thinking: <think>Y?</think> X": "<think>{Y}?</think>\n\n{X}",
    "plural: Xs": "{plural}",
}
OTHERS = {
    "inside another word: xxXxx": "{inside}",
    "among other words: a X thing": "{among}",
    "X or Y": "{X} or {Y}",
    "Y, then Answer: X": "At first sight {Y}.\nAnswer: {X}",
    "X, then Answer: Y": "At first sight {X}.\nAnswer: {Y}",
    "Answer: X, then Answer: Y": "Answer: {X}\nAnswer: {Y}",
    "Y. No, wait, X": "{Y}. No, wait, {X}",
    "thinking cut off: <think>X": "<think>It could be {X}",
    "not X": "It is not {X}",
    "every option listed": "{ALL}",
    "a wrong option: Y": "{Y}",
    "unrelated text": "The weather was fine yesterday.",
    "a refusal": "I'm sorry, I can't help with that.",
    "empty": "",
}
SEPARATORS = {"comma": ", ", "semicolon": "; ", "'and'": " and ", "line": "\n", "bar": " | "}


def ingredients(names: Sequence[str], wrong: str, options: Sequence[str]) -> dict[str, str]:
    """What the forms above are filled with, given the right names, a wrong one, and all options.

    >>> HARMLESS["Answer: X"].format(**ingredients(["cat"], "dog", ["cat", "dog"]))
    'Answer: cat'
    """
    x = ", ".join(names)
    wraps = {"plural": "{}s", "inside": "xx{}xx", "among": "a {} thing"}
    pieces = {key: ", ".join(form.format(n) for n in names) for key, form in wraps.items()}
    return pieces | {"X": x, "Y": wrong, "ALL": ", ".join(options), "lower": x.lower(), "upper": x.upper()}
