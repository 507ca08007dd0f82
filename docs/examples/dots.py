"""An exam in one file: how many dots are in the picture?

    snellen run dots --plugin docs/examples/dots.py --data docs/examples/dots --model baseline/constant:3
The folder holds pictures and `truth.csv` with the columns file, dots.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

from snellen import Exam, Picture, Prompt, Protocol, Sample, SnellenError


def ask(sample: Sample, _shots: object) -> str:
    """Ask: this text follows the picture. Return a snellen.Question to write all of it yourself, options too."""
    return "How many dots are in this picture? Reply with a number."


def last_number(reply: str, _sample: Sample) -> int | None:
    """Read: the last number in the reply; None where there is none."""
    found = re.findall(r"\d+", reply)
    return int(found[-1][:6]) if found else None


class Dots(Exam):
    """Data, a prompt and two protocols; everything else has a default."""

    name = "dots"
    title = "Dots: how many are there"
    prompts = {"question": Prompt("question", "how many dots", ask)}
    protocols = {
        "exact": Protocol("exact", "the last number equals the count", last_number, lambda n, s: n == s.truth),
        "near": Protocol("near", "one off counts half", last_number, lambda n, s: max(0, 1 - abs(n - s.truth) / 2)),
    }

    def samples(self, where: Path) -> Iterator[Sample]:
        if not (where / "truth.csv").is_file():
            raise SnellenError(f"{where}: no truth.csv with the columns file, dots")
        with (where / "truth.csv").open(encoding="utf-8", newline="") as table:
            for row in csv.DictReader(table):
                picture = Picture(data=(where / row["file"]).read_bytes(), name=row["file"])
                many = "many" if int(row["dots"]) > 4 else "few"
                yield Sample(id=row["file"], tags={"dots": many}, truth=int(row["dots"]), pictures=(picture,))


EXAM = Dots()
