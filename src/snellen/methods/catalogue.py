"""The catalogue of grounding methods, and how one is put together from a name and options.

A name is BASE or BASE+CROP: `ocr`, `uitars+reground`, `omniparser+screenseeker`. The six names of openadapt-grounding are kept:
`uitars-fixed` is `uitars+fixed`, and `uitars-screenseeker`, whose crops are a heuristic there, is `uitars+screenseeker-heuristic`.
A plugin's METHODS are bases, too: `mine`, `mine+reground`. `oracle/NAME` is that original's rule, which looks at the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from snellen.core.errors import SnellenError, unknown
from snellen.exams.grounding.options import ORACLE
from snellen.methods import baselines, crops
from snellen.methods.base import Method, MethodEntry, Options
from snellen.methods.chooser_model import ModelChooser
from snellen.methods.formats import FORMATS, uitars
from snellen.methods.grounders import Grounder
from snellen.methods.lexical import LexicalChooser
from snellen.methods.looks import Locator
from snellen.methods.oracle import STRATEGIES, DetectionOracle, OracleMethod, PointOracle
from snellen.methods.own import OwnLocator, about
from snellen.methods.screenseeker import CALLS, screenseeker
from snellen.registry.plugins import found

BASES = {
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
ALIASES = {
    f"{base}-{old}": f"{base}+{new}"
    for base in ("omniparser", "uitars")
    for old, new in (("fixed", "fixed"), ("screenseeker", "screenseeker-heuristic"))
}
PARSERS = {"omniparser": ("parser:omniparser",), "ocr": ("parser:ocr", "extra:ocr")}
BASELINES = ("center", "random", "sliding-window")
ORACLE_CROPS = ("", "-fixed", "-screenseeker")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,40}")
# which options a base and a way of cropping have; a plugin's methods take cropping and its options only
OF_BASE = {
    "omniparser": ("chooser", "confidence"),
    "ocr": ("chooser", "confidence"),
    "uitars": ("version", "prompt", "space", "min_pixels", "max_pixels", "confidence"),
    "vlm": ("format", "space", "refusals", "confidence"),
    "random": ("seed",),
    "sliding-window": ("seed",),
}
OF_CROP = {"none": (), "fixed": ("sizes", "max_calls")}


def catalogue() -> list[MethodEntry]:
    """Return every method: its name, what it needs, and what it does. Oracles come last and are flagged."""
    known = _bases()
    others = [f"{base}+{crop}" for base in BASES if base not in BASELINES for crop in CROPS if crop != "none"]
    entries = []
    for name in (*known, *ALIASES, *(name for name in others if name not in ALIASES.values())):
        base, crop = _parts(name)
        said = known[base] if crop == "none" else f"{known[base]}; {CROPS[crop]}"
        entries.append(MethodEntry(name, build(name, {}).needs, said))
    said = "ORACLE: the original's rule, which looks at the answer; for comparison only"
    oracles = [f"{ORACLE}{base}{ending}" for base in BASES for ending in ORACLE_CROPS]
    return [*entries, *(MethodEntry(name, build_oracle(name, {}).needs, said, oracle=True) for name in oracles)]


def is_oracle(name: str) -> bool:
    """Return whether a method's name says that it looks at the answer."""
    return name.startswith(ORACLE)


def build(name: str, options: Options) -> Method:
    """Build a blind method from its name and options."""
    if is_oracle(name):
        raise SnellenError(f"method '{name}' looks at the answer and is not a blind method")
    base, crop = _parts(name)
    if "crop" in options:
        if crop != "none" and crop != options["crop"]:
            raise SnellenError(
                f"method '{name}' already crops ({crop}): name the plain method '{base}' to crop with {options['crop']}"
            )
        crop = str(options["crop"])
        if crop not in CROPS:
            raise unknown("cropping", crop, CROPS)
    _check_options(name, options, ("crop", *_allowed(base, options), *OF_CROP.get(crop, ("max_calls",))))
    calls = _number(options, "max_calls", 1, 100_000)
    cap = None if calls is None else int(calls)
    strategies: dict[str, Callable[[], crops.Strategy]] = {
        "none": crops.fixed,
        "fixed": lambda: crops.fixed(_sizes(options)),
        "screenseeker-heuristic": crops.all_panels,
        "screenseeker": lambda: screenseeker(cap or CALLS),
        "reground": lambda: crops.narrow(2, crops.REGROUND_SIDE),
        "narrow": lambda: crops.narrow(crops.NARROW_STEPS),
    }
    threshold = _number(options, "confidence", 0.0, 1.0)
    return crops.Composed(name, _locator(base, options), strategies[crop](), threshold, cap)


