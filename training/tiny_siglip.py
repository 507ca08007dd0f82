"""Train `tiny-siglip`, the small scorer that is shipped with Snellen: python -m training.tiny_siglip --out FOLDER

First the eye: the vision tower learns which of some 1,500 short sentences are true of a scene, of each part of it, and which
one tells it from a scene that differs in one way. Then the ear: the text tower learns to put captions where their pictures
already are. What is saved is an ordinary SiglipModel with its processor. It knows drawn scenes and nothing else.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from torch import Tensor, nn
from torch.nn import functional

from snellen.stats.intervals import wilson
from snellen.synthetic.pairs.make import SIZE as DRAWN
from snellen.synthetic.pairs.make import difference
from snellen.synthetic.pool import in_order
from snellen.synthetic.scenes.differences import KINDS_OF_DIFFERENCE
from snellen.synthetic.scenes.render import draw, jpeg
from snellen.synthetic.writing import write_json
from training import common

hf: Any = transformers
SEED, THREADS = 1, 2
PAIRS, STEPS, TEXT_STEPS = 12_000, 1_500, 500
SIZE, PATCH, WIDTH, LAYERS, HEADS = 112, 16, 128, 4, 4
TEXT_WIDTH, TEXT_LAYERS, LONGEST = 128, 2, 64
BATCH, TEXT_BATCH, STRANGERS = 32, 64, 1024
"""Pairs a step of the eye and of the ear, and pictures of other pairs with which captions of a step are compared."""
PAD, UNKNOWN, END = "<pad>", "<unk>", "</s>"
CARD = "held_out.json"
"""The file beside the weights with their scores on the held-out pairs."""
HELD_OUT = 7
"""The seed of the held-out set: the pairs of `snellen data make d3 --seed 7`, drawn with other random numbers than in training."""


class Pairs(NamedTuple):
    """All pairs to learn from: pictures as bytes, sentences by number, captions as text (pair, side, form)."""

    images: Tensor
    sentences: common.Sentences
    facts: Tensor
    slots: Tensor
    told: Tensor
    texts: list[tuple[tuple[str, ...], tuple[str, ...]]]


def gather(seed: int, count: int, workers: int) -> Pairs:
    """Draw the pairs, on several cores."""
    images = torch.empty(count, 2, SIZE, SIZE, 3, dtype=torch.uint8)
    sides: list[tuple[common.Side, common.Side]] = []
    keys = [(seed, index, SIZE) for index in range(count)]
    for index, made in enumerate(in_order(common.example, keys, workers)):
        images[index] = torch.frombuffer(bytearray(made.images), dtype=torch.uint8).view(images.shape[1:])
        sides.append(made.sides)
    flat = [side for both in sides for side in both]
    known = common.Sentences(text for side in flat for text in (*side.facts, *(t for slot in side.slots for t in slot)))
    return Pairs(
        images=images,
        sentences=known,
        facts=known.table(side.facts for side in flat).view(count, 2, -1),
        slots=known.table(slot for side in flat for slot in side.slots).view(count, 2, common.SLOTS, -1),
        told=torch.tensor([known.ids[side.told] for side in flat]).view(count, 2),
        texts=[(one.texts, other.texts) for one, other in sides],
    )


def words_of(text: str) -> list[str]:
    """Return the words that the tokenizer sees.

    >>> words_of("The boy's hat is red, not blue.")
    ['the', 'boy', 's', 'hat', 'is', 'red', 'not', 'blue']
    """
    return re.sub(r"[^\w\s]", " ", text.lower()).split()


def build_tokenizer(texts: Iterator[str]) -> Any:
    """Return a tokenizer with one word a token: lower case, no punctuation, an end mark; the words are those of the captions."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

    words = sorted({word for text in texts for word in words_of(text)})
    numbers = {word: number for number, word in enumerate((PAD, UNKNOWN, END, *words))}
    made = Tokenizer(models.WordLevel(numbers, unk_token=UNKNOWN))
    made.normalizer = normalizers.Sequence([normalizers.Lowercase(), normalizers.Replace(Regex(r"[^\w\s]"), " ")])
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(single=f"$A {END}", special_tokens=[(END, numbers[END])])
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token=PAD,
        unk_token=UNKNOWN,
        eos_token=END,
        model_max_length=LONGEST,
        padding_side="right",
    )


