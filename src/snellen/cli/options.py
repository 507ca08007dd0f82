"""Options that several commands share, with the names that the seeds use as further spellings."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from snellen.cli.spellings import CountOrNone
from snellen.core.errors import SnellenError
from snellen.core.options import Selection
from snellen.core.secret import Secret

F = TypeVar("F", bound=Callable[..., Any])


def words(_ctx: click.Context, _param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Repeated or comma-separated values, each once."""
    return tuple(dict.fromkeys(w.strip() for v in value for w in v.split(",") if w.strip()))


def _stack(*options: Callable[[F], F]) -> Callable[[F], F]:
    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


selection = _stack(
    click.option(
        "--data",
        "--dataset",
        "data",
        metavar="DIR",
        help="Folder of the data set (default: where 'snellen data get' puts it).",
    ),
    click.option(
        "--split",
        "--splits",
        "splits",
        multiple=True,
        callback=words,
        help="Splits, comma separated (default: all there are).",
    ),
    click.option(
        "--task",
        "--tasks",
        "tasks",
        multiple=True,
        callback=words,
        help="Tasks, comma separated (default: all there are).",
    ),
    click.option(
        "--limit",
        "--samples",
        "--num-samples",
        "--n_samples",
        "limit",
        type=CountOrNone(min=1),
        metavar="N",
        help="At most N samples of each split and task, drawn by --seed; smaller limits are inside larger ones.",
    ),
    click.option(
        "--seed",
        type=int,
        default=0,
        show_default=True,
        help="Seed of the drawn samples, few-shot examples and chance.",
    ),
    click.option("--shots", type=int, default=0, show_default=True, help="Few-shot examples in each question."),
    click.option(
        "--max-missing",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Missing images that are put up with: their samples are left out, counted and listed.",
    ),
)


local = _stack(
    click.option("--model-path", metavar="DIR", help="Folder of the weights for --model llava or qwen."),
    click.option(
        "--device", default="auto", show_default=True, help="Where an hf/ model runs: auto, cpu, cuda, cuda:1, mps."
    ),
    click.option(
        "--attention",
        default="sdpa",
        show_default=True,
        help="How it attends: sdpa, eager, flash_attention_2 (wants that package).",
    ),
    click.option("--dtype", default="auto", show_default=True, help="Its precision: auto, float32, bfloat16, float16."),
    click.option(
        "--batch", default="auto", show_default=True, metavar="N|auto", help="Questions that it answers at once."
    ),
    click.option(
        "--trust-remote-code",
        metavar="REPO@COMMIT",
        help="Run the model code of this repository at this commit; off unless it is named.",
    ),
)


grounding = _stack(
    click.option("--method", metavar="NAME", help="Grounding method ('snellen list methods'); a --model alone is vlm."),
    click.option(
        "--method-option",
        "method_options",
        multiple=True,
        metavar="NAME=VALUE",
        help="Option of the method, such as crop=fixed, version=1, format=qwen2.5-vl, chooser=model; may be repeated.",
    ),
    click.option("--planner", metavar="SPEC", help="Model that plans the search of screenseeker (default: --model)."),
    click.option("--omniparser-url", metavar="URL", help="OmniParser's server (EVAL_OMNIPARSER_URL)."),
    click.option("--uitars-url", metavar="URL", help="UI-TARS's server, where --model is not given (EVAL_UITARS_URL)."),
)


scoring = _stack(
    click.option(
        "--scorer",
        "--scorers",
        "scorers",
        multiple=True,
        callback=words,
        metavar="S,...",
        help="Who holds captions against pictures: siglip, siglip:NAME or DIR, tiny-siglip (default: siglip; for synthetic "
        "data tiny-siglip).",
    ),
    click.option(
        "--scorer-mode",
        default="trained",
        show_default=True,
        help="trained: texts padded as the scorer was trained; original: unpadded, as the D3 script.",
    ),
    click.option("--sets", is_flag=True, help="D3: only sets of more than two images (as --task set)."),
)


asked_as = _stack(
    click.option(
        "--prompt_mode", "--prompt-mode", "prompt_mode", metavar="MODE", help="As --prompt: zero, 1shot, 3shot."
    ),
    click.option(
        "--generate_explanations",
        "--generate-explanations",
        "generate_explanations",
        type=bool,
        metavar="true|false",
        help="false asks for the answer only (--prompt answer-only).",
    ),
)


model = _stack(
    click.option(
        "--model",
        metavar="SPEC",
        help="Who answers: openrouter/NAME, openai/NAME, ollama/NAME, vllm/NAME, api/NAME, hf/NAME or hf/DIR, llava, qwen, "
        "baseline/NAME, replay/FILE ('snellen list subjects').",
    ),
    click.option(
        "--backend",
        metavar="KIND",
        help="Kind of endpoint, put before --model: --backend ollama --model llava:7b is ollama/llava:7b.",
    ),
    click.option("--base-url", metavar="URL", help="Address of the endpoint, such as http://localhost:8000/v1."),
    click.option(
        "--api-key",
        metavar="KEY",
        help="Key of the endpoint; better in the environment (OPENROUTER_API_KEY, OPENAI_API_KEY, SNELLEN_API_KEY).",
    ),
    click.option(
        "--max-tokens", type=click.IntRange(min=1), metavar="N", help="Longest reply (default: the benchmark's)."
    ),
    click.option(
        "--temperature",
        default="0",
        show_default=True,
        metavar="T",
        help="Sampling temperature; 'none' leaves it to the endpoint.",
    ),
    click.option(
        "--logprobs",
        type=click.IntRange(0, 20),
        default=0,
        metavar="K",
        help="Ask for token log-probabilities with K alternatives.",
    ),
    click.option(
        "--price",
        metavar="IN/OUT",
        help="USD for a million input and output tokens, where the built-in table has none.",
    ),
    click.option(
        "--extra", metavar="JSON", help='More fields of the request body, such as \'{"provider": {"order": ["x"]}}\'.'
    ),
)