def build_oracle(name: str, options: Options) -> OracleMethod:
    """Build the original's rule over a base: `oracle/uitars-fixed`, and for the baselines `oracle/center-fixed`."""
    plain = name.removeprefix(ORACLE)
    base = next((b for b in BASES if plain == b or plain.startswith(f"{b}-")), "")
    ending = plain.removeprefix(base).removeprefix("-")
    if not base or ending not in STRATEGIES:
        names = ", ".join(f"{ORACLE}{b}{e}" for b in ("omniparser", "uitars") for e in ORACLE_CROPS)
        raise SnellenError(f"unknown oracle '{name}': choose from {names}, or another base")
    chooses = base in (*PARSERS, "sliding-window")  # by the truth, whatever a chooser or a seed would say
    _check_options(name, options, () if chooses else [o for o in _allowed(base, options) if o != "confidence"])
    return (DetectionOracle if chooses else PointOracle)(name, ending, _locator(base, options))


def takes_seed(name: str) -> bool:
    """Return whether a method draws by chance. An oracle's windows are chosen by the truth."""
    if is_oracle(name):
        return name.removeprefix(ORACLE).startswith("random")
    return "seed" in OF_BASE.get(_parts(name)[0], ())


def _bases() -> dict[str, str]:
    """Return what a method can be built on, and what each is: ours, and those of plugins."""
    own = found().methods
    for name in own:
        taken = name in BASES or name in ALIASES
        if taken or not _NAME.fullmatch(name):
            why = "there is one of that name already" if taken else "a name is letters, digits and -"
            raise SnellenError(f'a plugin\'s METHODS["{name}"]: {why}')
    return BASES | {name: about(function) for name, function in own.items()}


def _allowed(base: str, options: Options) -> tuple[str, ...]:
    more = ("refusals",) if base in PARSERS and options.get("chooser") == "model" else ()
    return (*OF_BASE.get(base, ()), *more)


def _check_options(name: str, options: Options, allowed: Sequence[str]) -> None:
    """Refuse an option that has no effect: it would only make another run of the same."""
    known = sorted({"crop", "refusals", *OF_CROP["fixed"], *(o for own in OF_BASE.values() for o in own)})
    for option in sorted(set(options) - set(allowed)):
        if option not in known:
            raise unknown("option", option, known, of=f"method '{name}'")
        takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
        raise SnellenError(f"option '{option}' has no effect with method '{name}': {takes}")


def _parts(name: str) -> tuple[str, str]:
    base, _, crop = ALIASES.get(name, name).partition("+")
    known = _bases()
    if base not in known or (crop or "none") not in CROPS:
        crops = ", ".join(f"+{crop}" for crop in CROPS if crop != "none")
        raise SnellenError(f"{unknown('method', name, (*known, *ALIASES))}; +CROP is one of {crops}")
    return base, crop or "none"


def _locator(base: str, options: Options) -> Locator:
    seed = int(_number(options, "seed", 0, 2**63) or 0)
    space = str(options["space"]) if "space" in options else None
    refusals = _flag(options, "refusals")
    if base == "uitars":
        version, prompt = str(options.get("version", "1.5")), str(options.get("prompt", "official"))
        fewest, most = _number(options, "min_pixels", 1, 1e9), _number(options, "max_pixels", 1, 1e9)
        return Grounder(uitars(version, prompt, fewest, most), space)
    if base == "vlm":
        form = str(options.get("format", "pixels"))
        if form not in FORMATS:
            raise unknown("point format", form, FORMATS)
        return Grounder(FORMATS[form], space, refusals)
    if base in PARSERS:
        chooser = str(options.get("chooser", "lexical"))
        if chooser not in ("lexical", "model"):
            raise unknown("chooser", chooser, ("lexical", "model"))
        return LexicalChooser(PARSERS[base]) if chooser == "lexical" else ModelChooser(PARSERS[base], refusals)
    if base == "center":
        return baselines.Center()
    if base in BASELINES:
        return (baselines.RandomPoint if base == "random" else baselines.SlidingWindow)(seed)
    return OwnLocator(base, found().methods[base])


def _sizes(options: Options) -> tuple[int, ...]:
    given = str(options.get("sizes", ""))
    parts = [p.strip() for p in given.split(",")] if given else []
    if not all(p.isdecimal() and 0 < int(p) < 100_000 for p in parts):
        raise SnellenError(f"option sizes={given}: expected whole pixels with commas, such as 200,300,500")
    return tuple(map(int, parts)) or crops.SIZES


def _number(options: Options, key: str, low: float, high: float) -> float | None:
    if key not in options:
        return None
    try:
        value = float(options[key])
    except (TypeError, ValueError):
        value = low - 1
    if not low <= value <= high:
        raise SnellenError(f"option {key}={options[key]}: expected a number from {low:g} to {high:g}")
    return value


def _flag(options: Options, key: str) -> bool:
    value = str(options.get(key, False)).lower()
    if value not in ("true", "false", "yes", "no", "1", "0"):
        raise SnellenError(f"option {key}={options[key]}: expected true or false")
    return value in ("true", "yes", "1")
