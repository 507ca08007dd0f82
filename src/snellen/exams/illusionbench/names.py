"""What an IllusionBench file name says: shape, scene, difficulty, strength. And the words of the three subsets."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

SIMPLE = ("Ocean", "Origami", "Forest", "Cloud", "Sand_dune")
COMPLEX = ("Medieval_Village", "City", "Underwater_ruins", "Museum", "Bazaar_market", "Time_square")
SCENES = SIMPLE + COMPLEX
SHAPES = {
    "Illusion_IN": (
        *("airplane", "bicycle", "bird", "bottle", "car", "cat", "dog", "dolphin"),
        *("fork", "guitar", "mug", "panda", "paper_clip", "sailboat", "scooter", "teapot"),
    ),
    "Illusion_LOGO": (
        *("adidas", "amazon", "apple", "audi", "bmw", "benz", "facebook", "google", "instagram", "mcdonalds", "nasa"),
        *("nike", "olympics", "playstation", "puma", "reebok", "spotify", "starbucks", "tesla", "telegram", "ubuntu"),
    ),
    "Illusion_ICON": ("animal", "face_emoji", "music", "sport", "stationary", "vehicle"),
}
SUBSETS = tuple(SHAPES)
TASKS = ("shape", "scene", "both")
# the classes that take part in the in-context exam: ten logos, fifteen objects, all icons
KEPT = {
    "Illusion_LOGO": ("adidas", "mcdonalds", "apple", "bmw", "nike", "audi", "nasa", "spotify", "starbucks", "tesla"),
    "Illusion_IN": tuple(shape for shape in SHAPES["Illusion_IN"] if shape != "paper_clip"),
    "Illusion_ICON": SHAPES["Illusion_ICON"],
}
LEVELS = ("easy", "medium", "hard")
ENDINGS = (".png", ".jpg", ".jpeg", ".webp")
# other spellings, in lower case with spaces for underscores and hyphens
ALIASES = {
    "airplane": ("aeroplane", "plane"),
    "bicycle": ("bike",),
    "car": ("automobile",),
    "sailboat": ("sail boat", "sailing boat"),
    "teapot": ("tea pot",),
    "scooter": ("motor scooter",),
    "face_emoji": ("emoji",),
    "stationary": ("stationery",),
    "benz": ("mercedes benz", "mercedes"),
    "mcdonalds": ("mcdonald's", "mcdonald s", "mcdonald", "mc donalds", "mc donald's"),
    "starbucks": ("star bucks",),
    "playstation": ("play station",),
    "facebook": ("face book",),
    "olympics": ("olympic", "olympic rings", "olympic games"),
    "Time_square": ("times square", "times square, new york city", "times square in new york city"),
    "Sand_dune": ("sand dunes", "dune"),
    "Underwater_ruins": ("underwater ruin",),
    "Bazaar_market": ("bazaar",),
}


class Name(NamedTuple):
    """A file name, read. `strength` is the conditioning scale as written, or nothing."""

    shape: str
    scene: str
    difficulty: str
    strength: str


def parse(image_name: str) -> Name:
    """Read a name as lmms-eval does: the scene stands before the difficulty, the shape before the scene.

    >>> parse("animal-1-Medieval_Village-Easy-1.5-90.png")
    Name(shape='animal', scene='Medieval_Village', difficulty='Easy', strength='1.5')
    """
    path = PurePosixPath(image_name.replace("\\", "/"))
    base = path.stem if path.suffix.lower() in ENDINGS else path.name
    parts = [p for p in base.split("-") if p]
    level = next((i for i, p in enumerate(parts) if p.lower() in LEVELS), None)
    if level is None or level < 1:
        raise ValueError("no Easy or Hard after a scene in the name")
    before = parts[: level - 1]
    if len(before) >= 2 and before[-1].isdigit():
        before = before[:-1]
    shape, scene = "-".join(before), parts[level - 1]
    if not shape:
        raise ValueError("no shape before the scene in the name")
    strength = parts[level + 1] if len(parts) > level + 1 else ""
    return Name(shape, scene, parts[level].capitalize(), strength)


def known(names: tuple[str, ...], word: str) -> str | None:
    """A word in the data's spelling, whatever its case."""
    return next((n for n in names if n.lower() == word.lower()), None)


def meant(names: tuple[str, ...], word: str) -> str | None:
    """As `known`, also by an alias, and with spaces or hyphens for underscores.

    >>> meant(SHAPES["Illusion_LOGO"], "Mercedes-Benz")
    'benz'
    """
    plain = word.lower().replace("_", " ").replace("-", " ").replace("\u2019", "'").strip()
    return next((n for n in names if plain in (n.lower().replace("_", " "), *ALIASES.get(n, ()))), None)


def spellings_of(name: str) -> tuple[str, ...]:
    """Every way to write a name in lower case that counts as it: with spaces, joined, an alias, and their plurals.

    >>> spellings_of("paper_clip")
    ('paper clip', 'paperclip', 'paper clips', 'paperclips')
    """
    words = (name.lower().replace("_", " "), *ALIASES.get(name, ()))
    forms = (*words, *(w.replace(" ", "") for w in words))
    return tuple(dict.fromkeys((*forms, *map(_plural, forms))))


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")
