"""The zero-shot questions of SalBench, word for word as the data set has them (double spaces included).

They stand in the data, so the maker of a set writes them; the exam's prompts read them from there.
"""

from __future__ import annotations

FEATURES_P3 = ("orientation", "color", "size")
FEATURES_O3 = ("orientation", "color", "focus", "shape", "size", "location", "pattern")

Box = tuple[float, float, float, float]

_THEORY = "Given this list of low level visual features defined according to feature integration theory"
_THEORY_TITLE = "Given this list of low level visual features defined according to Feature Integration Theory"
_SEVEN = "Orientation, Color, Focus, Shape, Size, Location, Pattern"
_ONE_WORD = "Answer the question using a single word or phrase."
_ONLY_LABELS = "Do not output any explanations, other texts or special characters rather than the provided categories."


def _box_text(box: Box) -> str:
    """The box (x_min, y_min, x_max, y_max; parts of the image from 0 to 1) as the questions print it."""
    x_min, y_min, x_max, y_max = box
    return f"x_min={x_min:.2f}, y_min={y_min:.2f}, x_max={x_max:.2f}, y_max={y_max:.2f}"


def p3_detection() -> str:
    """P3, nothing said about where the odd object is."""
    return (
        f"Context: {_THEORY}: Orientation, Color, Size. Task: Examine this image and identify the feature "
        f"that makes one object notably different from the others. {_ONE_WORD}"
    )


def p3_referring(box: Box) -> str:
    """P3, the odd object's box given as numbers."""
    return (
        "Context: This image depicts a scene with  49 objects. Among those, one object at location given by this "
        f"bounding box {_box_text(box)}, is different from the others. {_THEORY}: Orientation, Color and Size. "
        f"Identify how the special object differs from the rest. {_ONE_WORD}"
    )


def p3_visual_referring() -> str:
    """P3, the odd object marked in the image by a red rectangle."""
    return (
        "Context: This image depicts a scene with many similar objects. Among those, one object highlighted in a red "
        f"box is different from the others. Task: {_THEORY_TITLE}: size, color, orientation. "
        f"In which way does the special object differ from the rest. {_ONE_WORD}"
    )


def o3_detection() -> str:
    """O3, nothing said about where the odd object is."""
    return (
        f"Context: {_THEORY}: {_SEVEN}. Task: Examine the provided image and identify the feature(s) in which one "
        f"object notably differs from the others. Write out all applicable features separated by comma.  {_ONLY_LABELS}"
    )


def o3_referring(n: int, plural: str, box: Box) -> str:
    """O3, the odd object's box given as numbers."""
    return (
        f"Context: This image depicts a scene with {n} {plural}. Among those, one object at location given by this "
        f"bounding box {_box_text(box)}, is different from the others. Task: {_THEORY_TITLE}: {_SEVEN}; "
        "in which way does the special object differ from the rest. "
        f"Write out all applicable feature(s) separated by comma. {_ONLY_LABELS}"
    )


def o3_visual_referring(n: int, plural: str, singular: str) -> str:
    """O3, the odd object marked in the image by a red rectangle."""
    return (
        f"Context: This image depicts a scene with {n} {plural}. Among those, one {singular} highlighted in a red box "
        f"is different from the others. Task: {_THEORY_TITLE}: {_SEVEN}. "
        "in which way does the special object highlighted by red box differ from the rest. "
        f"Write out all applicable feature(s) separated by comma. {_ONLY_LABELS}"
    )
