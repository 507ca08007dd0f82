"""An endpoint that spoils the pictures moves the thresholds by as much as it spoils them: the exam measures what arrives.

The endpoint looks with the classical solver (`baseline/pixels`) at what it makes of the picture: a half or a quarter of its size, or noise.
`make test` takes two exams each, of which one has to hold the factor, and at most one a wrong factor; `make test-slow` takes five each,
with the seeds 1 to 5, and three of five intervals have to hold it. An interval of 95 % fails to hold it in one exam
of twenty, so three of five fail in one case of a thousand if all is right. A factor that is off by 1.3 was held by 2 of 92 intervals below
and none above (`bench/factors.py`), at worst by 2 of 20: three of five would hold it in one case of ten thousand, at worst of a hundred.

All but one of the exams are taken in this process; that the HTTP endpoint gives the same one is a test of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.degraded import Spoil, examined, looking, noisy, smaller, whole
from tests.support.endpoint import Endpoint

from snellen import evaluate, open_run
from snellen.exams.eye.comparing import compared
from snellen.exams.eye.prescription import by_course

OFF = 1.3


@pytest.mark.parametrize(
    ("seeds", "enough"), [(range(1, 3), 1), pytest.param(range(1, 6), 3, marks=pytest.mark.slow)], ids=["two", "five"]
)
@pytest.mark.parametrize(
    ("faculty", "first", "factors"),
    [
        ("letters", whole, {2: smaller(2), 4: smaller(4)}),
        ("pointing", whole, {2: smaller(2)}),
        ("contrast", noisy(8), {2: noisy(16)}),
    ],
    ids=["letters", "pointing", "contrast"],
)
def test_a_threshold_moves_by_the_factor_that_was_put_in(
    faculty: str, first: Spoil, factors: Mapping[int, Spoil], seeds: range, enough: int
) -> None:
    before = [examined(faculty, first, seed) for seed in seeds]
    for factor, spoil in factors.items():
        after = [examined(faculty, spoil, seed) for seed in seeds]
        ratios = [compared([[one], [other]])[0].ratios[0] for one, other in zip(before, after, strict=True)]
        assert None not in ratios
        told = [(round(r.low, 2), round(r.value, 2), round(r.high, 2)) for r in ratios if r is not None]
        held, more, less = (sum(r[0] <= factor * off <= r[2] for r in told) for off in (1, OFF, 1 / OFF))
        assert held >= enough, told
        assert max(more, less) < len(seeds) - enough + 1, f"{told} would hold a wrong factor as well"


def test_an_endpoint_that_halves_pictures_gives_the_exam_of_its_eye(tmp_path: Path) -> None:
    with Endpoint(script=looking(smaller(2))) as endpoint:
        run = evaluate(
            "eye", model="api/eye", base_url=endpoint.url, splits=["letters"], seed=1, out=tmp_path, use_store=False
        )
    marked = zip(open_run(run.path).samples(), run.marks("threshold"), strict=True)
    (found,), here = by_course(marked), examined("letters", smaller(2), 1)
    assert found.threshold is not None
    assert (found.threshold, found.rungs, found.catch, found.blank) == (
        here.threshold,
        here.rungs,
        here.catch,
        here.blank,
    )
