"""User settings for a local model, checked before anything is loaded."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from snellen.core.errors import SnellenError
from snellen.core.text import one_line

ATTENTION = ("sdpa", "eager", "flash_attention_2")  # other names would fetch kernels, which are code, from the hub
_PINNED = re.compile(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}")


class LocalSettings(NamedTuple):
    """The settings for loading and asking a local model. Temperature 0 is greedy decoding; above 0 each sample has its own seeded draw.

    `trust_remote_code` is `REPO@COMMIT` or nothing: code from a model's repository runs only at a named commit.
    """

    max_tokens: int = 256
    temperature: float = 0.0
    seed: int = 0
    device: str = "auto"
    dtype: str = "auto"
    attention: str = "sdpa"
    batch: int | Literal["auto"] = "auto"
    trust_remote_code: str | None = None

    def checked(self) -> LocalSettings:
        """Return the settings, if all of them can be used."""
        if self.max_tokens < 1:
            raise SnellenError(f"--max-tokens {self.max_tokens}: must be at least 1")
        if not 0.0 <= self.temperature < float("inf"):
            raise SnellenError(f"--temperature {self.temperature:g}: must be 0 (greedy) or more")
        if self.batch != "auto" and self.batch < 1:
            raise SnellenError(f"--batch {self.batch}: must be 'auto' or at least 1")
        if self.attention not in ATTENTION:
            raise SnellenError(f"--attention {one_line(self.attention)}: expected one of {', '.join(ATTENTION)}")
        code = self.trust_remote_code
        if code is not None and not _PINNED.fullmatch(code):
            raise SnellenError(
                f"--trust-remote-code {one_line(code)}: expected OWNER/NAME@COMMIT with the commit's 40 hexadecimal digits"
            )
        return self
