"""The forms in which a reply can name a point or a box, from the most specific to the barest. Each finds every place where it stands."""

from __future__ import annotations

from collections.abc import Callable

from snellen.exams.grounding.reading.brackets import from_box_words, from_leads, from_tuples, from_whole
from snellen.exams.grounding.reading.found import PlaceMatch
from snellen.exams.grounding.reading.json_points import from_json
from snellen.exams.grounding.reading.named import from_names
from snellen.exams.grounding.reading.tagged import from_attributes, from_tags, from_tokens

FORMS: tuple[Callable[[str], list[PlaceMatch]], ...] = (
    from_tokens,
    from_tags,
    from_attributes,
    from_json,
    from_names,
    from_tuples,
    from_box_words,
    from_whole,
    from_leads,
)
AS_WRITTEN = (from_tokens, from_tags, from_attributes, from_json)
"""Forms that are looked for in the reply as it stands; the others without emphasis, fences and bullets."""
CLOSED = (from_tags, from_attributes, from_json, from_tuples)
"""Forms that show where they end."""
