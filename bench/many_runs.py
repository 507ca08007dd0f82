"""`snellen report` and `snellen export` to a chart of 56 small runs: processor time of each command.

python bench/many_runs.py [--against PATH] [--repeats 3] [--work DIR]     PATH is another checkout: both by turns, in one run

Eight baselines take seven exams on synthetic sets of 12 images. Each checkout makes its own sets and runs, since layouts of run
folders differ. Exits 1 if a command takes more than 6 s of processor time. DIR keeps the sets and runs for the next time.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from processes import HERE, ChildError, Spent, checkout, measure, say, script

EXAMS = ("salbench", "illusionbench", "grounding", "vqax", "actx", "esnlive", "vcr")
REPLIES = {
    "salbench": ("color", "size", "orientation", "The size differs."),
    "illusionbench": ("cat", "a dog", "bird"),
    "grounding": ("(10, 10)", "(500, 300)"),
}
OTHER = ("yes because it is so", "no because the man stands", "red because of the paint")
COUNT, RUNS_EACH, MOST_SECONDS = 12, 8, 6.0


def make(work: Path) -> None:
    """Write the missing sets and runs with the Snellen that is imported."""
    import snellen
    from snellen import exams
    from snellen.core.extras import maker_of

    for name in EXAMS:
        data = work / "data" / name
        if data.exists():
            continue
        say(f"making {RUNS_EACH} runs of {name}")
        maker_of(exams.load(name)).make(data, count=COUNT, seed=5, workers=1)
        replies = REPLIES.get(name, OTHER)
        for number in range(RUNS_EACH):
            reply = replies[number % len(replies)] + " x" * (number // len(replies))
            model = f"baseline/constant:{reply}"
            snellen.evaluate(name, model=model, data=data, out=work / "runs", use_store=False)


def made(source: Path, work: Path) -> Path:
    """Let a checkout write its sets and runs; return the folder of the runs."""
    _command, env = checkout(source)
    script("many_runs.py", "--make", work, env=env)
    return work / "runs"


def reported(source: Path, runs: Path, page: Path) -> tuple[Spent, int]:
    """Measure `report` of a checkout, and count the runs that it shows."""
    command, env = checkout(source)
    spent = measure([*command, "report", str(runs), "--json", "--out", str(page)], env)
    return spent, len(json.loads(spent.out)["runs"])


def charted(source: Path, runs: Path, picture: Path) -> Spent:
    """Measure `chart` of a checkout."""
    command, env = checkout(source)
    return measure([*command, "export", str(runs), "--out", str(picture)], env)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="PATH")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--work", type=Path, metavar="DIR")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.make:
        make(asked.make)
        return 0
    sources = {"old": asked.against, "new": HERE.parent} if asked.against else {"new": HERE.parent}
    took: dict[tuple[str, str], list[float]] = {}
    count = 0
    with tempfile.TemporaryDirectory(prefix="snellen-bench-") as folder:
        work = asked.work or Path(folder)
        try:
            runs = {name: made(source, work / name) for name, source in sources.items()}
            for _ in range(asked.repeats):
                for name, source in sources.items():
                    spent, count = reported(source, runs[name], Path(folder) / "report.html")
                    took.setdefault(("report", name), []).append(spent.cpu)
                    chart = charted(source, runs[name], Path(folder) / "chart.svg")
                    took.setdefault(("chart", name), []).append(chart.cpu)
        except ChildError as error:
            say(str(error))
            return 2
    missed = False
    for command in ("report", "chart"):
        best = {name: min(took[command, name]) for name in sources}
        ratio = f", {best['new'] / best['old']:.2f} of the {best['old']:.1f} s of the other" if "old" in best else ""
        print(f"{command} of {count} runs: {best['new']:.1f} s of processor time (target {MOST_SECONDS:.0f}){ratio}")
        missed |= best["new"] > MOST_SECONDS
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
