"""A page of a data set's samples, before any run: the images, the question as it would be asked, and the truth."""

from __future__ import annotations

from pathlib import Path

from snellen import exams
from snellen.core.gallery import Gallery
from snellen.core.options import Selection
from snellen.engine.ask.questions import asker
from snellen.present.page.image_pool import ImagePool, PagePictures
from snellen.present.page.report import write_page


def write_data_page(exam_name: str, where: Path, page: Path, selection: Selection) -> int:
    """Write the page of the selected samples: a seeded draw of at most `limit` for each split and task. Return their number."""
    exam = exams.load(exam_name)
    data = exam.open(where, selection)
    pool = ImagePool()
    plain = [name for name, prompt in exam.prompts.items() if prompt.shots == (0,)]
    asks = {name: asker(exam, data, name) for name in plain or exam.prompts}
    cards = []
    for sample in data.full(lambda _id: True):
        pictures = PagePictures(pool, Gallery(), sample, None)
        prompt = next((name for name in asks if exam.prompts[name].asked_about(sample)), None)
        shown = tuple(
            pictures.query(p, i)._replace(alt=f"picture {i + 1} of sample {sample.id}", note=p.name)
            for i, p in enumerate(sample.pictures)
        )
        asked = "" if prompt is None else asks[prompt](sample).text
        cards.append({"sample": sample, "pictures": shown, "question": asked})
    write_page(page, "data.html", pool, exam=exam, where=data.source, synthetic=data.synthetic, cards=cards)
    return len(cards)
