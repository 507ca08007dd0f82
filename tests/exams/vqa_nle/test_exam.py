"""The exam objects: options of their own, declared metrics, the gallery."""

from __future__ import annotations

from typing import Any

import pytest
from jinja2 import ChoiceLoader, DictLoader, Environment, PackageLoader
from tests.support.extras import of

from snellen.core.errors import SnellenError
from snellen.core.extras import ExamRequest, OptionMeaning, gallery_of, truths_of
from snellen.core.gallery import GalleryFacts, GalleryItem, GalleryPicture, Pick
from snellen.core.options import Selection
from snellen.core.outcomes import mark_reply
from snellen.core.protocol import protocol_for
from snellen.core.results import declared
from snellen.core.types import Answer, Sample, Token
from snellen.exams.vqa_nle.exam import ACTX, ESNLIVE, VCR, VQAX, VqaNle
from snellen.exams.vqa_nle.gallery import STEPS
from snellen.stats.tally import summarised

EXAMS = (VQAX, ACTX, ESNLIVE, VCR)
ALL = pytest.mark.parametrize("exam", EXAMS, ids=lambda e: e.name)


# ---------------------------------------------------------------- options


def wanted(prompt: str | None = None, **options: Any) -> ExamRequest:
    return ExamRequest("llava", prompt, Selection(), options)


@pytest.mark.parametrize(
    ("options", "prompt"),
    [
        ({}, None),
        ({"prompt_mode": "3shot"}, "3shot"),
        ({"generate_explanations": True}, "zero"),
        ({"generate_explanations": False}, "answer-only"),
        ({"generate_explanations": True, "prompt_mode": "1shot"}, "1shot"),
        ({"generate_explanations": False, "prompt_mode": "zero"}, "answer-only"),
    ],
)
def test_the_flags_of_multimodal_vqa_eval_choose_a_prompt(options: dict[str, Any], prompt: str | None) -> None:
    found = of(VQAX, OptionMeaning).applied(wanted(results="all", **options))
    assert (found.prompt, found.options) == (prompt, {"results": "all"})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (wanted("zero", prompt_mode="zero"), "--prompt zero and --prompt_mode or --generate_explanations say the same"),
        (wanted(prompt_mode="3shot", generate_explanations=False), "without explanations there is only the zero-shot"),
        (wanted(prompt_mode="zero-boxes"), "--prompt_mode zero-boxes: vqax has zero, 1shot, 3shot, answer-only"),
    ],
)
def test_flags_that_contradict_each_other_are_refused(given: ExamRequest, message: str) -> None:
    with pytest.raises(SnellenError, match=message):
        of(VQAX, OptionMeaning).applied(given)


def test_boxes_are_a_prompt_of_vcr_alone() -> None:
    assert of(VCR, OptionMeaning).applied(wanted(prompt_mode="zero-boxes")).prompt == "zero-boxes"


@ALL
def test_options_and_their_spellings(exam: VqaNle) -> None:
    spellings = {o.name: o.spellings for o in exam.options}
    assert spellings == {
        "prompt_mode": ("--prompt_mode", "--prompt-mode"),
        "generate_explanations": ("--generate_explanations", "--generate-explanations"),
        "results": ("--results",),
        "max_missing": ("--max-missing",),
    }


# ---------------------------------------------------------------- protocols


@ALL
def test_an_unknown_protocol_is_an_error(exam: VqaNle) -> None:
    with pytest.raises(SnellenError, match="did you mean 'strict'"):
        exam.protocol("strickt")


@ALL
def test_every_score_is_declared_in_the_order_of_the_tables(exam: VqaNle) -> None:
    tokens = tuple(Token(text=t, logprob=-1.0, entropy=0.5) for t in ("A", " because", " it", " is"))
    for prompt in ("zero", "answer-only"):
        for protocol in (protocol_for(p, prompt) for p in exam.protocols.values()):
            names = [m.name for m in protocol.metrics]
            assert len(names) == len(set(names))
            marked = [(s, mark_reply(protocol, s, "A because it is", tokens=tokens)) for s in truths_of(exam)]
            for group in summarised(protocol, marked):
                assert list(group.metrics) == [n for n in names if n in group.metrics]
                for name, score in group.metrics.items():
                    assert score.unit == declared(protocol.metrics, name).unit
                own = {n for n in group.metrics if declared(protocol.metrics, n).kind == "own"}
                assert bool(own) == group.whole
            assert ("valid_explanation" in names) == (prompt == "zero")


# ---------------------------------------------------------------- gallery


def item(text: str, tokens: tuple[Token, ...]) -> GalleryItem:
    sample: Sample = truths_of(VQAX)[0]
    protocols = list(VQAX.protocols.values())[:2]
    marks = {p.name: mark_reply(p, sample, text, tokens=tokens) for p in protocols}
    pick = Pick("wrong", "test", sample.id, "zero", marks)
    answer = Answer(id=sample.id, prompt="zero", text=text, tokens=tokens)
    return GalleryItem(pick, sample.tags, sample.truth, answer, [], None, GalleryPicture(None, "", ""), sample.facts)


def test_a_reply_with_tokens_is_shown_with_each_words_entropy() -> None:
    words = (("no", 0.1), (" because", 9.0), (" <dogs>", 1.2))
    tokens = tuple(Token(text=t, logprob=-1.0, entropy=e) for t, e in words)
    gallery = gallery_of(VQAX, GalleryFacts(synthetic=True, evidence=lambda _id, _prompt: None))
    with_tokens, without = item("no because <dogs>", tokens), item("no because dogs", ())
    view = gallery.view([with_tokens, without])
    own = view.each[0]
    assert view.each[1] is None
    assert "".join(s.text for s in own.pieces) == "no because <dogs>"
    assert [(s.text, s.level, s.part) for s in own.pieces if s.level is not None] == [
        ("no", 0, "answer"),
        ("dogs", 2, "explanation"),
    ]
    assert own.steps == STEPS == (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
    # the template adds itself to the plain one
    plain = DictLoader({"plain.html": "<dl>{{ item.answer.text }}{% block after_reply %}{% endblock %}</dl>"})
    pages = Environment(loader=ChoiceLoader([plain, PackageLoader(gallery.package)]), autoescape=True)
    page = pages.from_string("{% for item, own in pairs %}{% include template %}{% endfor %}")
    html = page.render(pairs=[(with_tokens, own)], template=gallery.template).strip()
    assert html.startswith("<dl>no because &lt;dogs&gt;") and html.endswith("</dl>")
    assert '<span class="h2 said-why" title="1.20 nats">dogs</span>&gt;' in html
    assert "<dogs>" not in html
