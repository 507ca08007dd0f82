"""A command about one exam and possibly one subject: its flags are the common ones, that exam's own, and those of subjects.

`snellen run EXAM --help` therefore shows what the exam can do, and a flag that belongs to another exam is refused by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from snellen import exams
from snellen.cli import options
from snellen.cli.flags import Flag
from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import Maker
from snellen.core.options import Option
from snellen.subjects import kinds

OWN, MODELS, OTHER = "Options of {}", "Options of models", "Options"


class ExamCommand(click.Command):
    """A command with the flags that the named exam and the kinds of subjects declare, grouped in its help.

    `of` is the exam if the command line does not name one, or None if the command is not about an exam. With `makes`, the flags are those
    of the exam's generator, and no subject is used.
    """

    def __init__(self, *args: Any, of: str | None = "", makes: bool = False, **more: Any) -> None:
        super().__init__(*args, **more)
        self._of, self._makes, self._common = of, makes, tuple(self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:

        name = self._named(args) if self._of == "" else self._of
        own = exams.load(name) if name is not None else None
        declared: dict[str, Sequence[Option]] = {}
        if own is not None:
            declared[OWN.format(name)] = _make_options(own) if self._makes else own.options
        if not self._makes:
            taken = {o.name for some in declared.values() for o in some}
            answering = [kind for kind in kinds().values() if not kind.exams or name in kind.exams]
            every = {o.name: o for kind in answering for o in kind.options if o.name not in taken}
            declared[MODELS] = list(every.values())
        ctx.obj = [o for some in declared.values() for o in some]
        self.params = [*self._common, *(options.flag(o, group) for group, some in declared.items() for o in some)]
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise _explained(error, name) from None

    def _named(self, args: list[str]) -> str | None:
        """Return the exam of a command line: its first word that is an exam, else the task of multimodal-vqa-eval's `--task`.

        Otherwise, it is the exam whose data the first word names by path. Return None if the line names no exam.
        """

        names, words = exams.names(), list(zip(["", *args], args, strict=False))
        for before, word in words:
            if word in names and (not before.startswith("-") or before in ("--task", "--tasks") or "=" in before):
                return word
        flags = {o for p in self._common if isinstance(p, click.Option) and p.is_flag for o in p.opts}
        for before, word in words:
            if not word.startswith("-") and (not before.startswith("-") or before in flags or "=" in before):
                return exams.resolve(word)[0] if Path(word).exists() and not word.endswith(".toml") else None
        return None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                title = param.group if isinstance(param, Flag) else OTHER
                groups.setdefault(title, []).append(record)
        for title in sorted(groups, key=lambda t: (t == OTHER, t == MODELS)):
            with formatter.section(title):
                formatter.write_dl(groups[title])
        if self._of == "" and not self._makes and not any(t.startswith(OWN.format("")) and t != MODELS for t in groups):
            formatter.write_paragraph()
            formatter.write_text(f"'snellen {self.name} EXAM --help' also shows the options of that exam.")

    def invoke(self, ctx: click.Context) -> Any:
        names = {o.name for o in ctx.obj}
        own = options.given_values(ctx.obj, ctx)
        ctx.params = {k: v for k, v in ctx.params.items() if k not in names} | {"own": own}
        return super().invoke(ctx)


def _make_options(exam: Exam) -> tuple[Option, ...]:
    maker = exam.extra(Maker)
    return maker.options if maker is not None else ()


def _explained(error: click.NoSuchOption, exam: str | None) -> click.ClickException | SnellenError:
    """Return an error that names the exams that have the flag. If no exam has it, return click's own error."""
    every = [exams.load(name) for name in exams.names()] if exam is not None else []
    declared = {other.name: (*other.options, *_make_options(other)) for other in every}
    owners = [name for name, own in declared.items() if any(error.option_name in option.spellings for option in own)]
    if not owners:
        return error
    return SnellenError(f"{error.option_name} has no effect for {exam}; it is an option of {', '.join(owners)}")


def exam_of(name: str | None, given: dict[str, Any]) -> str:
    """Return the exam that the command is about. Without a name, `--task vqax` gives it.

    Data of multimodal-vqa-eval are in the working folder if none are named.
    """
    here = Path("nle_data").is_dir()
    if name is None:
        names = exams.names()
        meant = [t for t in given["tasks"] if t in names]
        if len(given["tasks"]) != 1 or not meant:
            raise SnellenError(f"which exam? 'snellen run EXAM ...', one of {', '.join(names)}")
        name, given["tasks"] = str(meant[0]), ()
        if given["data"] is None and not here:
            raise SnellenError(
                "no folder nle_data here: run where nle_data and images are, or name that folder with --data DIR"
            )
    if given["data"] is None and here and collects(name):
        given["data"] = "."
    return name


def collects(exam: str) -> bool:
    """Return whether an exam merges runs into a folder, as multimodal-vqa-eval does."""
    return exam in exams.names() and any(option.name == "results" for option in exams.load(exam).options)
