"""Generated annotators' answers and replies for the VQA exams, for comparisons with the originals' own code.

The rows are ours. The results of the originals' code are in tests/parity/vqa_rows.json as counts and digests: thousands of marks, but
none of their code.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

_WORDS = (
    "yes no red blue dog cat man woman 2 3 two three none ten one left right tennis baseball kite grass t-shirt wii u.s.a. "
    "10:30 1,000 stop skateboarding surfing beach dont can't isnt it's o'clock o clock yes/no black&white 5 pm 3.5 half-pipe"
)
WORDS = _WORDS.split()
ARTICLES = ("a", "an", "the", "The", "A")
MARKS = (".", "!", "?", ",", ";", "/", "-", "(", ")", '"', "'", "_", "  ", "\n", "\t", "..", " .", " ,")
LABELS = ("entailment", "contradiction", "neutral")
ACTIVITIES = (
    *(
        "skating, ice",
        "yoga, power",
        "bicycling, mountain",
        "cooking or food preparation",
        "t-ball",
        "tai chi, qi gong",
    ),
    *(
        "fishing, general",
        "walk/run, playing with child(ren)",
        "the hustle",
        "two-step",
        "softball, general",
        "kayaking",
    ),
)
WHY = (
    "it is so",
    "he holds it because he likes it",
    "",
    "there is one because two came",
    "of the color.",
    "a Dog, barks!",
)


class Row(NamedTuple):
    """A question's answers by ten annotators, an activity, a label, and one reply to each."""

    answers: tuple[str, ...]
    said: str
    activity: str
    said_activity: str
    label: str
    said_label: str
    why: str


def answer(random: Random) -> str:
    """Return a short answer, with articles, marks and capitals as people write them."""
    words = [random.choice(WORDS) for _ in range(random.choice((1, 1, 1, 2, 3)))]
    if random.random() < 0.2:
        words.insert(0, random.choice(ARTICLES))
    text = " ".join(words)
    if random.random() < 0.3:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(MARKS) + text[at:]
    return text.title() if random.random() < 0.1 else text


def rows(count: int, seed: int = 11) -> list[Row]:
    """Return this many rows, always the same for a seed."""
    random = Random(seed)
    found = []
    for _ in range(count):
        pool = [answer(random) for _ in range(random.choice((1, 1, 2, 3, 5)))]
        answers = tuple(random.choice(pool) for _ in range(10))
        said = random.choice(answers) if random.random() < 0.7 else answer(random)
        activity, label = random.choice(ACTIVITIES), random.choice(LABELS)
        forms = (activity, activity.partition(",")[0], activity.replace("-", " "), activity.replace("/", " "))
        said_activity = random.choice(forms) if random.random() < 0.8 else answer(random)
        said_label = label if random.random() < 0.5 else random.choice((*LABELS, "Neutral", "not neutral", "yes"))
        found.append(Row(answers, said, activity, said_activity, label, said_label, random.choice(WHY)))
    return found


def replies(row: Row) -> tuple[str, str, str]:
    """Return the row's three replies as models give them: to the question, the activity and the hypothesis."""
    return tuple(f"{said} because {row.why}" for said in (row.said, row.said_activity, row.said_label))  # type: ignore[return-value]
