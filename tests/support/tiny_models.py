"""Tiny vision-language models of the real classes, made on the spot and saved as the hub would have them.

Their weights are random but large, so that replies differ from image to image and from prompt to prompt. The LLaVA's tokenizer
works as SentencePiece does (a mark for the space before a word, single bytes for what it does not know), the Qwen's on bytes.
"""

from __future__ import annotations

import importlib
import io
import json
from pathlib import Path
from typing import Any

from snellen.subjects.local.stack import images_only, load_stack

TEXTS = [
    "Given an IMAGE and a QUESTION, answer and explain in this format:",
    "<answer> because <explanation>",
    "yes because a dog is visible in the picture",
    "yellow because the vehicle is painted bright yellow",
    "USER: Question: What color is the bus? ASSISTANT:",
    "no because the kitchen scene is ambiguous and there are three individuals",
    "entailment contradiction neutral label must be one of the words",
]

LLAVA_CHAT = (
    "{% for m in messages %}{% if m.role != 'system' %}{{ m.role | upper }}: {% endif %}"
    "{% for c in m.content if c.type == 'image' %}{{ '<image>\n' }}{% endfor %}"
    "{% for c in m.content if c.type == 'text' %}{{ c.text }} {% endfor %}{% endfor %}"
    "{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
QWEN_CHAT = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for c in m.content %}"
    "{% if c.type == 'image' %}<|vision_start|><|image_pad|><|vision_end|>{% else %}{{ c.text }}{% endif %}"
    "{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def png(seed: int, size: tuple[int, int] = (40, 30), mode: str = "RGB") -> bytes:
    """Return a picture of noise, the same for the same seed."""
    import numpy as np
    from PIL import Image

    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(out, "PNG")
    return out.getvalue()


def _tokenizers() -> Any:
    return importlib.import_module("tokenizers")


def _words_tokenizer(vocabulary: int) -> Any:
    """Make a tokenizer like Llama's: a word carries its space as `▁`, unknown characters become bytes."""
    lib = _tokenizers()
    decoders, models, normalizers = lib.decoders, lib.models, lib.normalizers
    raw = lib.Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    raw.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    raw.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    special = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256))]
    words = [word for text in TEXTS for word in text.split()]  # one by one: no piece spans a space
    raw.train_from_iterator(words, lib.trainers.BpeTrainer(vocab_size=400, special_tokens=special, show_progress=False))
    plain = json.loads(raw.to_str())
    plain["added_tokens"] = [t for t in plain["added_tokens"] if not t["content"].startswith("<0x")]
    known = plain["model"]["vocab"]
    known |= {f"▁w{i}": i for i in range(len(known), vocabulary - 2)}
    raw = lib.Tokenizer.from_str(json.dumps(plain))
    raw.add_special_tokens([lib.AddedToken(mark, special=True) for mark in ("<image>", "<pad>")])
    raw.post_processor = lib.processors.TemplateProcessing("<s> $A", "<s> $A <s> $B", [("<s>", known["<s>"])])
    return load_stack().transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, bos_token="<s>", eos_token="</s>", unk_token="<unk>", pad_token="<pad>"
    )


def _bytes_tokenizer() -> Any:
    """Make a tokenizer like Qwen's: pieces of bytes."""
    lib = _tokenizers()
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"]
    special += ["<|image_pad|>", "<|video_pad|>"]
    raw = lib.Tokenizer(lib.models.BPE())
    raw.pre_tokenizer = lib.pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = lib.decoders.ByteLevel()
    alphabet = lib.pre_tokenizers.ByteLevel.alphabet()
    raw.train_from_iterator(
        TEXTS,
        lib.trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet, show_progress=False),
    )
    return load_stack().transformers.PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>"
    )


