"""The vocabulary of the format: kinds of questions, and common names of columns."""

from __future__ import annotations

KINDS = ("choice", "labels", "number", "text")
ABOUT = {
    "choice": "one of several options",
    "labels": "all options that are right",
    "number": "a number",
    "text": "a word or a short phrase",
}

# the names of each role's column: first the one in our documentation, then others in use
ROLES = {
    "image": ("image", "images", "image_path", "img", "img_path", "picture", "file", "file_name", "filename", "path"),
    "question": ("question", "prompt", "instruction", "query", "text"),
    "options": ("options", "choices", "candidates", "answer_choices"),
    "answer": ("answer", "answers", "label", "target", "gt", "ground_truth", "correct_answer", "correct"),
}
PLAIN = ("id", "split", "kind", "tolerance")
"""Columns that have only one name each."""
STYLES = {
    "answer_text": "text",
    "answer_letter": "letter",
    "answer_index": "index",
    "answer_number": "place",
}
"""Names of the answer's column that also say how it names an option."""
STYLE_WORDS = {
    "text": "the option's text",
    "letter": "its letter (A is the first option)",
    "index": "its index from 0",
    "place": "its number from 1",
}
SEPARATOR = "|"
"""The separator between several values in one cell of a table."""
PROMPT_FILE, QUESTION_FILE, COLUMNS_FILE = "prompt.txt", "question.txt", "data.toml"
_TAUGHT_TEXT = "instruction box box_format width height left right left_caption right_caption"
TAUGHT = tuple(_TAUGHT_TEXT.split())
"""Columns of other kinds of own data; a misspelt column may be one of them."""
