"""ONNX Runtime graphs of the two shipped models, written beside their weights, which they refer to but do not contain.

    python -m training.onnx_export src/snellen/weights/snellen-tiny src/snellen/weights/tiny-siglip

A folder with a LLaVA of snellen-tiny's kind (a SigLIP tower, a Llama) gets `vision.onnx` and `language.onnx`, one with a SigLIP
`vision.onnx` and `text.onnx`. The tests compare their results with transformers, token for token.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from onnx import ModelProto

from training.onnx_graph import Graph, save

Config = dict[str, Any]


def export(folder: Path) -> list[Path]:
    """Write the graphs of the model in a folder."""
    config: Config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    if config["model_type"] == "llava":
        graphs = {"vision.onnx": llava_vision(folder, config), "language.onnx": llama(folder, config["text_config"])}
    elif config["model_type"] == "siglip":
        graphs = {
            "vision.onnx": siglip_vision(folder, config["vision_config"]),
            "text.onnx": siglip_text(folder, config["text_config"]),
        }
    else:
        raise SystemExit(f"{folder}: a {config['model_type']} model; there are graphs for llava and siglip alone")
    for name, graph in graphs.items():
        save(graph, folder / name)
    return [folder / name for name in graphs]


# ---------------------------------------------------------------- SigLIP


def _known(config: Config, **wanted: Any) -> None:
    """Refuse a configuration that these graphs do not compute."""
    for key, value in wanted.items():
        if config.get(key, value) != value:
            raise SystemExit(f"{key} is {config[key]}; these graphs are for {value}")


def _layers(g: Graph, x: str, length: str, config: Config, where: str) -> list[str]:
    """Add the layers of a SigLIP tower: rows of 1 sequence or several, all of one length, before and after each layer."""
    _known(config, hidden_act="gelu_pytorch_tanh")
    count, eps = config["num_attention_heads"], config["layer_norm_eps"]
    size = config["hidden_size"]
    width = size // count
    found = [x]
    for number in range(config["num_hidden_layers"]):
        name = f"{where}.layers.{number}"
        seen = g.layer_norm(x, f"{name}.layer_norm1", eps)
        q, k, v = (g.heads(g.linear(seen, f"{name}.self_attn.{p}_proj"), length, count, width) for p in "qkv")
        taken = g.node("Reshape", g.attention(q, k, v, width), g.shape(-1, size))
        x = g.node("Add", x, g.linear(taken, f"{name}.self_attn.out_proj"))
        x = g.node("Add", x, _mlp(g, g.layer_norm(x, f"{name}.layer_norm2", eps), f"{name}.mlp"))
        found.append(x)
    return found


def _mlp(g: Graph, x: str, name: str) -> str:
    return g.linear(g.gelu_tanh(g.linear(x, f"{name}.fc1")), f"{name}.fc2")


def _tower(g: Graph, config: Config, where: str) -> list[str]:
    """Add a tower that turns pictures into rows, one for each patch of each picture, before and after each layer."""
    side, size = config["patch_size"], config["hidden_size"]
    patches = (config["image_size"] // side) ** 2
    names = (g.weight(f"{where}.embeddings.patch_embedding.{part}") for part in ("weight", "bias"))
    grid = g.node("Conv", "pixels", *names, kernel_shape=[side, side], strides=[side, side])
    flat = g.node("Transpose", g.node("Reshape", grid, g.shape(0, size, patches)), perm=[0, 2, 1])
    placed = g.node("Add", flat, g.weight(f"{where}.embeddings.position_embedding.weight"))
    rows = g.node("Reshape", placed, g.shape(-1, size))
    return _layers(g, rows, g.shape(patches), config, f"{where}.encoder")


def _pixels(config: Config) -> dict[str, tuple[str, list[Any]]]:
    return {"pixels": ("float32", ["pictures", 3, config["image_size"], config["image_size"]])}


def siglip_vision(folder: Path, config: Config) -> ModelProto:
    """Return the graph from pictures to vectors: all patches, as one learnt question sees them."""
    g, name, eps = Graph(folder), "vision_model.head", config["layer_norm_eps"]
    rows = g.layer_norm(_tower(g, config, "vision_model")[-1], "vision_model.post_layernorm", eps)
    size, count = config["hidden_size"], config["num_attention_heads"]
    patches, width = g.shape((config["image_size"] // config["patch_size"]) ** 2), size // count
    weights = g.nodes("Split", 3, g.weight(f"{name}.attention.in_proj_weight"), axis=0)
    biases = g.nodes("Split", 3, g.weight(f"{name}.attention.in_proj_bias"), axis=0)
    probe = g.node("Reshape", g.weight(f"{name}.probe"), g.shape(1, size))
    lengths = (g.shape(1), patches, patches)
    q, k, v = (
        g.heads(g.node("Gemm", x, weight, bias, transB=1), length, count, width)
        for x, weight, bias, length in zip((probe, rows, rows), weights, biases, lengths, strict=True)
    )
    taken = g.node("Reshape", g.attention(q, k, v, width), g.shape(-1, size))
    seen = g.linear(taken, f"{name}.attention.out_proj")
    pooled = g.node("Add", seen, _mlp(g, g.layer_norm(seen, f"{name}.layernorm", eps), f"{name}.mlp"))
    return g.model(_pixels(config), {"vectors": (pooled, ["pictures", size])})


def siglip_text(folder: Path, config: Config) -> ModelProto:
    """Return the graph from texts of one length to vectors: the last place of each, whatever is there."""
    g, name, size = Graph(folder), "text_model", config["hidden_size"]
    length = g.node("Slice", g.node("Shape", "ids"), g.shape(1), g.shape(2))
    places = g.node("Slice", g.weight(f"{name}.embeddings.position_embedding.weight"), g.shape(0), length)
    words = g.node("Gather", g.weight(f"{name}.embeddings.token_embedding.weight"), "ids", axis=0)
    rows = g.node("Reshape", g.node("Add", words, places), g.shape(-1, size))
    rows = g.layer_norm(
        _layers(g, rows, length, config, f"{name}.encoder")[-1], f"{name}.final_layer_norm", config["layer_norm_eps"]
    )
    back = g.node("Reshape", rows, g.node("Concat", g.shape(-1), length, g.shape(size), axis=0))
    last = g.node("Gather", back, g.constant(-1, "int64"), axis=1)
    return g.model(
        {"ids": ("int64", ["texts", "length"])},
        {"vectors": (g.linear(last, f"{name}.head"), ["texts", config["projection_size"]])},
    )


# ---------------------------------------------------------------- LLaVA


def llava_vision(folder: Path, config: Config) -> ModelProto:
    """Return the graph from pictures to the rows that replace them in a text: the output of one tower layer, or of several side by side."""
    _known(config, projector_hidden_act="gelu", vision_feature_select_strategy="full")
    g, vision, name = Graph(folder), config["vision_config"], "multi_modal_projector"
    found, wanted = _tower(g, vision, "vision_tower"), config["vision_feature_layer"]
    several = isinstance(wanted, list)
    rows = g.node("Concat", *(found[layer] for layer in wanted), axis=1) if several else found[wanted]
    seen = g.linear(g.gelu(g.linear(rows, f"{name}.linear_1")), f"{name}.linear_2")
    return g.model(_pixels(vision), {"features": (seen, ["patches", config["text_config"]["hidden_size"]])})


def llama(folder: Path, config: Config) -> ModelProto:
    """Return the graph of the next token's scores after one sequence, read at once or after earlier tokens.

    `past` holds keys and values of the earlier tokens, (layer, keys or values, head, place, width), and is empty at first. `seen` are
    rows of pictures, for the tokens at `places`.
    """
    count, size = config["num_attention_heads"], config["hidden_size"]
    width, eps = config["head_dim"], config["rms_norm_eps"]
    rope = config["rope_parameters"]
    _known(config, hidden_act="silu", num_key_value_heads=count, tie_word_embeddings=True)
    _known(rope, rope_type="default")
    g, name = Graph(folder), "language_model.model"
    words = g.weight(f"{name}.embed_tokens.weight")
    x = g.node("ScatterND", g.node("Gather", words, "ids", axis=0), "places", "seen")
    new, past = g.node("Shape", "ids"), g.node("Slice", g.node("Shape", "past"), g.shape(3), g.shape(4))
    turn, mask = _turns_and_mask(g, new, past, width, rope["rope_theta"])
    kept = []
    for number in range(config["num_hidden_layers"]):
        layer = f"{name}.layers.{number}"
        read = g.rms_norm(x, f"{layer}.input_layernorm", eps)
        q, k, v = (g.heads(g.linear(read, f"{layer}.self_attn.{p}_proj"), new, count, width) for p in "qkv")
        before = g.node("Gather", "past", g.constant(number, "int64"), axis=0)
        q, both = (
            _turned(g, q, turn),
            g.node("Concat", before, g.node("Concat", _turned(g, k, turn), v, axis=0), axis=2),
        )
        keys, values = g.nodes("Split", 2, both, axis=0)
        taken = g.node("Reshape", g.attention(q, keys, values, width, mask), g.shape(-1, size))
        x = g.node("Add", x, g.linear(taken, f"{layer}.self_attn.o_proj"))
        read = g.rms_norm(x, f"{layer}.post_attention_layernorm", eps)
        gate, up = (g.linear(read, f"{layer}.mlp.{part}_proj") for part in ("gate", "up"))
        x = g.node("Add", x, g.linear(g.node("Mul", g.silu(gate), up), f"{layer}.mlp.down_proj"))
        kept.append(g.node("Unsqueeze", both, g.shape(0)))
    last = g.rms_norm(g.node("Gather", x, g.shape(-1), axis=0), f"{name}.norm", eps)
    scores = g.node("Reshape", g.node("Gemm", last, words, transB=1), g.shape(-1))
    held = [config["num_hidden_layers"], 2, count]
    return g.model(
        {
            "ids": ("int64", ["new"]),
            "places": ("int64", ["patches", 1]),
            "seen": ("float32", ["patches", size]),
            "past": ("float32", [*held, "past", width]),
        },
        {"scores": (scores, [config["vocab_size"]]), "kept": (g.node("Concat", *kept, axis=0), [*held, "read", width])},
    )


def _turns_and_mask(g: Graph, new: str, past: str, width: int, theta: float) -> tuple[tuple[str, str], str]:
    """Add cosines and sines of the new places, and the mask that hides later places from each of them."""
    zero, one = g.constant(0, "int64"), g.constant(1, "int64")
    first = g.node("Squeeze", past)
    end = g.node("Add", first, g.node("Squeeze", new))
    column = g.node("Unsqueeze", g.node("Range", first, end, one), g.shape(1))
    hidden = g.node("Greater", g.node("Range", zero, end, one), column)
    mask = g.node("Where", hidden, g.constant(-1e9), g.constant(0.0))
    speeds = g.constant([theta ** (-2 * i / width) for i in range(width // 2)] * 2)
    angles = g.node("Mul", g.node("Cast", column, to=1), speeds)
    return (g.node("Cos", angles), g.node("Sin", angles)), mask


def _turned(g: Graph, x: str, turn: tuple[str, str]) -> str:
    """Add the rotary embedding: each half of a head with the other one."""
    left, right = g.nodes("Split", 2, x, axis=-1)
    other = g.node("Concat", g.node("Neg", right), left, axis=-1)
    return g.node("Add", g.node("Mul", x, turn[0]), g.node("Mul", other, turn[1]))


if __name__ == "__main__":
    for each in sys.argv[1:]:
        for written in export(Path(each)):
            print(f"{written}: {written.stat().st_size / 1000:.0f} KB")