def build_model(tokenizer: Any) -> Any:
    """Return the model before training."""
    ends = {
        "pad_token_id": tokenizer.pad_token_id,
        "bos_token_id": tokenizer.eos_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": TEXT_WIDTH,
        "intermediate_size": 4 * TEXT_WIDTH,
        "num_hidden_layers": TEXT_LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": LONGEST,
        "projection_size": WIDTH,
        **ends,
    }
    vision = {
        "hidden_size": WIDTH,
        "intermediate_size": 4 * WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "image_size": SIZE,
        "patch_size": PATCH,
    }
    return hf.SiglipModel(hf.SiglipConfig(text_config=text, vision_config=vision))


def told_apart(left: Tensor, right: Tensor, of_left: Tensor, of_right: Tensor) -> Tensor:
    """Return a loss that is low where each picture's own text fits it better than the other one's."""
    apart = left - right
    return (functional.softplus(-(apart * of_left).sum(-1)) + functional.softplus((apart * of_right).sum(-1))).mean()


def learn_to_see(model: Any, data: Pairs, steps: int, chance: torch.Generator) -> None:
    """Train the vision tower with a vector for each sentence in place of a text tower; the vectors are then discarded."""
    eye, known = model.vision_model, data.sentences
    across = SIZE // PATCH
    common.start_with_patterns(eye.embeddings.patch_embedding, data.images[:1500].flatten(0, 1))
    common.start_in_order(eye.embeddings.position_embedding)
    often = torch.bincount(data.facts.flatten().long(), minlength=len(known) + 1)[:-1] / (2 * len(data.told))
    often_here = torch.bincount(data.slots.flatten().long(), minlength=len(known) + 1)[:-1] / (12 * len(data.told))
    said = nn.Parameter(0.02 * torch.randn(len(known), WIDTH))
    prior = nn.Parameter(torch.logit((often + often[known.mirror]) / 2, eps=1e-4))
    sharpness = nn.Parameter(torch.tensor(3.0))
    here = nn.Linear(WIDTH, len(known))
    with torch.no_grad():
        here.weight.copy_(0.02 * torch.randn(len(known), WIDTH))
        here.bias.copy_(torch.logit(often_here, eps=1e-4))
    pooled = common.slot_pooling(across)
    optimiser = common.Steps(eye, steps, others=(said, prior, sharpness, *here.parameters()))
    log = Log("eye", steps)
    eye.train()
    for chosen in common.batches(len(data.told), BATCH, steps, chance):
        images, facts, slots, told = data.images[chosen], data.facts[chosen], data.slots[chosen], data.told[chosen]
        turned = torch.rand(BATCH, generator=chance) < 0.5
        images[turned] = images[turned].flip(3)
        facts = torch.where(turned.view(-1, 1, 1), known.turned(facts), facts.long())
        other_slots = known.turned(slots[:, :, list(common.MIRRORED_SLOTS)])
        slots = torch.where(turned.view(-1, 1, 1, 1), other_slots, slots.long())
        told = torch.where(turned.view(-1, 1), known.turned(told), told)
        seen = eye(pixel_values=common.pixels(images.flatten(0, 1)))
        vectors = functional.normalize(seen.pooler_output, dim=-1)
        scale = sharpness.exp()
        whole = _wrong(scale * vectors @ said.T + prior, known.truths(facts.flatten(0, 1)))
        parts = _wrong(here(pooled @ seen.last_hidden_state), known.truths(slots.flatten(0, 1)))
        left, right = scale * vectors[0::2], scale * vectors[1::2]
        apart = told_apart(left, right, said[told[:, 0]], said[told[:, 1]])
        optimiser.down(whole / 10 + parts / 10 + apart)
        log.add(whole=whole, parts=parts, apart=apart)


def _wrong(given: Tensor, truths: Tensor) -> Tensor:
    """Return the loss for each picture."""
    return functional.binary_cross_entropy_with_logits(given, truths, reduction="sum") / len(truths)


