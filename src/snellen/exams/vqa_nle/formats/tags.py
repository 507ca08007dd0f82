"""VCR's object tags in text. `<det2>` means the third detection of the image; these functions rewrite it in other forms.

The number is always the data's own index, so that a box, a name and a tag of the same object have the same number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from snellen.core.errors import SnellenError

TAG = re.compile(r"<\|?det(\d{1,4})\|?>", re.IGNORECASE)


def mentioned(texts: Sequence[str]) -> list[int]:
    """Return the numbers of all tags in some texts, without repeats, in ascending order.

    >>> mentioned(["<det4> and <det1>", "<det4>"])
    [1, 4]
    """
    return sorted({int(m.group(1)) for text in texts for m in TAG.finditer(text)})


def canonical(text: str) -> str:
    """Return a text with its object tags in one form.

    >>> canonical("Is <|det1|> near <det02>?")
    'Is <det1> near <det2>?'
    """
    return as_numbers(text, "<det{}>")


def as_numbers(text: str, form: str = "{}", highest: int | None = None) -> str:
    """Return a text with tags as numbers; tags above `highest` stay as they are.

    >>> as_numbers("<det1> smiles at <det12>", "[{}]"), as_numbers("<det1> smiles at <det12>", highest=9)
    ('[1] smiles at [12]', '1 smiles at <det12>')
    """
    return TAG.sub(
        lambda m: form.format(int(m.group(1))) if highest is None or int(m.group(1)) <= highest else m.group(), text
    )


def as_names(text: str, objects: Sequence[str], where: str = "") -> str:
    """Return a text with tags as class name and number, as in nlxgpt. If `where` is given, a tag without an object is an error.

    >>> as_names("Does <det2> smile?", ["person", "car", "person"])
    'Does person2 smile?'
    """

    def name(found: re.Match[str]) -> str:
        index = int(found.group(1))
        if index < len(objects):
            return f"{objects[index]}{index}"
        if where:
            raise SnellenError(
                f"{where}: <det{index}> names no object ({len(objects)} are listed); ask without '-names'"
            )
        return found.group()

    return TAG.sub(name, text)


def plain(text: str, objects: Sequence[str] = ()) -> str:
    """Return a text in which a tag, a bracketed number and a numbered class name become the bare number.

    >>> plain("<det1> and [1] and person1", ["car", "person"])
    '1 and 1 and 1'
    """
    text = re.sub(r"\[(\d{1,4})\]", r"\1", as_numbers(text))
    names = "|".join(sorted({re.escape(o.lower()) for o in objects if o}, key=len, reverse=True))
    return re.sub(rf"\b(?:{names})(\d{{1,4}})\b", r"\1", text, flags=re.IGNORECASE) if names else text
