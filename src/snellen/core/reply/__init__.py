"""From a reply to its content: the front end that our own readers share. Pure functions, independent of any exam.

A reply passes through in this order:

1. `opened` makes its characters plain, takes off thinking and special tokens, and finds the JSON that it is or holds
   (`characters`, `thinking`, `special_tokens`, `courtesy`, `json_values`; `spoken` only takes off);
2. `field` looks into JSON; `marked`, `layout_off` and `unwrapped` take off the wrappers around an answer in a text (`wrappers`);
3. `after_correction` and `correction_end` leave out text that was taken back (`corrections`);
4. `numbers_in` reads numbers, and `trimmed` takes signs off a text's ends except a minus sign (`numbers`);
5. `finished` keeps the part that counts of a reply that was cut off (`cuts`);
6. `left_open`, `taken_back`, `undoubted` and related functions find options that are named but not chosen (`doubts`).

Readers of a closed list of options (SalBench, IllusionBench) call `Options.said`. It takes all these steps and then handles bare
answers, copied option lists, and yes and no beside options (`options`, `vocabulary`, `flags`). Grounding, VQA with explanations and
D3 call the steps that they need. Each exam has its own grammar for what a statement asserts and denies. Readers of protocols
named after other projects do not use this package.

Everything is linear in the length of a reply. No pattern has two repeats that could share characters, and `hints` are tested before
patterns.
"""

from snellen.core.reply.characters import plain
from snellen.core.reply.corrections import after_correction, correction_end
from snellen.core.reply.cuts import finished, says_only
from snellen.core.reply.doubts import certain, is_plain, left_open, taken_back, undoubted
from snellen.core.reply.hints import is_there
from snellen.core.reply.json_values import every_json, field, holds_json
from snellen.core.reply.numbers import Number, is_part_of_number, minus_signs, minus_words, numbers_in, trimmed
from snellen.core.reply.opening import OpenedReply, ends_in_thought, opened, spoken
from snellen.core.reply.options import Options, Statement
from snellen.core.reply.wrappers import latex_off, layout_off, marked, unwrapped

__all__ = [
    "Number",
    "OpenedReply",
    "Options",
    "Statement",
    "after_correction",
    "certain",
    "correction_end",
    "ends_in_thought",
    "every_json",
    "field",
    "finished",
    "holds_json",
    "is_part_of_number",
    "is_plain",
    "is_there",
    "latex_off",
    "layout_off",
    "left_open",
    "marked",
    "minus_signs",
    "minus_words",
    "numbers_in",
    "opened",
    "plain",
    "says_only",
    "spoken",
    "taken_back",
    "trimmed",
    "undoubted",
    "unwrapped",
]
