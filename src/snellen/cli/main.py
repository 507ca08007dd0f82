"""The `snellen` command. Commands load when they are used, so `snellen --help` is fast."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from importlib import import_module
from typing import IO

import click

from snellen import __version__
from snellen.core.errors import Interrupted, SnellenError, of_the_disk, place_of, said_by, unknown
from snellen.core.text import escaped, for_terminal

GROUPS = {
    "Start": {
        "demo": "run every exam on a small synthetic set, offline; tables and an HTML page",
        "exam": "the eye exam: how fine a model sees, by adaptive sheets",
        "doctor": "what works on this machine, what is missing, how to get it",
    },
    "Run": {
        "run": "run an exam on a model, or resume; --dry-run says what it would cost",
        "mark": "mark the answers of runs again, or replies that you already have",
        "import": "make runs of the logs of Inspect, lmms-eval, VLMEvalKit, or of a table",
        "probe": "how an endpoint handles images and parameters, measured by charts",
    },
    "Look": {
        "show": "which runs there are; a run, one of its samples, or those that are wrong",
        "report": "what to know of runs, in the terminal and as one HTML page",
        "view": "runs in a browser, also while they go on: search, filter, compare",
        "export": "scores as csv, parquet, xlsx, json, latex or md, or as a chart (svg, png, pdf)",
    },
    "Decide": {
        "compare": "who leads, by how much, and whether that could be chance",
        "explain": "which choices give which number, and which give a claimed figure",
        "gate": "fail a build if a run is significantly worse than a baseline",
        "protocols": "prompts and rules side by side, where they disagree, what scores without looking",
        "verify": "make marks and summary again and compare; writes nothing into the run",
    },
    "Data": {
        "data": "make, get, check or show a data set",
        "annotate": "draw boxes, answer or correct questions in a browser",
    },
    "More": {
        "list": "list exams, models, protocols, prompts, methods, scorers and model families",
    },
}
COMMANDS = {name: text for group in GROUPS.values() for name, text in group.items()}

TRACEBACK = "SNELLEN_TRACEBACK"
"""A variable for developers: an error that looks like a damaged run folder is shown with its traceback."""
READERS = ("compare", "explain", "export", "gate", "mark", "protocols", "report", "show", "verify")
"""Commands that read run folders, which may come from anyone: valid JSON may lack a sample's tag, or have a list in place of a text."""
_ODD = (LookupError, TypeError, AttributeError, ValueError)
LONGEST = 2000
"""The most characters of an error that are shown: it may quote a cell or a name of any length."""


class _LazyGroup(click.Group):
    """A group with the commands' names and one-line helps. It imports a command only to run it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args[:1] == ["help"]:  # an alias, as in many tools
            args = [*args[1:2], "--help"]
        elif args == ["version"]:
            args = ["--version"]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            raise unknown("command", cmd_name, COMMANDS)
        command: click.Command = import_module(f"snellen.cli.{cmd_name}_command").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="Start with 'snellen demo'. 'snellen COMMAND --help' shows a command's options. Every command also takes "
    "--plugin FILE.py: an exam, protocols or subjects of your own (docs/extending.md).",
)
@click.version_option(__version__, "-V", "--version", message="snellen %(version)s")
def app() -> None:
    """An eye exam for vision-language models: scores that can be explained, repeated and compared."""


def _without_plugins(words: list[str]) -> list[str]:
    """Remove `--plugin FILE` from the command line, wherever it appears, and register the files as plugins."""
    rest: list[str] = []
    files: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            rest += [word, *left]
        elif word == "--plugin":
            file = next(left, None)
            if file is None:
                raise SnellenError("--plugin needs a file: --plugin path.py")
            files.append(file)
        elif word.startswith("--plugin="):
            files.append(word.removeprefix("--plugin="))
        else:
            rest.append(word)
    if files:
        from snellen.registry.plugins import name_files

        name_files(files)
    return rest


def main() -> None:
    """Run the command line.

    Errors are one clear line, with exit code 2 for bad usage or data, 3 for a run that stopped early, 130 for Ctrl-C.
    """
    codecs.register_error("escaped", escaped)
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # returns the memory pages of large images at once
    for stream in (sys.stdout, sys.stderr):  # their encoding may not be UTF-8
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="escaped")
    code = _main()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _to_nowhere(sys.stdout)
    except OSError as error:
        _to_nowhere(sys.stdout)
        error.filename = "the output"
        code = _report(of_the_disk(error)) if code == 0 else code
    sys.exit(code)


def _main() -> int:
    words: list[str] = []
    try:
        words = _without_plugins(sys.argv[1:])
        code = app.main(args=words, standalone_mode=False, prog_name="snellen")
        return code if isinstance(code, int) else 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.ClickException as error:
        return _report_usage(error)
    except SnellenError as error:
        return _report(error)
    except (KeyboardInterrupt, click.Abort):
        return _report(Interrupted("interrupted"))
    except BrokenPipeError:
        return 0
    except SystemExit as done:
        if isinstance(done.__context__, OSError):  # click raises this when the reader of the output is gone
            return 0
        return done.code if isinstance(done.code, int) else 1
    except OSError as error:
        return _report(of_the_disk(error))
    except MemoryError:
        return _report(SnellenError("not enough memory for this; close other programs, or use --limit"))
    except Exception as error:
        if isinstance(error, _ODD) and words[:1] and words[0] in READERS and not os.environ.get(TRACEBACK):
            what = f"{said_by(error)}{place_of(error)}"
            folder = "a run folder that was edited or damaged ('snellen verify RUN' finds where)"
            return _report(
                SnellenError(f"this cannot be read: {what}; {folder}, or a bug in Snellen ({TRACEBACK}=1 shows where)")
            )
        import traceback

        from snellen.core.secret import redact_all

        click.echo(redact_all(traceback.format_exc()), err=True)
        click.echo("snellen: this is a bug in snellen; please report the lines above", err=True)
        return 1


def _report_usage(error: click.ClickException) -> int:
    """Print what is wrong with a command line, on one line. Show the help if the line has nothing but the command."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
        return 2
    path = getattr(getattr(error, "ctx", None), "command_path", "snellen")
    return _report(SnellenError(f"{error.format_message().rstrip('.')} ('{path} --help' says more)"))


def _report(error: SnellenError) -> int:
    """Print what is wrong, on one line, and return the exit code."""
    from snellen.core.secret import redact_all

    with contextlib.suppress(OSError):  # the reader may be gone
        click.echo(f"snellen: {for_terminal(redact_all(str(error)), LONGEST)}", err=True)
    return error.exit_code


def _to_nowhere(stream: IO[str]) -> None:
    """Drop the rest of an output whose reader is gone. Otherwise, Python would try to write it at exit, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
