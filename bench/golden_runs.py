"""Make the runs of `golden.py` with the Snellen that is imported, and freeze them and all that is derived from them.

python golden_runs.py DIR [OLD]     OLD is a golden folder whose sets and replies are taken
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

import snellen
from golden_cases import CASES, FIRST, MATERIAL, NOT_OF, OF_AN_EXAM, OF_REAL_DATA, SEED, SETS, Case
from golden_material import digests, write_own_questions, write_replies
from golden_text import Cleaner, listed, numbers, same_seconds, visible
from golden_viewer import pages

RUNS = Path("runs")


class CommandError(Exception):
    """A command failed."""


@contextlib.contextmanager
def streams(out: IO[bytes], err: IO[bytes]) -> Iterator[None]:
    """Redirect what this process prints to two files."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, stream in enumerate(kept, 1):
            os.dup2(stream, number)
            os.close(stream)


def run_command(*words: str) -> str:
    """Run `snellen WORDS` in this process and return what it prints, as `python -m snellen` would."""
    code: Any = 0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        argv, sys.argv = sys.argv, ["snellen", *words]
        try:
            with streams(out, err):
                runpy.run_module("snellen", run_name="__main__")
        except SystemExit as done:
            code = done.code
        finally:
            sys.argv = argv
        out.seek(0)
        err.seek(0)
        printed, told = out.read().decode(), err.read().decode()
    if code not in (0, 1, 3, None) or (code and not printed):
        raise CommandError(f"snellen {' '.join(words)} ended with {code}: {told.strip()[-400:]}")
    return printed


def name_of(exam: str) -> str:
    """Return Snellen's name of an exam."""
    return "own" if exam == "hand" else exam


