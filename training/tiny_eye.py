"""Add the layers trained on the eye exam (`tiny_look.py`) to snellen-tiny, by hand and beside its existing weights.

The language model gets more dimensions, heads and units. The old parts do not read them. The new parts write only to them. On questions of
another exam these values are tiny: the length by which a norm divides changes by less than one part in a thousand. The model therefore
answers other exams as before, whatever the new eye sees.

1. Patches carry VALUES numbers, and how much they matter to each faculty. A question of the eye exam carries its faculty's mark.
2. In the first layer a marked question averages the values of the patches that matter to it. Units that open only at a mark
   copy the average to where words are read from (OUT), and set a flag (ASKED).
3. In the second layer the following tokens copy both from where ASKED is. The reply's first token is the word most like the average;
   a unit that is open only after such a question ends the reply after one such word.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import torch
import transformers

from snellen.exams.eye.faculties import FACULTIES
from snellen.synthetic.patterns import wording
from training import tiny_model
from training.tiny_look import LAYERS, UNITS, VALUES, Look
from training.tiny_sheets import TAUGHT

MORE = UNITS
"""The number of new dimensions, and of new units of each layer."""
QUIET = 256.0
"""The factor by which new dimensions are written more quietly than old ones, and read louder."""
MARKED = 20.0
"""The loudness of a mark relative to the rest of its token, once it is read that much louder."""
SURE, OPEN = 12.0, 8.0
"""A token's certainty about where to look, and the width to which a gate opens."""
BOOST, LAST, CLEAR = 60.0, 1000.0, 6.0
"""The boost of the eye exam's words after its questions, the boost of the end after such a word, and the weight of what the eye saw
relative to what the old weights say to a question that they were not trained on."""
AGAIN = 30.0
"""The factor by which the tokens after a question write the copy louder than they read it."""
LOUD = 16384.0
"""The factor by which the dimensions for words are read louder than others. Words are written there so quietly that one in a
question of another exam is not mistaken for an answer."""

_COUNT = len(TAUGHT)
VALUE = slice(0, VALUES)
MATTER = slice(VALUES, VALUES + _COUNT)
MARK = slice(MATTER.stop, MATTER.stop + _COUNT)
SAID = MARK.stop
OUT = slice(SAID + 1, SAID + 1 + VALUES)
ASKED, OVER = OUT.stop, OUT.stop + 1


def widened(old: Any, known: Mapping[str, int], tokenizer: Any) -> Any:
    """Return the model with new dimensions, which are all zeros: its replies do not change. `known` are the old tokenizer's words."""
    config = copy.deepcopy(old.config)
    text, vision = config.text_config, config.vision_config
    text.hidden_size += MORE
    text.num_attention_heads = text.num_key_value_heads = text.hidden_size // text.head_dim
    text.intermediate_size += MORE
    text.vocab_size = len(tokenizer)
    config.vision_feature_layer = [vision.num_hidden_layers, vision.num_hidden_layers + LAYERS]
    vision.num_hidden_layers += LAYERS
    words = tokenizer.get_vocab()
    config.image_token_index = words[tiny_model.IMAGE]
    text.pad_token_id, text.eos_token_id = words[tiny_model.PAD], words[tiny_model.END]
    model = transformers.LlavaForConditionalGeneration(config).float().eval()
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = text.eos_token_id, text.pad_token_id
    before = dict(old.named_parameters())
    with torch.no_grad():
        for name, now in model.named_parameters():
            if name not in before:
                continue
            was = before[name].float()
            now.zero_()
            if "embed_tokens" in name:
                for word, place in words.items():
                    now[place, : was.shape[1]] = was[known.get(word, known[tiny_model.UNKNOWN])]
            elif was.dim() == 1:
                now[: len(was)] = was * (_narrow(model) if "norm" in name and "vision" not in name else 1.0)
            else:
                now[tuple(slice(size) for size in was.shape)] = was
    return model


def _narrow(model: Any) -> float:
    """Return the factor that compensates for the mean of a norm over more dimensions."""
    width: int = model.config.text_config.hidden_size
    return float(((width - MORE) / width) ** 0.5)


