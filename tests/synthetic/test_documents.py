"""Documents whose records are made by many processes: the bytes of the whole, and no picture between processes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.synthetic.documents import LIST, OBJECT, in_document, member
from snellen.synthetic.explained import make as explained
from snellen.synthetic.pairs import folder
from snellen.synthetic.pairs import make as pairs
from snellen.synthetic.screens import make as screens

plain = st.none() | st.booleans() | st.integers() | st.text()
anything = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(st.dictionaries(st.text(), anything, min_size=1))
def test_an_object_has_the_bytes_of_the_whole(values: dict[str, Any]) -> None:
    text = OBJECT.of(member(k, v) for k, v in values.items())
    assert text == json.dumps(values, indent=1, ensure_ascii=False) + "\n"


@given(st.lists(anything, min_size=1))
def test_a_list_has_the_bytes_of_the_whole(values: list[Any]) -> None:
    assert LIST.of(map(in_document, values)) == json.dumps(values, indent=1, ensure_ascii=False) + "\n"


@given(st.lists(anything, min_size=1), st.text())
def test_annotations_have_the_bytes_of_the_whole(values: list[Any], name: str) -> None:
    form = screens.annotations_form(name, {"count": len(values)})
    root = {"name": name, "version": "1.0", "metadata": {"count": len(values)}, "samples": values}
    assert form.of(map(screens.sample_text, values)) == json.dumps(root, indent=2)


MAKERS: dict[str, tuple[ModuleType, Callable[..., Any], dict[str, Any]]] = {
    "grounding": (screens, screens.make, {}),
    "d3": (folder, pairs.make, {}),
    "d3, sets": (folder, pairs.make, {"sets": 4}),
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
    make(out=tmp_path / "set", count=3, seed=2, workers=1, **more)
    leaves = list(leaves_of(given_back))
    assert leaves and all(isinstance(leaf, (Path, str)) for leaf in leaves)


def leaves_of(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from leaves_of(one)
    else:
        yield value