protocols = _stack(
    click.option(
        "--protocol",
        "--protocols",
        "protocols",
        multiple=True,
        callback=words,
        metavar="P,...",
        help="Protocols to mark under: NAME or NAME@PROMPT (default: all).",
    ),
    click.option(
        "--prompt", metavar="NAME", help="Ask this prompt in place of the protocols' own ('snellen list protocols')."
    ),
)


def data_folder(benchmark: str, given: str | None) -> Path:
    """`--data`, else where `snellen data get` puts the real data."""
    if given is not None and Path(given).is_dir():
        return Path(given)
    home = default_data_folder(benchmark)
    if given is not None and "/" in given and not given.startswith((".", "/", "~")) and home.is_dir():
        return home
    if given is not None:
        raise SnellenError(
            f"--data {given}: no such folder; 'snellen data make {benchmark} --out {given}' makes a synthetic set there"
        )
    if home.is_dir():
        return home
    raise SnellenError(
        f"no data: give --data DIR; 'snellen data make {benchmark} --out DIR' makes a synthetic set, "
        f"'snellen data get {benchmark}' fetches the real one"
    )


def default_data_folder(benchmark: str) -> Path:
    """`SNELLEN_DATA_DIR/BENCHMARK`, else a folder of the user's."""
    moved = os.environ.get("SNELLEN_DATA_DIR")
    if moved:
        return Path(moved) / benchmark
    from platformdirs import user_data_path

    return user_data_path("snellen", appauthor=False) / benchmark


def full_spec(given: dict[str, Any]) -> str | None:
    """`--model`, with `--backend` before it."""
    if not given.get("model"):
        return None
    backend = given.get("backend")
    return f"{backend}/{given['model']}" if backend else str(given["model"])


def build_plan(benchmark: str, given: dict[str, Any], *, offline: bool = False) -> Any:
    """A plan from the options of `run` and `estimate`."""
    from snellen import exams as benchmarks
    from snellen.engine.plan.plan import make_plan
    from snellen.subjects.openai_api import Settings
    from snellen.subjects.prices import parse_price

    exam = benchmarks.load(benchmark)
    settings = Settings(
        base_url=given["base_url"],
        key=Secret((given["api_key"] or "").strip()),
        max_tokens=given["max_tokens"] or exam.max_tokens,
        temperature=_temperature(given["temperature"]),
        top_logprobs=given["logprobs"],
        price=parse_price(given["price"]) if given["price"] else None,
        extra=_extra(given["extra"]),
    )
    return make_plan(
        benchmark,
        model=full_spec(given),
        data=data_folder(benchmark, given["data"]),
        protocols=given["protocols"],
        prompt=given["prompt"],
        controls=given.get("controls", ()),
        options=Selection(
            splits=given["splits"],
            tasks=_tasks(exam, given),
            limit=given["limit"],
            seed=given["seed"],
            shots=given["shots"],
            max_missing=given["max_missing"],
        ),
        settings=settings,
        local=_local(given),
        scorers=given.get("scorers", ()),
        scorer_mode=given.get("scorer_mode", "trained"),
        method=_method(given),
        offline=offline,
    )


def _tasks(exam: Any, given: dict[str, Any]) -> tuple[str, ...]:
    if not given.get("sets"):
        return tuple(given["tasks"])
    if "set" not in exam.tasks:
        raise SnellenError(f"--sets is for d3, not for {exam.name}")
    return tuple(dict.fromkeys((*given["tasks"], "set")))


def _method(given: dict[str, Any]) -> Any:
    if not given.get("method"):
        return None
    from snellen.exams.grounding.methods.building import Chosen

    options = {}
    for pair in given.get("method_options", ()):
        key, equals, value = pair.partition("=")
        if not equals:
            raise SnellenError(f"--method-option {pair}: expected NAME=VALUE, such as crop=fixed")
        options[key.strip()] = value.strip()
    urls = {k: given.get(k) for k in ("omniparser_url", "uitars_url")}
    return Chosen(given["method"], options, given.get("planner"), **urls)


def _local(given: dict[str, Any]) -> Any:
    from snellen.subjects.local.settings import LocalSettings

    batch = given.get("batch", "auto")
    if batch != "auto" and not batch.isdigit():
        raise SnellenError(f"--batch {batch}: a number from 1, or 'auto'")
    return LocalSettings(
        device=given.get("device", "auto"),
        dtype=given.get("dtype", "auto"),
        attention=given.get("attention", "sdpa"),
        batch=batch if batch == "auto" else int(batch),
        trust_remote_code=given.get("trust_remote_code"),
        path=given.get("model_path"),
    )


def _temperature(text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise SnellenError(f"--temperature {text}: a number, or 'none'") from None


def _extra(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    try:
        return msgspec.json.decode(text.encode(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise SnellenError(f"--extra must be a JSON object: {error}") from None


def print_json(value: Any) -> None:
    """One JSON document on standard output and nothing else there."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())
