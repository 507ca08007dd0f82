"""openadapt-grounding's result files as rows of charts: rates with intervals clustered by screenshot, by size and by element type.

Files of the original tool are read as well. They do not say that five of its six methods look at the answer, so that is said for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.types import Struct
from snellen.stats.intervals import Interval
from snellen.stats.means import Clusters, measured_interval, of_samples, share_interval

SIZES = ("small", "medium", "large")
BLIND_ORIGINAL = "UI-TARS + baseline"
ORIGINAL = "original tool"
AREA = "area_fraction"
PIXELS = "pixels"
TYPES = ("button", "icon", "text", "text_field", "checkbox", "dropdown", "link", "unknown")


class ElementResult(Struct, frozen=True):
    """What charts need of one element's result."""

    sample_id: str
    found: bool
    element_id: str = ""
    latency_ms: float | None = None
    size_category: str = ""
    size_px_category: str = ""
    size_area_category: str = ""
    element_type: str = "unknown"


class MethodResult(Struct, frozen=True):
    """A result file: the original's keys, and those of ours that tables and charts look at."""

    method_name: str
    dataset_name: str
    detection_rate: float
    mean_iou: float | None
    mean_latency_ms: float | None
    mean_attempts: float | None
    detection_rate_small: float | None
    detection_rate_medium: float | None
    detection_rate_large: float | None
    detection_rate_by_type: dict[str, float]
    total_elements: int
    detected_elements: int
    results: tuple[ElementResult, ...] = ()
    oracle: bool | None = None
    protocol: dict[str, Any] | None = None
    synthetic_data: bool | None = None
    size_basis: dict[str, str] | None = None


