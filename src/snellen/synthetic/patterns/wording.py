"""The zero-shot questions of SalBench, which are part of the data: the maker of a set writes them, and the exam's prompts read them."""

from __future__ import annotations

from snellen.synthetic.drawings import read_table

FEATURES_P3 = ("orientation", "color", "size")
FEATURES_O3 = ("orientation", "color", "focus", "shape", "size", "location", "pattern")
Box = tuple[float, float, float, float]


def question(
    config: str, *, n: int = 49, plural: str = "objects", singular: str = "object", box: Box = (0, 0, 1, 1)
) -> str:
    """Return the question of a config; the box is x_min, y_min, x_max, y_max in fractions of the image."""
    names = ("x_min", "y_min", "x_max", "y_max")
    said = ", ".join(f"{name}={edge:.2f}" for name, edge in zip(names, box, strict=True))
    form: str = read_table("patterns/patterns.toml")["questions"][config]
    return form.format(n=n, plural=plural, singular=singular, box=said)
