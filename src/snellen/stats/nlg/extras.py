"""Metrics that need more than Python: METEOR where Java and pycocoevalcap are here, and a plain "not available" otherwise.

A metric that was not computed never gets a value, and nothing is downloaded.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.core.installing import install_command
from snellen.stats.nlg.scores import CorpusValue
from snellen.stats.nlg.tokens import tokenise as ptb

NEEDS = {
    "METEOR": "needs Java and the extra 'nlg': " + install_command("nlg"),
    "SPICE": "needs Stanford CoreNLP 3.6.0 and its models (a download): score the exported explanations with pycocoevalcap",
    "BERTScore": "needs bert-score and a language model (a download): score the exported explanations with it",
}


def missing() -> dict[str, str]:
    """Return the metrics outside the core that are not available here, and what each needs."""
    here = {"METEOR"} if _meteor_jar() and shutil.which("java") else set()
    return {name: needs for name, needs in NEEDS.items() if name not in here}


def meteor_with_interval(
    candidates: Sequence[str],
    references: Sequence[Sequence[str]],
    clusters: Sequence[str],
    *,
    tokenise: Callable[[str], str] = ptb,
) -> CorpusValue:
    """Return METEOR 1.5 of a corpus, by the Java program that pycocoevalcap brings; raise SnellenError where it is not here.

    The program counts for each candidate, and a corpus' value is that of the sums. So the sums without each (group of) clusters are
    passed to it as candidates.
    """
    import numpy as np

    from snellen.stats.jackknife import left_out, moved_interval

    counts = _counts(candidates, references, tokenise)
    value = float(_talk([" ||| ".join(["EVAL", *counts])])[-1])  # those of the candidates come before it
    table = np.array([[float(word) for word in line.split()] for line in counts])
    sums = left_out(clusters) @ table
    if not len(sums):
        return CorpusValue(value)
    # each request is answered by the value of its only candidate, and by that of the whole, which is the same
    said = _talk([f"EVAL ||| {' '.join(map(str, row))}" for row in sums.tolist()])
    without = np.array([float(line) for line in said[1::2]])
    return CorpusValue(value, moved_interval(value, without, float(len(candidates))))


def _counts(
    candidates: Sequence[str], references: Sequence[Sequence[str]], tokenise: Callable[[str], str]
) -> list[str]:
    """Return the program's counts of each candidate, as it writes them."""
    pairs = zip(candidates, references, strict=True)
    return _talk(
        [" ||| ".join(["SCORE", *(_part(tokenise(r)) for r in refs), _part(tokenise(c))]) for c, refs in pairs]
    )


def _part(text: str) -> str:
    """Return a text that cannot be taken for several: without line breaks and bars, which part a request."""
    return " ".join(text.replace("|||", " ").split())


def _meteor_jar() -> Path | None:
    found = find_spec("pycocoevalcap")
    for place in (found.submodule_search_locations or ()) if found else ():
        jar = Path(place) / "meteor" / "meteor-1.5.jar"
        if jar.is_file():
            return jar
    return None


def _talk(lines: list[str]) -> list[str]:
    """Send the program its lines, each one request, and return its own; raise SnellenError where it is not here."""
    jar, java = _meteor_jar(), shutil.which("java")
    if jar is None or java is None:
        raise SnellenError(f"METEOR is not available: {NEEDS['METEOR']}")
    command = [java, "-Xmx2G", "-jar", jar.name, "-", "-", "-stdio", "-l", "en", "-norm"]
    text = "\n".join(lines) + "\n"
    done = subprocess.run(  # noqa: S603  the program comes with an installed package; the texts are its input only
        command, cwd=jar.parent, input=text.encode(), capture_output=True, check=False
    )
    said = done.stdout.decode(errors="replace").splitlines()
    if done.returncode or len(said) < len(lines):
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise SnellenError(f"METEOR failed ({why[-1][:200] if why else 'no output'}): check that 'java -version' works")
    return said
