"""The viewer in a real browser: accessible, usable by keyboard and on a phone, live, and deaf to hostile text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.present.made import Dots, answered_run, counting, dots
from tests.viewer.browser import DESKTOP, PHONE, Watched, chromium, needs_a_browser, violations
from tests.viewer.served import Served, served

from snellen.core.types import Call
from snellen.engine.runs.run import Run, open_run

pytestmark = needs_a_browser
HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "javascript:alert(1)",
    "</title></style></script><iframe src=//evil.example></iframe>",
    "\x1b[2J\x1b]0;owned\x07 \u202eevil\u2066",
    "{{ 7*7 }}{% raw %} <!-- ]]> &lt;b&gt; ' onmouseover='alert(1)",
    '<form action=//evil.example><meta http-equiv="refresh" content="0;url=//evil.example"><base href=//evil.example>',
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


def targets(keys: list[str]) -> dict[str, str]:
    return {
        "runs": "/",
        "run": f"/run/{keys[0]}",
        "samples": f"/run/{keys[0]}/samples?tag.split=P3",
        "sample": f"/run/{keys[0]}/sample/3",
        "compare": f"/compare?run={keys[0]}&run={keys[1]}",
        "nothing there": "/nothing",
    }


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_and_fits_the_screen(
    browser: Any, viewer: Served, keys: list[str], size: tuple[int, int], scheme: str
) -> None:
    seen = Watched(browser, viewer.keys.link(), size, color_scheme=scheme)
    for name, target in targets(keys).items():
        page = seen.go(target)
        assert violations(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], name
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (ground == "rgb(20, 22, 26)") is (scheme == "dark"), name
    assert seen.errors == [] == seen.dialogs and seen.foreign == []
    seen.context.close()


def test_every_page_works_without_a_script(browser: Any, viewer: Served, keys: list[str]) -> None:
    seen = Watched(browser, viewer.keys.link(), java_script_enabled=False)
    page = seen.page
    page.get_by_role("link", name="salbench · baseline/chance").click()
    page.get_by_role("link", name="All 120 samples").click()
    page.get_by_label("Outcome").select_option("correct")
    page.get_by_label("under protocol").select_option("robust")
    page.get_by_role("button", name="Show").click()
    assert "outcome=correct" in page.url and "protocol=robust" in page.url
    page.locator("a.open").first.click()
    page.locator("h1").wait_for()
    assert "/sample/" in page.url and page.locator("h1").count() == 1
    page.goto(seen.base)
    for box in page.locator("input[name=run]").all():
        box.check()
    page.get_by_role("button", name="Compare two").click()
    assert page.get_by_role("heading", name="Side by side").is_visible()
    seen.context.close()


def test_keys_lead_through_the_samples(browser: Any, viewer: Served, keys: list[str]) -> None:
    seen = Watched(browser, viewer.keys.link())
    page = seen.go(f"/run/{keys[0]}/samples")
    names = page.eval_on_selector_all("a.open", "all => all.map(a => a.textContent)")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.textContent") == names[1]
    page.keyboard.press("Enter")
    page.wait_for_url("**/sample/1")
    page.keyboard.press("j")
    page.wait_for_url("**/sample/2")
    page.keyboard.press("k")
    page.wait_for_url("**/sample/1")
    page.keyboard.press("u")
    page.wait_for_url("**/samples")
    page.keyboard.press("n")
    page.wait_for_url("**/samples?page=2")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("j?k/")
    assert page.input_value("#q") == "j?k/" and not page.locator("#help").is_visible()
    page.locator("h1").click()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible() and violations(page) == []
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()
    seen.context.close()


def test_thumbnails_and_pictures_are_drawn(browser: Any, viewer: Served, keys: list[str]) -> None:
    seen = Watched(browser, viewer.keys.link())
    page = seen.go(f"/run/{keys[0]}/samples")
    page.wait_for_function("() => document.querySelector('.thumb img').naturalWidth > 0", timeout=60_000)
    page = seen.go(f"/run/{keys[0]}/sample/3")
    page.wait_for_function("() => document.querySelector('svg.query use').getBBox().width === 8", timeout=60_000)
    address = page.get_attribute("svg.held image", "href")
    assert page.request.get(seen.base + address).headers["content-type"] == "image/png"
    assert any(url.endswith(address) for url in seen.requests)
    seen.context.close()


def test_a_live_page_shows_new_answers_by_itself(browser: Any, runs: Path, tmp_path: Path) -> None:
    import shutil

    from filelock import FileLock

    folder = Path(shutil.copytree(next(runs.glob("*chance*")), tmp_path / "runs" / "mine"))
    answers = folder / "answers.jsonl"
    lines = answers.read_bytes().splitlines(keepends=True)
    (folder / "summary.json").unlink()
    answers.write_bytes(b"".join(lines[:10]))
    with served(tmp_path / "runs") as viewer, FileLock(folder / ".lock"):
        seen = Watched(browser, viewer.keys.link())
        assert "10 of 120 answers, going on" in seen.page.inner_text("main")
        seen.page.locator("input[name=run]").check()
        seen.page.locator("h1").click()
        with answers.open("ab") as file:
            file.writelines(lines[10:37])
        seen.page.wait_for_function("() => document.body.innerText.includes('37 of 120 answers')", timeout=60_000)
        assert seen.page.locator("input[name=run]").is_checked()
        seen.context.close()


# ---------------------------------------------------------------- hostile text


def hostile_run(path: Path, subject: str) -> Run:
    """A run whose ids, tags, truths, replies, thoughts, ledger, names and notes are all hostile."""
    samples = [
        msgspec.structs.replace(s, id=f"{i} {text}", tags={"kind": text, text: "x"})
        for i, (s, text) in enumerate(zip(dots(*map(str, range(len(HOSTILE)))), HOSTILE, strict=True))
    ]
    run = answered_run(
        path,
        Dots(samples, counting("exact"), counting("<b>other")),
        {s.id: t for s, t in zip(samples, HOSTILE, strict=True)},
        notes=HOSTILE,
        failures=dict.fromkeys(HOSTILE, 1),
        advice=HOSTILE,
    )
    manifest = msgspec.structs.replace(
        run.manifest,
        subject=msgspec.structs.replace(
            run.manifest.subject, spec=subject, identity={"parameters": {subject: subject}}
        ),
    )
    run.folder.write_record(manifest)
    lines = []
    for text, answer in zip(HOSTILE, run.answers(), strict=True):
        call = Call(
            key=text,
            kind=text,
            endpoint=text,
            model=text,
            model_returned=text,
            note=text,
            left_out=(text,),
            response_id=text,
        )
        lines.append(
            msgspec.json.encode(msgspec.structs.replace(answer, thinking=text, calls=(call,), finish_reason=text))
        )
    run.folder.answers_path.write_bytes(b"\n".join(lines) + b"\n")
    return open_run(path)


def test_hostile_text_stays_inert(browser: Any, tmp_path: Path) -> None:
    names = ("<img src=x onerror=alert(1)>", "'><svg onload=alert(1)>")
    for name, subject in zip(names, HOSTILE, strict=False):
        hostile_run(tmp_path / "runs" / name, subject)
    (tmp_path / "runs" / "<script>alert(1)<").mkdir()
    with served(tmp_path / "runs") as viewer:
        seen = Watched(browser, viewer.keys.link())
        entries = viewer.viewer.run_index.found().runs
        assert len(entries) == 2
        pages = [
            "/",
            "/?q=" + "%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
            "/compare?run={}&run={}&only=".format(*(e.key for e in entries)),
        ]
        pages += ["/run/%3Cscript%3Ealert(1)%3C/script%3E"]
        for entry in entries:
            pages += [
                f"/run/{entry.key}",
                f"/run/{entry.key}/samples?q=%3Cscript%3E&tag.%3Cb%3E=%22%3E",
                f"/run/{entry.key}/samples",
            ]
            pages += [f"/run/{entry.key}/sample/{row}" for row in range(len(HOSTILE))]
        for target in pages:
            page = seen.go(target)
            page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
            page.wait_for_load_state("networkidle")
            found = page.evaluate(
                "() => document.querySelectorAll('main script, iframe, [onload], [onerror], [onmouseover], base, main form[action*=evil], a[href^=javascript], meta[http-equiv], main svg[onload]').length"
            )
            assert found == 0, target
            assert "\x1b" not in page.inner_text("body") and "\u202e" not in page.inner_text("body")
        assert seen.dialogs == [] and seen.foreign == [] and seen.errors == []
        page = seen.go(f"/run/{entries[0].key}/samples")
        assert all(text in page.inner_text("main") for text in (HOSTILE[0], HOSTILE[1]))
        seen.context.close()


def test_what_a_page_would_run_inline_is_stopped_by_the_policy(browser: Any, viewer: Served) -> None:
    """Were an escape forgotten somewhere, the browser still would not run it."""
    seen = Watched(browser, viewer.keys.link())
    seen.page.evaluate(
        "() => document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=alert(1)><svg onload=alert(1)></svg>')"
    )
    seen.page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'alert(2)'; document.body.append(s) }"
    )
    seen.page.wait_for_timeout(500)
    assert seen.dialogs == [] and any("Content Security Policy" in error for error in seen.errors)
    seen.context.close()


def test_no_script_reads_the_cookie(browser: Any, viewer: Served) -> None:
    seen = Watched(browser, viewer.keys.link())
    assert seen.page.evaluate("document.cookie") == ""
    assert seen.context.cookies()[0]["httpOnly"] and viewer.keys.secret not in seen.page.url
    seen.context.close()
