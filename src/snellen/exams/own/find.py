"""The content of a path: a table, a folder with one table, or a folder of pictures sorted into folders by their class."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from snellen.choice.letters import LETTERS
from snellen.core.errors import SnellenError
from snellen.core.text import one_line
from snellen.data.files import PICTURES, check_inside
from snellen.data.folder import check_finished
from snellen.data.tables import ENDINGS, Table, TableRow, tables_in
from snellen.exams.own.names import COLUMNS_FILE, PROMPT_FILE, QUESTION_FILE

LONGEST_TEXT = 20_000


class _Classes:
    """Pictures in folders named by their class, as a table: the folders' names are the options."""

    binary: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    columns = ("id", "image", "question", "options", "answer_text")

    def __init__(self, path: Path, folders: Sequence[Path]) -> None:
        self.path, self.name = path, path.name
        self._folders = folders
        self._question = _text_in(path / QUESTION_FILE)
        if not self._question:
            raise SnellenError(
                f"{path}: pictures in {len(folders)} folders, and no question: write it into {path / QUESTION_FILE}"
            )
        if len(folders) > len(LETTERS):
            raise SnellenError(
                f"{path}: {len(folders)} folders of pictures; at most {len(LETTERS)} classes can be lettered: write a table"
            )

    def rows(self) -> Iterator[TableRow]:
        """Yield a row for each picture."""
        options = [folder.name.replace("_", " ") for folder in self._folders]
        number = 0
        for folder, name in zip(self._folders, options, strict=True):
            for file in _pictures_in(folder):
                shown = file.relative_to(self.path).as_posix()
                cells = {"id": shown, "image": [shown], "question": self._question, "options": options}
                yield TableRow(number, shown, cells | {"answer_text": [name]})
                number += 1

    def cells(self, column: str, numbers: Sequence[int]) -> Iterator[tuple[int, Any]]:
        """Yield nothing: the pictures are files."""
        yield from ()


Source = Table | _Classes


def source(where: Path) -> Source:
    """Return the rows in a path; raise SnellenError if it has none, or several tables."""
    if where.is_file():
        return Table(where)
    if not where.is_dir():
        raise SnellenError(f"no file or folder {where}; 'snellen data init choice --out DIR' writes a template")
    check_finished(where)
    tables = tables_in(where) or [check_inside(path, where) for path in tables_in(where / "data")]
    if tables and tables[0].parent != where and all(path.suffix.lower() == ".parquet" for path in tables):
        return Table(where, tables)
    if len(tables) > 1:
        raise SnellenError(f"{where} has several tables ({', '.join(p.name for p in tables)}): name one of them")
    if tables:
        return Table(tables[0])
    folders = _class_folders(where)
    if len(folders) > 1:
        return _Classes(where, folders)
    if next(_pictures_in(where), None):
        raise SnellenError(
            f"{where}: pictures, and no file that says what is asked about them; 'snellen annotate {where} --as NAME' draws boxes in a "
            "browser, 'snellen data init choice --out DIR' writes a template of questions"
        )
    raise SnellenError(
        f"{where}: no table of questions ({', '.join(ENDINGS)}), and no folders of pictures; 'snellen data init choice --out DIR' "
        "writes a template"
    )


def recognises(where: Path) -> str | None:
    """Describe a path that holds a user's own questions."""
    try:
        if where.is_dir() and not tables_in(where) and not tables_in(where / "data"):
            classes = len(_class_folders(where)) > 1 and (where / QUESTION_FILE).is_file()
            return "pictures in folders by class" if classes else None
        return "a table" if source(where).columns else None
    except SnellenError:
        return None


def base_of(found: Source) -> Path:
    """Return the base folder of the pictures' names."""
    return found.path if found.path.is_dir() else found.path.parent


def columns_beside(found: Source) -> Mapping[str, str | list[str]]:
    """Return the columns by role from a file `data.toml` beside the data; nothing if there is none."""
    path = base_of(found) / COLUMNS_FILE
    try:
        document = tomllib.loads(_text_in(path))
    except (ValueError, RecursionError) as error:
        raise SnellenError(f"{path}: not valid TOML ({one_line(str(error), 200)})") from None
    columns = document.pop("columns", {})
    if document or not isinstance(columns, dict):
        raise SnellenError(f'{path}: only a table [columns] is read, such as image = ["image_1", "image_2"]')
    for role, names in columns.items():
        listed = names if isinstance(names, list) else [names]
        if not listed or not all(isinstance(name, str) for name in listed):
            raise SnellenError(f"{path}: columns.{role} is the name of a column, or a list of names")
    return columns


def template_of(found: Source) -> str:
    """Return the user's own wording beside the data, if there is one."""
    path = base_of(found) / PROMPT_FILE
    text = _text_in(path)
    if text and "{question}" not in text:
        raise SnellenError(
            f"{path}: the wording has no {{question}} in it ({{options}} stands for the lettered options)"
        )
    return text


def _text_in(path: Path) -> str:
    """Return the text of a small file; empty if there is none."""
    if not path.is_file():
        return ""
    check_inside(path)
    if path.stat().st_size > 4 * LONGEST_TEXT:  # a character has four bytes at most
        raise SnellenError(f"{path}: longer than {LONGEST_TEXT:,} characters")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SnellenError(f"{path}: cannot be read as UTF-8 text ({type(error).__name__})") from None
    if len(text) > LONGEST_TEXT:
        raise SnellenError(f"{path}: longer than {LONGEST_TEXT:,} characters")
    return text.strip()


def _class_folders(where: Path) -> list[Path]:
    """Return the subfolders that contain pictures."""
    below = (p for p in sorted(where.iterdir()) if p.is_dir() and not p.name.startswith("."))
    return [p for p in below if next(_pictures_in(p), None) is not None]


def _pictures_in(folder: Path) -> Iterator[Path]:
    """Yield the pictures of a folder, by name."""
    return (p for p in sorted(folder.iterdir()) if p.suffix.lower() in PICTURES and not p.name.startswith("."))