def learn_to_listen(model: Any, tokenizer: Any, data: Pairs, steps: int, chance: torch.Generator) -> None:
    """Train the text tower against the vectors of the pictures, which do not change."""
    pictures = torch.cat([_seen(model, some) for some in torch.split(data.images.flatten(0, 1), 250)]).view(
        len(data.told), 2, -1
    )
    forms = len(data.texts[0][0])
    flat = [text for both in data.texts for side in both for text in side]
    ids = torch.tensor(tokenize(tokenizer, flat), dtype=torch.int16).view(len(data.told), 2, forms, LONGEST)
    same = (
        (ids[:, :1] == ids[:, 1:]).all(-1).squeeze(1)
    )  # forms that say nothing of the difference give way to the first
    with torch.no_grad():
        model.logit_scale.fill_(3.0)
        model.logit_bias.fill_(-6.0)
    ear = nn.ModuleDict({"text": model.text_model, "scale": nn.ParameterList([model.logit_scale, model.logit_bias])})
    optimiser = common.Steps(ear, steps, scalars=(model.logit_scale, model.logit_bias))
    log = Log("ear", steps)
    ear.train()
    for chosen in common.batches(len(data.told), TEXT_BATCH, steps, chance):
        form = torch.multinomial(torch.tensor([0.55, 0.15, 0.15, 0.15]), TEXT_BATCH, replacement=True, generator=chance)
        form = torch.where(same[chosen, form], 0, form)
        texts = ids[chosen, :, form].long().flatten(0, 1)
        others = torch.randint(len(data.told), (STRANGERS,), generator=chance)
        others = others[~torch.isin(others, chosen)]
        own = pictures[chosen].flatten(0, 1)
        held = torch.cat((own, pictures[others, 0]))
        vectors = functional.normalize(model.text_model(input_ids=texts).pooler_output, dim=-1)
        scale = model.logit_scale.exp()
        fits = torch.eye(len(own), len(held))
        whole = _wrong(scale * vectors @ held.T + model.logit_bias, fits)
        apart = told_apart(scale * own[0::2], scale * own[1::2], vectors[0::2], vectors[1::2])
        optimiser.down(whole + apart)
        log.add(whole=whole, apart=apart)


@torch.inference_mode()
def _seen(model: Any, images: Tensor) -> Tensor:
    vectors: Tensor = model.eval().vision_model(pixel_values=common.pixels(images)).pooler_output
    return functional.normalize(vectors, dim=-1).clone()


def tokenize(tokenizer: Any, texts: Sequence[str]) -> list[list[int]]:
    """Return the numbers of the words of each text, padded to the full length as the scorer does."""
    given = tokenizer(list(texts), padding="max_length", truncation=True, max_length=LONGEST)
    ids: list[list[int]] = given["input_ids"]
    return ids


def save(model: Any, tokenizer: Any, out: Path) -> None:
    """Write model and processor like any SigLIP checkpoint, and graphs for ONNX Runtime."""
    from training.onnx_export import export

    tokenizer.backend_tokenizer.no_padding()
    tokenizer.backend_tokenizer.no_truncation()
    images = hf.SiglipImageProcessorPil(size={"height": SIZE, "width": SIZE})
    hf.SiglipProcessor(image_processor=images, tokenizer=tokenizer).save_pretrained(out)
    images.save_pretrained(out)  # where transformers 4 looks for it
    model.eval().save_pretrained(out)
    common.halve(out)
    export(out)


class Log:
    """A log that now and then prints the progress of training."""

    def __init__(self, name: str, steps: int, every: int = 50) -> None:
        self._name, self._steps, self._every = name, steps, every
        self._kept: list[dict[str, float]] = []
        self._began = time.perf_counter()

    def add(self, **losses: Tensor) -> None:
        self._kept.append({name: float(value.detach()) for name, value in losses.items()})
        done = len(self._kept)
        if done % self._every == 0 or done == self._steps:
            recent = self._kept[-self._every :]
            told = ", ".join(f"{name} {sum(row[name] for row in recent) / len(recent):.3f}" for name in recent[0])
            say(f"{self._name} {done}/{self._steps}: {told} ({time.perf_counter() - self._began:.0f} s)")


def say(text: str) -> None:
    """Print to standard error, at once."""
    print(text, file=sys.stderr, flush=True)


class Score(NamedTuple):
    """The number of pairs with both captions retrieving their picture: all, by kind of difference, and with the captions shuffled."""

    n: int
    both: int
    shuffled: int
    kinds: dict[str, tuple[int, int]]

    def card(self) -> dict[str, Any]:
        """Return the data kept beside the weights."""
        low, high = wilson(self.both, self.n)
        return {**self._asdict(), "rate": self.both / self.n, "low": low, "high": high}

    def told(self) -> str:
        """Format the score in one line."""
        low, high = wilson(self.both, self.n)
        kinds = ", ".join(f"{kind} {right}/{n}" for kind, (right, n) in self.kinds.items())
        by_chance = wilson(self.shuffled, self.n)
        return (
            f"both correct {self.both}/{self.n} = {self.both / self.n:.1%} (95 % {low:.1%} to {high:.1%}); {kinds}; "
            f"shuffled captions {self.shuffled}/{self.n} = {self.shuffled / self.n:.1%} (95 % {by_chance[0]:.1%} to {by_chance[1]:.1%})"
        )


