"""Result files of openadapt-grounding, ours and the original's, and the rows of charts made from them.

The original's files do not say that five of its six methods use the true answer, so that is added for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import SnellenError
from snellen.core.results import Score
from snellen.core.types import Struct
from snellen.stats.means import measured_interval, of_samples, score, share_interval

SIZES = ("small", "medium", "large")
_BLIND_ORIGINAL = "UI-TARS + baseline"
ORIGINAL = "original tool"
AREA = "area_fraction"
PIXELS = "pixels"
TYPES = ("button", "icon", "text", "text_field", "checkbox", "dropdown", "link", "unknown")


class _Element(Struct, frozen=True):
    sample_id: str
    found: bool
    element_id: str = ""
    latency_ms: float | None = None
    size_category: str = ""
    size_px_category: str = ""
    size_area_category: str = ""
    element_type: str = "unknown"

    def size(self, basis: str) -> str:
        return self.size_px_category if basis == PIXELS else self.size_area_category or self.size_category


class MethodResult(Struct, frozen=True):
    """A result file: the original's keys, and those of ours that tables and charts use."""

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
    results: tuple[_Element, ...] = ()
    oracle: bool | None = None
    protocol: dict[str, Any] | None = None
    synthetic_data: bool | None = None
    size_basis: dict[str, str] | None = None

    @property
    def peeks(self) -> bool:
        """Return whether this is an oracle's: it says so, or it is the original's with a method that uses the true answer."""
        return self.method_name != _BLIND_ORIGINAL if self.oracle is None else self.oracle

    @property
    def rule(self) -> str:
        """Return the name of the protocol under which it was marked."""
        return ORIGINAL if self.protocol is None else str(self.protocol.get("name", "unknown"))

    def metrics(self) -> dict[str, Any]:
        """Return the values for the original's tables and comparison, and whether it is an oracle's."""
        kept = {key: getattr(self, key) for key in self.__struct_fields__ if key not in ("results", "protocol")}
        prefix = "oracle: " if self.peeks and not self.method_name.startswith("oracle") else ""
        return kept | {"oracle": self.peeks, "method_name": prefix + self.method_name}


class MethodRow(NamedTuple):
    """One method on one data set, with the intervals of its rates, clustered by screenshot."""

    method: str
    result: MethodResult
    size_basis: str
    overall: Score
    latency_ms: Score
    sizes: dict[str, Score]
    types: dict[str, Score]


def read_result(data: bytes, where: str) -> MethodResult:
    """Return a result file. Raises SnellenError with the problem."""
    try:
        result = msgspec.json.decode(data, type=MethodResult)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SnellenError(f"{where}: not a result file ({error})") from None
    rates = (result.detection_rate, *result.detection_rate_by_type.values())
    if not all(0 <= rate <= 1 for rate in rates):
        raise SnellenError(f"{where}: a detection rate lies outside 0 to 1")
    if result.results and len(result.results) != result.total_elements:
        raise SnellenError(
            f"{where}: total_elements is {result.total_elements}, but {len(result.results)} results follow"
        )
    return result


def read_folder(folder: Path) -> tuple[dict[str, MethodResult], list[str]]:
    """Return every result file of a folder by name, and a line on each other JSON file. Comparisons are left out."""
    found: dict[str, MethodResult] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.json")):
        try:
            data = path.read_bytes()
            if not _is_comparison(data):
                found[path.name] = read_result(data, path.name)
        except OSError as error:
            problems.append(f"{path.name}: cannot be read ({error.strerror})")
        except SnellenError as error:
            problems.append(str(error))
    return found, problems


def _is_comparison(data: bytes) -> bool:
    try:
        found = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(found, dict) and "method_name" not in found and bool({"summary", "error", "oracle"} & set(found))


def unlike(results: Iterable[MethodResult]) -> list[str]:
    """Return the reasons not to rank some results together: other rules, data sets, or elements of one set. A sentence each."""
    given = list(results)
    notes = []
    rules = sorted({result.rule for result in given})
    if len(rules) > 1:
        notes.append(f"these were marked by different rules ({', '.join(rules)}); such rates do not compare")
    sets = sorted({result.dataset_name for result in given})
    if len(sets) > 1:
        notes.append(f"these are of different data sets ({', '.join(sets)}); rates of different sets do not compare")
    for name in sets:
        asked = {
            frozenset((e.sample_id, e.element_id) for e in r.results) or r.total_elements
            for r in given
            if r.dataset_name == name
        }
        if len(asked) > 1:
            sizes = {(len({e.sample_id for e in r.results}), r.total_elements) for r in given if r.dataset_name == name}
            counts = ", ".join(f"{screens} screenshots with {elements} elements" for screens, elements in sorted(sizes))
            notes.append(f"on {name} these were run on different elements ({counts}); such rates do not compare")
    return notes


def rows_of(results: Iterable[MethodResult]) -> list[MethodRow]:
    """Return the rows in chart order: blind methods first, by data set, best first. All have one size basis."""
    given = list(results)
    basis = PIXELS if given and all(any(e.size_px_category for e in r.results) for r in given) else AREA
    rows = [_row(result, basis) for result in given]
    return sorted(rows, key=lambda r: (r.result.peeks, r.result.dataset_name, -(r.overall.value or 0.0), r.method))


def _row(result: MethodResult, basis: str) -> MethodRow:
    name, elements = result.metrics()["method_name"], result.results
    if not elements:  # no data for intervals
        rate = Score(value=result.detection_rate if result.total_elements else None, n=result.total_elements)
        return MethodRow(name, result, basis, rate, Score(value=result.mean_latency_ms, n=0), {}, {})
    present = {e.element_type for e in elements}
    types = [*(t for t in TYPES if t in present), *sorted(present - set(TYPES))]
    return MethodRow(
        name,
        result,
        basis,
        _rate(elements),
        _latency([e for e in elements if e.latency_ms is not None]),
        {size: _rate([e for e in elements if e.size(basis) == size]) for size in SIZES},
        {kind: _rate([e for e in elements if e.element_type == kind]) for kind in types},
    )


def _rate(elements: Sequence[_Element]) -> Score:
    if not elements:
        return Score(value=None, n=0)
    found = of_samples([float(e.found) for e in elements], [e.sample_id for e in elements])
    return score(found.total / found.n, len(elements), share_interval(found))


def _latency(elements: Sequence[_Element]) -> Score:
    if not elements:
        return Score(value=None, n=0)
    found = of_samples([e.latency_ms or 0.0 for e in elements], [e.sample_id for e in elements])
    return score(found.total / found.n, len(elements), measured_interval(found), "ms")
