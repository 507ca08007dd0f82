"""UI grounding: find the target on the screen, without a look at the answer. Methods get only a screenshot and an instruction."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from snellen.core.errors import SnellenError
from snellen.core.exam import Exam
from snellen.core.extras import (
    DataTemplates,
    Demo,
    Exports,
    GroupLabels,
    HubData,
    Maker,
    OptionMeaning,
    PageGallery,
    PaperTables,
    Probes,
    Remarks,
    RowFormat,
    TextGuess,
    later,
)
from snellen.core.options import BOX_FORMAT, IMAGES, Option
from snellen.core.types import Sample
from snellen.exams.grounding import fetch
from snellen.exams.grounding.options import METHOD, OF_METHODS, chosen
from snellen.exams.grounding.prompts import PROMPTS, probes, truths
from snellen.exams.grounding.protocols import PROTOCOLS

if TYPE_CHECKING:
    from snellen.core.gallery import Gallery, GalleryFacts


def _screen(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{2,5})x(\d{2,5})", text)
    if found is None:
        raise SnellenError(f"--screen {text}: expected WIDTHxHEIGHT, such as 1920x1080")
    return int(found[1]), int(found[2])


_MAKE_OPTIONS = (
    Option("style", "layouts (default), or original: the screens of openadapt-grounding.", metavar="NAME"),
    Option(
        "absent",
        "Share of screenshots that also ask for one thing that is not there.",
        kind="float",
        metavar="SHARE",
        least=0,
        most=1,
    ),
    Option("screen", "One size for all screenshots, such as 1920x1080.", metavar="WxH", parse=_screen),
)


def _guess(_exam: Exam, prompt: str, known: Sequence[Sample], asked: Sequence[Sample]) -> Sequence[str]:
    """Guess a place, from the targets of similar instructions."""
    from snellen.exams.grounding.floors import guesses

    return guesses(known, asked)


def _gallery(exam: Exam, facts: GalleryFacts) -> Gallery:
    from snellen.exams.grounding.gallery import ScreenGallery

    main = next((name.partition("@")[0] for name in facts.protocols), "")
    return ScreenGallery(exam.protocols.get(main))


class Grounding(Exam):
    """The exam object that the entry point names."""

    name = "grounding"
    title = "UI grounding: where on the screen is what the instruction names"
    paper = "ScreenSpot (Cheng et al., 2024), ScreenSpot-v2, ScreenSpot-Pro, OSWorld-G; methods of OmniParser, UI-TARS, ScreenSeekeR"
    tasks = ("ground",)
    prompts = PROMPTS
    protocols = PROTOCOLS
    options = (METHOD, *OF_METHODS, IMAGES, BOX_FORMAT)
    max_tokens = 512
    reply_tokens = 24
    extras = (  # most import their module when they are called: every command loads the exam
        Maker(later("snellen.synthetic.screens.make:make"), _MAKE_OPTIONS),
        DataTemplates({"grounding": later("snellen.exams.grounding.template:write")}),
        HubData(fetch.hub, tuple(fetch.SOURCES), fetch.unpack),
        OptionMeaning(chosen),
        Probes(probes, truths),
        TextGuess(_guess),
        Demo(("method/ocr", "method/center"), most=12),
        RowFormat(later("snellen.exams.grounding.rows:sample_from_row")),
        GroupLabels(later("snellen.exams.grounding.summary:labelled")),
        Remarks(later("snellen.exams.grounding.scales:notes"), later("snellen.exams.grounding.findings:findings")),
        Exports(later("snellen.exams.grounding.exports:exports")),
        PaperTables(later("snellen.exams.grounding.layout:tables")),
        PageGallery(_gallery),
    )

    open = staticmethod(later("snellen.exams.grounding.data:GroundingData"))
    check = staticmethod(later("snellen.exams.grounding.check:check"))
    recognises = staticmethod(later("snellen.exams.grounding.data:recognised"))


EXAM = Grounding()
