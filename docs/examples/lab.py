"""A provider in one file: the chat format of OpenAI, with a header and error bodies of its own.

LAB_KEY=... LAB_WORKSPACE=... snellen run salbench --plugin docs/examples/lab.py --data DIR --model lab/small
"""

import json

from snellen.providers import ChatFormat, ErrorBody, RemoteKind, Secret, Service

KINDS = {17: "not-allowed", 18: "no-credit"}


class LabFormat(ChatFormat):
    """Errors are {"fault": {"why": "no such workspace", "number": 17}}, whatever their status."""

    def error(self, status: int, body: bytes, key: Secret) -> ErrorBody:
        fault = json.loads(body)["fault"]
        return ErrorBody(fault["why"], kind=KINDS.get(fault["number"], ""))


LAB = Service(
    "lab", "https://lab.example/v1", ("LAB_KEY",), needs_key=True, headers_from={"X-Workspace": "LAB_WORKSPACE"}
)
SUBJECTS = {"lab": RemoteKind(LAB, LabFormat(), "a model of the lab (LAB_KEY, LAB_WORKSPACE)")}
