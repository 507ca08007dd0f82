"""Caption metrics: equal to the toolkits' values on our own sentences, and to a plain reference on random ones."""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.core.errors import SnellenError
from snellen.stats.nlg import METRICS, e_vil, extras, missing, score, tokenise
from snellen.stats.nlg.extras import meteor_with_interval
from snellen.stats.nlg.scores import counted

PARITY = Path(__file__).parents[1] / "parity"
GOLDEN = json.loads((PARITY / "nlg_metrics.json").read_text("utf-8"))
CANDIDATES = [i["candidate"] for i in GOLDEN["items"]]
REFERENCES = [i["references"] for i in GOLDEN["items"]]


def corpus_and_each(
    said: list[str], gold: list[list[str]], tokenise: Callable[[str], str] = tokenise
) -> tuple[dict[str, float], dict[str, list[float]]]:
    """The values of the corpus, and of every candidate by itself."""
    bleus, rouges, ciders = counted(said, gold, tokenise)
    each = dict(zip(METRICS, [*bleus.each().T.tolist(), rouges, ciders], strict=True))
    return score(said, gold, tokenise=tokenise), each


# ---------------------------------------------------------------- equal to the toolkits


def test_every_sentence_is_cut_as_the_java_tokeniser_cuts_it() -> None:
    for row in GOLDEN["sentences"]:
        assert tokenise(row["text"]) == row["tokens"]
    for row in GOLDEN["items"]:
        assert tokenise(row["candidate"]) == row["candidate_tokens"]
        assert [tokenise(r) for r in row["references"]] == row["references_tokens"]


def test_corpus_values_and_the_value_of_every_item() -> None:
    values, items = corpus_and_each(CANDIDATES, REFERENCES)
    assert tuple(values) == METRICS
    for metric in METRICS:
        assert values[metric] == pytest.approx(GOLDEN["corpus"][metric], abs=1e-9)
        assert items[metric] == pytest.approx(GOLDEN["each"][metric], abs=1e-9)


def test_the_reference_run_beside_the_project() -> None:
    """Twenty real annotations, which are not ours to commit: read where they are, beside the project's folder."""
    place = Path(__file__).parents[3] / "shared" / "golden" / "nlg_metrics.json"
    if not place.is_file():
        pytest.skip("the reference run with real annotations is not beside the project")
    golden = json.loads(place.read_text("utf-8"))
    order = golden["meta"]["order"]
    said, gold = ([golden["raw"][part][k] for k in order] for part in ("preds", "refs"))
    assert [[tokenise(s)] for s in said] == [golden["tokenised"]["preds"][k] for k in order]
    assert [[tokenise(r) for r in refs] for refs in gold] == [golden["tokenised"]["refs"][k] for k in order]
    values, items = corpus_and_each(said, gold)
    for metric in METRICS:
        expected = golden["scores"][metric.replace("BLEU-", "Bleu_").replace("-", "_")]
        assert values[metric] == pytest.approx(expected["corpus"], abs=1e-9)
        assert items[metric] == pytest.approx(expected["per_item"], abs=1e-9)


def test_meteor_by_the_java_program() -> None:
    if "METEOR" in missing():
        pytest.skip(missing()["METEOR"])
    each = [str(i) for i in range(len(CANDIDATES))]
    assert meteor_with_interval(CANDIDATES, REFERENCES, each).value == pytest.approx(
        GOLDEN["corpus"]["METEOR"], abs=1e-9
    )


# ---------------------------------------------------------------- equal to a plain reference


