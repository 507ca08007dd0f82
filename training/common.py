"""Code that the training scripts share: scenes with all true statements about them, reproducible runs, and an optimiser.

A model of one million weights has minutes to learn to see, so three things are made easy for it: its first layer starts
with the patterns that scenes are made of, its positions start in order, and its matrices take steps of equal length.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from snellen.synthetic.chance import generator
from snellen.synthetic.pairs.make import difference
from snellen.synthetic.scenes.catalog import COLUMNS, KINDS, WHO
from snellen.synthetic.scenes.model import Person, Scene
from snellen.synthetic.scenes.render import draw
from snellen.synthetic.scenes.words import brief, facts, item_facts, sentence
from training.scene_captions import caption

DAMPING = 0.5
"""The damping of strong patterns: 0 not at all, 0.5 until all are equally strong."""
SLOTS = 6
"""The number of places where something can be: three columns below, three above."""
MIRRORED_SLOTS = (2, 1, 0, 5, 4, 3)
TRAIN = "train"
"""The part of the random numbers for training scenes. `snellen data make` draws with another part, so no seed gives a scene of one to
the other."""


class Side(NamedTuple):
    """One scene of a pair: what is true of it and at each slot, what distinguishes it from the other, and captions that say so."""

    facts: tuple[str, ...]
    slots: tuple[tuple[str, ...], ...]
    told: str
    texts: tuple[str, ...]


class Example(NamedTuple):
    """A pair of scenes, drawn (both pictures one after the other, as RGB bytes) and described."""

    images: bytes
    sides: tuple[Side, Side]


def example(key: tuple[int, int, int]) -> Example:
    """Draw the pair of a seed and a number, at a size. No two differ in their words only: the words follow from the scene."""
    seed, index, size = key
    told = difference(seed, index, TRAIN)
    images = b"".join(draw(scene, (size, size)).image.tobytes() for scene in (told.one, told.other))
    both = zip((told.one, told.other), (told.said_of_one, told.said_of_other), told.captions, strict=True)
    one, other = (_side(scene, said, full, seed, index) for scene, said, full in both)
    return Example(images, (one, other))


def _side(scene: Scene, said: str, reference: str, seed: int, index: int) -> Side:
    """Describe one scene. Captions have the same forms for both sides, so that only the difference is different."""
    rng = generator("captions of a side", seed, index)
    short = said.split(", only", maxsplit=1)[0]
    more = [sentence(fact.text) for fact in facts(scene) if fact.text != said and fact.aspect != "place"]
    also = more[int(rng.random() * len(more))] if more else ""
    told = [also, sentence(said)]
    rng.shuffle(told)
    whole = caption(scene)
    texts = (
        reference,
        sentence(short),
        " ".join((*told, brief(scene)) if rng.random() < 0.5 else (brief(scene), *told)),
        whole if len(whole.split()) <= 60 else reference,
    )
    slots: list[list[str]] = [[] for _ in range(SLOTS)]
    for item in scene.items():
        above = not isinstance(item, Person) and item.sort.level == "top"
        slots[COLUMNS.index(item.column) + 3 * above] += [fact.text for fact in item_facts(item)]
    seen = {person.who for person in scene.people} | scene.kinds()
    absent = (f"there is no {kind}" for kind in (*KINDS, *WHO) if kind not in seen)
    return Side((*(fact.text for fact in facts(scene)), *absent, short), tuple(map(tuple, slots)), short, texts)


def mirrored(text: str) -> str:
    """Return the sentence for the scene's mirror image.

    >>> mirrored("the dog on the left is facing right")
    'the dog on the right is facing left'
    """
    swap = {"left": "right", "right": "left"}
    return " ".join(swap.get(word, word) for word in text.split(" "))


class Sentences:
    """Numbers for the known sentences and for their mirror images."""

    def __init__(self, heard: Iterable[str]) -> None:
        self.ids: dict[str, int] = {}
        for text in heard:
            self.ids.setdefault(text, len(self.ids))
            self.ids.setdefault(mirrored(text), len(self.ids))
        self.mirror = torch.tensor([self.ids[mirrored(text)] for text in self.ids])

    def __len__(self) -> int:
        return len(self.ids)

    def table(self, texts: Iterable[Iterable[str]]) -> Tensor:
        """Return a row of numbers for each group of texts; `len(self)` fills the rest."""
        rows = [torch.tensor([self.ids[text] for text in group], dtype=torch.int32) for group in texts]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=len(self))

    def truths(self, rows: Tensor) -> Tensor:
        """Return rows of numbers as rows of 0 and 1, one column a sentence."""
        out = torch.zeros(*rows.shape[:-1], len(self) + 1)
        return out.scatter_(-1, rows.long(), 1.0)[..., :-1]

    def turned(self, rows: Tensor) -> Tensor:
        """Return the numbers of the mirrored sentences."""
        return torch.cat((self.mirror, torch.tensor([len(self)])))[rows.long()]


def settle(seed: int, threads: int) -> torch.Generator:
    """Make a run repeatable as far as torch allows: the same machine and number of threads give the same weights."""
    random.seed(seed)
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    return torch.Generator().manual_seed(seed)


def batches(count: int, size: int, steps: int, chance: torch.Generator) -> Iterator[Tensor]:
    """Yield `steps` batches of numbers below `count`, each number once before any comes again."""
    order = torch.empty(0, dtype=torch.int64)
    for _ in range(steps):
        if len(order) < size:
            order = torch.randperm(count, generator=chance)
        yield order[:size]
        order = order[size:]


def pixels(images: Tensor) -> Tensor:
    """Convert bytes as a SigLIP image processor does."""
    return (images.float() / 127.5 - 1).permute(0, 3, 1, 2)


@torch.no_grad()
def start_with_patterns(layer: nn.Conv2d, images: Tensor) -> None:
    """Set the first layer to the main patterns of the patches of these images, the strong ones damped."""
    side = layer.kernel_size[0]
    patches = (
        pixels(images).unfold(2, side, side).unfold(3, side, side).permute(0, 2, 3, 1, 4, 5).flatten(3).flatten(0, 2)
    )
    mean = patches.mean(0)
    centred = (patches - mean).double()
    strength, pattern = torch.linalg.eigh(centred.T @ centred / len(centred))
    strength, pattern = strength.flip(0)[: layer.out_channels], pattern.flip(1)[:, : layer.out_channels]
    pattern = pattern * torch.where(
        pattern.sum(0) < 0, -1.0, 1.0
    )  # a pattern and its negative are the same; choose one
    damped = pattern / (strength + 0.02 * strength.sum() / len(pattern)) ** DAMPING
    scale = (len(strength) / (damped.square().sum(0) * strength).sum()).sqrt()
    weight = (damped * scale).T.float()
    layer.weight[: len(weight)] = weight.view(-1, *layer.weight.shape[1:])
    if layer.bias is not None:
        layer.bias[: len(weight)] = -(weight @ mean)


@torch.no_grad()
def start_in_order(positions: nn.Embedding, loudness: float = 0.7) -> None:
    """Set the positions of a square of patches to waves of their place, mixed over all dimensions."""
    count, width = positions.weight.shape
    across = math.isqrt(count)
    down, right = torch.meshgrid(torch.arange(across) / across, torch.arange(across) / across, indexing="ij")
    pitch = math.pi * 2.0 ** torch.linspace(-1, math.log2(across), width // 4)
    waves = [wave(place.reshape(-1, 1) * pitch) for place in (right, down) for wave in (torch.sin, torch.cos)]
    mixed = torch.cat(waves, 1) @ torch.linalg.qr(torch.randn(width, width))[0]
    positions.weight.copy_(loudness * mixed)


def slot_pooling(across: int) -> Tensor:
    """Return the mean over the patches of each slot, as a matrix: slots by patches."""
    place = (torch.arange(across) + 0.5) / across
    columns = torch.stack([((place >= k / 3 - 0.03) & (place <= (k + 1) / 3 + 0.03)).float() for k in range(3)])
    rows = torch.stack([(place > 0.3).float(), (place < 0.5).float()])
    grid = torch.einsum("ry,cx->rcyx", rows, columns).reshape(SLOTS, -1)
    return grid / grid.sum(1, keepdim=True)


class Muon(torch.optim.Optimizer):
    """Momentum whose step is made orthogonal (Keller Jordan's Muon), in float32: torch's own computes in bfloat16, slow here."""

    def __init__(self, matrices: Iterable[nn.Parameter], lr: float = 0.02, weight_decay: float = 0.05) -> None:
        super().__init__(matrices, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            shapes: dict[torch.Size, list[nn.Parameter]] = {}
            for matrix in group["params"]:
                if matrix.grad is not None:
                    shapes.setdefault(matrix.shape, []).append(matrix)
            for shape, alike in shapes.items():
                ways = orthogonal(torch.stack([self._way(matrix) for matrix in alike]))
                length = group["lr"] * max(1.0, shape[0] / shape[1]) ** 0.5
                for matrix, way in zip(alike, ways, strict=True):
                    matrix.mul_(1 - group["lr"] * group["weight_decay"]).add_(way, alpha=-length)

    def _way(self, matrix: nn.Parameter) -> Tensor:
        grad = matrix.grad
        if grad is None:
            raise ValueError("a matrix without a gradient takes no step")
        kept: Tensor = self.state[matrix].setdefault("momentum", torch.zeros_like(matrix))
        kept.lerp_(grad, 0.05)
        way: Tensor = grad.lerp(kept, 0.95)
        return way


def orthogonal(ways: Tensor, rounds: int = 5) -> Tensor:
    """Return the nearest matrices whose singular values are all about 1, by five rounds of Newton and Schulz."""
    tall = ways.shape[1] > ways.shape[2]
    x = ways.transpose(1, 2) if tall else ways
    length: Tensor = x.norm(dim=(1, 2), keepdim=True)
    x = x / (length + 1e-7)
    for _ in range(rounds):
        square = x @ x.transpose(1, 2)
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * square @ square) @ x
    return x.transpose(1, 2) if tall else x


class Steps:
    """Both optimisers of a run, warmed up and slowed down along half a cosine."""

    def __init__(
        self, model: nn.Module, steps: int, *, others: Iterable[nn.Parameter] = (), scalars: Iterable[nn.Parameter] = ()
    ) -> None:
        named = list(model.named_parameters())
        matrices = [p for name, p in named if p.ndim == 2 and min(p.shape) > 1 and "embedding" not in name]
        known = {id(p) for p in (*matrices, *scalars)}
        rest = [p for _, p in named if id(p) not in known]
        groups = [{"params": [*rest, *others], "lr": 1e-3}, {"params": [*scalars], "lr": 1e-2}]
        self._both = (torch.optim.AdamW(groups, betas=(0.9, 0.98), weight_decay=0.0), Muon(matrices))
        self._groups = [(group, group["lr"]) for one in self._both for group in one.param_groups]
        self._model, self._steps, self._done = model, steps, 0

    def down(self, loss: Tensor) -> None:
        """Take one step down this loss."""
        self._done += 1
        pace = min(1.0, self._done / 60) * (0.51 + 0.49 * math.cos(math.pi * self._done / self._steps))
        for group, full in self._groups:
            group["lr"] = full * pace
        for one in self._both:
            one.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
        for one in self._both:
            one.step()


def halve(folder: Path) -> None:
    """Store the weights of a saved model in half the bytes; its config still says float32, so they are computed with as before."""
    from safetensors.torch import load_file, save_file

    file = folder / "model.safetensors"
    save_file({name: value.half() for name, value in load_file(file).items()}, file, {"format": "pt"})
    file.chmod(0o644)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config.get("dtype") != "float32":
        raise ValueError(f"{folder / 'config.json'} does not say float32")
