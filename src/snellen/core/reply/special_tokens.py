"""The special tokens of chat templates that are left in a reply."""

from __future__ import annotations

import re

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


def without_special_tokens(text: str) -> str:
    """Return the first turn with content; text that a model adds after its end is dropped."""
    if "<" not in text and "[" not in text:
        return text
    turns = _ENDS.split(text)
    first = next((turn for turn in turns if turn.strip()), "") if len(turns) > 1 else text
    return _OTHERS.sub("", first)
