"""Our own reading of tokenizer.json and of the image processor's steps gives exactly what the libraries give."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.subjects.local.source import packaged
from snellen.subjects.onnx.pictures import Pictures
from snellen.subjects.onnx.words import Tokenizer

tokenizers = pytest.importorskip("tokenizers")
NAMES = ("snellen-tiny", "tiny-siglip")


def file_of(name: str) -> Path:
    return Path(packaged(name)) / "tokenizer.json"


OURS = {name: Tokenizer(file_of(name)) for name in NAMES}
THEIRS = {name: tokenizers.Tokenizer.from_file(str(file_of(name))) for name in NAMES}


def texts_of(name: str) -> st.SearchStrategy[str]:
    """Known words and added tokens between anything at all, of what this Python's Unicode and the library's both know."""
    known = json.loads(file_of(name).read_text())
    words = st.sampled_from([*known["model"]["vocab"], *(a["content"] for a in known["added_tokens"])])
    anything = st.text(st.characters(codec="utf-8", exclude_categories=("Cn", "Cs")))
    return st.lists(st.one_of(words, anything, st.sampled_from(list(" \n\t\x1c\x85\xa0.,")))).map("".join)


@pytest.mark.parametrize("name", NAMES)
def test_texts_become_the_numbers_that_the_library_gives(name: str) -> None:
    @given(texts_of(name))
    def check(text: str) -> None:
        assert [*OURS[name].encode(text), *OURS[name].ends] == THEIRS[name].encode(text).ids

    check()


def test_numbers_become_the_text_that_the_library_gives() -> None:
    size = THEIRS["snellen-tiny"].get_vocab_size()
    rng = np.random.default_rng(5)
    for row in rng.integers(0, size, (50, 12)).tolist():
        assert "".join(map(OURS["snellen-tiny"].text, row)) == THEIRS["snellen-tiny"].decode(row)


def test_what_is_no_word_level_tokenizer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    for part, value in (("pre_tokenizer", {"type": "ByteLevel"}), ("normalizer", {"type": "NFC"})):
        path.write_text(json.dumps(json.loads(file_of("tiny-siglip").read_text()) | {part: value}))
        with pytest.raises(SnellenError, match="not a word-level tokenizer of the kind that is known"):
            Tokenizer(path)
    path.write_text("[]")
    with pytest.raises(SnellenError, match=r"tokenizer.json: not of the layout that is known \(Expected `object`"):
        Tokenizer(path)


def picture(seed: int, size: tuple[int, int]) -> Image.Image:
    noise = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(noise)


@pytest.mark.parametrize("name", NAMES)
def test_pictures_become_the_numbers_that_the_processor_gives(name: str) -> None:
    transformers: Any = pytest.importorskip("transformers")
    processor = transformers.AutoProcessor.from_pretrained(packaged(name)).image_processor
    pictures = [picture(i, size) for i, size in enumerate([(112, 112), (37, 500), (640, 64), (1, 1), (1300, 900)])]
    ours = Pictures(Path(packaged(name)) / "processor_config.json")(pictures)
    theirs = processor(images=pictures, return_tensors="np")["pixel_values"]
    assert ours.dtype == theirs.dtype == np.float32
    assert np.array_equal(ours, theirs)


def test_other_steps_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "processor_config.json"
    steps = json.loads((Path(packaged("snellen-tiny")) / path.name).read_text())["image_processor"]
    path.write_text(json.dumps({"image_processor": steps | {"do_center_crop": True}}))
    with pytest.raises(SnellenError, match="asks for other steps than resize, rescale and normalize"):
        Pictures(path)
