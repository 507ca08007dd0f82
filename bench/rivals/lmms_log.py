"""lmms-eval's log of SalBench, written by lmms-eval itself: its own tasks as they are, model class and log writer.

python lmms_log.py SALBENCH LOGS [TASK...]     the endpoint comes from RIVAL_BASE_URL

SALBENCH is a folder as `snellen data make salbench` writes it; tasks are p3 (the default), p3_box, ..., o3_box_img. Its tasks name the
data set on the hub. A folder of that name in the working directory comes first, so one is put there for as long as it takes.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

NAME = "salbench-vlm/salbench"
CONFIG = "- config_name: {0}\n  data_files:\n  - split: test\n    path: {0}/*.parquet\n"
FEATURES = "- config_name: {0}\n  features:\n  - name: image\n    dtype: image\n" + "".join(
    f"  - name: {name}\n    dtype: string\n" for name in ("image_id", "question", "answer", "difficulty")
)
"""Without these features, lmms-eval gets no usable picture, warns once a sample, and asks all the same."""


def stand_in(salbench: Path, where: Path) -> None:
    """Make a folder with the data set's name and its configs, like a clone of the hub's."""
    folder = where / NAME
    folder.mkdir(parents=True)
    configs = sorted(p.name for p in salbench.iterdir() if p.is_dir())
    for config in configs:
        (folder / config).symlink_to((salbench / config).resolve())
    parts = "".join(map(CONFIG.format, configs)), "".join(map(FEATURES.format, configs))
    card = "---\nconfigs:\n{}dataset_info:\n{}---\n".format(*parts)
    (folder / "README.md").write_text(card, encoding="utf-8")


def main() -> None:
    salbench, out, tasks = Path(sys.argv[1]), Path(sys.argv[2]).resolve(), sys.argv[3:] or ["p3"]
    base = os.environ["RIVAL_BASE_URL"]
    with tempfile.TemporaryDirectory() as place:
        stand_in(salbench, Path(place))
        os.chdir(place)
        sys.argv = [
            "lmms-eval",
            "--model=openai",
            f"--model_args=model_version=easily-fooled,base_url={base},api_key=none",
            f"--tasks={','.join(tasks)}",
            "--output_path=logs",
            "--batch_size=1",
            "--log_samples",
        ]
        from lmms_eval.__main__ import cli_evaluate

        cli_evaluate()
        shutil.copytree("logs", out, dirs_exist_ok=True)


if __name__ == "__main__":
    main()
