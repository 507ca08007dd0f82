"""What is understood of a reply, and what no reply may do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.exams.d3 import reading
from snellen.exams.d3.names import PAIR, set_names, slot_of
from snellen.exams.d3.reading import read, says_position

A, B = "A dog sits.", "A dog stands."
FORMS = {
    "plain": f'{{"left_image": "{A}", "right_image": "{B}"}}',
    "fence": f'```json\n{{"left_image": "{A}", "right_image": "{B}"}}\n```',
    "prose around": f'Here you go:\n{{"left_image": "{A}", "right_image": "{B}"}}\nLet me know {{if}} it helps!',
    "other order": f'{{"right_image": "{B}", "left_image": "{A}"}}',
    "more keys": f'{{"difference": "pose", "left_image": "{A}", "right_image": "{B}"}}',
    "short keys": f'{{"left": "{A}", "right": "{B}"}}',
    "spaced keys": f'{{"Left Image": "{A}", "Right Image": "{B}"}}',
    "camel keys": f'{{"leftImage": "{A}", "rightImage": "{B}"}}',
    "numbered keys": f'{{"image1": "{A}", "image2": "{B}"}}',
    "numbered captions": f'{{"Caption 1": "{A}", "Caption 2": "{B}"}}',
    "ordinal keys": f'{{"first_image": "{A}", "second_image": "{B}"}}',
    "lettered keys": f'{{"image_a": "{A}", "image_b": "{B}"}}',
    "nested": f'{{"captions": {{"left_image": "{A}", "right_image": "{B}"}}}}',
    "nested beside a rival": f'{{"differences": {{"left": "x", "right": "y"}}, "captions": {{"left_image": "{A}", "right_image": "{B}"}}}}',
    "nested captions": f'{{"left_image": {{"caption": "{A}", "n": 1}}, "right_image": {{"description": "{B}"}}}}',
    "list of objects": f'[{{"left_image": "{A}"}}, {{"right_image": "{B}"}}]',
    "list of named": f'[{{"image": "left", "caption": "{A}"}}, {{"image": "right", "caption": "{B}"}}]',
    "two objects": f'```json\n{{"left_image": "{A}"}}\n```\n```json\n{{"right_image": "{B}"}}\n```',
    "draft, then final": f'{{"left_image": "x", "right_image": "y"}} Better: {{"left_image": "{A}", "right_image": "{B}"}}',
    "template echoed": f'Format {{"left_image": "...", "right_image": "..."}}: {{"left_image": "{A}", "right_image": "{B}"}}',
    "thinking": f'<think>{{"left_image": "x", "right_image": "y"}}</think>{{"left_image": "{A}", "right_image": "{B}"}}',
    "thinking, opened elsewhere": f'{{"left_image": "x", "right_image": "y"}}</think>{{"left_image": "{A}", "right_image": "{B}"}}',
    "single quotes": f"{{'left_image': '{A}', 'right_image': '{B}'}}",
    "curly quotes": f"{{“left_image”: “{A}”, “right_image”: “{B}”}}",
    "triple quotes": f'{{"left_image": """{A}""", "right_image": """{B}"""}}',
    "bare keys": f'{{left_image: "{A}", right_image: "{B}"}}',
    "bare everything": f"{{left_image: {A}, right_image: {B}}}",
    "trailing comma": f'{{"left_image": "{A}", "right_image": "{B}",}}',
    "missing comma": f'{{"left_image": "{A}"\n"right_image": "{B}"}}',
    "no braces": f'"left_image": "{A}",\n"right_image": "{B}"',
    "no closing brace": f'{{"left_image": "{A}", "right_image": "{B}"',
    "no closing quote": f'{{"left_image": "{A}", "right_image": "{B}\n}}\n```',
    "labelled lines": f"Left image: {A}\nRight image: {B}",
    "labels in one line": f"Left image: {A} Right image: {B}",
    "labels with an article in one line": f"The left image: {A} The right image: {B}",
    "bold labels": f"Sure.\n\n**Left Image:** {A}\n\n**Right Image:** {B}\n\nThe dogs differ.",
    "headings": f"**Left Image**\n{A}\n\n**Right Image**\n{B}",
    "list of labels": f"1. Left: {A}\n2. Right: {B}",
    "numbered labels": f"- Image 1: {A}\n- Image 2: {B}",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_the_same_answer(form: str) -> None:
    found = read(FORMS[form])
    assert found is not None
    assert found == (A, B)


@pytest.mark.parametrize(
    ("reply", "left", "right"),
    [
        (
            "{'left_image': 'The dog's tail', 'right_image': 'The dogs', both of them'}",
            "The dog's tail",
            "The dogs', both of them",
        ),
        ('{"left_image": "It says "STOP", "GO" now", "right_image": "A cat"}', 'It says "STOP", "GO" now', "A cat"),
        ("{'left_image': \"It's a dog\", 'right_image': 'It\\'s a cat'}", "It's a dog", "It's a cat"),
        ('{"left_image": "two\nlines", "right_image": "B"}', "two\nlines", "B"),
        ('{"left_image": ["red", "ball"], "right_image": {"a": "blue", "b": ["big", 3]}}', "red ball", "blue big 3"),
        ('{"left_image": 4, "right_image": 2.5}', "4", "2.5"),
        (
            '{"left_image": "caf\\u00e9 \\ud83d\\ude00", "right_image": "half \\ud83d"}',
            "café 😀",
            "half \N{REPLACEMENT CHARACTER}",
        ),
        ("{'left_image': 'caf\\u00e9 \\ud83d\\ude00', 'right_image': 'B'}", "café 😀", "B"),
        ('{"left_image": "a: b, c: d", "right_image": "B"}', "a: b, c: d", "B"),
    ],
)
def test_captions_with_awkward_characters(reply: str, left: str, right: str) -> None:
    found = read(reply)
    assert found is not None
    assert found == (left, right)
    json.dumps(found).encode()
    "".join(found).encode()  # no half character is left


def test_a_reply_that_was_cut_off_is_read_as_far_as_it_goes_and_says_so() -> None:
    whole = FORMS["plain"]
    cut = read(whole[:-8])
    assert cut is not None
    assert cut[0] == A
    assert B.startswith(cut[1])
    assert read(whole[: whole.index("right_image")]) is None
    assert read(whole[: whole.index(B)]) is None  # the second caption has not begun


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "They look the same to me.",
        "I cannot tell the left image from the right image.",
        '{"left_image": "A dog."}',
        '{"left_image": "", "right_image": "A dog."}',
        '{"left_image": "...", "right_image": "!"}',
        '{"left_image": null, "right_image": "A dog."}',
        '{"left_image": true, "right_image": "A dog."}',
        "{'left_image': None, 'right_image': 'A dog.'}",
        '{"image_0": "A", "image_1": "B"}',
        '["A dog.", "A cat."]',
        '{"left arm": "up", "right arm": "down"}',
        "<think>Left image: a. Right image: b.",
        "Left image: a dog.",
    ],
)
def test_what_lacks_a_caption_is_not_guessed(reply: str) -> None:
    assert read(reply) is None


def test_sets_are_read_by_their_own_keys() -> None:
    names = set_names(3)
    found = read('{"image1": "a", "image2": "b", "Image 3": "c"}', names)
    assert found is not None
    assert found == ("a", "b", "c")
    assert read('{"image1": "a", "image2": "b"}', names) is None
    assert read('{"left_image": "a", "right_image": "b"}', names) is None
    labelled = read("Image 1: a\nImage 2: b\nImage 3: c", names)
    assert labelled is not None
    assert labelled == ("a", "b", "c")
    assert slot_of("image3", PAIR) is None


def test_nothing_in_a_reply_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    code = f"__import__('pathlib').Path({str(trap)!r}).touch()"
    for reply in (
        f"{{'left_image': {code}, 'right_image': 'b'}}",
        f"{{'left_image': 'a', **{code}, 'right_image': 'b'}}",
        f'{{"left_image": "{{{{{code}}}}}", "right_image": "{code}"}}',
        code,
        "{'left_image': f'{" + code + "}', 'right_image': 'b'}",
    ):
        read(reply)
        assert not trap.exists()


def test_the_reader_has_nothing_that_could_run_a_reply() -> None:
    source = Path(reading.__file__).read_text(encoding="utf-8")
    for word in ("eval(", "exec(", "literal_eval", "import ast", "pickle", "yaml", "subprocess", "compile(__"):
        assert word not in source


PIECES = st.sampled_from(
    [
        '{"',
        "'",
        '"',
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "left_image",
        "right_image",
        "\\",
        "\\u",
        "\\ud83d",
        "```",
        "Left image:",
        "\n",
        " ",
        "a",
        "<think>",
        "null",
        '"""',
        "“",
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=60).map("".join)))
def test_no_reply_makes_the_reader_fail(reply: str) -> None:
    for names in (PAIR, set_names(3)):
        found = read(reply, names)
        if found is not None:
            assert len(found) == len(names)
            assert all(any(c.isalnum() for c in text) for text in found)
            "".join(found).encode()


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=80).filter(
    lambda t: any(c.isalnum() for c in t)
)