def grams(words: list[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def plain_bleu(candidates: list[list[str]], references: list[list[list[str]]]) -> list[float]:
    right, tried, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for candidate, refs in zip(candidates, references, strict=True):
        ours += len(candidate)
        theirs += min((abs(len(r) - len(candidate)), len(r)) for r in refs)[1]
        for n in range(1, 5):
            best = Counter[tuple[str, ...]]()
            for r in refs:
                best |= grams(r, n)
            right[n - 1] += (grams(candidate, n) & best).total()
            tried[n - 1] += max(0, len(candidate) - n + 1)
    ratio = (ours + 1e-15) / (theirs + 1e-9)
    product, found = 1.0, []
    for n in range(4):
        product *= (right[n] + 1e-15) / (tried[n] + 1e-9)
        found.append(product ** (1 / (n + 1)) * (math.exp(1 - 1 / ratio) if ratio < 1 else 1))
    return found


def plain_cider(candidates: list[list[str]], references: list[list[list[str]]]) -> list[float]:
    total = [0.0] * len(candidates)
    for n in range(1, 5):
        seen = Counter(g for refs in references for g in {g for r in refs for g in grams(r, n)})

        def vector(words: list[str], n: int = n, seen: Counter[tuple[str, ...]] = seen) -> dict[tuple[str, ...], float]:
            return {g: c * math.log(len(candidates) / max(1, seen[g])) for g, c in grams(words, n).items()}

        for i, (candidate, refs) in enumerate(zip(candidates, references, strict=True)):
            ours = vector(candidate)
            for r in refs:
                theirs = vector(r)
                dot = sum(min(ours[g], theirs[g]) * theirs[g] for g in ours if g in theirs)
                norm = math.hypot(*ours.values()) * math.hypot(*theirs.values())
                gap = max(0, len(candidate) - 1) - max(0, len(r) - 1)
                if norm:
                    total[i] += 10 * dot / norm * math.exp(-(gap**2) / 72) / len(refs) / 4
    return total


def plain_rouge(candidate: list[str], references: list[list[str]]) -> float:
    def common(a: list[str], b: list[str]) -> int:
        table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
        return table[-1][-1]

    found = [common(candidate, r) for r in references]
    p = max(c / len(candidate) for c in found)
    r = max(c / len(ref) for c, ref in zip(found, references, strict=True))
    return (1 + 1.44) * p * r / (r + 1.44 * p) if p and r else 0.0


@pytest.mark.parametrize("seed", range(8))
def test_random_sentences_against_a_plain_reference(seed: int) -> None:
    draw = random.Random(seed)
    vocabulary = [f"w{i}" for i in range(draw.choice([3, 8, 40]))]

    def sentence(shortest: int) -> list[str]:
        return [draw.choice(vocabulary) for _ in range(draw.randint(shortest, 9))]

    count = draw.choice([1, 2, 25])
    references = [[sentence(1) for _ in range(draw.randint(1, 4))] for _ in range(count)]
    candidates = [sentence(1) for _ in range(count)]
    values, items = corpus_and_each(
        [" ".join(c) for c in candidates], [[" ".join(r) for r in refs] for refs in references], tokenise=str
    )
    assert [values[f"BLEU-{n}"] for n in range(1, 5)] == pytest.approx(plain_bleu(candidates, references), abs=1e-12)
    assert items["CIDEr"] == pytest.approx(plain_cider(candidates, references), abs=1e-9)
    rouges = [plain_rouge(c, refs) for c, refs in zip(candidates, references, strict=True)]
    assert items["ROUGE-L"] == pytest.approx(rouges, abs=1e-12)
    assert values["ROUGE-L"] == pytest.approx(sum(rouges) / count)


# ---------------------------------------------------------------- what callers rely on


def test_a_repeated_word_earns_no_more_than_a_reference_has_of_it() -> None:
    assert score(["the the the the"], [["the cat", "the the dog"]])["BLEU-1"] == pytest.approx(0.5)


def test_no_candidate_has_no_score_and_an_empty_one_scores_nothing() -> None:
    assert all(math.isnan(v) for v in score([], []).values())
    empty = score(["", ""], [["a dog"], ["a cat"]])
    assert all(v == pytest.approx(0, abs=1e-9) for v in empty.values())


def test_uneven_input_is_refused_with_its_place() -> None:
    with pytest.raises(SnellenError, match="2 explanations but 1 lists"):
        score(["a", "b"], [["a"]])
    with pytest.raises(SnellenError, match="explanation 2 has no list of references"):
        score(["a", "b"], [["a"], []])
    with pytest.raises(SnellenError, match="explanation 1 has no list of references"):
        score(["a"], ["not a list"])


@given(st.text())
def test_tokenise_takes_any_text_and_leaves_lines_and_tabs_out(text: str) -> None:
    words = tokenise(text)
    assert not set(words) & set("\n\r\t")
    assert words == words.strip(" ")
    assert "  " not in words


def test_hostile_texts_are_scored_like_others() -> None:
    texts = ["=cmd()", "\x1b[31m" * 5000, "a," * 20000, "<script>alert(1)</script>", "\ud800 lone", "x" * 40000]
    values = score(texts, [["a plain reference"]] * len(texts))
    assert all(0 <= v < 1e-3 for v in values.values())


# ---------------------------------------------------------------- extras and e-ViL


def test_what_is_missing_is_named_and_never_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras.shutil, "which", lambda _: None)
    said = missing()
    assert set(said) == {"METEOR", "SPICE", "BERTScore"}
    assert all(v.startswith("needs ") for v in said.values())
    with pytest.raises(SnellenError, match="METEOR is not available: needs Java"):
        meteor_with_interval(["a"], [["a"]], ["x"])


def test_a_java_that_fails_is_an_error_not_a_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    jar = tmp_path / "meteor-1.5.jar"
    jar.write_bytes(b"")
    monkeypatch.setattr(extras, "_meteor_jar", lambda: jar)
    monkeypatch.setattr(extras.shutil, "which", lambda _: sys.executable)
    with pytest.raises(SnellenError, match="METEOR failed"):
        meteor_with_interval(["a"], [["a"]], ["x"])


def test_e_vil_averages_of_the_original() -> None:
    for row in json.loads((PARITY / "nle_tables.json").read_text("utf-8"))["evil_average_nlg"]:
        given_ = dict(row["input"])
        task = given_.pop("accuracy")
        found = e_vil({k.replace("_", "-"): v for k, v in given_.items()}, task)
        expected = row["output"]
        assert found[:3] == pytest.approx((expected["avg_overlap"], expected["avg_all"], expected["global_score"]))
        assert found.missing == ()


def test_e_vil_has_no_value_without_all_its_metrics() -> None:
    known = {"METEOR": 0.2, "ROUGE-L": 0.3, "CIDEr": 0.9, "SPICE": 0.2}
    without = e_vil(known, 0.5)
    assert (without.explanation, without.overall, without.missing) == (None, None, ("BERTScore",))
    assert without.overlap == pytest.approx(0.2769230769)
    assert e_vil({**known, "CIDEr": math.nan, "BERTScore": 0.8}, 0.5)[:3] == (None, None, None)
    assert e_vil({**known, "BERTScore": 0.8}, None).overall is None