class Rate(NamedTuple):
    """A share with its interval; no value where there is nothing to count."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None


class MethodRow(NamedTuple):
    """One method on one data set, ready to be drawn."""

    method: str
    dataset: str
    oracle: bool
    protocol: str
    overall: Rate
    sizes: Mapping[str, Rate]
    types: Mapping[str, Rate]
    latency_ms: Rate
    size_basis: str
    synthetic: bool
    original: bool = False


def read_result(data: bytes, where: str) -> MethodResult:
    """A result file; SnellenError says what is wrong with it."""
    try:
        result = msgspec.json.decode(data, type=MethodResult)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SnellenError(f"{where}: not a result file ({error})") from None
    rates = (result.detection_rate, *(getattr(result, f"detection_rate_{s}") for s in SIZES))
    if not all(0 <= r <= 1 for r in (*rates, *result.detection_rate_by_type.values()) if r is not None):
        raise SnellenError(f"{where}: a detection rate lies outside 0 to 1")
    if result.total_elements < 0 or (result.results and len(result.results) != result.total_elements):
        raise SnellenError(
            f"{where}: total_elements is {result.total_elements}, but {len(result.results)} results follow"
        )
    return result


def is_comparison(data: bytes) -> bool:
    """Whether a file is the output of a comparison and no result."""
    try:
        found = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    if not isinstance(found, dict) or "results" in found:
        return False
    ranked = "ranking_by_detection_rate"
    return ranked in found or "error" in found or ranked in (found.get("oracle") or ())


def read_folder(folder: Path) -> tuple[dict[str, MethodResult], list[str]]:
    """Every result file of a folder by name, and a line on each JSON file that is none. Comparisons are passed over."""
    found: dict[str, MethodResult] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            data = path.read_bytes()
            if not is_comparison(data):
                found[path.name] = read_result(data, path.name)
        except OSError as error:
            problems.append(f"{path.name}: cannot be read ({error.strerror})")
        except SnellenError as error:
            problems.append(str(error))
    return found, problems


def looks_at_answer(result: MethodResult) -> bool:
    """Whether a result is an oracle's: it says so, or it is the original's and of a method that peeks."""
    return result.method_name != BLIND_ORIGINAL if result.oracle is None else result.oracle


def protocol_name(result: MethodResult) -> str:
    """The protocol that a file was marked under."""
    return ORIGINAL if result.protocol is None else str(result.protocol.get("name", "unknown"))


def unlike(results: Iterable[MethodResult]) -> list[str]:
    """Why some results should not be ranked together: other rules, other data sets, other elements of one set. A sentence each."""
    given = list(results)
    told = []
    rules = sorted({protocol_name(result) for result in given})
    if len(rules) > 1:
        told.append(f"these were marked by different rules ({', '.join(rules)}); such rates do not compare")
    sets = sorted({result.dataset_name for result in given})
    if len(sets) > 1:
        told.append(f"these are of different data sets ({', '.join(sets)}); rates of different sets do not compare")
    for name in sets:
        of_set = [result for result in given if result.dataset_name == name]
        if len({_asked(result) for result in of_set}) > 1:
            counts = sorted({(len({e.sample_id for e in r.results}), r.total_elements) for r in of_set})
            said = ", ".join(f"{n} screenshots with {elements} elements" for n, elements in counts)
            told.append(f"on {name} these were run on different elements ({said}); such rates do not compare")
    return told


def _asked(result: MethodResult) -> frozenset[tuple[str, str]] | int:
    """The elements of a result, or their number where a file does not list them."""
    return frozenset((e.sample_id, e.element_id) for e in result.results) or result.total_elements


def metrics_of(result: MethodResult) -> dict[str, Any]:
    """What the original's tables and its comparison want of a result, and whether it is an oracle's."""
    dropped = ("results", "protocol", "synthetic_data")
    kept = {k: getattr(result, k) for k in MethodResult.__struct_fields__ if k not in dropped}
    oracle, name = looks_at_answer(result), result.method_name
    prefix = "oracle: " if oracle and not name.startswith("oracle") else ""
    return kept | {"oracle": oracle, "method_name": prefix + name}


def rows_of(results: Iterable[MethodResult]) -> list[MethodRow]:
    """Rows in the order of charts: blind methods first, by data set, the best first. One size basis for all of them."""
    given = list(results)
    basis = PIXELS if given and all(any(e.size_px_category for e in r.results) for r in given) else AREA
    rows = [_row(result, basis) for result in given]
    return sorted(rows, key=lambda row: (row.oracle, row.dataset, -(row.overall.value or 0.0), row.method))


def _row(result: MethodResult, basis: str) -> MethodRow:
    elements = result.results
    common = (metrics_of(result)["method_name"], result.dataset_name, looks_at_answer(result), protocol_name(result))
    tail = (basis, bool(result.synthetic_data), result.protocol is None)
    if not elements:  # nothing to draw intervals from
        overall = Rate(result.detection_rate if result.total_elements else None, result.total_elements)
        return MethodRow(*common, overall, {}, {}, Rate(result.mean_latency_ms, 0), *tail)
    sizes = [e.size_px_category if basis == PIXELS else e.size_area_category or e.size_category for e in elements]
    types = [e.element_type for e in elements]
    rates = _rates(elements)
    overall, latency = rates([True] * len(elements))
    return MethodRow(
        *common,
        overall,
        {s: rates([size == s for size in sizes])[0] for s in SIZES},
        {t: rates([kind == t for kind in types])[0] for t in ordered(types)},
        latency,
        *tail,
    )


def ordered(types: Iterable[str]) -> list[str]:
    """Element types, each once: those of the format in its order, then others."""
    present = set(types)
    return [*(t for t in TYPES if t in present), *sorted(present - set(TYPES))]


def _rates(elements: Sequence[ElementResult]) -> Callable[[Sequence[bool]], list[Rate]]:
    """Gives found and latency of chosen elements."""

    def rates(chosen: Sequence[bool]) -> list[Rate]:
        some = [e for e, wanted in zip(elements, chosen, strict=True) if wanted]
        timed = [(e.latency_ms, e.sample_id) for e in some if e.latency_ms is not None]
        return [_rate(share_interval, [(float(e.found), e.sample_id) for e in some]), _rate(measured_interval, timed)]

    return rates


def _rate(interval: Callable[[Clusters], Interval | None], values: Sequence[tuple[float, str]]) -> Rate:
    if not values:
        return Rate(None, 0)
    found = of_samples([v for v, _screen in values], [screen for _v, screen in values])
    low, high, _kind = interval(found) or (None, None, None)
    return Rate(found.total / found.n, len(values), low, high)
