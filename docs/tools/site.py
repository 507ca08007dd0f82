"""What MkDocs cannot do by itself: the help of every command as a page, the project's own files as pages, links out of docs/ as text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File

from snellen.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
PROJECT = {"changelog.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md", "security.md": "SECURITY.md"}
HELP = "<!-- the help of every command -->"
COLUMNS = 100


def on_files(files: Any, config: Any) -> Any:
    """The files of the project that belong on the site."""
    for page, name in PROJECT.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Fill in the commands; a link to a file of the source becomes its name, as the site has no copy of it."""
    of_project = page.file.src_uri in PROJECT
    source = ROOT / PROJECT.get(page.file.src_uri, f"docs/{page.file.src_uri}")

    def named(found: re.Match[str]) -> str:
        target = (source.parent / found[2].partition("#")[0]).resolve()
        if target.is_file() and not target.is_relative_to(ROOT / "docs"):
            return f"{found[1]} (`{target.relative_to(ROOT).as_posix()}`)"
        return f"[{found[1]}]({found[2].removeprefix('docs/')})" if of_project else found[0]

    return re.sub(r"\[([^\]]+)\]\(([^):\s]+)\)", named, markdown).replace(HELP, commands())


def commands() -> str:
    """Every command with its help, as the terminal shows it."""
    top = click.Context(app, info_name="snellen", max_content_width=COLUMNS, terminal_width=COLUMNS)
    return "\n".join(_sections(top))


def _sections(ctx: click.Context) -> list[str]:
    name, command = ctx.command_path, ctx.command
    found = [f"## {name}\n\n```text\n{command.get_help(ctx)}\n```\n"]
    for sub in command.list_commands(ctx) if isinstance(command, click.Group) else ():
        inner = command.get_command(ctx, sub)
        if inner is not None:
            found += _sections(click.Context(inner, info_name=sub, parent=ctx))
    return found
