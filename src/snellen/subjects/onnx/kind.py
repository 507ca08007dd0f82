"""The kind of subjects that run on ONNX Runtime: `onnx/snellen-tiny`, and exported models of its layout by folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from snellen.core.errors import SnellenError
from snellen.core.subject import BuildContext, Subject, SubjectKind
from snellen.subjects.local.kind import TINY
from snellen.subjects.remote.settings import MAX_TOKENS


class _OnnxKind(SubjectKind):
    """Exported models. They have no temperature: they are small and give the same answers everywhere."""

    prefix = "onnx"
    forms: Mapping[str, str] = {
        f"onnx/{TINY}": f"the model that is shipped with Snellen, as hf/{TINY} but without torch (extra onnx, which ocr has, too)",
        "onnx/DIR": "a model that was exported as that one, by its folder (extra onnx)",
    }
    options = (MAX_TOKENS,)

    def build(self, name: str, given: BuildContext) -> Subject:
        from snellen.subjects.local.source import packaged
        from snellen.subjects.onnx.subject import OnnxSubject

        if not name:
            raise SnellenError(f"--model onnx: which model? Write onnx/{TINY} or onnx/DIR")
        shipped = name == TINY
        folder = Path(packaged(TINY)) if shipped else Path(name).expanduser()
        limit = given.options["max_tokens"] or given.exam.max_tokens
        return OnnxSubject(folder, limit, offline=given.offline, called=f"onnx/{TINY}" if shipped else None)


KIND = _OnnxKind()
