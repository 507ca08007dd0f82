"""The shipped scorer on ONNX Runtime beside the same weights through transformers: the same vectors, and the same decisions on pairs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snellen import exams, scorers
from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.extras import maker_of
from snellen.core.options import Selection
from snellen.subjects.local.source import packaged

pytest.importorskip("onnxruntime")
PAIRS = 100


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[list[str], list[bytes]]]:
    """Reference captions and pictures of a synthetic set."""
    import json

    folder = tmp_path_factory.mktemp("pairs") / "d3"
    exam = exams.load("d3")
    maker_of(exam).make(folder, count=PAIRS, seed=9, workers=1)
    captions = json.loads((folder / "captions" / "reference.json").read_text())
    data = exam.open(folder, Selection())
    told = [(captions[s.id.removeprefix("d3/")], s.pictures) for s in data.full(lambda _id: True)]
    return [([said["left"], said["right"]], [p.data for p in pictures]) for said, pictures in told]


@pytest.mark.parametrize("mode", ["trained", "original"])
def test_vectors_and_decisions_are_those_of_transformers(mode: str, pairs: list[tuple[list[str], list[bytes]]]) -> None:
    pytest.importorskip("transformers")
    pytest.importorskip("torch").set_num_threads(1)
    ours = scorers.build("tiny-siglip", mode=mode)
    theirs = scorers.build(f"siglip:{packaged('tiny-siglip')}", mode=mode, device="cpu")
    texts = [text for captions, _ in pairs for text in captions] + ["Ünknown words, 3 of them!", "", "dog " * 90]
    images = [data for _, pictures in pairs for data in pictures]
    assert len(images) == 2 * PAIRS
    one, other = ours.texts(texts), theirs.texts(texts)
    assert list(one.truncated) == list(other.truncated)
    assert one.truncated[-1] and not any(one.truncated[:-1])
    said, heard = np.array(one.vectors), np.array(other.vectors)
    seen, shown = np.array(ours.images(images)), np.array(theirs.images(images))
    assert np.allclose(said, heard, atol=1e-5)
    assert np.allclose(seen, shown, atol=1e-5)
    assert np.abs(said @ seen.T - heard @ shown.T).max() < 1e-5
    assert decisions(said, seen) == decisions(heard, shown)
    if mode == "trained":
        assert sum(decisions(said, seen)) > 0.7 * PAIRS


def decisions(texts: Any, images: Any) -> list[bool]:
    """Whether both captions of a pair find their own picture, as D3 decides."""
    tables = (texts[i : i + 2] @ images[i : i + 2].T for i in range(0, 2 * PAIRS, 2))
    return [bool(t[0, 0] > t[0, 1] and t[1, 1] > t[1, 0]) for t in tables]


def test_records_name_weights_and_runtime_and_no_place() -> None:
    trained, original = (scorers.build("tiny-siglip", mode=mode) for mode in ("trained", "original"))
    assert trained.identity["runtime"] == "onnxruntime"
    assert trained.identity["padding"] != original.identity["padding"]
    assert (trained.name, original.name) == ("tiny-siglip", "tiny-siglip-original")
    assert str(Path(packaged("tiny-siglip")).parent) not in str(trained.identity)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(MissingExtra, match="the scorer tiny-siglip needs the extra 'onnx'"):
        scorers.build("tiny-siglip")


def test_what_is_no_picture_gets_one_line() -> None:
    with pytest.raises(SnellenError, match="does not decode"):
        scorers.build("tiny-siglip").images([b"not an image"])
