"""Find a local model: a folder, or a commit of a hub repository. Both are named by their content."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from snellen.core.errors import MissingExtra, SnellenError
from snellen.core.secret import without_logins
from snellen.core.text import one_line

SMALL = (".json", ".jinja", ".txt", ".model", ".py")
WANTED = ["*.json", "*.jinja", "*.txt", "*.model", "*.py", "*.safetensors"]
WHOLE = 64 * 1024 * 1024
BLOCK = 64 * 1024
BLOCKS = 256
WAIT = 10.0


class _ModelSource(NamedTuple):
    """A model that was found. `folder` is None until a hub model is fetched; `commit` or `sha256` identifies it exactly."""

    name: str
    folder: Path | None
    commit: str | None = None
    sha256: str | None = None

    @property
    def version(self) -> str:
        return self.commit or self.sha256 or "unknown"


def find(name: str) -> _ModelSource:
    """Find a folder by its path, or a hub repository as `OWNER/NAME` or `OWNER/NAME@REVISION`."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        _read_config(folder)
        if not any(folder.glob("*.safetensors")):
            raise SnellenError(f"hf/{name}: no *.safetensors in that folder (weights in other formats are not loaded)")
        return _ModelSource(folder.resolve().name, folder, sha256=folder_digest(folder))
    repo, _, revision = name.partition("@")
    if folder.exists() or not re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", repo):
        raise SnellenError(f"hf/{one_line(name)}: no such folder, and not a name on the hub (OWNER/NAME)")
    return _ModelSource(repo, None, commit=_commit(repo, revision or None))


def packaged(name: str) -> str:
    """Return the folder of a model that is shipped with Snellen."""
    folder = Path(__file__).parents[2] / "weights" / name
    if not folder.is_dir():
        raise SnellenError(f"the weights of {name} are missing from this installation: install snellen again")
    return str(folder)


def _read_config(folder: Path) -> dict[str, Any]:
    """Read the config.json of a saved model; raise an error if there is none."""
    path = folder / "config.json"
    if not path.is_file():
        raise SnellenError(f"{folder}: not a saved model (no config.json)")
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise SnellenError(f"{path}: not a model's configuration ({one_line(str(error))})") from None


def config_of(source: _ModelSource) -> dict[str, Any]:
    """Return the model's configuration, before its weights are fetched."""
    if source.folder is not None:
        return _read_config(source.folder)
    try:
        path = _hub().hf_hub_download(source.name, "config.json", revision=source.commit)
    except Exception as error:
        raise SnellenError(f"hf/{source.name}: no config.json at {source.commit}: {_why(error, 120)}") from None
    return _read_config(Path(path).parent)


def saved_dtype(config: dict[str, Any]) -> str | None:
    """Return the precision that the weights were saved in, according to the configuration."""
    text = config.get("text_config") or {}
    found = (c.get(k) for c in (config, text) for k in ("dtype", "torch_dtype") if isinstance(c, dict))
    return next((str(f).removeprefix("torch.") for f in found if f), None)


def foreign_code(folder: Path, repo: str) -> str | None:
    """Return a repository other than `repo` whose code the model's files ask for, if any."""
    for path in sorted(folder.glob("*config.json")):
        try:
            entries = msgspec.json.decode(path.read_bytes())
        except msgspec.MsgspecError:
            continue
        maps = entries.get("auto_map") if isinstance(entries, dict) else None
        for value in maps.values() if isinstance(maps, dict) else ():
            for one in value if isinstance(value, list) else [value]:
                other, mark, _ = str(one).partition("--")
                if mark and other != repo:
                    return other
    return None


# ---------------------------------------------------------------- folders


def folder_digest(folder: Path, also: tuple[str, ...] = ()) -> str:
    """Return the SHA-256 of everything that decides a model's answers, including files with other endings (`also`).

    Large weight files are sampled: the header and blocks all over the file. Training changes them everywhere, and hashing tens of
    gigabytes at every start would take minutes.
    """
    whole = hashlib.sha256()
    for path in sorted(p for p in folder.iterdir() if p.suffix in (*SMALL, ".safetensors", *also) and p.is_file()):
        whole.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        for block in _telling(path):
            whole.update(block)
    return whole.hexdigest()


def _telling(path: Path) -> Iterator[bytes]:
    size = path.stat().st_size
    with path.open("rb") as file:
        if size <= WHOLE:
            while block := file.read(1 << 20):
                yield block
            return
        header = min(int.from_bytes(file.read(8), "little"), WHOLE)
        yield file.read(header)
        for number in range(BLOCKS):
            file.seek((size - BLOCK) * number // (BLOCKS - 1))
            yield file.read(BLOCK)


# ---------------------------------------------------------------- the hub


def _hub() -> Any:
    try:
        import huggingface_hub
        import huggingface_hub.constants
        import huggingface_hub.errors
    except ImportError:
        raise MissingExtra("a local model (hf/...)", "local") from None
    return huggingface_hub


def _why(error: Exception, limit: int = 300) -> str:
    """Return the message of the hub's library, without the login that HF_ENDPOINT may hold."""
    return one_line(without_logins(str(error)), limit)


def _commit(repo: str, revision: str | None) -> str:
    """Return the commit of a revision name: from the hub, or from the hub's cache on this machine."""
    hub = _hub()
    if hub.constants.HF_HUB_OFFLINE:
        return _cached(hub, repo, revision, "the hub is switched off (HF_HUB_OFFLINE)")
    try:
        info = hub.HfApi().model_info(repo, revision=revision, timeout=WAIT)
    except hub.errors.RevisionNotFoundError:
        raise SnellenError(f"hf/{repo}: the hub has no revision '{revision}' of it") from None
    except hub.errors.RepositoryNotFoundError:
        raise SnellenError(
            f"hf/{repo}: no such folder here, and no such model on the hub (a gated one needs HF_TOKEN)"
        ) from None
    except Exception as error:  # the hub library raises its HTTP library's errors, which differ by version
        return _cached(hub, repo, revision, f"the hub cannot be reached ({_why(error, 120)})")
    return str(info.sha)


def _cached(hub: Any, repo: str, revision: str | None, why: str) -> str:
    try:
        return _snapshot(hub, repo, revision, local_files_only=True).name
    except Exception:
        raise SnellenError(
            f"hf/{repo}: {why}, and the model is not in the hub's cache on this machine; give the path of a saved model"
        ) from None


def _snapshot(hub: Any, repo: str, revision: str | None, **more: Any) -> Path:
    return Path(hub.snapshot_download(repo, revision=revision, allow_patterns=WANTED, **more))


def fetch(source: _ModelSource) -> Path:
    """Return the folder with all of the model's files, downloading the missing ones."""
    if source.folder is not None:
        return source.folder
    hub = _hub()
    try:
        folder = _snapshot(hub, source.name, source.commit)
    except Exception as error:
        raise SnellenError(f"hf/{source.name}: cannot download commit {source.commit}: {_why(error)}") from None
    _read_config(folder)
    if not any(folder.glob("*.safetensors")):
        raise SnellenError(
            f"hf/{source.name}: the repository has no *.safetensors; weights in other formats are not loaded"
        )
    return folder
