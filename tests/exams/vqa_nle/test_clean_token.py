"""`clean_token_for_entropy(None)` gives None, as the original does."""

from snellen.exams.vqa_nle.entropy.spans import clean_token_for_entropy


def test_no_text_is_no_key() -> None:
    assert clean_token_for_entropy(None) is None
    assert [clean_token_for_entropy(text) for text in ("", "  ", " The", " Dog ")] == [None, None, None, "dog"]
