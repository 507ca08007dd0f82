"""snellen-tiny itself: tokenizer, processor and an untrained LlavaForConditionalGeneration, and how rows become tensors.

The tokenizer knows words with the space before them, so that its tokens joined are the text, and every fixed text of an exam's
prompt as one token: attention over a hundred constant words would take most of the training time and teach nothing.
A row is laid out as its pictures followed by all its questions. Each question attends only to the pictures and itself, at the
positions that it would have if it were the only one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
import transformers
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers
from torch.nn import functional

from snellen.subjects.local.source import packaged
from training.tiny_data import FINE, GRID, PATCH, SIDE, Block, Row, texts_of
from training.tiny_sheets import TAUGHT

IMAGE_TOKENS = GRID * GRID
PAD, UNKNOWN, END, REPLY, IMAGE = "<pad>", "<unk>", "</s>", "<reply>", "<image>"
TEMPLATE = (
    "{% for m in messages %}{% if m.role == 'assistant' %}<reply>{% endif %}"
    "{% for c in m.content if c.type == 'image' %}<image>{% endfor %}"
    "{% for c in m.content if c.type == 'text' %}{{ c.text }}{% endfor %}"
    "{% if m.role == 'assistant' %}</s>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<reply>{% endif %}"
)
"""Pictures first, whatever their place in the turn; then the text."""
WORDS = Regex(r" ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]|\s")
LONGEST = 1024
WHY = 0.2
"""The weight of a word of an explanation relative to a word of an answer."""
IGNORED = -100
NEWS = 0.03
"""The mean difference from which a patch counts as different, where black and white are 2 apart."""
COMMON = frozenset(
    ["the", "a", "an", "it", "is", "are", "there", "has", "of", "in", "on", "at", "by", "with", "to", "from", "wearing"]
)
"""Words of facts that name nothing that can be seen."""


def phrases() -> list[str]:
    """Return the texts that are one token each: text shared by prompts, and the frame of a D3 reply."""
    from snellen.exams.d3.prompts import TEXT
    from snellen.exams.eye.faculties import FACULTIES
    from snellen.exams.illusionbench.names import SUBSETS
    from snellen.exams.illusionbench.prompts import text_of
    from snellen.exams.vqa_nle.names import TASKS
    from snellen.synthetic.patterns import wording

    fixed = [
        wording.question("P3"),
        TEXT,
        *(text_of("original", s, task) for s in SUBSETS for task in ("shape", "scene")),
    ]
    fixed += [task.explain.partition("{")[0] for task in TASKS.values()]
    fixed += ["Question: ", *(f"\n{letter}) " for letter in "ABCD"), *(f"<det{i}>" for i in range(6))]
    fixed += ['{"left_image": "', '", "right_image": "', '"}']
    fixed += [FACULTIES[name].question for name in TAUGHT]
    return fixed


def tokenizer_of(texts: Iterable[str], words: Iterable[str] = ()) -> Any:
    """Return a word-level tokenizer for these texts, with additional words."""
    splitter = pre_tokenizers.Split(WORDS, behavior="isolated")
    fixed = phrases()
    seen = set(words)
    apart = re.compile("|".join(re.escape(phrase) for phrase in sorted(fixed, key=len, reverse=True)))
    for text in texts:
        for piece in apart.split(text):
            seen.update(word for word, _ in splitter.pre_tokenize_str(piece))
    special = [PAD, UNKNOWN, END, REPLY, IMAGE]
    seen -= {*special, *fixed}
    inner = Tokenizer(
        models.WordLevel({word: i for i, word in enumerate([*special, *sorted(seen)])}, unk_token=UNKNOWN)
    )
    inner.pre_tokenizer = splitter
    inner.decoder = decoders.Fuse()
    inner.add_special_tokens([AddedToken(word, normalized=False, special=True) for word in special])
    inner.add_tokens([AddedToken(phrase, normalized=False) for phrase in fixed])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token=PAD,
        unk_token=UNKNOWN,
        eos_token=END,
        padding_side="left",
        clean_up_tokenization_spaces=False,
        model_max_length=LONGEST,
    )


def processor_of(tokenizer: Any) -> Any:
    """Return a processor for pictures of one size, with the tokenizer, as LLaVA's."""
    images = transformers.CLIPImageProcessorPil(
        size={"height": SIDE, "width": SIDE},
        do_center_crop=False,
        crop_size={
            "height": SIDE,
            "width": SIDE,
        },  # not cropped; the processor counts an image's tokens by it all the same
        resample=3,
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    return transformers.LlavaProcessor(
        image_processor=images,
        tokenizer=tokenizer,
        patch_size=PATCH,
        vision_feature_select_strategy="full",
        num_additional_image_tokens=0,
        chat_template=TEMPLATE,
        image_token=IMAGE,
    )


def untrained(tokenizer: Any, seed: int) -> Any:
    """Return the model before training; the same for the same seed."""
    torch.manual_seed(seed)
    ids = {word: tokenizer.convert_tokens_to_ids(word) for word in (PAD, END, IMAGE)}
    eye = transformers.AutoConfig.from_pretrained(packaged("tiny-siglip")).vision_config
    eye.vision_use_head = False
    config = transformers.LlavaConfig(
        vision_config=eye,
        text_config=transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=128,
            intermediate_size=256,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=4,
            max_position_embeddings=LONGEST,
            tie_word_embeddings=True,
            initializer_range=0.05,
            attention_bias=True,
            pad_token_id=ids[PAD],
            bos_token_id=None,
            eos_token_id=ids[END],
        ),
        image_token_index=ids[IMAGE],
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
        image_seq_length=IMAGE_TOKENS,
        tie_word_embeddings=True,
    )
    model = transformers.LlavaForConditionalGeneration(config)
    model.generation_config.eos_token_id = ids[END]
    model.generation_config.pad_token_id = ids[PAD]
    return model


