"""Our own readers on generated replies with a known meaning (the same table for 10,000 replies: bench/readers.py).

When in doubt a reader finds nothing: it may miss a few answers, misread hardly any, and never finds one where none was given.
"""

from __future__ import annotations

import pytest
from tests.support.readers import Reader, all_readers, figures
from tests.support.wrapping import ALL_FORMS, BARE, FORMS

READERS = all_readers()


@pytest.mark.parametrize("reader", READERS, ids=[r.name for r in READERS])
def test_few_replies_are_missed_and_hardly_any_misread(reader: Reader) -> None:
    found = figures(reader, 5 * len(ALL_FORMS), seed=3)
    assert found.misread <= 0.01 * found.answers
    assert found.unparsable <= reader.most_unparsable * found.answers
    assert found.invented == 0


def test_there_are_enough_forms() -> None:
    assert len(FORMS) + len(BARE) >= 40
