"""What every maker writes, to the byte.

A set that someone made last year must come out the same today, or numbers measured on it cannot be repeated. The bytes
also depend on the libraries that draw and compress, so the test runs where these are the ones it was written with. Of a
parquet file only notes and rows are digested: the rest holds the version of the library that wrote it.
"""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import PIL
import pyarrow.parquet as pq
import pytest
from tests.support.command import environment, snellen
from tests.support.processors import OTHER_PROCESSORS

from snellen.synthetic.explained import make as explained
from snellen.synthetic.hidden import make as hidden
from snellen.synthetic.pairs import make as pairs
from snellen.synthetic.patterns import make as patterns
from snellen.synthetic.screens import make as screens

COUNT, SEED = 3, 7
WITH = ("13.0.0", "2.4.6", "1.2.13", "x86_64")
HERE = (PIL.__version__, np.__version__, zlib.ZLIB_RUNTIME_VERSION, platform.machine())

Maker = Callable[..., list[Path]]
SETS: dict[str, tuple[Maker, dict[str, Any]]] = {
    "salbench": (patterns.make, {}),
    "illusionbench": (hidden.make, {}),
    "grounding": (screens.make, {}),
    "grounding, the original's": (screens.make, {"style": "original", "count": 4}),
    "d3": (pairs.make, {}),
    "d3, sets of four": (pairs.make, {"sets": 4}),
    "vqax": (explained.make, {"task": "vqax"}),
    "actx": (explained.make, {"task": "actx"}),
    "esnlive": (explained.make, {"task": "esnlive"}),
    "vcr": (explained.make, {"task": "vcr"}),
}
DIGESTS = {
    "salbench": "9253b12804e11de43414a356200b56f667cff3102bc2b5247a1c4f502553beaf",
    "illusionbench": "17ff4034a4b0859c193d6cc9d429b8fee95c2ea7b1c6bbe37f4f3ca83679c270",
    "grounding": "d952f819f7409cf3235d31d95e31f86aa0d1a7f15659cefdbc010425a58141bb",
    "grounding, the original's": "212e593ca067c6de99454f8538851bf992041011fd421174a2d9cc1dd554e11d",
    "d3": "2343f007fc41107c58897acab4ee79a4e694993deb8e01069ebf42a151585a04",
    "d3, sets of four": "fbdb9854cc1318f7e8120cc800d9b0744a39122d9872c19741a5901076e67c2b",
    "vqax": "6a29b0b5471327cec8d865eeb30c645dfa935a6167310e4c3bb543af2b3fff73",
    "actx": "b3154e6e671b90b8c324b3ad38b2c3bbedc0656cd7493a9392cdc01ee84f98d8",
    "esnlive": "efb681a877a290e8ff9c7aa4c318f63f697eeefc2804d6ca1a59ee6b57c82790",
    "vcr": "97c1cc22c5003cef91301fc53f9a3d1e38d5aef8da4e87c8d777121960102215",
}


def content(path: Path) -> bytes:
    """A file's bytes; of a parquet file what it says, whichever version of the library wrote it."""
    if path.suffix != ".parquet":
        return path.read_bytes()
    file = pq.ParquetFile(path)
    notes = {
        k.decode(): v.decode() for k, v in file.metadata.metadata.items() if k in (b"huggingface", b"snellen.synthetic")
    }
    return json.dumps([notes, file.read().to_pylist()], sort_keys=True, default=bytes.hex).encode()


def digest(folder: Path) -> str:
    """One digest over all names and contents of a folder."""
    files = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    lines = [f"{hashlib.sha256(content(files[name])).hexdigest()}  {name}\n" for name in sorted(files)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@pytest.mark.skipif(HERE != WITH, reason=f"digests are of Pillow, numpy, zlib and machine {WITH}, here are {HERE}")
@pytest.mark.parametrize("name", SETS)
def test_sets_are_what_they_always_were(name: str, tmp_path: Path) -> None:
    make, options = SETS[name]
    make(**({"count": COUNT} | options), out=tmp_path / "set", seed=SEED, workers=1)
    assert digest(tmp_path / "set") == DIGESTS[name]


PARTS = """
import hashlib
import numpy as np
from snellen.synthetic.hidden import scenery, silhouettes
for name in scenery.SCENES:
    for seed in range(2):
        print(name, seed, hashlib.sha256(scenery.scene(name, np.random.default_rng(seed)).tobytes()).hexdigest())
for split in silhouettes.VARIANTS:
    for shape in silhouettes.shapes(split):
        mask = silhouettes.silhouette(split, shape, 0, np.random.default_rng(1))
        print(split, shape, hashlib.sha256(mask.tobytes()).hexdigest())
"""
"""Scenes and silhouettes before they become levels of 0 to 255: a last digit that differs shows here at once."""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are settings of x86 processors")
@pytest.mark.parametrize("name", ["illusionbench", "salbench"])
def test_sets_are_the_same_on_other_processors(name: str, tmp_path: Path) -> None:
    """A product of matrices once rounded as the processor's own routine does, and the same seed gave other bytes elsewhere."""
    found = set()
    for which, settings in ({"here": {}} | OTHER_PROCESSORS).items():
        out = tmp_path / which.replace(" ", "-")
        words = ("data", "make", name, "--count", 3, "--seed", 5, "--workers", 1, "--out", out)
        done = snellen(*words, cache=tmp_path / "cache", **settings)
        assert done.returncode == 0, done.stderr
        found.add(digest(out))
    assert len(found) == 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="these are settings of x86 processors")
def test_hidden_shapes_are_the_same_on_other_processors_before_rounding(tmp_path: Path) -> None:
    """Dunes and sea once had sines and powers in single precision, which few pictures of a small set show."""
    found = []
    for settings in ({}, *OTHER_PROCESSORS.values()):
        env = environment(tmp_path, **settings)
        done = subprocess.run([sys.executable, "-c", PARTS], capture_output=True, text=True, env=env, check=True)
        found.append(done.stdout.splitlines())
    assert len(found[0]) > 22
    assert found[1] == found[0]
    assert found[2] == found[0]
