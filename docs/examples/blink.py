"""BLINK in one file: multiple choice over one to four pictures, in the Parquet files of the hub.

snellen data check DIR --plugin docs/examples/blink.py
snellen run DIR --plugin docs/examples/blink.py --model baseline/chance --controls options
"""

from collections.abc import Mapping
from typing import Any

from snellen import Sample
from snellen.choice import ChoiceExam, choice_sample, letter_place


class Blink(ChoiceExam):
    """A name, the columns by which its tables are known, and what a row is."""

    name = "blink"
    title = "BLINK: what people see at a glance"
    paper = "BLINK: Multimodal Large Language Models Can See but Not Perceive (Fu et al., ECCV 2024)"
    columns = ("idx", "question", "choices", "answer", "sub_task", "image_1", "image_2", "image_3", "image_4")
    splits = ("val", "test")

    def sample(self, row: Mapping[str, Any]) -> Sample:
        return choice_sample(
            row["idx"],
            row["question"],
            row["choices"],
            letter_place(row["answer"], len(row["choices"])),  # "(B)" is 1; nobody tells the answers of the test split
            [row[f"image_{n}"] for n in (1, 2, 3, 4)],
            {"split": row["idx"].partition("_")[0], "task": row["sub_task"]},
        )


EXAM = Blink()
