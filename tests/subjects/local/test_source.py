"""Where a model comes from: folders, the hub's cache, and everything that is no model."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.installing import install_command
from snellen.subjects import build, options_of
from snellen.subjects.local import source
from snellen.subjects.local.settings import LocalSettings
from snellen.subjects.local.stack import choose_device, choose_dtype, is_out_of_memory
from snellen.subjects.local.subject import LocalSubject

COMMIT = "c" * 40


def written(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)
    return folder


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "not a saved model (no config.json)"),
        ({"config__json": "{oops"}, "not a model's configuration"),
        ({"config__json": "[1]"}, "not a model's configuration"),
        ({"config__json": "{}"}, "no *.safetensors"),
    ],
)
def test_a_folder_that_is_no_model(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(SnellenError) as error:
        source.find(str(written(tmp_path / "m", **files)))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["./nothing", "/no/such/folder", "a/b/c", "~/nothing here", "..", "own er/name"])
def test_what_is_neither_folder_nor_hub_name(name: str) -> None:
    with pytest.raises(SnellenError, match=r"no such folder|not a saved model"):
        source.find(name)


def test_a_hub_name_without_the_hub() -> None:
    with pytest.raises(SnellenError, match=r"hf/owner/name: the hub is switched off .* not in the hub's cache"):
        source.find("owner/name")


def test_a_model_in_the_hubs_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    repo = tmp_path / "models--owner--name"
    folder = written(repo / "snapshots" / COMMIT, config__json='{"dtype": "bfloat16"}', model__safetensors="x")
    written(repo / "refs", main=COMMIT)
    for name in ("owner/name", "owner/name@main", f"owner/name@{COMMIT}"):
        found = source.find(name)
        assert (found.name, found.commit, found.version) == ("owner/name", COMMIT, COMMIT)
        assert source.fetch(found).resolve() == folder.resolve()
        assert source.saved_dtype(source.config_of(found)) == "bfloat16"
    with pytest.raises(SnellenError, match="not in the hub's cache"):
        source.find("owner/name@other")


def test_the_digest_is_of_what_decides_answers(copy_of: Callable[[str], Path], models: dict[str, Path]) -> None:
    folder = copy_of("llava")
    before = source.find(str(folder)).sha256
    assert before == source.find(str(models["llava"])).sha256
    (folder / "README.md").write_text("hello")
    assert source.find(str(folder)).sha256 == before
    weights = folder / "model.safetensors"
    raw = bytearray(weights.read_bytes())
    raw[-3] ^= 1
    weights.write_bytes(raw)
    assert source.find(str(folder)).sha256 != before


def test_a_large_file_is_known_by_its_header_and_blocks_all_over_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "WHOLE", 1000)
    monkeypatch.setattr(source, "BLOCK", 16)
    monkeypatch.setattr(source, "BLOCKS", 8)
    raw = bytearray((40).to_bytes(8, "little") + bytes(range(256)) * 20)
    digests = set()
    for place in (None, 0, 20, (len(raw) - 16) * 3 // 7 + 5, -1):
        changed = bytearray(raw)
        if place is not None:
            changed[place] ^= 1
        folder = written(tmp_path / str(place))
        (folder / "model.safetensors").write_bytes(changed)
        digests.add(source.folder_digest(folder))
    assert len(digests) == 5


def test_what_is_chosen_of_the_machine() -> None:
    torch = pytest.importorskip("torch")
    assert choose_dtype("bfloat16", "cpu", None, False) == "bfloat16"
    with pytest.raises(SnellenError, match="--dtype int8: expected auto, float32"):
        choose_dtype("int8", "cpu", None, False)
    assert choose_device(torch, "cpu") == "cpu"
    with pytest.raises(SnellenError, match="--device fridge"):
        choose_device(torch, "fridge")
    if not torch.cuda.is_available():
        with pytest.raises(SnellenError, match="--device cuda:1: this machine has none"):
            choose_device(torch, "cuda:1")
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory"))
    assert is_out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"))
    assert not is_out_of_memory(RuntimeError("shapes do not match"))


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(SnellenError, match=re.escape(install_command("local"))):
        LocalSubject(str(tmp_path), LocalSettings())


def test_forms_and_short_names() -> None:
    for short, name in {"llava": "llava-hf/llava-1.5-7b-hf", "qwen": "Qwen/Qwen3-VL-8B-Instruct"}.items():
        subject = build(short, Exam(), options={"max_tokens": 9}, offline=True)
        assert (subject.spec, subject.identity["model"]) == (short, name)
        assert subject.identity["parameters"] == {"max_tokens": 9, "temperature": 0.0}
    assert "extra" not in {o.name for o in options_of("hf/owner/name")}
    with pytest.raises(SnellenError, match="hf/NAME"):
        build("hf", Exam())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (LocalSettings(max_tokens=0), "--max-tokens 0"),
        (LocalSettings(temperature=-1.0), "--temperature -1"),
        (LocalSettings(temperature=float("nan")), "--temperature nan"),
        (LocalSettings(batch=0), "--batch 0"),
        (LocalSettings(attention="someone/kernel"), "--attention someone/kernel: expected one of sdpa, eager"),
        (LocalSettings(trust_remote_code="yes"), "expected OWNER/NAME@COMMIT"),
        (LocalSettings(trust_remote_code="owner/name@main"), "expected OWNER/NAME@COMMIT"),
        (LocalSettings(trust_remote_code=f"other/name@{COMMIT}"), "not the repository of --model hf/owner/name"),
    ],
)
def test_settings_that_cannot_be(settings: LocalSettings, message: str) -> None:
    with pytest.raises(SnellenError) as error:
        LocalSubject("owner/name", settings, offline=True)
    assert message in str(error.value)


def test_trusted_code_is_of_one_commit_of_one_repository(tmp_path: Path) -> None:
    pinned = f"owner/name@{COMMIT}"
    subject = LocalSubject("owner/name", LocalSettings(trust_remote_code=pinned), offline=True)
    assert subject.spec == f"hf/{pinned}"
    assert subject.identity["parameters"]["trust_remote_code"] == pinned
    own = {"auto_map": {"AutoConfig": "configuration.C", "AutoProcessor": ["owner/name--p.P", None]}}
    folder = written(tmp_path / "m", config__json=json.dumps(own))
    assert source.foreign_code(folder, "owner/name") is None
    (folder / "processor_config.json").write_text(json.dumps({"auto_map": {"AutoProcessor": "evil/repo--p.P"}}))
    assert source.foreign_code(folder, "owner/name") == "evil/repo"
