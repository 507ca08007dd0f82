"""A subject in one file: it says the first option for a dark picture, and the last for a bright one.

snellen run salbench --plugin docs/examples/brightness.py --data DIR --model brightness/128
"""

import io

from PIL import Image

from snellen import Answer, Question, SnellenError, Subject, SubjectKind


class Brightness(Subject):
    """Answers here; a subject that calls a service also has `endpoints` (see snellen/subjects/remote/subject.py)."""

    def __init__(self, limit: int) -> None:
        self.spec = f"brightness/{limit}"
        self.identity = {"kind": "brightness", "limit": limit}  # all that decides its answers

    def prepare(self, question: Question) -> float:
        """Work that needs no waiting: runs ahead in a thread."""
        image = Image.open(io.BytesIO(question.pictures[-1].data), formats=("PNG", "JPEG")).convert("L")
        return sum(image.resize((8, 8)).tobytes()) / 64

    async def answer(self, question: Question, prepared: float, call: object) -> Answer:
        text = question.options[0 if prepared < self.identity["limit"] else -1]
        return Answer(id=question.id, prompt=question.prompt, text=text, finish_reason="stop")


class BrightnessKind(SubjectKind):
    """`--model brightness/LIMIT`."""

    forms = {"brightness/LIMIT": "first option for dark pictures, last for bright ones"}

    def build(self, name: str, given: object) -> Subject:
        if not name.isdigit():
            raise SnellenError(f"--model brightness/{name}: a number from 0 to 255")
        return Brightness(int(name))


SUBJECTS = {"brightness": BrightnessKind()}
