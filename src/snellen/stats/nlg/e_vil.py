"""The e-ViL scores (Kayser et al., 2021): task score times explanation score, from averages of text metrics.

The original replaces a BERTScore that it cannot compute by 0.8. Here a missing metric leaves the score out, and is named.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from statistics import harmonic_mean
from typing import NamedTuple

OVERLAP = ("METEOR", "ROUGE-L", "CIDEr", "SPICE")
LEARNED = "BERTScore"


class EVilScores(NamedTuple):
    """`overlap` and `explanation` (S_E) are harmonic means, `overall` (S_O) is S_E times the share of correct answers."""

    overlap: float | None
    explanation: float | None
    overall: float | None
    missing: tuple[str, ...] = ()


def e_vil(scores: Mapping[str, float | None], task: float | None) -> EVilScores:
    """Return the scores from metric values on the 0..1 scale (CIDEr may exceed 1), over correctly answered samples only.

    >>> found = e_vil({"METEOR": 0.2, "ROUGE-L": 0.3, "CIDEr": 0.9, "SPICE": 0.2, "BERTScore": 0.8}, 0.5)
    >>> round(found.overlap, 4), round(found.explanation, 4), round(found.overall, 4)
    (0.2769, 0.4114, 0.2057)
    >>> e_vil({"ROUGE-L": 0.3, "CIDEr": 0.9}, 0.5).missing
    ('METEOR', 'SPICE', 'BERTScore')
    """
    values = {m: v for m in (*OVERLAP, LEARNED) if (v := scores.get(m)) is not None and not isnan(v)}
    missing = tuple(m for m in (*OVERLAP, LEARNED) if m not in values)
    overlap = explanation = None
    if not any(m in missing for m in OVERLAP):
        overlap = float(harmonic_mean([values[m] for m in OVERLAP]))
        if LEARNED in values:
            explanation = float(harmonic_mean([overlap, values[LEARNED]]))
    overall = None if explanation is None or task is None else explanation * task
    return EVilScores(overlap, explanation, overall, missing)