def score(folder: Path, seed: int, count: int) -> Score:
    """Score a saved model with the reference captions of `snellen data make d3 --seed SEED --count COUNT`, strictly: a tie is wrong."""
    model = hf.AutoModel.from_pretrained(folder, local_files_only=True).eval()
    processor = hf.AutoProcessor.from_pretrained(folder, local_files_only=True)
    told = [difference(seed, index) for index in range(count)]
    pictures, captions = [], []
    with torch.inference_mode():
        for one in told:
            files = [jpeg(draw(scene, DRAWN).image) for scene in (one.one, one.other)]
            pictures.append(_pictures(model, processor, files))
            captions.append(torch.tensor(tokenize(processor.tokenizer, one.captions)))
        texts = functional.normalize(model.get_text_features(torch.cat(captions)).pooler_output, dim=-1)
    dealt = list(range(2 * count))
    random.Random(seed).shuffle(dealt)  # noqa: S311
    right = _both(torch.stack(pictures), texts.view(count, 2, -1))
    kinds = {}
    for kind in KINDS_OF_DIFFERENCE:
        mine = [ok for ok, one in zip(right, told, strict=True) if one.kind == kind]
        kinds[kind] = sum(mine), len(mine)
    return Score(count, sum(right), sum(_both(torch.stack(pictures), texts[dealt].view(count, 2, -1))), kinds)


def _pictures(model: Any, processor: Any, files: Sequence[bytes]) -> Tensor:
    from PIL import Image

    opened = [Image.open(io.BytesIO(data)).convert("RGB") for data in files]
    given = processor.image_processor(images=opened, return_tensors="pt")
    return functional.normalize(model.get_image_features(**given).pooler_output, dim=-1)


def _both(pictures: Tensor, texts: Tensor) -> list[bool]:
    fits = texts @ pictures.transpose(1, 2)
    return ((fits[:, 0, 0] > fits[:, 0, 1]) & (fits[:, 1, 1] > fits[:, 1, 0])).tolist()


def train(
    out: Path,
    *,
    seed: int = SEED,
    threads: int = THREADS,
    pairs: int = PAIRS,
    steps: int = STEPS,
    text_steps: int = TEXT_STEPS,
) -> None:
    """Run everything: draw, learn to see, learn to listen, save."""
    began = time.perf_counter()
    chance = common.settle(seed, threads)
    data = gather(seed, pairs, threads)
    say(f"{pairs} pairs drawn, {len(data.sentences)} sentences ({time.perf_counter() - began:.0f} s)")
    tokenizer = build_tokenizer(text for both in data.texts for side in both for text in side)
    model = build_model(tokenizer)
    say(f"{sum(p.numel() for p in model.parameters()):,} weights, {len(tokenizer)} words")
    learn_to_see(model, data, steps, chance)
    learn_to_listen(model, tokenizer, data, text_steps, chance)
    save(model, tokenizer, out)
    say(
        f"saved in {out} ({time.perf_counter() - began:.0f} s, {time.process_time():.0f} s of processor time without drawing)"
    )


def main(given: Sequence[str] | None = None) -> None:
    """Train, then score on pairs that were not trained on."""
    parser = argparse.ArgumentParser(
        prog="python -m training.tiny_siglip", description="Train the small scorer of Snellen."
    )
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--threads", type=int, default=THREADS, help="another number gives other weights, not other scores"
    )
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs of scenes to learn from")
    parser.add_argument("--steps", type=int, default=STEPS, help="steps of the vision tower")
    parser.add_argument("--text-steps", type=int, default=TEXT_STEPS, help="steps of the text tower")
    parser.add_argument("--held-out", type=int, default=HELD_OUT, help="seed of the pairs to score on")
    parser.add_argument("--count", type=int, default=500, help="how many pairs to score on")
    parser.add_argument("--score-only", action="store_true", help="train nothing, score what is in --out")
    args = parser.parse_args(given)
    if not args.score_only:
        train(
            args.out,
            seed=args.seed,
            threads=args.threads,
            pairs=args.pairs,
            steps=args.steps,
            text_steps=args.text_steps,
        )
    found = score(args.out, args.held_out, args.count)
    say(found.told())
    write_json(args.out / CARD, {"seed": args.held_out, **found.card()})


if __name__ == "__main__":
    main()