class Golden:
    """A golden folder and its working folder, with the runs made so far."""

    def __init__(self) -> None:
        self.cleaner = Cleaner(Path.cwd(), snellen.__version__)
        self.errors: list[str] = []

    # ------------------------------------------------------------ sets, replies, runs

    def make_sets(self, folder: Path) -> None:
        """Draw the sets of all exams."""
        for exam, words in SETS.items():
            run_command(*f"data make {exam} --seed {SEED} --workers 1 --out {folder / exam} {words}".split())
        write_own_questions(folder / "hand")

    def run(self, exam: str, case: Case) -> snellen.Run:
        """Make a run; where methods were timed, mark it again with equal times."""
        data = None if exam == "eye" else self.data(exam)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = snellen.evaluate(
                name_of(exam), model=case.model, data=data, out=RUNS, use_store=False, **case.options
            )
        if "method" in case.options:
            same_seconds(run.path / "answers.jsonl")
            run_command("mark", str(run.path))
        return self.named(run, exam, case.name)

    def imported(self, exam: str) -> snellen.Run:
        """Make a run from a table of replies, some of which were cut off or failed."""
        before = set(RUNS.iterdir())
        log = f"{MATERIAL}/replies/{exam}-logged.jsonl"
        told = f"import csv {log} --exam {exam} --data {self.data(exam)} --model logged --out {RUNS}"
        run_command(*told.split())
        (path,) = set(RUNS.iterdir()) - before
        return self.named(snellen.open_run(path), exam, "imported")

    def named(self, run: snellen.Run, exam: str, case: str) -> snellen.Run:
        """Remember the name of a run in the golden folder."""
        if run.path.name in self.cleaner.names:
            raise CommandError(f"{exam} {case}: the same run as {self.cleaner.names[run.path.name]}")
        self.cleaner.names[run.path.name] = f"{exam}/{case}"
        return run

    def data(self, exam: str) -> Path:
        """Return the folder of an exam's set."""
        return Path(MATERIAL) / "sets" / exam

    # ------------------------------------------------------------ freezing

    def freeze(self, name: str, text: str) -> None:
        """Write a text that is compared."""
        path = Path("frozen") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def freeze_run(self, run: snellen.Run) -> None:
        """Freeze a run's files, its rows, and the output of commands about it alone."""
        label = self.cleaner.names[run.path.name]
        self.freeze_files(f"{label}/files", run.path)
        for name, rows in (("scores", run.score_rows()), ("samples", run.sample_rows())):
            found = b"\n".join(msgspec.json.encode(row) for row in rows).decode()
            self.freeze(f"{label}/{name}.jsonl", "\n".join(self.cleaner.lines(found)) + "\n")
        self.freeze_command(f"{label}/show.numbers", ["show", str(run.path)])

    def freeze_exam(self, exam: str, runs: dict[str, snellen.Run]) -> None:
        """Freeze the output of commands about an exam's runs. `ALL` are those with the protocols' own prompts."""
        asked_alike = [case.name for case in CASES[exam] if "prompt" not in case.options]
        places = {
            **{name.upper(): [str(run.path)] for name, run in runs.items()},
            "ALL": [str(runs[name].path) for name in asked_alike],
            "EXAM": [name_of(exam)],
            "DATA": [] if exam == "eye" else ["--data", str(self.data(exam))],
            "SAMPLE": [next(runs["varied"].samples()).id],
        }
        commands = {**OF_AN_EXAM, **(OF_REAL_DATA if exam == "hand" else {})}
        for name in commands.keys() - NOT_OF.get(exam, ()):
            words = [told for word in commands[name].split() for told in places.get(word, [word])]
            self.freeze_command(f"{exam}/{name}", words)

    def freeze_command(self, name: str, words: list[str]) -> None:
        """Freeze a command's output, or the file that it writes to FILE."""
        with tempfile.TemporaryDirectory() as folder:
            written = Path(folder) / Path(name).name
            try:
                printed = run_command(*(str(written) if word == "FILE" else word for word in words))
            except CommandError as error:
                self.errors.append(f"{name}: {error}")
                return
            if "FILE" not in words:
                written.write_text(printed)
            if written.suffix in (".html", ".numbers"):
                self.freeze_numbers(name, written.read_text())
            else:
                self.freeze_files(name, written)

    def freeze_files(self, name: str, where: Path) -> None:
        """Freeze a file, or the files of a folder but for locks."""
        for path in sorted(where.rglob("*")) if where.is_dir() else [where]:
            if path.is_file() and path.name != ".lock":
                inside = self.cleaner.text(path.relative_to(where).as_posix())
                self.freeze((Path(name) / inside).as_posix(), self.cleaner.file(path))

    def freeze_viewer(self) -> None:
        """Freeze the numbers on the viewer's pages: the list of runs, and the page of each."""
        for address, page in pages(RUNS):
            shown = visible(page)
            label = next((case for name, case in self.cleaner.names.items() if name in shown), address)
            self.freeze_numbers(f"{'runs' if address == '/' else label}/viewer.html", page)

    def freeze_numbers(self, name: str, text: str) -> None:
        """Freeze the numbers of a page or of terminal output."""
        shown = visible(text) if name.endswith(".html") else text
        self.freeze(f"{name.rpartition('.')[0]}.numbers", listed(numbers(self.cleaner.text(shown))))


def main(folder: Path, old: Path | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(folder)
    golden = Golden()
    made, material = Path("made"), Path(MATERIAL)
    golden.make_sets(made)
    golden.freeze("sets.json", json.dumps(digests(made), indent=0) + "\n")
    shutil.copytree(*((old / MATERIAL, material) if old else (made, material / "sets")))
    for exam, cases in CASES.items():
        runs: dict[str, snellen.Run] = {}
        for case in cases:
            runs[case.name] = run = golden.run(exam, case)
            if case.name == FIRST and not old:
                write_replies(material / "replies", exam, list(run.samples()), next(iter(run.answers())).prompt)
        if exam == "salbench":
            runs["imported"] = golden.imported(exam)
        for run in runs.values():
            golden.freeze_run(run)
        golden.freeze_exam(exam, runs)
    names = {case: name for name, case in golden.cleaner.names.items()}
    golden.freeze("names.json", json.dumps(names, indent=0) + "\n")
    golden.freeze_viewer()
    if golden.errors:
        sys.exit("\n".join(golden.errors))
    print(f"{len(names)} runs")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
