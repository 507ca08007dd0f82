"""The pictures of a page: held once, small, of the right shape, and within the bytes that they are given."""

from __future__ import annotations

import base64
import io

import pytest
from PIL import Image
from tests.support.sets import png

from snellen.core.errors import SnellenError
from snellen.present.page.image_pool import HeldImage, ImagePool


def noise(width: int, height: int, form: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.effect_noise((width, height), 90).convert("RGB").save(out, form)
    return out.getvalue()


def decoded(one: HeldImage) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(one.url.partition("base64,")[2])))


def test_a_small_image_of_the_web_stays_as_it_is_and_is_held_once() -> None:
    album = ImagePool()
    names = {album.add("a", png(1), 320).name for _ in range(5)}
    album.fit(100_000)
    (one,) = album.prints()
    assert names == {one.name}
    assert one.url == "data:image/png;base64," + base64.b64encode(png(1)).decode()
    assert not one.scaled


@pytest.mark.parametrize("form", ["PNG", "JPEG", "BMP", "TIFF"])
def test_a_large_one_is_a_copy_in_the_units_of_the_original(form: str) -> None:
    album = ImagePool()
    held = album.add("a", noise(1200, 900, form), 320)
    album.fit(1_000_000)
    (one,) = album.prints()
    assert (*one.place[:2], one.width, one.height) == (0, 0, 1200, 900)
    assert one.url.startswith("data:image/webp;base64,")
    assert decoded(one).size == (320, 240)
    assert held.scaled


def test_transparency_is_kept() -> None:
    out = io.BytesIO()
    Image.new("RGBA", (900, 900), (255, 0, 0, 0)).save(out, "PNG")
    album = ImagePool()
    album.add("a", out.getvalue() + b"\0" * 5000, 320)
    album.fit(1_000_000)
    assert decoded(album.prints()[0]).convert("RGBA").getpixel((5, 5))[3] == 0  # type: ignore[index]


def test_a_larger_copy_that_is_there_will_do() -> None:
    album = ImagePool()
    data = noise(1200, 900)
    large = album.add("a", data, 800)
    assert album.add("a", data, 320).name == large.name
    assert album.add("b", data, 320).name != large.name
    assert album.add("a", data, 800, (0, 0, 100, 100)).name != large.name


def test_pictures_get_smaller_until_all_fit_and_only_then_are_some_left_out() -> None:
    album = ImagePool()
    for i in range(12):
        album.add(str(i), noise(700 + i, 700), 320)
    wanted = album.cost
    album.fit(wanted)
    assert album.cost == wanted
    album.fit(wanted // 4)
    assert album.cost <= wanted // 4
    assert not album.left_out
    assert all(decoded(one).width < 320 for one in album.prints())
    album.fit(3_000)
    kept = list(album.prints())
    assert sum(len(one.url) for one in kept) <= 3_000
    assert len(kept) + len(album.left_out) == 12
    assert kept
    album.fit(wanted)
    assert album.cost == wanted, "room that is there again is used"


@pytest.mark.parametrize(
    "bad", [b"<svg onload='alert(1)'/>", b"", b"BM" + b"\0" * 40, png(1)[:8] + b"\0" * 4 + b"IHDR" + b"\xff" * 60]
)
def test_what_is_no_picture_is_refused(bad: bytes) -> None:
    album = ImagePool()
    with pytest.raises(SnellenError):
        album.add("a", bad, 320)
    assert not list(album.prints())
