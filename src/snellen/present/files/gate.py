"""A gate's verdict as files for build servers: JUnit XML, and a summary in Markdown. Text from outside is inert in both."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from snellen.comparison.gating import Gate
from snellen.core.figures import counted
from snellen.core.text import one_line
from snellen.present.files.markdown import escaped, pipe_table
from snellen.present.model.comparison_view import checks_table
from snellen.present.model.formatting import asked_often

LONG = 2000
_NOT_IN_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")


def junit(found: Gate) -> bytes:
    """Return one test case for each part and protocol, in the form that Jenkins, GitLab, Azure and GitHub Actions read."""
    counts = {"tests": str(len(found.checks)), "failures": str(len(found.failed)), "errors": "0"}
    skipped = str(sum(not check.judged for check in found.checks))
    root = Element("testsuites", counts)
    suite = SubElement(root, "testsuite", {"name": _inert(f"snellen gate {found.exam}"), **counts, "skipped": skipped})
    about = SubElement(suite, "properties")
    for name, value in (
        ("run", found.run),
        ("subject", found.subject),
        ("baseline", found.baseline),
        ("baseline subject", found.baseline_subject),
        ("times each question was asked", str(found.repeats)),
        ("times each question was asked, baseline", str(found.baseline_repeats)),
        ("max drop, points", f"{100 * found.max_drop:g}"),
        ("data", "synthetic" if found.synthetic else "real"),
    ):
        SubElement(about, "property", {"name": name, "value": _inert(value)})
    for check in found.checks:
        case = SubElement(
            suite,
            "testcase",
            {"classname": _inert(f"{found.exam}.{check.protocol}"), "name": _inert(f"{check.part}, {check.label}")},
        )
        if not check.judged:
            SubElement(case, "skipped", {"message": f"{counted(check.clusters, check.cluster)}: too few to judge"})
        if check.failed:
            details = f"{check.part} under '{check.protocol}', by {check.label}: {check.said}."
            SubElement(case, "failure", {"message": _inert(check.said), "type": "drop"}).text = _inert(details)
    SubElement(suite, "system-out").text = "\n".join(_inert(line) for line in (*found.notes, found.said))
    indent(root)
    text: str = tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _inert(text: str) -> str:
    """Return a text on one line, without characters that XML cannot hold."""
    return _NOT_IN_XML.sub("?", one_line(text, LONG))


def summary(found: Gate) -> str:
    """Return a Markdown section with the verdict, the table and the notes."""
    marks = " · SYNTHETIC" if found.synthetic else ""
    table = checks_table(found, found.checks)
    lines = [
        f"### Snellen gate: {'passed' if found.passed else 'FAILED'} · {escaped(found.exam)}{marks}",
        "",
        f"**{escaped(found.said)}.**",
        "",
        f"A is the baseline, {escaped(found.baseline_subject)}{asked_often(found.baseline_repeats)} ({escaped(found.baseline)}). "
        f"B is the run, {escaped(found.subject)}{asked_often(found.repeats)} ({escaped(found.run)}).",
        "",
        f"{escaped(table.title)}:",
        "",
        *pipe_table(
            [heading.text for heading in table.headings],
            [[escaped(str(cell)) for cell in row] for row in table.rows],
            [heading.text for heading in table.headings if heading.kind == "number"],
        ),
        "",
        *(f"- {escaped(note)}" for note in found.notes),
    ]
    return "\n".join(lines).rstrip("\n") + "\n\n"
