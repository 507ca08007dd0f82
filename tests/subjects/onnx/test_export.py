"""The shipped graphs are what the export script writes, and it takes another model of the kind, saved in another precision."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from snellen.subjects.local.source import packaged

pytest.importorskip("onnx")


@pytest.mark.parametrize("name", ["snellen-tiny", "tiny-siglip"])
def test_the_shipped_graphs_are_what_the_script_writes(name: str, tmp_path: Path) -> None:
    from training.onnx_export import export

    shipped = {p.name: p.read_bytes() for p in Path(packaged(name)).glob("*.onnx")}
    folder = Path(shutil.copytree(packaged(name), tmp_path / name, ignore=shutil.ignore_patterns("*.onnx")))
    assert {p.name: p.read_bytes() for p in export(folder)} == shipped
    assert sum(map(len, shipped.values())) < 70_000, "weights are referred to, not held"


@pytest.mark.parametrize("layers", [-1, [1, 2]], ids=["the last layer", "two layers side by side"])
def test_another_model_of_the_kind_computes_what_transformers_computes(tmp_path: Path, layers: int | list[int]) -> None:
    torch = pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    onnxruntime = pytest.importorskip("onnxruntime")
    from training.onnx_export import export

    config = transformers.AutoConfig.from_pretrained(packaged("snellen-tiny"))
    config.text_config.num_hidden_layers, config.vision_config.num_hidden_layers = 2, 2
    config.vision_feature_layer = layers
    config.text_config.intermediate_size, config.text_config.vocab_size = 96, 700
    config.dtype = config.text_config.dtype = config.vision_config.dtype = "float32"
    torch.manual_seed(3)
    model = transformers.LlavaForConditionalGeneration(config).eval()
    model.save_pretrained(tmp_path)
    export(tmp_path)
    vision, language = (onnxruntime.InferenceSession(str(tmp_path / f"{n}.onnx")) for n in ("vision", "language"))

    pixels = np.random.default_rng(1).standard_normal((2, 3, 112, 112)).astype(np.float32)
    ids = np.array([3, *[4] * 49, 600, *[4] * 49, 699, 7])
    with torch.inference_mode():
        whole = model(input_ids=torch.tensor(ids)[None], pixel_values=torch.tensor(pixels)).logits[0].numpy()
    seen = vision.run(None, {"pixels": pixels})[0]
    places = np.flatnonzero(ids == 4)[:, None]
    past = np.zeros((2, 2, config.text_config.num_attention_heads, 0, 32), np.float32)
    first, past = language.run(None, {"ids": ids[:-1], "places": places, "seen": seen, "past": past})
    second, past = language.run(None, {"ids": ids[-1:], "places": places[:0], "seen": seen[:0], "past": past})
    assert np.allclose(first, whole[-2], atol=1e-4)
    assert np.allclose(second, whole[-1], atol=1e-4)
    assert past.shape[3] == len(ids)


def test_what_the_graphs_do_not_compute_is_refused(tmp_path: Path) -> None:
    from training.onnx_export import export

    folder = Path(shutil.copytree(packaged("snellen-tiny"), tmp_path / "other"))
    config = folder / "config.json"
    config.write_text(config.read_text().replace('"silu"', '"relu"'))
    with pytest.raises(SystemExit, match="hidden_act is relu; these graphs are for silu"):
        export(folder)
