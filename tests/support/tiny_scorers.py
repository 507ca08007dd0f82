"""Tiny random SigLIP and CLIP checkpoints with the real classes, saved in a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LONGEST = 16
WORDS = [
    "a",
    "the",
    "red",
    "blue",
    "green",
    "ball",
    "dog",
    "cat",
    "on",
    "left",
    "right",
    "of",
    "man",
    "with",
    "hat",
    "and",
    "is",
]


def _tokenizer(end: bool) -> Any:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    names = ["<pad>", "</s>", "<unk>", *WORDS]
    core = Tokenizer(models.WordLevel({w: i for i, w in enumerate(names)}, unk_token="<unk>"))
    core.normalizer = normalizers.Lowercase()
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    if end:
        core.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=LONGEST
    )


def save_siglip(folder: Path, seed: int = 0) -> Path:
    import torch
    from transformers import SiglipConfig, SiglipImageProcessorPil, SiglipModel, SiglipProcessor

    torch.manual_seed(seed)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = SiglipConfig(
        text_config=size
        | {
            "vocab_size": 40,
            "max_position_embeddings": LONGEST,
            "bos_token_id": 1,
            "eos_token_id": 1,
            "pad_token_id": 0,
        },
        vision_config=size | {"image_size": 16, "patch_size": 8},
    )
    SiglipModel(config).eval().save_pretrained(folder)
    images = SiglipImageProcessorPil(size={"height": 16, "width": 16})
    SiglipProcessor(image_processor=images, tokenizer=_tokenizer(end=True)).save_pretrained(folder)
    return folder


def save_clip(folder: Path, seed: int = 0) -> Path:
    import torch
    from transformers import CLIPConfig, CLIPImageProcessorPil, CLIPModel, CLIPProcessor

    torch.manual_seed(seed)
    size = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = CLIPConfig(
        text_config=size
        | {
            "vocab_size": 40,
            "max_position_embeddings": LONGEST,
            "bos_token_id": 1,
            "eos_token_id": 1,
            "pad_token_id": 0,
        },
        vision_config=size | {"image_size": 16, "patch_size": 8},
        projection_dim=16,
    )
    CLIPModel(config).eval().save_pretrained(folder)
    images = CLIPImageProcessorPil(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    CLIPProcessor(image_processor=images, tokenizer=_tokenizer(end=True)).save_pretrained(folder)
    return folder
