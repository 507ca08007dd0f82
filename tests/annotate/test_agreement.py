"""The agreement of two people, by hand and against scikit-learn and Shapely."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from snellen.annotate.agreement import matched, of_answers, of_boxes, overlap_of
from snellen.annotate.rows import AnswerRow, BoxRow
from snellen.stats.agreement import Agreement, cohen_kappa


def box(corners: tuple[float, ...], image: str = "a.png", kind: str = "button") -> BoxRow:
    return BoxRow("x", image, "Go", list(corners), element_type=kind)  # type: ignore[arg-type]


def test_kappa_is_scikit_learn_s() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    draw = random.Random(0)
    for words in ("ab", "abc", "abcdefg"):
        pairs = [(draw.choice(words), draw.choice(words + "aa")) for _ in range(60)]
        wanted = metrics.cohen_kappa_score([a for a, _ in pairs], [b for _, b in pairs])
        assert cohen_kappa(Counter(pairs)) == pytest.approx(wanted)


def test_kappa_of_two_answers_is_that_of_yes_and_no() -> None:
    pairs = {("yes", "yes"): 20, ("yes", "no"): 5, ("no", "yes"): 10, ("no", "no"): 15}
    assert cohen_kappa(pairs) == pytest.approx(Agreement(20, 5, 10, 15).kappa)
    assert cohen_kappa({}) is None and cohen_kappa({("a", "a"): 5}) is None


def test_overlap_is_shapely_s() -> None:
    shapely = pytest.importorskip("shapely")
    draw = random.Random(1)
    for _ in range(50):
        corners = [sorted(draw.randrange(100) for _ in range(2)) for _ in range(4)]
        (ax1, ax2), (ay1, ay2), (bx1, bx2), (by1, by2) = ([a, b + 1] for a, b in corners)
        one, other = shapely.box(ax1, ay1, ax2, ay2), shapely.box(bx1, by1, bx2, by2)
        wanted = one.intersection(other).area / one.union(other).area
        assert overlap_of(box((ax1, ay1, ax2, ay2)), box((bx1, by1, bx2, by2))) == pytest.approx(wanted)


def test_each_box_is_in_one_pair_and_the_best_pairs_win() -> None:
    ones = [box((0, 0, 10, 10)), box((2, 0, 12, 10))]
    others = [box((2, 0, 12, 10)), box((50, 50, 60, 60))]
    (pair,) = matched(ones, others)
    assert pair.first is ones[1] and pair.second is others[0] and pair.overlap == 1


def test_boxes_of_two_people() -> None:
    ann = [box((0, 0, 10, 10)), box((20, 0, 30, 10)), box((0, 0, 5, 5), "b.png"), box((0, 0, 9, 9), "only-ann.png")]
    bob = [box((0, 0, 10, 8)), box((20, 0, 30, 4), kind="icon"), box((0, 0, 5, 5), "b.png", "icon")]
    (found,) = of_boxes({"bob": bob, "ann": ann})
    share, same, touching, types = found.figures
    assert (found.first, found.second) == ("ann", "bob") and found.counts.startswith("2 pictures")
    # pairs: .8, .4 (the same box by no rule), 1.0; the picture that only ann annotated says nothing
    assert share.value == pytest.approx(4 / 6) and share.n == 6
    assert same.value == pytest.approx(0.9) and same.n == 2
    assert touching.value == pytest.approx((0.8 + 0.4 + 1.0) / 3)
    assert types.value == 0.0 and types.n == 2
    assert share.low is not None and share.high is not None and share.low < 4 / 6 < share.high


def test_answers_of_two_people() -> None:
    def said(*texts: str) -> list[AnswerRow]:
        return [AnswerRow(str(i), text) for i, text in enumerate(texts)]

    (found,) = of_answers({"ann": said("Red", "blue", "red", "red"), "bob": said("red ", "BLUE", "blue")})
    share, kappa = found.figures
    assert share.value == pytest.approx(2 / 3) and share.n == 3 and kappa.value == pytest.approx(0.4)
    (apart,) = of_answers({"ann": said("x"), "bob": []})
    assert [figure.value for figure in apart.figures] == [None, None]
    assert len(of_answers({name: said("x") for name in ("a", "b", "c")})) == 3