def _spread_weights(model: Any, tokenizer: Any, seed: int) -> None:
    """Set random weights, large enough for replies to depend on the pictures and prompt; bytes and marks are less likely."""
    torch = load_stack().torch
    made = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1:
                scale = 1.0 if "embed" in name or "lm_head" in name else 2.0 / weight.shape[-1] ** 0.5
            else:
                scale = 0.0 if "norm" in name else 0.1
            if scale:
                weight.copy_(torch.randn(weight.shape, generator=made) * scale)
        rare = [i for t, i in tokenizer.get_vocab().items() if len(t) == 1 or (t.startswith("<") and len(t) > 1)]
        model.get_output_embeddings().weight[rare] *= 0.2


def _end_tokens(tokenizer: Any, often: bool) -> list[int]:
    """Return the end token; with `often` some common words too, so that replies end early and at different steps."""
    ends = [tokenizer.eos_token_id]
    return ends + list(range(ends[0] + 300, len(tokenizer) - 2, 9)) if often else ends


def save_llava(
    folder: Path,
    *,
    vocabulary: int = 400,
    hidden: int = 48,
    layers: int = 2,
    image: int = 28,
    often_ends: bool = False,
    seed: int = 1,
) -> Path:
    """Save a LLaVA (CLIP tower, Llama) with its processor and chat template."""
    hf = load_stack().transformers
    tokenizer = _words_tokenizer(vocabulary)
    vision = hf.CLIPVisionConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=image,
        patch_size=14,
        projection_dim=32,
    )
    text = hf.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        intermediate_size=2 * hidden,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=2048,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    config = hf.LlavaConfig(
        vision_config=vision,
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_select_strategy="default",
        vision_feature_layer=-2,
    )
    model = hf.LlavaForConditionalGeneration(config)
    _spread_weights(model, tokenizer, seed)
    model.generation_config = hf.GenerationConfig(
        eos_token_id=_end_tokens(tokenizer, often_ends), pad_token_id=tokenizer.pad_token_id
    )
    pixels = hf.CLIPImageProcessorPil(
        size={"shortest_edge": image}, crop_size={"height": image, "width": image}, do_center_crop=True
    )
    processor = hf.LlavaProcessor(
        pixels,
        tokenizer,
        patch_size=14,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=LLAVA_CHAT,
    )
    return _save(model, processor, folder)


def save_qwen(folder: Path, *, often_ends: bool = False, seed: int = 2) -> Path:
    """Save a Qwen3-VL with its processor (images only) and chat template."""
    hf = load_stack().transformers
    images_only(hf)
    tokenizer = _bytes_tokenizer()
    ids = tokenizer.convert_tokens_to_ids
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 48,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 12,
        "max_position_embeddings": 2048,
        "rope_scaling": {"rope_type": "default", "mrope_section": [2, 2, 2], "mrope_interleaved": True},
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "patch_size": 16,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "out_hidden_size": 48,
        "num_position_embeddings": 64,
        "deepstack_visual_indexes": [0, 1],
    }
    config = hf.Qwen3VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=ids("<|image_pad|>"),
        video_token_id=ids("<|video_pad|>"),
        vision_start_token_id=ids("<|vision_start|>"),
        vision_end_token_id=ids("<|vision_end|>"),
    )
    model = hf.Qwen3VLForConditionalGeneration(config)
    _spread_weights(model, tokenizer, seed)
    model.generation_config = hf.GenerationConfig(
        do_sample=True,  # as in the real one: greedy decoding must be requested explicitly
        temperature=0.7,
        top_p=0.8,
        top_k=20,
        repetition_penalty=1.05,
        eos_token_id=_end_tokens(tokenizer, often_ends),
        pad_token_id=tokenizer.pad_token_id,
    )
    pixels = hf.Qwen2VLImageProcessorPil(
        patch_size=16, merge_size=2, size={"shortest_edge": 32 * 32, "longest_edge": 64 * 64}
    )
    video = {"video_processor": hf.Qwen3VLVideoProcessor()} if hf.utils.is_torchvision_available() else {}
    processor = hf.Qwen3VLProcessor(pixels, tokenizer, chat_template=QWEN_CHAT, **video)
    return _save(model, processor, folder)


def _save(model: Any, processor: Any, folder: Path) -> Path:
    model.eval().save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder
