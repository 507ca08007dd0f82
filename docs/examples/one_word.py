"""A protocol with a prompt of its own: SalBench, asked in one sentence.

snellen run salbench --plugin docs/examples/one_word.py --protocol paper,one-word ...
"""

from snellen.core.types import Sample
from snellen.exams.simple import SimpleProtocol


def ask(_sample: Sample) -> str:
    """Ask: the pictures come first, then this text. Return a Question to write all of it yourself."""
    return "In what is the odd one unlike the others? One word."


def read(reply: str, _sample: Sample) -> str | None:
    """Read: the reply if it is a single word."""
    words = reply.lower().strip(" .\n").split()
    return words[0] if len(words) == 1 else None


def mark(word: str, sample: Sample) -> float:
    """Mark: 1 where the word is the whole answer."""
    return float(word == str(sample.truth).strip().lower())


PROTOCOLS = {"salbench": [SimpleProtocol("one-word", "a single word, equal", read, mark, prompt="one-word", ask=ask)]}
