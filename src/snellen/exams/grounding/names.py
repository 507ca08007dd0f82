"""Names that several files of the exam share."""

from __future__ import annotations

OPENADAPT = "openadapt"
"""The protocol that marks as openadapt-grounding does, the implementation that this exam began with."""
ORACLE_TITLE = "ORACLE: these look at the answer and are for comparison only"
CAPABILITIES = "capabilities"
"""The fact of a sample that lists what it takes to find its target, where the data says so (OSWorld-G)."""
