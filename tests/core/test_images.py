"""The header reader against Pillow, the independent reference."""

from __future__ import annotations

import hashlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from snellen.core.errors import SnellenError
from snellen.core.images import ledger_entry, sniff
from snellen.core.pixels import as_accepted, decode_problem

FORMS = [
    ("PNG", {}, "png"),
    ("JPEG", {}, "jpeg"),
    ("JPEG", {"progressive": True, "quality": 30}, "jpeg"),
    ("WEBP", {}, "webp"),
    ("WEBP", {"lossless": True}, "webp"),
    ("GIF", {}, "gif"),
    ("BMP", {}, "bmp"),
]


def encoded(form: str, size: tuple[int, int], mode: str = "RGB", **options: object) -> bytes:
    out = io.BytesIO()
    Image.new(mode, size, 7 if mode == "L" else None).save(out, form, **options)
    return out.getvalue()


@pytest.mark.parametrize(("form", "options", "codec"), FORMS)
@pytest.mark.parametrize("size", [(1, 1), (17, 301), (640, 480)])
def test_size_and_codec_are_pillows(form: str, options: dict[str, object], codec: str, size: tuple[int, int]) -> None:
    assert sniff(encoded(form, size, **options)) == (codec, *size)


def test_webp_with_alpha() -> None:
    assert sniff(encoded("WEBP", (33, 44), "RGBA", exif=b"Exif\0\0" + b"x" * 20)) == ("webp", 33, 44)


@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"RIFF1234WEBPVP8 ", b"GIF89a", b"BM"]),
)
def test_never_fails_on_rubbish(tail: bytes, head: bytes) -> None:
    assert sniff(head + tail).width >= 0


def test_original_bytes_are_kept_when_the_endpoint_takes_them() -> None:
    data = encoded("JPEG", (20, 10))
    assert as_accepted(data, frozenset({"jpeg", "png"})) == (data, ())


def test_other_codecs_become_png_without_loss_and_say_so() -> None:
    data = encoded("BMP", (20, 10))
    sent, done = as_accepted(data, frozenset({"jpeg", "png"}))
    assert done == ("bmp to png",)
    with Image.open(io.BytesIO(data)) as before, Image.open(io.BytesIO(sent)) as after:
        assert before.tobytes() == after.tobytes()


def test_cmyk_is_converted_and_named() -> None:
    sent, done = as_accepted(encoded("TIFF", (5, 5), "CMYK"), frozenset({"png"}))
    assert done == ("tiff to png", "mode CMYK to RGB")
    assert sniff(sent).codec == "png"


@pytest.mark.parametrize("data", [b"", b"no image", encoded("PNG", (50, 50))[:60]])
def test_broken_images_are_named(data: bytes) -> None:
    assert decode_problem(data)


def test_unknown_bytes_are_never_sent() -> None:
    with pytest.raises(SnellenError, match="does not decode"):
        as_accepted(b"<svg/>", frozenset({"png"}))


def test_ledger_entry() -> None:
    data = encoded("PNG", (3, 4))
    entry = ledger_entry(data, ("x",))
    assert (entry.sha256, entry.width, entry.height, entry.bytes) == (hashlib.sha256(data).hexdigest(), 3, 4, len(data))
    assert entry.transforms == ("x",)
