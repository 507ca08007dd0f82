"""Freeze what Snellen computes, and compare what two checkouts compute, byte for byte.

python bench/golden.py --against PATH [--work DIR]       PATH is another checkout: make both, and compare
python bench/golden.py make DIR [--material OLD]         with the Snellen of this checkout
python bench/golden.py compare OLD NEW                   two folders that `make` wrote

`make` draws small synthetic sets of every exam and a table of own questions, lets baselines, scripted replies, grounding methods and an
imported table answer, and freezes all that is derived from it below DIR/frozen: the files of each run, its tidy rows, what `show`,
`verify`, `explain`, `compare`, `gate`, `protocols`, dry runs, `report` and `export` print or write as data, and the numbers on
the pages of `report` and `view`. Nothing leaves the machine. It takes 60 to 75 s of processor time, on one core.
It needs what `make test` installs.

`compare` prints each file that differs with the first line that does, and says whether numbers differ or only words; it exits 1 then.

With `--material OLD` the exams run on the sets and the replies of another golden folder, so that a synthetic set that is drawn
differently is one difference (`sets.json`), not thousands. `--against` does so: the sets are the other checkout's. If PATH has a
bench/golden_runs.py of its own, that one makes its side, since commands may have other names there; else this one does.

Snellen is used by its command line and by what docs/python.md promises. What is left out of the comparison is said in `golden_text.py`,
which sets, runs and commands there are in `golden_cases.py`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from golden_text import numbers
from processes import HERE, ChildError, checkout, measure, one_core, say

WIDTH = 200


def make(source: Path, folder: Path, material: Path | None = None) -> None:
    """Let a checkout write a golden folder."""
    if folder.exists() and any(folder.iterdir()):
        raise ChildError(f"{folder} is not empty; name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    _command, env = checkout(source)
    env |= {"SNELLEN_CACHE_DIR": str(folder.resolve() / "cache"), "HF_HUB_OFFLINE": "1", "COLUMNS": "100"}
    env.pop("GITHUB_STEP_SUMMARY", None)
    own = source.resolve() / "bench" / "golden_runs.py"
    script = own if own.exists() else HERE / "golden_runs.py"
    more = [str(material.resolve())] if material else []
    say(f"making {folder} with {source.resolve()}")
    spent = measure([*one_core(), sys.executable, str(script), str(folder.resolve()), *more], env)
    say(f"{spent.out.strip()}; {spent.cpu:.0f} s of processor time, {spent.wall:.0f} s in all")


def files(folder: Path) -> set[str]:
    """Return the names of all frozen files of a golden folder."""
    if not (folder / "frozen").is_dir():
        raise ChildError(f"{folder} is not a golden folder")
    return {p.relative_to(folder / "frozen").as_posix() for p in (folder / "frozen").rglob("*") if p.is_file()}


def first_difference(old: list[str], new: list[str]) -> Iterator[str]:
    """Report where two texts first differ."""
    number = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    for name, lines in (("old", old), ("new", new)):
        line = lines[number] if number < len(lines) else "(ends)"
        other = (new if lines is old else old)[number : number + 1]
        begin = max(0, _parts_at(line, other[0] if other else "") - WIDTH // 2) if len(line) > WIDTH else 0
        yield f"  {name} line {number + 1}: {'...' if begin else ''}{line[begin : begin + WIDTH]}"


def _parts_at(line: str, other: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(line, other, strict=False)) if a != b), min(len(line), len(other)))


def compare(old: Path, new: Path) -> int:
    """Print every difference of two golden folders; return how many files differ."""
    count = with_numbers = 0
    before, after = files(old), files(new)
    for name in sorted(before | after):
        if name not in before or name not in after:
            count += 1
            print(f"{name}: only in {'NEW' if name in after else 'OLD'}")
            continue
        texts = [(folder / "frozen" / name).read_text() for folder in (old, new)]
        if texts[0] == texts[1]:
            continue
        count += 1
        in_numbers = numbers(texts[0]) != numbers(texts[1])
        with_numbers += in_numbers
        print(f"{name}: {'NUMBERS differ' if in_numbers else 'the numbers are the same, words or order differ'}")
        print(*first_difference(texts[0].splitlines(), texts[1].splitlines()), sep="\n")
    print(f"{len(before | after)} files compared: {count} differ, {with_numbers} of them in numbers")
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, metavar="PATH")
    parser.add_argument("--work", type=Path, metavar="DIR", help="keep the two golden folders here, as old and new")
    commands = parser.add_subparsers(dest="command")
    making = commands.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("--material", type=Path, metavar="OLD")
    comparing = commands.add_parser("compare")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    asked = parser.parse_args()
    try:
        if asked.command == "make":
            make(HERE.parent, asked.folder, asked.material)
            return 0
        if asked.command == "compare":
            return int(compare(asked.old, asked.new) > 0)
        if not asked.against:
            parser.error("name a command, or --against PATH")
        with tempfile.TemporaryDirectory(prefix="snellen-golden-") as folder:
            work = asked.work or Path(folder)
            make(asked.against, work / "old")
            make(HERE.parent, work / "new", work / "old")
            return int(compare(work / "old", work / "new") > 0)
    except ChildError as error:
        say(str(error))
        return 2


if __name__ == "__main__":
    sys.exit(main())
