"""Thinking, in any tags or channels, is not part of a reply. A reply that ended inside its thinking is empty."""

from __future__ import annotations

import re

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


def without_thinking(text: str) -> tuple[str, bool]:
    """Return the reply without thinking, and whether it ended before any reply."""
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
    """Return the text outside of thinking tags. Text before a closing tag without an opening one is thinking, too."""
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
    if within:  # also after a possible answer: the thinking may have been about to take it back
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
