"""Metrics that need more than Python: METEOR where Java and pycocoevalcap are here, and a plain "not available" otherwise.

No value is ever put in for a metric that was not computed, and nothing is downloaded.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from math import nan
from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.stats.nlg.tokens import tokenise as ptb

NEEDS = {
    "METEOR": "needs Java and the extra 'nlg': pip install 'snellen[nlg]'",
    "SPICE": "needs Stanford CoreNLP 3.6.0 and its models (a download): score the exported explanations with pycocoevalcap",
    "BERTScore": "needs bert-score and a language model (a download): score the exported explanations with it",
}


def missing() -> dict[str, str]:
    """The metrics outside the core that are not available here, and what each needs."""
    here = {"METEOR"} if _meteor_jar() and shutil.which("java") else set()
    return {name: needs for name, needs in NEEDS.items() if name not in here}


def meteor(
    candidates: Sequence[str], references: Sequence[Sequence[str]], *, tokenise: Callable[[str], str] = ptb
) -> float:
    """METEOR 1.5 of a corpus, by the Java program that pycocoevalcap brings; raises SnellenError where it is not here."""
    jar, java = _meteor_jar(), shutil.which("java")
    if jar is None or java is None:
        raise SnellenError(f"METEOR is not available: {NEEDS['METEOR']}")
    if not candidates:
        return nan
    command = [java, "-Xmx2G", "-jar", jar.name, "-", "-", "-stdio", "-l", "en", "-norm"]
    lines = [
        " ||| ".join(["SCORE", *(_part(tokenise(r)) for r in refs), _part(tokenise(c))])
        for c, refs in zip(candidates, references, strict=True)
    ]
    counts = _talk(command, jar.parent, lines)
    return float(_talk(command, jar.parent, [" ||| ".join(["EVAL", *counts])])[-1])


def _part(text: str) -> str:
    """A text that cannot be taken for several: no line break and no bars, which part a request."""
    return " ".join(text.replace("|||", " ").split())


def _meteor_jar() -> Path | None:
    found = find_spec("pycocoevalcap")
    for place in (found.submodule_search_locations or ()) if found else ():
        jar = Path(place) / "meteor" / "meteor-1.5.jar"
        if jar.is_file():
            return jar
    return None


def _talk(command: list[str], folder: Path, lines: list[str]) -> list[str]:
    """Give the program its lines, each one request, and take its own."""
    text = "\n".join(lines) + "\n"
    done = subprocess.run(  # noqa: S603  the program comes with an installed package; the texts are its input only
        command, cwd=folder, input=text.encode(), capture_output=True, check=False
    )
    said = done.stdout.decode(errors="replace").splitlines()
    if done.returncode or len(said) < len(lines):
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise SnellenError(f"METEOR failed ({why[-1][:200] if why else 'no output'}): check that 'java -version' works")
    return said
