"""Scorers on tiny real checkpoints: padding, truncation, batches, and vectors that are kept by content."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.sets import png
from tests.support.tiny_scorers import LONGEST, save_clip, save_siglip

from snellen import scorers
from snellen.core.errors import SnellenError
from snellen.scorers.cache import CachedScorer, Vectors
from snellen.scorers.dual import DualEncoder

pytest.importorskip("torch")


@pytest.fixture(scope="module")
def siglip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_siglip(tmp_path_factory.mktemp("siglip"))


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_clip(tmp_path_factory.mktemp("clip"))


@pytest.mark.parametrize("family", ["siglip", "clip"])
def test_vectors_have_length_one_and_do_not_depend_on_their_batch(family: str, request: pytest.FixtureRequest) -> None:
    scorer = scorers.build(f"siglip:{request.getfixturevalue(family)}")
    texts = ["a red ball", "the dog is on the left of the cat", "man with hat"]
    images = [png(i) for i in range(5)]
    together = np.array(scorer.texts(texts).vectors)
    alone = np.array([scorer.texts([t]).vectors[0] for t in texts])
    assert np.allclose(np.linalg.norm(together, axis=1), 1.0, atol=1e-5)
    assert np.allclose(together, alone, atol=1e-5)
    pictures = np.array(scorer.images(images))
    assert np.allclose(np.linalg.norm(pictures, axis=1), 1.0, atol=1e-5)
    assert np.allclose(pictures, [scorer.images([i])[0] for i in images], atol=1e-5)


def test_padding_is_part_of_the_model_and_the_original_leaves_it_out(siglip: Path) -> None:
    import torch
    from transformers import AutoModel, AutoProcessor

    trained = scorers.build(f"siglip:{siglip}")
    original = scorers.build(f"siglip:{siglip}", mode="original")
    padded, bare = (np.array(s.texts(["a red ball"]).vectors[0]) for s in (trained, original))
    assert not np.allclose(padded, bare, atol=1e-3)
    model, processor = AutoModel.from_pretrained(siglip), AutoProcessor.from_pretrained(siglip)
    with torch.inference_mode():
        ids = processor.tokenizer(["a red ball"], return_tensors="pt")["input_ids"]
        plain = model.text_model(ids).pooler_output[0]
    assert np.allclose(bare, (plain / plain.norm()).numpy(), atol=1e-5)
    assert trained.name != original.name
    assert trained.identity["padding"] != original.identity["padding"]


def test_loading_says_nothing_and_clip_does_not_claim_full_padding(
    siglip: Path, clip: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for folder, padding in ((siglip, "to the full length, as trained"), (clip, "to the longest text, masked")):
        scorer = scorers.build(f"siglip:{folder}")
        scorer.texts(["a red ball"])
        assert scorer.identity["padding"] == padding
    assert capfd.readouterr() == ("", "")


def test_long_captions_are_counted_as_cut(siglip: Path) -> None:
    scorer = scorers.build(f"siglip:{siglip}")
    found = scorer.texts(["a dog", "dog " * LONGEST, "dog " * (LONGEST - 1)])
    assert list(found.truncated) == [False, True, False]


def test_nothing_is_embedded_twice(siglip: Path, tmp_path: Path) -> None:
    images = [png(i) for i in range(6)]
    first = CachedScorer(DualEncoder("s", str(siglip), "trained", "cpu"), Vectors(tmp_path))
    before = (first.images(images), first.texts(["a dog", "a cat"]).vectors)
    assert first.embedded == {"texts": 2, "images": 6}
    second = CachedScorer(DualEncoder("s", str(siglip), "trained", "cpu"), Vectors(tmp_path))
    after = (second.images(images), second.texts(["a cat", "a dog", "a man"]).vectors)
    assert second.embedded == {"texts": 1, "images": 0}
    assert np.array_equal(np.array(before[0]), np.array(after[0]))
    assert np.array_equal(np.array(before[1][0]), np.array(after[1][1]))
    other = CachedScorer(DualEncoder("s", str(siglip), "original", "cpu"), Vectors(tmp_path))
    other.texts(["a dog"])
    assert other.embedded["texts"] == 1, "another mode is another scorer"


def test_a_cache_that_cannot_be_used_is_done_without(siglip: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x")
    scorer = CachedScorer(DualEncoder("s", str(siglip), "trained", "cpu"), Vectors(blocked / "under"))
    assert len(scorer.images([png(1)])) == 1


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nope", "unknown scorer 'nope': choose from siglip"),
        ("siglip:/nowhere/at/all", "^--scorer siglip:/nowhere/at/all: /nowhere/at/all: no such folder"),
    ],
)
def test_bad_scorers_get_one_line(spec: str, message: str) -> None:
    with pytest.raises(SnellenError, match=message):
        scorers.build(spec)


def test_what_is_no_dual_encoder_or_no_image(siglip: Path, tmp_path: Path) -> None:
    from tests.support.tiny_models import save_llava

    save_llava(tmp_path / "llava")
    with pytest.raises(SnellenError, match="is a 'llava' model; expected one of siglip, siglip2, clip"):
        scorers.build(f"siglip:{tmp_path / 'llava'}")
    with pytest.raises(SnellenError, match="does not decode"):
        scorers.build(f"siglip:{siglip}").images([b"not an image"])
    with pytest.raises(SnellenError, match="--scorer-mode x"):
        scorers.build("siglip", mode="x")