@torch.no_grad()
def put_in(model: Any, look: Look, tokenizer: Any, seen: torch.Tensor) -> None:
    """Make a widened model look and reply as `look` does. The new weights are set; nothing is trained.

    `seen` is the old eye's output for some sheets of the first faculty, by which the loudness of replies is set.
    """
    inner, words = model.model, tokenizer.get_vocab()
    table, layers, narrow = inner.get_input_embeddings().weight, inner.language_model.layers, _narrow(model)
    width = table.shape[1] - MORE
    bridge, new = inner.multi_modal_projector, look.second.out_features
    for into, layer in zip(inner.vision_tower.encoder.layers[-LAYERS:], look.layers, strict=True):
        into.load_state_dict(layer.state_dict())
    bridge.linear_1.weight[width:], bridge.linear_1.bias[width:] = look.first.weight, look.first.bias
    bridge.linear_2.weight[width : width + new] = look.second.weight / QUIET
    bridge.linear_2.bias[width : width + new] = look.second.bias / QUIET
    asked, replies = [words[FACULTIES[name].question] for name in TAUGHT], [words[word] for word in look.words]
    table[asked, :width] = table[words[wording.question("P3")], :width]
    mark = MARKED * float(table[asked[0], :width].square().mean().sqrt()) / QUIET
    for faculty, place in enumerate(asked):
        table[place, width + MARK.start + faculty] = mark
    table[replies, width + SAID] = mark
    layers[0].input_layernorm.weight[width:] = layers[0].post_attention_layernorm.weight[width:] = QUIET * narrow
    layers[1].input_layernorm.weight[width:] = layers[1].post_attention_layernorm.weight[width:] = narrow
    layers[1].post_attention_layernorm.weight[width + SAID] = QUIET * narrow
    inner.language_model.norm.weight[width + OUT.start :] = LOUD * narrow
    share = 1 / float(look.pooled(seen, torch.zeros(len(seen), dtype=torch.long))[1].norm(dim=1).mean())
    _find(layers[0], width, mark * share, float(layers[0].input_layernorm(table[asked[0]])[width + MARK.start]))
    _pass_on(layers[1], width)
    ids = torch.tensor([[asked[0], words[tiny_model.REPLY], replies[0]]]).expand(len(seen), -1)
    shown = bridge(torch.cat([seen, look.more(seen)], dim=-1))
    said = inner.language_model(inputs_embeds=torch.cat([shown, table[ids]], dim=1), use_cache=False).last_hidden_state
    loud, over = float(said[:, -2, width + ASKED].mean()), float(said[:, -1, width + OVER].mean())
    table[replies, width + OUT.start : width + OUT.stop] = CLEAR * look.word.weight / (share * loud)
    table[replies, width + ASKED] = (BOOST + CLEAR * look.word.bias) / loud
    table[words[tiny_model.END], width + OVER] = LAST / over


def _slow(attention: Any, number: int) -> int:
    """Return a dimension of the first new head that positions hardly turn: two of each pair, the slowest pairs first."""
    half, start = attention.head_dim // 2, attention.q_proj.out_features - MORE
    return int(start + half - 1 - number // 2 + half * (number % 2))


def _find(layer: Any, width: int, loud: float, read: float) -> None:
    """Make a marked question average the values of the patches that matter to its faculty, and copy them to where words are read from.

    A mark is read as `read`; the average is written `loud` times as loud as it was read.
    """
    attention, units = layer.self_attn, layer.mlp
    for faculty in range(_COUNT):
        slow, marked = _slow(attention, faculty), width + MARK.start + faculty
        attention.q_proj.weight[slow, marked] = attention.head_dim**0.5 / read
        attention.k_proj.weight[slow, width + MATTER.start + faculty] = 1.0
        attention.k_proj.weight[slow, marked] = -4 * SURE / read  # not at itself
    for value in range(VALUES):
        attention.v_proj.weight[width + value, width + value] = 1.0
        attention.o_proj.weight[width + value, width + value] = loud
    first = units.gate_proj.out_features - MORE
    for unit in range(VALUES + 1):
        units.gate_proj.weight[first + unit, width + MARK.start : width + MARK.stop] = OPEN
    for value in range(VALUES):
        units.up_proj.weight[first + value, width + value] = 1.0
        units.down_proj.weight[width + OUT.start + value, first + value] = 1.0
    units.up_proj.weight[first + VALUES, width + MARK.start : width + MARK.stop] = 1.0
    units.down_proj.weight[width + ASKED, first + VALUES] = 1.0


def _pass_on(layer: Any, width: int) -> None:
    """Make the tokens after a question copy from it, and end the reply after a word of the eye exam."""
    attention, units = layer.self_attn, layer.mlp
    slow, start = _slow(attention, 0), attention.q_proj.out_features - MORE
    attention.q_proj.bias[slow] = attention.head_dim**0.5
    attention.k_proj.weight[slow, width + ASKED] = SURE
    for place, dimension in enumerate((*range(OUT.start, OUT.stop), ASKED)):
        attention.v_proj.weight[start + place, width + dimension] = 1.0
        attention.o_proj.weight[width + dimension, start + place] = AGAIN
    unit = units.gate_proj.out_features - MORE
    units.gate_proj.weight[unit, width + ASKED] = OPEN
    units.up_proj.weight[unit, width + SAID] = 1.0
    units.down_proj.weight[width + OVER, unit] = 1.0


def taught(old: Any, processor: Any, look: Look, seen: torch.Tensor) -> tuple[Any, Any]:
    """Return the old model with the eye, and its processor; `seen` as in `put_in`."""
    known = processor.tokenizer.get_vocab()
    tokenizer = tiny_model.tokenizer_of(look.words, known)
    model = widened(old, known, tokenizer)
    put_in(model, look, tokenizer, seen)
    return model, tiny_model.processor_of(tokenizer)
