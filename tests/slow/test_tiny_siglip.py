"""The shipped scorer scores as its card says, and the script that trained it still trains one that does."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from snellen.stats.intervals import wilson

pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.slow
MEGABYTE = 1_000_000
Captions = list[tuple[str, str]]


@pytest.fixture(scope="module", autouse=True)
def _offline() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield


@pytest.fixture(scope="module")
def folder() -> Path:
    from snellen.subjects.local.source import packaged

    return Path(packaged("tiny-siglip"))


@pytest.fixture(scope="module")
def card(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "held_out.json").read_text())


@pytest.fixture(scope="module")
def scorer() -> Any:
    from snellen.scorers import build

    return build("tiny-siglip", device="cpu")


@pytest.fixture(scope="module")
def pairs(card: dict[str, Any], scorer: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], Captions]:
    """The vectors of both pictures of every held-out pair, and its reference captions."""
    from snellen.synthetic.pairs.make import make

    out = tmp_path_factory.mktemp("d3")
    make(out, count=card["n"], seed=card["seed"])
    dataset = json.loads((out / "dataset.json").read_text())
    captions = json.loads((out / "captions" / "reference.json").read_text())
    pictures = [
        scorer.images([(out / row[side]).read_bytes() for side in ("left", "right")]) for row in dataset.values()
    ]
    return pictures, [(captions[uid]["left"], captions[uid]["right"]) for uid in dataset]


def dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def both_correct(scorer: Any, pictures: list[Any], captions: Captions) -> list[bool]:
    vectors = scorer.texts([text for both in captions for text in both]).vectors
    right = []
    for (left_picture, right_picture), left, other in zip(pictures, vectors[0::2], vectors[1::2], strict=True):
        right.append(
            dot(left, left_picture) > dot(left, right_picture) and dot(other, right_picture) > dot(other, left_picture)
        )
    return right


def test_the_card_is_kept_and_the_files_are_small(folder: Path, card: dict[str, Any]) -> None:
    assert (card["low"], card["high"]) == pytest.approx(wilson(card["both"], card["n"]))
    assert card["low"] > 0.6
    assert sum(file.stat().st_size for file in folder.iterdir()) <= 6 * MEGABYTE


def test_shipped_weights_score_as_stated(scorer: Any, pairs: tuple[list[Any], Captions], card: dict[str, Any]) -> None:
    right = both_correct(scorer, *pairs)
    assert card["low"] <= sum(right) / len(right) <= card["high"]


def test_swapped_order_changes_no_pair(scorer: Any, pairs: tuple[list[Any], Captions]) -> None:
    pictures, captions = pairs
    swapped = both_correct(scorer, [both[::-1] for both in pictures], [(b, a) for a, b in captions])
    assert swapped == both_correct(scorer, pictures, captions)


def test_captions_dealt_out_anew_are_at_chance(scorer: Any, pairs: tuple[list[Any], Captions]) -> None:
    """At most a quarter: two captions that fit neither picture tend to prefer the same one, and then not both are right."""
    pictures, captions = pairs
    flat = [text for both in captions for text in both]
    random.Random(5).shuffle(flat)
    right = both_correct(scorer, pictures, list(zip(flat[0::2], flat[1::2], strict=True)))
    low, _high = wilson(sum(right), len(right), 0.99)
    assert low <= 0.25
    assert sum(right) / len(right) > 0.12


def test_training_again_scores_no_worse(tmp_path: Path, card: dict[str, Any]) -> None:
    from training.tiny_siglip import score, train

    train(tmp_path / "model")
    found = score(tmp_path / "model", card["seed"], card["n"])
    assert found.both / found.n >= card["low"], found.told()
