"""What the Tab key completes beside commands and options: the names of exams."""

from __future__ import annotations

import click


def exam_names(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """The exams whose names begin so, those of installed packages too."""
    from snellen import exams

    return [name for name in exams.names() if name.startswith(incomplete)]