@given(TEXTS, TEXTS, st.booleans(), st.sampled_from(["", "Sure:\n", "```json\n"]))
def test_valid_json_comes_back_as_it_is(left: str, right: str, ascii_only: bool, before: str) -> None:
    reply = before + json.dumps({"left_image": left, "right_image": right}, ensure_ascii=ascii_only)
    found = read(reply)
    assert found is not None
    assert found == (left.strip(), right.strip())


@given(TEXTS, TEXTS, st.integers(min_value=0, max_value=400))
def test_a_cut_reply_never_gives_words_that_were_not_said(left: str, right: str, length: int) -> None:
    whole = json.dumps({"left_image": left, "right_image": right}, ensure_ascii=False)
    found = read(whole[:length])
    if found is not None and not {"\\", "{", "}", "[", "]", "`"} & set(whole[1:-1]):
        assert found[0] == left.strip()
        assert right.strip().startswith(found[1].rstrip())


@pytest.mark.parametrize(
    "reply",
    [
        "{" * 30_000,
        "[" * 30_000,
        '{"a":' * 8_000,
        '{"' * 15_000,
        "{'" * 15_000,
        "'," * 20_000,
        '"left_image":' * 3_000,
        "Left image:" * 3_000,
        " " * 40_000 + "{",
        "<think>" * 6_000,
        '{"left_image": "' + "a' , " * 8_000,
    ],
    ids=range(11),
)
def test_a_long_hostile_reply_is_read_to_its_end(reply: str) -> None:
    assert read(reply) is None  # and soon: a reader that turns back would take minutes over these


def test_what_captions_say() -> None:
    assert says_position("Darker than the Left Image.")
    assert says_position("unlike the other image")
    assert not says_position("A dog on the left, another image of joy, the right imagery")
    assert [says_position(c) for c in ("the left image", "a dog", "the other\nimage")] == [True, False, True]


def test_an_object_that_is_a_text_in_another_is_read_without_its_escapes() -> None:
    inner = json.dumps({"left_image": "a red cup", "right_image": "a blue cup"})
    assert read(json.dumps({"answer": inner})) == ("a red cup", "a blue cup")
    quoting = {"left_image": 'a sign says "{ \\"x\\""', "right_image": "a sign"}
    assert read(json.dumps(quoting)) == (quoting["left_image"], "a sign")


def test_only_what_stands_like_a_key_is_one() -> None:
    assert read('{"left_image": "Sign reads "Open": yes", "right_image": "A cat"}') == (
        'Sign reads "Open": yes',
        "A cat",
    )
    said = '{"left_image": "A dog", "right_image": "A cat",}\nNote: "left_image": refers to the first.'
    assert read(said) == ("A dog", "A cat")
