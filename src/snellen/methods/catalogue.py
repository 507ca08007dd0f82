"""The catalogue of grounding methods, and the assembly of one from a name and options.

A name is BASE or BASE+CROP: `ocr`, `uitars+reground`, `omniparser+screenseeker`. The six names of openadapt-grounding are kept:
`uitars-fixed` is `uitars+fixed`. `uitars-screenseeker`, whose crops are a heuristic there, is `uitars+screenseeker-heuristic`.
A plugin's METHODS are bases, too: `mine`, `mine+reground`. `oracle/NAME` is that original's rule, which looks at the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from msgspec import Meta

from snellen.core.errors import SnellenError, unknown
from snellen.core.types import Struct
from snellen.exams.grounding.formats.base import typed
from snellen.exams.grounding.options import ORACLE
from snellen.methods import baselines, crops
from snellen.methods.base import Locator, Method
from snellen.methods.chooser_model import ModelChooser
from snellen.methods.formats import FORMATS, Format, SpaceName, Version, uitars
from snellen.methods.grounders import Grounder
from snellen.methods.lexical import LexicalChooser
from snellen.methods.oracle import STRATEGIES, DetectionOracle, OracleMethod, PointOracle
from snellen.methods.own import OwnLocator, about
from snellen.methods.screenseeker import CALLS, screenseeker
from snellen.registry.plugins import found

_BASES = {
    "omniparser": "OmniParser's server sees, a chooser picks",
    "ocr": "runs here: RapidOCR reads text, a classical detector finds boxes and icons, a chooser picks",
    "uitars": "UI-TARS (v1 or 1.5) points",
    "vlm": "any vision-language model points, in a declared format",
    "center": "baseline: always the middle",
    "random": "baseline: a random point",
    "sliding-window": "baseline: a random window",
}
CROPS = {
    "none": "the whole screenshot",
    "fixed": "then 200, 300 and 500 px around its own first answer",
    "screenseeker-heuristic": "and all panels, always",
    "screenseeker": "searched by a planner model, with a cap on calls",
    "reground": "then once more, 1024 px around its own first answer",
    "narrow": "three times, each time half the view each way",
}
_ALIASES = {
    f"{base}-{old}": f"{base}+{new}"
    for base in ("omniparser", "uitars")
    for old, new in (("fixed", "fixed"), ("screenseeker", "screenseeker-heuristic"))
}
PARSERS = {"omniparser": ("parser:omniparser",), "ocr": ("parser:ocr", "extra:ocr")}
BASELINES = ("center", "random", "sliding-window")
# which options a base has; a plugin's methods take those of cropping only
_OF_BASE = {
    "omniparser": ("chooser", "confidence"),
    "ocr": ("chooser", "confidence"),
    "uitars": ("version", "prompt", "space", "min_pixels", "max_pixels", "confidence"),
    "vlm": ("format", "space", "refusals", "confidence"),
    "random": ("seed",),
    "sliding-window": ("seed",),
}
_OF_CROP = {"none": ("crop",), "fixed": ("crop", "sizes", "max_calls")}


class _MethodOptions(Struct, frozen=True):
    """The options of methods; _OF_BASE and _OF_CROP say which of them a method takes."""

    crop: Literal["none", "fixed", "screenseeker-heuristic", "screenseeker", "reground", "narrow"] = "none"
    sizes: str = "200,300,500"
    max_calls: Annotated[int, Meta(ge=1)] | None = None
    confidence: Annotated[float, Meta(ge=0, le=1)] | None = None
    chooser: Literal["lexical", "model"] = "lexical"
    refusals: bool = False
    version: Version = "1.5"
    prompt: Literal["official", "grounding"] = "official"
    format: Format = "pixels"
    space: SpaceName | None = None
    min_pixels: Annotated[int, Meta(ge=1)] | None = None
    max_pixels: Annotated[int, Meta(ge=1)] | None = None
    seed: Annotated[int, Meta(ge=0)] = 0


class _MethodEntry(NamedTuple):
    """A line of the catalogue of methods."""

    name: str
    needs: tuple[str, ...]
    about: str
    oracle: bool = False


def catalogue() -> list[_MethodEntry]:
    """Return every method: its name, its requirements and a description. Oracles come last and are flagged."""
    known = _bases()
    others = [f"{base}+{crop}" for base in _BASES if base not in BASELINES for crop in CROPS if crop != "none"]
    entries = []
    for name in (*known, *_ALIASES, *(name for name in others if name not in _ALIASES.values())):
        base, crop = _parts(name)
        said = known[base] if crop == "none" else f"{known[base]}; {CROPS[crop]}"
        entries.append(_MethodEntry(name, build(name, {}).needs, said))
    said = "ORACLE: the original's rule, which looks at the answer; for comparison only"
    oracles = [f"{ORACLE}{base}{ending and '-'}{ending}" for base in _BASES for ending in STRATEGIES]
    return [*entries, *(_MethodEntry(name, build_oracle(name, {}).needs, said, oracle=True) for name in oracles)]


def is_oracle(name: str) -> bool:
    """Tell whether a method's name says that it looks at the answer."""
    return name.startswith(ORACLE)


