"""The front end of our own readers: thinking, special tokens and wrappers come off a reply here, once for all exams.

A reply that ended inside its thinking has said nothing. Everything is linear in the length of the reply: tags are found one by
one, and no pattern has two repeats that could share characters. Readers of protocols named after somebody else do not come here.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from snellen.core.reply_json import field, holds_json
from snellen.core.reply_words import after_correction, latex_off, layout_off, marked, unwrapped

__all__ = [
    "Opened",
    "after_correction",
    "field",
    "holds_json",
    "latex_off",
    "layout_off",
    "marked",
    "opened",
    "plain",
    "spoken",
    "unwrapped",
]

LONGEST = 20_000
"""Characters from the end of what was said that are read: an answer comes last."""


@dataclass(frozen=True)
class Opened:
    """What was said. `cut`: the reply ended inside its thinking, so nothing was. `value`: the JSON object or list that the text is
    or holds (the last one), and `around` the text beside it.
    """

    text: str
    cut: bool = False
    value: dict[str, Any] | list[Any] | None = None
    around: str = ""


def opened(reply: str, longest: int = LONGEST) -> Opened:
    """Take thinking, special tokens and odd characters off a reply. Tags such as <point> or <box> stay.

    >>> opened("<think>Maybe red</think>Blue").text, opened("hm, red</think>Blue").text, opened("<think>Maybe red").cut
    ('Blue', 'Blue', True)
    >>> opened('```json\\n{"answer": "red"}\\n```').value
    {'answer': 'red'}
    """
    text, cut = _without_thinking(plain(reply))
    if cut:
        return Opened("", True)
    text = _without_courtesy(_without_special_tokens(text)[-longest:].strip())
    if _UNSEEN.search(text, max(0, len(text) - 80)):
        return Opened("")
    value, around = holds_json(text)
    return Opened(text, False, value, around)


def spoken(reply: str) -> str:
    """A reply without thinking and special tokens, its own characters as they are; empty where it ended inside its thinking.

    >>> spoken("<think>Maybe red</think>Caf\u00e9 \u2013 blue</s>"), spoken("<think>Maybe red")
    ('Caf\u00e9 \u2013 blue', '')
    """
    text, cut = _without_thinking(reply)
    return "" if cut else _without_special_tokens(text)


# ---------------------------------------------------------------- characters

_ZERO_WIDTH = (0xAD, 0x61C, 0x180E, 0xFE0E, 0xFE0F, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F))
_CHARACTERS: dict[int, str | None] = {
    **dict.fromkeys(_ZERO_WIDTH),
    **dict.fromkeys(range(0x2060, 0x2070)),
    **dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b\u2032\u00b4"), "'"),
    **dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\u300c\u300d\u300e\u300f"), '"'),
    **dict.fromkeys(map(ord, "\u2010\u2011\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2014\u2015\u2e3a"), " - "),
    **dict.fromkeys(map(ord, "\u2028\u2029\x85\x0b\x0c"), "\n"),
    ord("\u3002"): ".",
    ord("\u3001"): ",",
    ord("\u3010"): "[",
    ord("\u3011"): "]",
}
_SHORT_DASH = re.compile("(?<=\\d)[\u2012\u2013](?=\\d)")
_ENTITY = re.compile(r"&(?:lt|gt|quot|amp|nbsp|apos|#\d{1,5}|#x[0-9a-f]{1,5});", re.IGNORECASE)


def plain(text: str) -> str:
    """Full-width characters, curly quotes, long dashes, odd spaces and HTML entities as their plain forms; nothing invisible.

    >>> plain("\\uff08\\uff11\\uff10\\uff0c\\uff12\\uff10\\uff09 \\u201cred\\u201d")
    '(10,20) "red"'
    """
    if "&" in text:
        text = _ENTITY.sub(lambda m: html.unescape(m.group()), text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_CHARACTERS)).translate(_CHARACTERS)
        text = _SHORT_DASH.sub("-", text).replace("\u2013", " - ").replace("\u2012", " - ")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


# ---------------------------------------------------------------- thinking

_NAMES = (
    "think|thinking|thought|thoughts|reasoning|reasoning_content|scratchpad|reflection|analysis|cot|chain_of_thought"
    "|inner_thoughts|inner_monologue|internal_monologue|seed:think"
)
_TAG = re.compile(
    rf"<\s?(?P<close>/?)\s?(?P<name>{_NAMES})(?:\s[^<>]{{0,200}})?>"
    r"|\[(?P<close2>/?)(?P<name2>think|thinking|thought|reasoning)\]"
    "|\u25c1(?P<close3>/?)(?P<name3>think)\u25b7"
    r"|<\|(?P<edge>begin|end|start)_(?:of_)?(?P<name4>thought|thinking|think)\|>"
    r"|(?P<open5><unused94>)(?:thought)?|(?P<close5><unused95>)",
    re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s?(?P<name>\w{1,20})[^<>]{0,100}(?:<\|constrain\|>[^<>]{0,40})?<\|message\|>")
_CHANNEL_ENDS = re.compile(r"<\|(?:end|start|return|call|channel)\|>")
_BARE_CHANNEL = re.compile(r"(?:analysis|commentary)(?=[A-Z])")
_OLLAMA = re.compile(r"\s{0,9}thinking\.\.\.\s", re.IGNORECASE)


def _without_thinking(text: str) -> tuple[str, bool]:
    """What was said, and whether the reply ended before it said anything."""
    if "<|channel|>" in text:
        return _final_channel(text)
    if bare := _BARE_CHANNEL.match(text):  # the same with its special tokens dropped
        _before, found, said = text[bare.end() :].rpartition("assistantfinal")
        return said, not found
    if _OLLAMA.match(text):
        _before, found, said = text.partition("...done thinking.")
        if not found:
            return "", True
        text = said
    if "<" not in text and "[" not in text and "\u25c1" not in text:
        return text, False
    return _outside_tags(text)


def _final_channel(text: str) -> tuple[str, bool]:
    said = None
    for channel in _CHANNEL.finditer(text):
        if channel["name"].lower() == "final":
            end = _CHANNEL_ENDS.search(text, channel.end())
            said = text[channel.end() : end.start() if end else len(text)]
    return ("", True) if said is None else (said, False)


def _outside_tags(text: str) -> tuple[str, bool]:
    """Text outside of thinking tags. What stands before a closing tag without an opening one is thinking, too."""
    tags = [(*_tag(found), found.start(), found.end()) for found in _TAG.finditer(text)]
    last_close = {name: start for closes, name, start, _end in tags if closes}
    said: list[str] = []
    within, at = "", 0
    for closes, name, start, end in tags:
        if closes:
            if within and name != within and last_close.get(within, -1) > start:
                continue  # it closes something inside
            if not within:
                said.clear()
            within, at = "", end
        elif not within:
            said.append(text[at:start])
            within = name
    if within:  # also after something that looks like an answer: the thinking may have been about to take it back
        return "", True
    said.append(text[at:])
    return "\n".join(part for part in said if part.strip()), False


def _tag(found: re.Match[str]) -> tuple[bool, str]:
    if found["open5"] or found["close5"]:
        return bool(found["close5"]), "unused"
    if found["edge"]:
        return found["edge"].lower() == "end", "thought"
    name = (found["name"] or found["name2"] or found["name3"]).lower()
    closes = bool(found["close"] or found["close2"] or found["close3"])
    return closes, {"thinking": "think", "seed:think": "think", "thoughts": "thought"}.get(name, name)


# ---------------------------------------------------------------- courtesy

_COURTESY = re.compile(
    r"(?:\n|(?<=[.!?)}*])[^\S\n])\s{0,9}(?:i hope (?:this|that) helps|hope (?:this|that) helps|(?:please )?(?:let me know"
    r"|feel free|do not hesitate"
    r"|don't hesitate)\b[^\n.!?]{0,120})[.!?]{0,3}\s{0,9}$",
    re.IGNORECASE,
)
# who ends with that has answered nothing, whatever was named before
_UNSEEN = re.compile(
    r"\bi(?:'d|'m)?\s(?:(?:would|do|am|still)\s){0,2}(?:cannot|can't|can not|couldn't|need to|have to|unable to"
    r"|not able to)\s(?:actually |really )?"
    r"(?:see|view|access|open)\s(?:the|this|any|an|your)\s(?:image|picture|photo)\b\W{0,3}$",
    re.IGNORECASE,
)
_COURTESY_HINTS = ("helps", "let me know", "feel free", "hesitate")


def _without_courtesy(text: str) -> str:
    """Without "I hope this helps!" and the like at the end, which would pass for a last line.

    >>> _without_courtesy("Red\\n\\nI hope this helps!")
    'Red'
    """
    end = text[-200:].lower()
    if not any(hint in end for hint in _COURTESY_HINTS):
        return text
    found = _COURTESY.search(text, max(0, len(text) - 200))
    return text[: found.start()].rstrip() if found and found.start() else text


# ---------------------------------------------------------------- special tokens

_ENDS = re.compile(
    "</s>|<eos>|<end_of_turn>|<\\|(?:im_end|eot_id|eom_id|end|endoftext|end_of_text|return|end\u2581of\u2581sentence|end_of_sentence"
    "|end_of_turn_token|end_response|end_of_solution|end_of_utterance)\\|>|<end_of_utterance>",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    "<s>|<bos>|<pad>|<unk>|<image>|\\[/?INST\\]|<start_of_turn>(?:model|user)?\n?|<\\|(?:im_start|start)\\|>(?:assistant|system|user)?\n?"
    "|<\\|start_header_id\\|>\\w{0,20}<\\|end_header_id\\|>|<\\|(?:begin_of_text|begin\u2581of\u2581sentence|begin_of_sentence|begin_of_solution"
    "|start_response|start_of_turn_token|chatbot_token|assistant|message|pad)\\|>",
    re.IGNORECASE,
)


def _without_special_tokens(text: str) -> str:
    """The first turn that says something; what a model goes on with after its end is not said."""
    if "<" not in text and "[" not in text:
        return text
    turns = _ENDS.split(text)
    first = next((turn for turn in turns if turn.strip()), "") if len(turns) > 1 else text
    return _OTHERS.sub("", first)
