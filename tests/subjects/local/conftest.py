"""Tiny models, made once a session, and a hub that is switched off."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import tiny_models


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A LLaVA and a Qwen3-VL whose replies often end early."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("transformers")
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models")
    return {
        "llava": tiny_models.save_llava(folder / "tiny-llava", often_ends=True),
        "qwen": tiny_models.save_qwen(folder / "tiny-qwen", often_ends=True),
    }


@pytest.fixture
def copy_of(models: dict[str, Path], tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a model's folder, to change something in it."""
    return lambda name: Path(shutil.copytree(models[name], tmp_path / f"changed-{name}"))


@pytest.fixture(autouse=True)
def _no_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(pytest.importorskip("huggingface_hub.constants"), "HF_HUB_OFFLINE", True)
