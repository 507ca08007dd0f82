"""A service as a prefix of `--model`."""

from __future__ import annotations

from typing import Any

from snellen.core.errors import SnellenError
from snellen.core.options import Option
from snellen.core.subject import BuildContext, Subject, SubjectKind
from snellen.subjects.remote.format import WireFormat
from snellen.subjects.remote.service import Service
from snellen.subjects.remote.settings import COMMON, settings_from


class RemoteKind(SubjectKind):
    """One service and its wire format; `more` are its options in addition to the common ones."""

    def __init__(self, service: Service, form: WireFormat, about: str, more: tuple[Option, ...] = ()) -> None:
        self.service, self.form = service, form
        self.prefix = service.prefix
        self.hosting, self.serves = service.hosting, service.serves
        self.forms = {f"{service.prefix}/NAME": about}
        self.options = (*COMMON, *more)

    def build(self, name: str, given: BuildContext) -> Subject:
        if not name:
            raise SnellenError(f"--model {self.prefix}: which model? Write {self.prefix}/NAME")
        settings = settings_from(given.options, given.exam.max_tokens)
        return self.subject(name, settings, offline=given.offline)

    def subject(self, name: str, settings: Any, *, offline: bool = False) -> Subject:
        """Return the subject; a kind with its own way to ask overrides it."""
        from snellen.subjects.remote.subject import RemoteSubject

        return RemoteSubject(self.service, self.form, name, settings, offline=offline)