def build(name: str, options: Mapping[str, Any]) -> Method:
    """Build a blind method from its name and options."""
    base, crop = _parts(name)
    if crop != "none" and options.get("crop", crop) != crop:
        raise SnellenError(f"method '{name}' already crops ({crop}): name the plain method '{base}' to crop otherwise")
    crop = str(options.get("crop", crop))
    of_crop = _OF_CROP.get(crop, ("crop", "max_calls"))
    known = _checked(name, options, (*_of_base(base, options), *of_crop))
    return crops.Composed(name, _locator(base, known), _strategy(crop, known), known.confidence, known.max_calls)


def _strategy(crop: str, known: _MethodOptions) -> crops.Strategy:
    if crop == "none":
        return crops.fixed()
    if crop == "fixed":
        sizes = [size.strip() for size in known.sizes.split(",")]
        if not all(size.isdecimal() and 0 < int(size) < 100_000 for size in sizes):
            raise SnellenError(f"option sizes={known.sizes}: expected whole pixels with commas, such as 200,300,500")
        return crops.fixed(tuple(map(int, sizes)))
    if crop == "screenseeker-heuristic":
        return crops.all_panels()
    if crop == "screenseeker":
        return screenseeker(known.max_calls or CALLS)
    return crops.narrow(2, crops.REGROUND_SIDE) if crop == "reground" else crops.narrow(crops.NARROW_STEPS)


def build_oracle(name: str, options: Mapping[str, Any]) -> OracleMethod:
    """Build the original's rule over a base: `oracle/uitars-fixed`, and for the baselines `oracle/center-fixed`."""
    plain = name.removeprefix(ORACLE)
    base = next((b for b in _BASES if plain == b or plain.startswith(f"{b}-")), "")
    ending = plain.removeprefix(base).removeprefix("-")
    if not base or ending not in STRATEGIES:
        names = ", ".join(e.name for e in catalogue() if e.oracle)
        raise SnellenError(f"unknown oracle '{name}': choose from {names}")
    chooses = base in (*PARSERS, "sliding-window")  # by the truth, whatever a chooser or a seed would say
    allowed = () if chooses else tuple(o for o in _of_base(base, options) if o != "confidence")
    known = _checked(name, options, allowed)
    return (DetectionOracle if chooses else PointOracle)(name, ending, _locator(base, known))


def takes_seed(name: str) -> bool:
    """Tell whether a method draws by chance. An oracle's windows are chosen by the truth."""
    if is_oracle(name):
        return name.removeprefix(ORACLE).startswith("random")
    return "seed" in _OF_BASE.get(_parts(name)[0], ())


def _bases() -> dict[str, str]:
    """Return the bases of methods with a description of each: ours, and those of plugins."""
    own = found().methods
    for name in own:
        if name in _BASES or name in _ALIASES:
            raise SnellenError(f'a plugin\'s METHODS["{name}"]: there is one of that name already')
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,40}", name):
            raise SnellenError(f'a plugin\'s METHODS["{name}"]: a name is letters, digits and -')
    return _BASES | {name: about(function) for name, function in own.items()}


def _of_base(base: str, options: Mapping[str, Any]) -> tuple[str, ...]:
    more = ("refusals",) if base in PARSERS and options.get("chooser") == "model" else ()
    return (*_OF_BASE.get(base, ()), *more)


def _checked(name: str, options: Mapping[str, Any], allowed: tuple[str, ...]) -> _MethodOptions:
    """Return the options as typed values. Refuse an option that has no effect: it would only make another run of the same."""
    for option in options:
        if option not in _MethodOptions.__struct_fields__:
            raise unknown("option", option, _MethodOptions.__struct_fields__, of=f"method '{name}'")
        if option not in allowed:
            takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
            raise SnellenError(f"option '{option}' has no effect with method '{name}': {takes}")
    try:
        return typed(dict(options), _MethodOptions, strict=False)
    except SnellenError as error:
        raise SnellenError(f"option of method '{name}': {error}") from None


def _parts(name: str) -> tuple[str, str]:
    base, _, crop = _ALIASES.get(name, name).partition("+")
    known = _bases()
    if base not in known or (crop or "none") not in CROPS:
        crops = ", ".join(f"+{crop}" for crop in CROPS if crop != "none")
        raise SnellenError(f"{unknown('method', name, (*known, *_ALIASES))}; +CROP is one of {crops}")
    return base, crop or "none"


def _locator(base: str, known: _MethodOptions) -> Locator:
    if base == "uitars":
        return Grounder(uitars(known.version, known.prompt, known.min_pixels, known.max_pixels), known.space)
    if base == "vlm":
        return Grounder(FORMATS[known.format], known.space, known.refusals)
    if base in PARSERS and known.chooser == "model":
        return ModelChooser(PARSERS[base], known.refusals)
    if base in PARSERS:
        return LexicalChooser(PARSERS[base])
    if base == "center":
        return baselines.Center()
    if base == "random":
        return baselines.RandomPoint(known.seed)
    return baselines.SlidingWindow(known.seed) if base == "sliding-window" else OwnLocator(base, found().methods[base])
