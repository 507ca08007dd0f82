"""Our own readers on generated replies: how many replies are misread, unparsable, or read as an answer that was not given.

PYTHONPATH=. python bench/readers.py [COUNT] [SEED] [NAME]     10,000 replies a reader; with a NAME only those, and their faults
"""

from __future__ import annotations

import sys
import time
from collections import Counter

from tests.support.readers import all_readers, faults, figures
from tests.support.wrapping import AROUND, BARE, FORMS, NOTHING, TWISTS

SHOWN = 6  # examples of each fault


def main(count: int, seed: int, name: str) -> None:
    """Print the table, and with a name the faults."""
    print(
        f"{len(FORMS) + len(BARE)} forms of an answer, {len(NOTHING)} of nothing, {len(AROUND)} things around, {len(TWISTS)} twists"
    )
    print(f"{'reader':32} {'replies':>8} {'misread':>8} {'unparsable':>10} {'invented':>9} {'us each':>8}")
    for reader in all_readers():
        if name not in reader.name:
            continue
        started = time.perf_counter()
        found = figures(reader, count, seed)
        each = (time.perf_counter() - started) / count * 1e6
        misread, unparsable = found.misread / found.answers, found.unparsable / found.answers
        print(f"{reader.name:32} {count:8d} {misread:8.2%} {unparsable:10.2%} {found.invented:9d} {each:8.0f}")
        if name:
            show_faults(reader.name, count, seed)


def show_faults(name: str, count: int, seed: int) -> None:
    """Print the forms that a reader fails on most, and examples."""
    reader = next(r for r in all_readers() if r.name == name)
    failed = [
        (fault, said, found) for fault, said, found in faults(reader, count, seed) if fault not in ("right", "silent")
    ]
    for kind in ("misread", "invented", "unparsable"):
        of_kind = [(said, found) for fault, said, found in failed if fault == kind]
        print(f"\n{kind}: {Counter(said.form.split(' + ')[0] for said, _found in of_kind).most_common(SHOWN)}")
        for said, found in of_kind[:: max(1, len(of_kind) // SHOWN)]:
            print(
                f"  {said.form}: {said.reply!r}\n      read {found!r}, meant {reader.meant(said.topic) if said.means else None!r}"
            )


if __name__ == "__main__":
    given = sys.argv[1:]
    main(int(given[0]) if given else 10_000, int(given[1]) if len(given) > 1 else 0, given[2] if len(given) > 2 else "")
