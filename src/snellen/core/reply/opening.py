"""The first step of every reading: plain characters, no thinking, no special tokens, and the JSON in the reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from snellen.core.reply.characters import plain
from snellen.core.reply.courtesy import ends_unseen, without_courtesy
from snellen.core.reply.json_values import holds_json
from snellen.core.reply.special_tokens import without_special_tokens
from snellen.core.reply.thinking import without_thinking

LONGEST = 20_000
"""The number of characters read, from the end of the reply: an answer comes last."""


@dataclass(frozen=True)
class OpenedReply:
    """A reply without its thinking. `cut`: the reply ended inside its thinking, so it is empty. `value`: the JSON object or list that the
    text
    is or holds (the last one), and `around` the text beside it.
    """

    text: str
    cut: bool = False
    value: dict[str, Any] | list[Any] | None = None
    around: str = ""


def opened(reply: str, longest: int = LONGEST) -> OpenedReply:
    """Take thinking, special tokens and odd characters off a reply. Tags such as <point> or <box> stay.

    >>> opened("<think>Maybe red</think>Blue").text, opened("hm, red</think>Blue").text, opened("<think>Maybe red").cut
    ('Blue', 'Blue', True)
    >>> opened('```json\\n{"answer": "red"}\\n```').value
    {'answer': 'red'}
    """
    text, cut = without_thinking(plain(reply))
    if cut:
        return OpenedReply("", True)
    text = without_courtesy(without_special_tokens(text)[-longest:].strip())
    if ends_unseen(text):
        return OpenedReply("")
    value, around = holds_json(text)
    return OpenedReply(text, False, value, around)


def ends_in_thought(reply: str) -> bool:
    """Tell whether a reply ended inside its thinking, without an answer.

    >>> ends_in_thought("<think>Maybe red"), ends_in_thought("<think>Maybe red</think>")
    (True, False)
    """
    return without_thinking(plain(reply))[1]


def spoken(reply: str) -> str:
    """Return a reply without thinking and special tokens, with its own characters; an empty text if it ended inside its thinking.

    >>> spoken("<think>Maybe red</think>Caf\u00e9 \u2013 blue</s>"), spoken("<think>Maybe red")
    ('Caf\u00e9 \u2013 blue', '')
    """
    text, cut = without_thinking(reply)
    return "" if cut else without_special_tokens(text)
