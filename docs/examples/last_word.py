"""A protocol in one file: SalBench, but only the last word of the reply counts.

snellen mark RUN --protocol last-word --plugin docs/examples/last_word.py
"""

from snellen import Protocol, Sample


def last_word(reply: str, _sample: Sample) -> str | None:
    """Read: the last word, without punctuation; None where there is none."""
    words = reply.lower().split()
    return words[-1].strip(".,;:!?*\"'") or None if words else None


def is_it(word: str, sample: Sample) -> float:
    """Mark: 1 where the word is the whole answer."""
    return float(word == str(sample.truth).strip().lower())


PROTOCOLS = {"salbench": [Protocol("last-word", "the last word equals the answer", last_word, is_it)]}
