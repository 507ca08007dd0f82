"""A protocol with a prompt of its own: SalBench, asked in one sentence.

snellen run salbench --plugin docs/examples/one_word.py --protocol paper,one-word ...
"""

from snellen import Prompt, Protocol, Sample


def ask(_sample: Sample, _shots: object) -> str:
    """Ask: the pictures come first, then this text."""
    return "In what is the odd one unlike the others? One word."


def read(reply: str, _sample: Sample) -> str | None:
    """Read: the reply if it is a single word."""
    words = reply.lower().strip(" .\n").split()
    return words[0] if len(words) == 1 else None


def mark(word: str, sample: Sample) -> float:
    """Mark: 1 where the word is the whole answer."""
    return float(word == str(sample.truth).strip().lower())


PROMPT = Prompt("one-word", "one sentence, one word", ask)
PROTOCOLS = {"salbench": [Protocol("one-word", "a single word, equal", read, mark, prompt=PROMPT)]}
