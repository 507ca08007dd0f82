"""Names that several files of the exam share."""

from __future__ import annotations

OPENADAPT = "openadapt"
"""The protocol that marks as openadapt-grounding does, the implementation that this exam began with."""
ORACLE_TITLE = "ORACLE: these look at the answer and are for comparison only"
CAPABILITIES = "capabilities"
"""The key of the sample's fact that lists the capabilities for finding its target, where the data has it (OSWorld-G)."""
