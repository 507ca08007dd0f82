"""A grounding method in one file: it clicks the most colourful patch of the screen, whatever it is asked for.

snellen run grounding --plugin docs/examples/colourful.py --data DIR --method colourful
snellen run grounding --plugin docs/examples/colourful.py --data DIR --method colourful+reground
"""

import io

from PIL import Image


def colourful(screenshot: bytes, instruction: str) -> tuple[float, float] | None:
    """the most colourful patch, whatever is asked for"""
    image = Image.open(io.BytesIO(screenshot), formats=("PNG", "JPEG")).convert("HSV")
    colour = image.getchannel("S")
    strongest = colour.getextrema()[1]
    if strongest < 64:
        return None  # a grey screen: it is not there
    left, top, right, bottom = colour.point(lambda v: 255 if v == strongest else 0).getbbox()
    return (left + right) / 2, (top + bottom) / 2


METHODS = {"colourful": colourful}
