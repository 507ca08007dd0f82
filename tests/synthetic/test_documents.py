"""Documents that many processes have a part in: the bytes of the whole, never half a file, and no picture on the way to the one that gathers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.synthetic import tables
from snellen.synthetic.documents import LINES, LIST, OBJECT, document, in_document, member
from snellen.synthetic.explained import make as explained
from snellen.synthetic.hidden import make as hidden
from snellen.synthetic.pairs import folder, sets
from snellen.synthetic.pairs import make as pairs
from snellen.synthetic.patterns import make as patterns
from snellen.synthetic.screens import make as screens

plain = st.none() | st.booleans() | st.integers() | st.text()
anything = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(st.dictionaries(st.text(), anything))
def test_an_object_has_the_bytes_of_the_whole(values: dict[str, Any]) -> None:
    text = OBJECT.empty
    if values:
        text = OBJECT.opening + OBJECT.between.join(member(k, v) for k, v in values.items()) + OBJECT.closing
    assert text == json.dumps(values, indent=1, ensure_ascii=False) + "\n"


@given(st.lists(anything))
def test_a_list_has_the_bytes_of_the_whole(values: list[Any]) -> None:
    text = LIST.opening + LIST.between.join(map(in_document, values)) + LIST.closing if values else LIST.empty
    assert text == json.dumps(values, indent=1, ensure_ascii=False) + "\n"


@given(st.lists(anything), st.text())
def test_annotations_have_the_bytes_of_the_whole(values: list[Any], name: str) -> None:
    form = screens.annotations_form(name, {"count": len(values)})
    text = form.opening + form.between.join(map(screens.sample_text, values)) + form.closing if values else form.empty
    root = {"name": name, "version": "1.0", "metadata": {"count": len(values)}, "samples": values}
    assert text == json.dumps(root, indent=2)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_document_is_written_record_by_record(tmp_path: Path, count: int) -> None:
    values = {str(i): {"number": i, "said": "a\nb\u2028c"} for i in range(count)}
    with document(tmp_path / "in" / "some.json", OBJECT) as add:
        for key, value in values.items():
            add(member(key, value))
        assert not (tmp_path / "in" / "some.json").exists()
    assert (tmp_path / "in" / "some.json").read_bytes() == (
        json.dumps(values, indent=1, ensure_ascii=False) + "\n"
    ).encode()


def test_a_document_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no more"), document(tmp_path / "some.jsonl", LINES) as add:
        add("{}\n")
        raise ValueError("no more")
    assert list(tmp_path.iterdir()) == []


MAKERS: dict[str, tuple[ModuleType, Callable[..., Any], dict[str, Any]]] = {
    "salbench": (tables, patterns.make, {}),
    "illusionbench": (tables, hidden.make, {}),
    "grounding": (screens, screens.make, {}),
    "d3": (folder, pairs.make, {}),
    "d3, sets": (folder, sets.make_sets, {"size": 4}),
    **{task: (explained, explained.make, {"task": task}) for task in explained.LAYOUTS},
}


@pytest.mark.parametrize("name", MAKERS)
def test_who_draws_also_writes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module, make, more = MAKERS[name]
    real, given_back = module._written, []

    def written(*given: Any) -> Any:
        given_back.append(result := real(*given))
        return result

    monkeypatch.setattr(module, "_written", written)
    monkeypatch.setattr(tables, "FEW", 1)  # or the few images of a test are drawn one by one
    make(out=tmp_path / "set", count=3, seed=2, workers=1, **more)
    leaves = list(leaves_of(given_back))
    assert leaves and all(isinstance(leaf, (Path, str)) for leaf in leaves)


def leaves_of(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from leaves_of(one)
    else:
        yield value
