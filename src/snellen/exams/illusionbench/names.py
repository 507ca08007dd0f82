"""The content of an IllusionBench file name: shape, scene, difficulty, strength. Also the words of the three subsets."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

from snellen.core.types import Struct
from snellen.data.declared import declared


class _SubsetWords(Struct, frozen=True):
    """The words of a subset; `words.toml` explains them."""

    called: tuple[str, ...]
    shapes: tuple[str, ...]
    offered: tuple[str, ...]
    kept: tuple[str, ...]
    strict: tuple[str, ...]
    nouns: tuple[str, str, str]
    icl_nouns: tuple[str, str, str]
    highlight: str


class _IllusionWords(Struct, frozen=True):
    simple_scenes: tuple[str, ...]
    complex_scenes: tuple[str, ...]
    strict_scenes: tuple[str, ...]
    subsets: dict[str, _SubsetWords]
    aliases: dict[str, tuple[str, ...]]


WORDS = declared("snellen.exams.illusionbench", "words.toml", _IllusionWords)
SCENES = WORDS.simple_scenes + WORDS.complex_scenes
SHAPES = {name: subset.shapes for name, subset in WORDS.subsets.items()}
KEPT = {name: subset.kept for name, subset in WORDS.subsets.items()}
SUBSETS = tuple(SHAPES)
TASKS = ("shape", "scene", "both")
MOST_DRAWINGS = 3
"""The largest number of silhouettes of a class, apart from the icons of the real set."""
LEVELS = ("easy", "medium", "hard")
ENDINGS = (".png", ".jpg", ".jpeg", ".webp")


class Name(NamedTuple):
    """A parsed file name. `strength` is the conditioning scale as written, or empty."""

    shape: str
    scene: str
    difficulty: str
    strength: str


def parse(image_name: str) -> Name:
    """Parse a name as lmms-eval does: the scene comes before the difficulty, the shape before the scene.

    >>> parse("animal-1-Medieval_Village-Easy-1.5-90.png")
    Name(shape='animal', scene='Medieval_Village', difficulty='Easy', strength='1.5')
    """
    parts, level = _parts(image_name)
    if level == len(parts) or level < 1:
        raise ValueError("no Easy or Hard after a scene in the name")
    before = parts[: level - 1]
    if len(before) >= 2 and before[-1].isdigit():
        before = before[:-1]
    shape, scene = "-".join(before), parts[level - 1]
    if not shape:
        raise ValueError("no shape before the scene in the name")
    strength = parts[level + 1] if len(parts) > level + 1 else ""
    return Name(shape, scene, parts[level].capitalize(), strength)


def silhouette(image_name: str) -> str:
    """Return the silhouette of its class that an image hides, as far as its name says. Images of one silhouette form a cluster.

    The generator of the real set puts the number of the class's drawing at the end (there are three of each object and two of each logo).
    Our synthetic icons have it after the class, and a running number at the end. Without such a number the result is empty, and only the
    class is known.

    >>> [silhouette(n) for n in ("cat-Ocean-Easy-1.25-2.png", "animal-204-Ocean-Hard-1.1-64.png", "animal-3-Ocean-Hard-1.1-871.png")]
    ['2', '64', '3']
    >>> silhouette("cat-Ocean-Easy-1.25-871.png")
    ''
    """
    parts, level = _parts(image_name.partition("#")[0])
    behind_class = parts[level - 2] if level > 2 and parts[level - 2].isdigit() else ""
    last = parts[-1] if len(parts) > level + 2 and parts[-1].isdigit() else ""
    few = next((n for n in (behind_class, last) if n and int(n) <= MOST_DRAWINGS), "")
    return few or (last if behind_class else "")


def _parts(image_name: str) -> tuple[list[str], int]:
    """Return the parts of a name, and the position of its difficulty among them; after the last if there is none."""
    path = PurePosixPath(image_name.replace("\\", "/"))
    base = path.stem if path.suffix.lower() in ENDINGS else path.name
    parts = [p for p in base.split("-") if p]
    return parts, next((i for i, p in enumerate(parts) if p.lower() in LEVELS), len(parts))


def known(names: tuple[str, ...], word: str) -> str | None:
    """Return a word in the data's spelling, ignoring case."""
    return next((n for n in names if n.lower() == word.lower()), None)


def meant(names: tuple[str, ...], word: str) -> str | None:
    """Return a name like `known`, also by an alias, and with spaces or hyphens for underscores.

    >>> meant(SHAPES["Illusion_LOGO"], "Mercedes-Benz")
    'benz'
    """
    plain = word.lower().replace("_", " ").replace("-", " ").replace("\u2019", "'").strip()
    return next((n for n in names if plain in (n.lower().replace("_", " "), *WORDS.aliases.get(n, ()))), None)


def spellings_of(name: str) -> tuple[str, ...]:
    """Return every lower-case spelling that counts as a name: with spaces, joined, an alias, and their plurals.

    >>> spellings_of("paper_clip")
    ('paper clip', 'paperclip', 'paper clips', 'paperclips')
    """
    words = (name.lower().replace("_", " "), *WORDS.aliases.get(name, ()))
    forms = (*words, *(w.replace(" ", "") for w in words))
    return tuple(dict.fromkeys((*forms, *map(_plural, forms))))


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
