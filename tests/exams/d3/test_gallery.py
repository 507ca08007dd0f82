"""D3's gallery by itself: what each caption picked, in cells and in words, hardest first, and its template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

import jinja2
import pytest

from snellen.core.extras import gallery_of
from snellen.core.gallery import FAILURES_FIRST, GalleryFacts, GalleryItem, GalleryPicture, Pick, UnshortenedText
from snellen.core.scorer import Evidence, Similarities
from snellen.core.types import Answer, Mark, Outcome
from snellen.exams.d3.exam import EXAM
from snellen.exams.d3.gallery import D3Gallery, SimilarityTable, verdict

RIGHT, LEFT_ONLY, TURNED = [[0.9, 0.1], [0.1, 0.9]], [[0.9, 0.1], [0.5, 0.2]], [[0.1, 0.9], [0.9, 0.1]]


def shown(name: str, *beside: GalleryPicture) -> GalleryPicture:
    return GalleryPicture(UnshortenedText(f"data:image/png;base64,{name}"), f"picture {name}", f"note {name}", beside)


def item(uid: str, kind: str = "", reading: Any = None, pictures: int = 2, **facts: Any) -> GalleryItem:
    captions = {"left": f"left of {uid}", "right": f"right of {uid}"} if reading is None else reading
    mark = Mark(id=f"d3/{uid}", outcome=Outcome.WRONG, reading=captions, metrics={})
    first = [shown(str(i)) for i in range(pictures - 1)]
    return GalleryItem(
        Pick("wrong", "all", f"d3/{uid}", "pair", {"original": mark}),
        {"split": "all", "task": "pair"} | ({"kind": kind} if kind else {}),
        {"uid": uid},
        Answer(id=f"d3/{uid}", prompt="pair", text="..."),
        [],
        None,
        shown("last", *first),
        facts,
    )


def gallery(
    tables: Mapping[str, Sequence[Sequence[Sequence[float]]]], doubts: Mapping[str, str] | None = None
) -> D3Gallery:
    """The gallery of a run whose scorers `main`, `other` said this of the samples."""

    def evidence(sample_id: str, _prompt: str) -> Evidence | None:
        given = tables.get(sample_id.removeprefix("d3/"))
        if given is None:
            return None
        return [Similarities(name, table, (True, False)) for name, table in zip(("main", "other"), given, strict=False)]

    made = gallery_of(EXAM, GalleryFacts(False, evidence, lambda name: (doubts or {}).get(name, "")))
    assert isinstance(made, D3Gallery)
    return made


def pair(found: D3Gallery, one: GalleryItem) -> SimilarityTable:
    (made,) = found.view([one]).each
    assert isinstance(made, SimilarityTable)
    return made


def test_the_table_marks_what_each_caption_picked() -> None:
    made = pair(gallery({"0": [LEFT_ONLY]}), item("0"))
    assert [[(c.value, c.own, c.picked) for c in row.cells] for row in made.rows] == [
        [(0.9, True, True), (0.1, False, False)],
        [(0.5, False, True), (0.2, True, False)],
    ]
    assert [row.margin for row in made.rows] == [pytest.approx(0.8), pytest.approx(-0.3)]
    assert [(row.name, row.caption, row.truncated) for row in made.rows] == [
        ("left", "left of 0", True),
        ("right", "right of 0", False),
    ]
    assert [row.picture.alt for row in made.rows if row.picture] == ["picture 0", "picture last"]
    assert made.verdict == "1 of 2 captions found their own image."
    assert made.scorer == "main"


def test_hardest_first_and_what_was_not_scored_last() -> None:
    found = gallery({"0": [RIGHT], "1": [LEFT_ONLY], "2": [TURNED]})
    assert [one.pick.id for one in found.arranged([item(u) for u in "0312"])] == ["d3/2", "d3/1", "d3/0", "d3/3"]
    assert found.hardness("d3/3", "pair") == inf
    assert found.hardness("d3/1", "pair") == pytest.approx(-0.3)
    assert found.kinds == FAILURES_FIRST
    assert found.first == "hardest first, by their lowest margin"


def test_orders_by_kind_only_where_the_data_set_tells_kinds() -> None:
    found = gallery({})
    assert found.sorts == {"kind": "by kind of difference"}
    assert found.view([item("0", "state"), item("1", "count"), item("2", "state")]).orders == [
        {"kind": 2},
        {"kind": 1},
        {"kind": 3},
    ]
    assert found.view([item("0"), item("1")]).orders == [{}, {}]


def test_what_cannot_be_shown_as_a_pair_is_left_to_the_plain_template() -> None:
    found = gallery({"0": [RIGHT]})
    assert found.view([item("0", reading="no captions")]).each == [None]
    unscored = pair(found, item("1"))
    assert (unscored.verdict, unscored.scorer, unscored.rows[0].cells) == ("Not scored.", "", ())
    three = pair(found, item("0", reading={"image1": "a", "image2": "b", "image3": "c"}))
    assert three.verdict == "Not scored.", "a table of another size is of other captions"
    assert [row.picture for row in three.rows] == [None] * 3, "and so are its pictures"


def test_what_no_scorer_tells_apart_and_what_is_to_be_doubted_are_said() -> None:
    found = gallery({"0": [TURNED, LEFT_ONLY], "1": [TURNED, RIGHT]}, {"main": "means nothing here"})
    wrong = "The wrong way round: each caption picked the other's image."
    assert pair(found, item("0")).verdict == f"{wrong} No scorer tells them apart."
    assert pair(found, item("1")).verdict == wrong
    assert pair(found, item("0")).scorer == "main (means nothing here)"


def test_what_differs_is_said_where_the_data_set_knows() -> None:
    told = {"about": "dogs", "aspect": "number", "left": "two dogs", "right": "three dogs"}
    assert pair(gallery({}), item("0", difference=told)).difference == "left: two dogs; right: three dogs"
    assert pair(gallery({}), item("0")).difference == ""


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([[3, 1, 2], [1, 3, 2], [1, 2, 3]], "3 of 3 captions found their own image."),
        ([[1, 1, 2], [1, 3, 2], [4, 4, 3]], "1 of 3 captions found their own image."),
        ([], "Not scored."),
    ],
)
def test_sets_of_three_in_words(table: Any, words: str) -> None:
    assert verdict(tuple(map(tuple, table))) == words


def test_the_template_is_where_the_gallery_says_and_shows_the_table() -> None:
    found = gallery({"0": [LEFT_ONLY]})
    beside = {"outcomes.html": "outcomes", "page.html": f"{{% include '{found.template}' %}}"}
    loader = jinja2.ChoiceLoader([jinja2.PackageLoader(found.package), jinja2.DictLoader(beside)])
    page = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    macros = {
        "picture": lambda picture, _class: picture.alt,
        "note": lambda picture: picture.note,
        "long": lambda text: text,
    }
    one = item("0", reading={"left": "<b>a dog", "right": "a cat"})
    text = page.get_template("page.html").render(item=one, own=pair(found, one), show=macros)
    rows = text.partition("<tbody>")[2].partition("</tbody>")[0].split("<tr>")[1:]
    assert '<td class="number own right">▶ 0.9000</td>' in rows[0]
    assert '<td class="number good">+0.8000</td>' in rows[0]
    assert '<td class="number astray">▶ 0.5000</td>' in rows[1]
    assert '<td class="number bad">-0.3000</td>' in rows[1]
    assert "&lt;b&gt;a dog" in text
    assert "the scorer cut this caption" in text
    assert "Similarity by main" in text