def save(model: Any, processor: Any, folder: Path) -> None:
    """Save the model in half precision, its processor, and graphs for ONNX Runtime."""
    from training.onnx_export import export

    folder.mkdir(parents=True, exist_ok=True)
    model.half().save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    processor.save_pretrained(folder)
    export(folder)
    model.float()


def saved(folder: Path) -> tuple[Any, Any]:
    """Load a saved model in full precision, and its processor."""
    model = transformers.LlavaForConditionalGeneration.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True
    )
    return model.eval(), transformers.AutoProcessor.from_pretrained(folder, local_files_only=True)


# ---------------------------------------------------------------- rows as tensors


class Coded(NamedTuple):
    """A block as tokens without its pictures; `weights` are those of the reply's tokens, which come last."""

    ids: tuple[int, ...]
    weights: tuple[float, ...]


class Coder:
    """Turns blocks into tokens by the processor's own chat template."""

    def __init__(self, processor: Any) -> None:
        self._processor, self._tokenizer = processor, processor.tokenizer
        self._prompt = lru_cache(maxsize=None)(self._prompt_ids)
        self._block = lru_cache(maxsize=None)(self._coded)

    def __call__(self, block: Block) -> Coded:
        return self._block(block)

    def _ids(self, text: str) -> tuple[int, ...]:
        return tuple(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _prompt_ids(self, messages: str) -> tuple[int, ...]:
        text = self._processor.apply_chat_template(json.loads(messages), add_generation_prompt=True, tokenize=False)
        return self._ids(text.replace(IMAGE, ""))

    def _coded(self, block: Block) -> Coded:
        answer, because, why = block.reply.partition(" because ")
        main = self._ids(answer)
        rest = (*self._ids(because + why), self._tokenizer.eos_token_id)
        if main + rest[:-1] != self._ids(block.reply):
            raise ValueError(f"the reply is cut at the wrong place: {block.reply!r}")
        weights = (1.0,) * len(main) + (WHY if because else 1.0,) * len(rest)
        return Coded(self._prompt(block.messages) + main + rest, weights)


class Batch(NamedTuple):
    """Rows side by side: pictures, tokens after the pictures, positions, the attention mask, and the targets."""

    pictures: torch.Tensor
    ids: torch.Tensor
    positions: torch.Tensor
    mask: torch.Tensor
    targets: torch.Tensor
    weights: torch.Tensor


def batch_of(rows: Sequence[Row], coder: Coder, pictures: np.ndarray[Any, Any]) -> Batch:
    """Return a batch of rows with the same number of pictures each; `pictures` are theirs, perhaps changed."""
    coded = [[coder(block) for block in row.blocks] for row in rows]
    image = rows[0].pictures.shape[0] * IMAGE_TOKENS
    longest = max(sum(len(c.ids) for c in blocks) for blocks in coded)
    shape = (len(rows), longest)
    ids, positions = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    owner, targets = np.full(shape, -1, np.int64), np.full(shape, IGNORED, np.int64)
    weights = np.zeros(shape, np.float32)
    for i, blocks in enumerate(coded):
        at = 0
        for number, one in enumerate(blocks):
            n, reply = len(one.ids), len(one.weights)
            ids[i, at : at + n] = one.ids
            positions[i, at : at + n] = image + np.arange(n)
            owner[i, at : at + n] = number
            targets[i, at + n - reply - 1 : at + n - 1] = one.ids[n - reply :]
            weights[i, at + n - reply - 1 : at + n - 1] = one.weights
            at += n
    whole = image + longest
    seen = np.zeros((len(rows), whole, whole), bool)
    seen[:, :, :image] = True
    seen[:, :image, :image] = np.tri(image, dtype=bool)
    seen[:, image:, image:] = (owner[:, :, None] == owner[:, None, :]) & np.tri(longest, dtype=bool)
    places = np.concatenate([np.broadcast_to(np.arange(image), (len(rows), image)), positions], axis=1)
    return Batch(
        pixels_of(pictures),
        torch.from_numpy(ids),
        torch.from_numpy(places),
        torch.from_numpy(seen)[:, None],
        torch.from_numpy(targets),
        torch.from_numpy(weights),
    )


def pixels_of(pictures: np.ndarray[Any, Any]) -> torch.Tensor:
    """Convert pictures as the image processor does for the model."""
    pixels = torch.from_numpy(pictures.reshape(-1, SIDE, SIDE, 3)).permute(0, 3, 1, 2)
    return pixels.contiguous().float() / 127.5 - 1


class Student(torch.nn.Module):
    """The model, and beside it a head that names the facts of a picture. The head teaches the eye and is not saved."""

    def __init__(self, model: Any, facts: Facts, words: Mapping[str, Sequence[int]]) -> None:
        """Take `words`: for each fact, the tokens for the patches that show it."""
        super().__init__()
        self.model, self.facts, self.words = model, facts, words
        self.loudness = torch.nn.Parameter(torch.tensor([8.0, -6.0]))
        self.head = torch.nn.Linear(model.config.vision_config.hidden_size, len(facts.columns))
        torch.nn.init.constant_(self.head.bias, -7.0)
        self.odd = torch.nn.Linear(model.config.vision_config.hidden_size, 1)
        self.shape = torch.nn.Linear(model.config.vision_config.hidden_size, FINE * FINE)
        self.news = torch.nn.Linear(model.config.text_config.hidden_size, 1)

    def look(self, pictures: torch.Tensor) -> torch.Tensor:
        """Return the features of each patch."""
        features: torch.Tensor = self.model.model.vision_tower(pictures, output_hidden_states=True).hidden_states[-1]
        return features

    def facts_losses(
        self, features: torch.Tensor, rows: Sequence[Row], plans: Sequence[Any] | None = None
    ) -> dict[str, torch.Tensor]:
        """Return the head's loss on the facts of the rows' pictures, by group; with plans also where shapes and odd objects are."""
        told = [facts for row in rows for facts in (row.facts or ((),) * row.pictures.shape[0])]
        losses: dict[str, torch.Tensor] = {}
        for group, (start, stop) in self.facts.groups.items():
            here = [i for i, facts in enumerate(told) if any(f.group == group for f in facts)]
            if not here:
                continue
            scores = functional.linear(features[here], self.head.weight[start:stop], self.head.bias[start:stop])
            names = [next(f.name for f in told[i] if f.group == group) for i in here]
            right = torch.tensor([self.facts.columns[name] - start for name in names])
            losses[group] = functional.cross_entropy(_pooled(scores, group), right)
            if plans is not None and group != "background":
                wanted = torch.from_numpy(np.stack([plans[i] for i in here])).float() / 255
                losses[f"{group} plan"] = self._plan_loss(features[here], wanted, group)
        return losses

    def naming_loss(self, features: torch.Tensor, rows: Sequence[Row]) -> torch.Tensor:
        """Return the loss of placing patches, as the language model gets them, near the words for what they show.

        A question about a dog then finds the dog's patches by its own word, which a small model is slow to learn by itself.
        """
        told = [facts for row in rows for facts in (row.facts or ((),) * row.pictures.shape[0])]
        here = [i for i, facts in enumerate(told) if any(fact.name in self.words for fact in facts)]
        if not here:
            return features.new_zeros(())
        shown = self.model.model.multi_modal_projector(features[here])
        scores = self.loudness[0] * self.model.lm_head(shown) + self.loudness[1]
        truth = torch.zeros_like(scores)
        for place, i in enumerate(here):
            for fact in told[i]:
                for word in self.words.get(fact.name, ()):
                    truth[place, fact.patches, word] = 1.0
        missed = functional.binary_cross_entropy_with_logits(scores, truth, reduction="sum")
        return missed / truth.sum().clamp(min=1.0)

    def _plan_loss(self, features: torch.Tensor, plans: torch.Tensor, group: str) -> torch.Tensor:
        """Return the loss of each patch on its part of the plan."""
        parts = plans.reshape(-1, GRID, FINE, GRID, FINE).permute(0, 1, 3, 2, 4).reshape(-1, GRID * GRID, FINE * FINE)
        if group == "odd":  # one cell of all: which one is it
            return functional.cross_entropy(self.odd(features)[..., 0], parts[..., 0].argmax(dim=1))
        return functional.binary_cross_entropy_with_logits(self.shape(features), parts)

    def replies_loss(self, batch: Batch, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the weighted mean of the replies' negative log-likelihoods, and the second picture's loss on its differences."""
        inner, model = self.model.model, self.model
        width = model.config.text_config.hidden_size
        seen = inner.multi_modal_projector(features).reshape(batch.ids.shape[0], -1, width)
        words = inner.get_input_embeddings()(batch.ids)
        mask = torch.zeros(batch.mask.shape).masked_fill_(~batch.mask, torch.finfo(torch.float32).min)
        hidden = inner.language_model(
            inputs_embeds=torch.cat([seen, words], dim=1),
            attention_mask=mask,
            position_ids=batch.positions,
            use_cache=False,
        ).last_hidden_state
        seen, hidden = hidden[:, : seen.shape[1]], hidden[:, seen.shape[1] :]
        wanted = batch.targets != IGNORED
        losses = functional.cross_entropy(model.lm_head(hidden[wanted]), batch.targets[wanted], reduction="none")
        weights = batch.weights[wanted]
        return (losses * weights).sum() / weights.sum(), self._news_loss(batch.pictures, seen)

    def _news_loss(self, pictures: torch.Tensor, seen: torch.Tensor) -> torch.Tensor:
        """Return the loss of each patch of a second picture, as the language model sees it, on whether it differs from the first."""
        if seen.shape[1] == IMAGE_TOKENS:
            return seen.new_zeros(())
        one, two = pictures.reshape(-1, 2, *pictures.shape[1:]).unbind(1)
        differ = functional.avg_pool2d((one - two).abs().mean(dim=1, keepdim=True), PATCH).flatten(1) > NEWS
        return functional.binary_cross_entropy_with_logits(self.news(seen[:, IMAGE_TOKENS:])[..., 0], differ.float())


def _pooled(scores: torch.Tensor, group: str) -> torch.Tensor:
    """Pool the scores: the odd object is in one patch, while a shape and a background are in all of them."""
    return torch.logsumexp(scores, dim=1) if group == "odd" else scores.mean(dim=1)


class Facts(NamedTuple):
    """The facts that the head knows: the column of each, and the columns of each group."""

    columns: dict[str, int]
    groups: dict[str, tuple[int, int]]


def facts_of(rows: Iterable[Row]) -> Facts:
    """Return all facts by group, except those of scenes, which are learnt by their words."""
    known = sorted({fact.name for row in rows for facts in row.facts for fact in facts if fact.group != "scene"})
    columns = {fact: place for place, fact in enumerate(known)}
    names = [fact.partition("/")[0] for fact in known]
    return Facts(
        columns, {name: (names.index(name), len(names) - names[::-1].index(name)) for name in dict.fromkeys(names)}
    )


def words_of(rows: Iterable[Row], tokenizer: Any) -> dict[str, tuple[int, ...]]:
    """Return the tokens for each fact of a scene, with and without the space before them; not for facts that deny."""
    known = tokenizer.get_vocab()
    found = {}
    for name in {fact.name for row in rows for facts in row.facts for fact in facts if fact.group == "scene"}:
        said = [word for word in name.partition("/")[2].split() if word not in COMMON]
        if "not" not in said:
            found[name] = tuple(known[form] for word in said for form in (word, f" {word}") if form in known)
    return found


def all_texts(rows: Iterable[Row]) -> Iterable[str]:
    """Yield every text that the tokenizer has to know."""
    done: set[str] = set()
    for row in rows:
        for block in row.blocks:
            for text in (*texts_of(block.messages), block.reply):
                if text not in done:
                    done.add(text)
                    yield text
