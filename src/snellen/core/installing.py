"""The command that installs an extra in the user's setup: from a clone, from an archive or from a package index."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def install_command(extra: str) -> str:
    """Return the command that installs Snellen with an extra, from wherever this Snellen was installed."""
    return _pip_command(extra, _direct_url(), Path.cwd())


def _pip_command(extra: str, origin: dict[str, Any], cwd: Path) -> str:
    """Return the command for an origin as PEP 610 records it; an empty one is a package index.

    >>> _pip_command("view", {}, Path("/home/me"))
    "pip install 'snellen[view]'"
    >>> clone = {"url": "file:///home/me/snellen", "dir_info": {"editable": True}}
    >>> _pip_command("view", clone, Path("/home/me/snellen"))
    "pip install -e '.[view]'"
    >>> _pip_command("view", clone, Path("/tmp"))
    "pip install -e '/home/me/snellen[view]'"
    """
    from urllib.parse import urlsplit  # here: every command imports this module, and few need an extra
    from urllib.request import url2pathname

    url = str(origin.get("url", ""))
    if "dir_info" in origin:
        clone = Path(url2pathname(urlsplit(url).path))
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return f"pip install {editable}'{'.' if cwd == clone else clone}[{extra}]'"
    if url:
        version_control = origin.get("vcs_info", {}).get("vcs")
        return f"pip install 'snellen[{extra}] @ {f'{version_control}+' if version_control else ''}{url}'"
    return f"pip install 'snellen[{extra}]'"


def _direct_url() -> dict[str, Any]:
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        text = distribution("snellen").read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
