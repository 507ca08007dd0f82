"""`--on` without a cluster: what cannot be is said in a line, and Ray is imported by nobody who did not ask for it."""

from __future__ import annotations

import importlib.metadata
import socket
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.command import snellen
from tests.support.sets import write_set

from snellen import __version__
from snellen.core.errors import MissingExtra, SnellenError
from snellen.engine import ray_pool
from snellen.engine.ray_pool import RayPool


@pytest.mark.parametrize("on", ["dask", "ray://", "Ray", "127.0.0.1:10001"])
def test_other_clusters_are_refused(on: str) -> None:
    with pytest.raises(SnellenError, match=f"--on {on}: 'ray', or 'ray://HOST:PORT' for a cluster elsewhere"):
        RayPool(on)


def test_ray_is_the_version_that_was_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_name: str) -> str:
        raise importlib.metadata.PackageNotFoundError

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(MissingExtra, match="--on ray needs the extra 'ray'"):
        RayPool("ray")
    for other in ("2.40.0", "2.6.0", "3.0.0"):
        monkeypatch.setattr(importlib.metadata, "version", lambda _name, other=other: other)
        with pytest.raises(SnellenError, match=rf"--on ray needs Ray 2\.60, and {other} is installed: pip install"):
            RayPool("ray")
    extras = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert extras["optional-dependencies"]["ray"] == [f"ray[client]=={ray_pool.TESTED}.*"]


def test_only_a_cluster_that_is_named_is_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed (extra ray)")
    noted = tmp_path / "ray_current_cluster"  # one's own note, and somebody else may listen there by now
    monkeypatch.setattr("ray._private.utils.get_ray_address_file", lambda _folder: str(noted))
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with socket.create_server(("127.0.0.1", 0)) as server:
        noted.write_text(f"127.0.0.1:{server.getsockname()[1]}")
        assert ray_pool._cluster_here() == ""
    monkeypatch.setenv("RAY_ADDRESS", "local")
    assert ray_pool._cluster_here() == ""
    monkeypatch.setenv("RAY_ADDRESS", "head:6379")
    assert ray_pool._cluster_here() == "head:6379"
    monkeypatch.setenv("RAY_ADDRESS", "auto")
    with pytest.raises(SnellenError, match="RAY_ADDRESS=auto names no cluster"):
        ray_pool._cluster_here()


def test_a_node_with_another_version_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed (extra ray)")
    pool = RayPool("ray")
    monkeypatch.setattr(pool, "_ray", SimpleNamespace(get=lambda version: version))
    assert pool._problem(__version__) == ""
    assert pool._problem("0.1") == f"it has Snellen 0.1, and this machine has {__version__}"


def test_nothing_of_ray_is_imported_until_it_is_needed() -> None:
    program = (
        "import sys, snellen.api, snellen.cli.run_command\n"
        "from snellen.engine import ray_pool\n"
        "ray_pool.importlib.metadata.version = lambda name: '2.60.0'\n"
        "ray_pool.RayPool('ray').close()\n"
        "sys.exit('ray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "baseline/pixels"), "--on has no effect for baseline/pixels: it is for models behind an API"),
        (("--model", "hf/x/y", "--devices", "cpu,cpu"), "--devices has no effect with --on"),
        (("--model", "hf/x/y", "--check-batching", "3"), "--check-batching is for one device: leave out --on"),
        (("--model", "vllm/m", "--serve", "vllm"), "--serve starts a server on this machine: leave out --on"),
        (("--model", "openai/m", "--batch-api", "--api-key", "k"), "--on has no effect with --batch-api"),
        (("--model", "api/m", "--base-url", "http://127.0.0.1:1/v1"), "--on ray://127.0.0.1:9: nobody listens at"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    pytest.importorskip("ray", reason="Ray is not installed (extra ray)")
    data, out = write_set(tmp_path / "set", 2), tmp_path / "runs"
    common = ("--data", data, "--out", out, "--on", "ray://127.0.0.1:9")
    done = snellen("run", "salbench", *words, *common, cache=tmp_path / "cache")
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not out.exists() or not list(out.iterdir())
