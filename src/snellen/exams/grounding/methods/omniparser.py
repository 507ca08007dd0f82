"""An OmniParser server as an endpoint: where it is and how its replies are read. It has no model list and takes no key."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from snellen.core.secret import Secret
from snellen.core.subject import Connection, Parsed
from snellen.core.text import one_line
from snellen.core.types import Failure
from snellen.exams.grounding.methods.wire_omniparser import parse_url, probe_url

HINT = "start OmniParser's server, or name it with --omniparser-url or EVAL_OMNIPARSER_URL"


class OmniParserEndpoint:
    """One server. A status 500 is what it says on pictures without text: it is handed on, not tried again and again."""

    kind = "omniparser"
    model = "omniparser"

    def __init__(self, url: str) -> None:
        headers: Mapping[str, str] = {}
        self.connection = Connection(parse_url(url), probe_url(url), headers, Secret(""), HINT)

    def parse(self, body: bytes) -> Parsed:
        """The list of what it sees; the picture with boxes that comes along is not kept."""
        try:
            data = msgspec.json.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise ValueError(f"not JSON ({one_line(str(error), 80)})") from None
        if not isinstance(data, dict) or not isinstance(data.get("parsed_content_list"), list):
            raise ValueError("no parsed_content_list in the reply")
        kept = msgspec.json.encode({"parsed_content_list": data["parsed_content_list"]}).decode()
        return Parsed(text=kept, finish_reason="stop", cost=0.0, cost_source="server")

    def explain(self, status: int, body: bytes) -> Parsed:
        said = one_line(body[:2000].decode("utf-8", "replace"), 160)
        if status == 500:
            return Parsed(text=said, refused=True, cost=0.0, cost_source="refused")
        return Parsed(error=Failure(kind="parser", reason=f"OmniParser: status {status}: {said}"), status=status)

    def learn(self, listing: bytes) -> None:
        """It lists nothing."""
