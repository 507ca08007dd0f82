"""Scorers by name: ours, those of another package, those of a plugin file, and what is said of a name that nobody has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from snellen import scorers
from snellen.core.errors import SnellenError
from snellen.registry.plugins import VARIABLE
from snellen.scorers.siglip import SIGLIP, TINY_SIGLIP

SOURCE = """
from snellen.core.scorer import EmbeddedTexts, ScorerKind


class Lengths:
    def __init__(self, name, mode):
        self.name, self.identity, self.calls = name, {"kind": "lengths", "mode": mode}, 0

    def texts(self, texts):
        self.calls += 1
        return EmbeddedTexts([(1.0, 0.0) for _ in texts], [False] * len(texts))

    def images(self, images):
        self.calls += 1
        return [(1.0, 0.0) for _ in images]


class Kind(ScorerKind):
    forms = {"lengths": "by their lengths"}

    def build(self, spec, *, mode, device="auto"):
        return Lengths(spec, mode)


KIND = Kind()
SCORERS = {"lengths": KIND}
"""


@pytest.fixture(params=["package", "file"])
def _mine(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A scorer of a user's, in a package with an entry point or in a plugin file."""
    (tmp_path / "my_lengths.py").write_text(SOURCE)
    if request.param == "file":
        monkeypatch.setenv(VARIABLE, str(tmp_path / "my_lengths.py"))
    else:
        facts = tmp_path / "my_lengths-1.dist-info"
        facts.mkdir()
        (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: my-lengths\nVersion: 1\n")
        (facts / "entry_points.txt").write_text("[snellen.scorers]\nlengths = my_lengths:KIND\n")
        monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("my_lengths", None)


@pytest.mark.usefixtures("_mine")
def test_a_scorer_of_ones_own_comes_in_by_the_same_door(tmp_path: Path) -> None:
    made = scorers.build("lengths:x", mode="original")
    assert (made.name, made.identity) == ("lengths:x", {"kind": "lengths", "mode": "original"})
    assert scorers.forms()["lengths"] == "by their lengths"
    assert {"siglip", "siglip:NAME", "tiny-siglip"} < scorers.forms().keys()
    assert scorers.doubt("lengths:x") == ""
    for _again in range(2):
        kept = scorers.build("lengths", cache=tmp_path / "cache")
        assert len(kept.images([b"1", b"2"])) == 2
    assert kept.embedded == {"texts": 0, "images": 0}, "its vectors are kept for it"  # type: ignore[attr-defined]


def test_unknown_names_get_what_may_have_been_meant() -> None:
    with pytest.raises(SnellenError, match="unknown scorer 'siglop': did you mean 'siglip'"):
        scorers.build("siglop:google/x")
    with pytest.raises(SnellenError, match="tiny-siglip has one checkpoint; name others with siglip:NAME"):
        scorers.build("tiny-siglip:other")


def test_only_the_tiny_one_is_to_be_doubted_in_whatever_mode() -> None:
    assert SIGLIP.doubt == ""
    for name in ("tiny-siglip", "tiny-siglip-original", "tiny-siglip-trained"):
        assert scorers.doubt(name) == TINY_SIGLIP.doubt != ""
    for name in ("siglip", "siglip-original", "siglip:tiny-siglip", "siglip:google/x-original", "no such scorer"):
        assert scorers.doubt(name) == ""
    assert scorers.FOR_SYNTHETIC in scorers.forms()
