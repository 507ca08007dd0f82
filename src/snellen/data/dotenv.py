"""A `.env` file in the working folder: KEY=VALUE lines, read for the keys of one prefix only.

The environment always wins, nothing is added to it, and no message contains values: such a file often holds secrets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from snellen.core.errors import SnellenError

FILE = ".env"
MOST = 1 << 20
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=(.*)", re.DOTALL)
_QUOTED = re.compile(r"""(?:'([^']*)'|"((?:\\.|[^"\\])*)")\s*(?:#.*)?""", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "$": "$"}
_ESCAPE = re.compile(r"\\(.)")


def parse(text: str, prefix: str = "") -> dict[str, str]:
    r"""Return the keys that begin with a prefix, and their values. Later lines win; lines of other keys are not parsed.

    Single quotes keep a value as it is, double quotes allow \n, \t, \" and \\; a bare value ends at a ` #` comment.

    >>> parse('# a\nEVAL_A=1 # one\nexport EVAL_B="x # y"\nOTHER=2\nEVAL_C=\'it\\n\'', "EVAL_")
    {'EVAL_A': '1', 'EVAL_B': 'x # y', 'EVAL_C': 'it\\n'}
    """
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _LINE.fullmatch(line)
        if match and match[1].startswith(prefix):
            found[match[1]] = _value(match[2].strip(), f"{FILE} line {number}, {match[1]}")
    return found


def read(folder: Path, prefix: str) -> dict[str, str]:
    """Return the keys of a folder's `.env` file; nothing if it is not a file (a virtual environment may have that name)."""
    path = folder / FILE
    if not path.is_file():
        return {}
    try:
        with path.open("rb") as file:
            data = file.read(MOST + 1)
    except OSError as error:
        raise SnellenError(f"{path} cannot be read ({error.strerror}): repair it or move it away") from None
    if len(data) > MOST:
        raise SnellenError(f"{path} is larger than 1 MiB and no settings file: move it away")
    return parse(data.decode("utf-8-sig", "replace"), prefix)


def overlaid(environ: Mapping[str, str], folder: Path, prefix: str) -> dict[str, str]:
    """Return the settings of a prefix: the environment first, then the `.env` file of a folder."""
    return read(folder, prefix) | {key: value for key, value in environ.items() if key.startswith(prefix)}


def _value(raw: str, where: str) -> str:
    if raw[:1] not in ("'", '"'):
        return re.split(r"(?:^|\s)#", raw, maxsplit=1)[0].strip()
    found = _QUOTED.fullmatch(raw)
    if found is None:
        raise SnellenError(f"{where}: close the quote on the same line, with nothing but a # comment after it")
    single, double = found.groups()
    return str(single) if double is None else _ESCAPE.sub(lambda m: _ESCAPES.get(m[1], m[0]), double)
