"""The lesson: the notes' numbers worked out in the browser, the model's numbers beside them, in both languages."""

import json
import re
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dhyan.lab.framework.live import run_live
from support.browsing import SENTENCE, settled

CHAPTERS = 12
# every number of the notes, to the digits that they give
BY_HAND = {
    "q": [[0.7621, -0.0477], [1.1102, 0.7871], [1.1070, -2.1537]],
    "k": [[-0.1418, -0.2978], [0.1049, 0.3774], [-0.9639, -2.4066]],
    "v": [[0.5996, 0.7375], [-0.3538, 0.5245], [3.8574, 2.4093]],
    "weights": [[0.3564, 0.3979, 0.2457], [0.3414, 0.6033, 0.0554], [0.0691, 0.0300, 0.9009]],
    "mixed": [[1.0207, 1.0635], [0.2048, 0.7016], [3.5061, 2.2373]],
}
MASKED = {
    "masked weights": [[1, 0, 0], [0.3614, 0.6386, 0], [0.0691, 0.0300, 0.9009]],
    "masked attention": [[0.5996, 0.7375], [-0.0093, 0.6015], [3.5061, 2.2373]],
}
ENCODING = {"PE": [[0, 1, 0, 1, 0, 1], [0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0000]]}
NORMS = {"layer": [[1.3363, -0.2673, -1.0690]], "batch": [[1.1859, 1.1667, -0.2041]]}  # of the first row
LIVE = {1: 6, 2: 4, 4: 20, 5: 4, 6: 8, 7: 18, 8: 15, 9: 20, 10: 3, 11: 10, 12: 5}  # model's numbers, at least


def chapter(page, number):
    """Once its pictures are drawn."""
    section = page.locator(f"#chapter-{number}")
    expect(section.locator(".scene").first).to_be_attached()
    expect(page.locator("[aria-busy]")).to_have_count(0, timeout=30_000)
    return section


def cells(section, name):
    """A matrix that was worked out here, as it is written."""
    rows = section.locator(f'[data-grid="{name}"] tbody tr').evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('[data-cell]')].map((one) => one.textContent))"
    )
    return [[float(text.replace("−", "-").replace("∞", "inf")) for text in row] for row in rows]


def test_every_chapter_shows_the_numbers_of_the_model(open_page, explainers, trace):
    page = open_page("learn", text=SENTENCE, chapter=1)
    written = explainers["author"].explain(SENTENCE.rpartition(" ")[0], max_length=12)  # it goes on from there
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/api/" in request.url else None)
    for number in range(1, CHAPTERS + 1):
        section = chapter(page, number)
        expect(page.locator(".lesson-rail [aria-current]")).to_have_attribute("data-chapter", str(number))
        shown = section.locator("[data-address][data-value]").evaluate_all(
            "all => all.map((one) => [one.dataset.address, one.dataset.value])"
        )
        assert len(shown) >= LIVE.get(number, 0), (number, len(shown))
        for address, value in shown:
            of = written if number == CHAPTERS else trace
            assert float(value) == pytest.approx(float(of[address]), rel=1e-6, abs=1e-9), address
        expect(section.locator(".question summary")).to_have_count(1)
        expect(section.locator(".more code").first).to_be_attached()
        if number < CHAPTERS:
            page.keyboard.press("PageDown" if number % 2 else "ArrowRight")
            page.wait_for_url(f"**chapter={number + 1}*")
    page.keyboard.press("PageUp")
    page.wait_for_url(f"**chapter={CHAPTERS - 1}*")
    assert len(asked) == len(set(asked)) < 50  # it asks for little, and for nothing twice


def test_the_worked_numbers_are_those_of_the_notes(open_page):
    page = open_page("learn", text=SENTENCE, chapter=3, part=5)
    section = chapter(page, 3)
    for name, expected in BY_HAND.items():
        assert cells(section, name) == expected, name
    expect(section).to_contain_text("“write” is 36 % similar to itself")
    expect(section.locator(".sum")).to_contain_text("= 1.0207")  # the sum behind the first number
    for number, tables in ((7, ENCODING), (8, NORMS), (9, MASKED)):
        page.goto(open_page.link("learn", text=SENTENCE, chapter=number))
        section = chapter(page, number)
        for name, expected in tables.items():
            assert cells(section, name)[: len(expected)] == expected, name
    page.goto(open_page.link("learn", text=SENTENCE, chapter=2))
    apple = chapter(page, 2).locator("[data-cell=taste], [data-cell=technology]")
    assert apple.all_inner_texts() == ["0.9", "0.1"]


def test_numbers_can_be_changed_and_stand_in_the_url(open_page):
    page = open_page("learn", text=SENTENCE, chapter=3, part=5)
    section = chapter(page, 3)
    for cell in ("0-0", "0-1", "1-0", "1-1"):  # the worked answer: with W_Q at zero all weights are equal
        section.locator(f'[data-key="W_Q-{cell}"]').fill("0")
    expect(section.locator('[data-cell="weights[1,2]"]')).to_have_text("0.3333")
    assert cells(section, "mixed")[1] == [1.3677, 1.2238]
    page.wait_for_url("**hand=*")
    expect(section.locator('[data-key="W_Q-1-1"]')).to_be_focused()
    again = open_page("learn", **{name: unquote(value) for name, value in asked(page.url).items()})
    assert cells(chapter(again, 3), "mixed")[1] == [1.3677, 1.2238]
    again.get_by_role("button", name="As in the notes").click()
    expect(again.locator('#chapter-3 [data-cell="mixed[1,0]"]')).to_have_text("0.2048")


def asked(url):
    return dict(part.split("=", 1) for part in url.partition("?")[2].replace("+", " ").split("&"))


def test_one_sentence_goes_through_the_lesson(open_page, explainers):
    page = open_page("learn", text=SENTENCE, chapter=4)
    chapter(page, 4)
    page.get_by_label("Your sentence").fill("the house")
    page.keyboard.press("Enter")
    page.wait_for_url("**text=the+house*")
    settled(page)
    found = explainers["to-hindi"].explain("the house")
    expect(page.locator(".lesson-answer b")).to_have_text(found.text)
    page.locator('#chapter-4 [data-part="0"] [data-key="look-0"]').click()
    page.wait_for_url("**look=0*")
    settled(page)
    expect(page.locator('#chapter-4 [data-part="0"] [data-key="look-0"]')).to_be_focused()
    share = page.locator('#chapter-4 [data-address="enc.0.self.h0.weights[0,1]"]').first
    assert float(share.get_attribute("data-value")) == pytest.approx(
        float(found["enc.0.self.h0.weights[0,1]"]), rel=1e-6
    )
    page.locator("#chapter-4 .lesson-stage > figcaption button").last.click()
    page.locator('#chapter-4 .fan [data-address="enc.0.self.h0.weights[0,1]"]').click()  # opened where it is made
    page.wait_for_url(re.compile(r"#/bench\?.*at=enc\.0\.self\.h0\.weights\[0,1\]"))
    expect(page.locator(".badge.right").first).to_be_visible()


def test_an_experiment_is_measured_for_the_lesson(open_page):
    page = open_page("learn", text=SENTENCE, chapter=5)
    section = chapter(page, 5)
    sizes = [4, 8, 16, 32, 64, 128, 256, 512, 1024]
    rows = run_live("sqrt-dk", {"sizes": sizes}).tables[0].rows
    for d, scores, variance, *_ in rows:
        expect(section.locator(f'[data-variance="{scores} {d}"]')).to_have_text(variance)
    section.locator('[data-slider="d"]').evaluate(
        "box => { box.value = '8'; box.dispatchEvent(new Event('input')); }"
    )
    largest = next(row[4] for row in rows if row[:2] == ["1024", "q·k"])
    expect(section.locator('[data-largest="q·k"]')).to_have_text(f"{float(largest) * 100:.0f} %")


def test_the_text_turns_the_picture_and_the_picture_the_text(open_page):
    page = open_page("learn", text=SENTENCE, chapter=4, part=3)
    section = chapter(page, 4)
    expect(section.locator('.scene[data-part="2"]')).to_be_visible()
    expect(section.locator('.scene[data-part="0"]')).to_be_hidden()
    section.locator(".lesson-stage > figcaption").get_by_role("button", name="Picture 1").click()
    expect(section.locator('.scene[data-part="0"]')).to_be_visible()
    section.locator(".part").nth(3).evaluate("one => one.scrollIntoView({ block: 'center' })")
    page.wait_for_url("**part=4*")
    expect(section.locator('.scene[data-part="3"]')).to_be_visible()
    page.keyboard.press("p")  # presenter mode: one part at a time, then the next chapter
    expect(section.locator(".part.here")).to_have_count(1)
    expect(section.locator(".part").nth(0)).to_be_hidden()
    page.keyboard.press(" ")
    page.wait_for_url("**chapter=5*")
    expect(section).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(section.locator('.scene[data-part="3"]')).to_be_visible()


def test_what_is_not_served_is_said(open_page):
    page = open_page("translate")

    def without(*names):
        def answer(route):
            known = route.fetch().json()
            known["models"] = [one for one in known["models"] if one["name"] not in names]
            route.fulfill(body=json.dumps(known), content_type="application/json")

        return answer

    page.route("**/api/v1/models", without("author", "moods", "topics", "worth"))
    page.goto(open_page.link("learn", text=SENTENCE, chapter=12))
    page.reload()
    section = chapter(page, 12)
    expect(section.locator(".problem")).to_have_count(2)
    expect(section.locator(".problem").last).to_contain_text("dhyan serve --model writer", use_inner_text=False)
    expect(section.locator('[data-shape="encoder-decoder"]')).not_to_be_empty()


def serious_for_axe(page):
    page.evaluate(
        "() => Promise.allSettled(document.getAnimations().map((one) => one.finished))"
    )  # nothing half faded in
    serious = [one for one in Axe().run(page).response["violations"] if one["impact"] in ("serious", "critical")]
    return [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in serious]


# formulas, addresses, commands, what is marked as English, and matrices of the notes' words may stay as they are
READ_AS_HINDI = """() => {
  const copy = document.querySelector('.lesson').cloneNode(true);
  const kept = 'code, math, [lang=en], .special, option, .grid, .shifted';
  for (const one of copy.querySelectorAll(kept)) one.remove();
  const read = copy.querySelectorAll('h1, h2, h3, p, dt, label, button, summary, th, li, small, figcaption, text');
  return [...read].map((one) => one.textContent);
}"""


def test_the_lesson_on_a_telephone_in_hindi(open_page):
    page = open_page("learn", width=390, height=844, scheme="dark", language="hi", text=SENTENCE)
    for number in range(1, CHAPTERS + 1):
        page.evaluate("id => document.getElementById(id).scrollIntoView()", f"chapter-{number}")
        page.wait_for_timeout(150)
        section = chapter(page, number)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, number
        assert section.locator(".slot .scene").count() >= 1  # below its part, not beside
    assert not serious_for_axe(page)
    english = [text for text in page.evaluate(READ_AS_HINDI) if re.search(r"[A-Za-z]{3,}\W+[A-Za-z]{3,}", text)]
    assert not english
    expect(page.get_by_role("heading", name="सेल्फ़-अटेंशन, अपने हाथ से")).to_be_attached()


def test_nothing_serious_for_axe(open_page):
    page = open_page("learn", text=SENTENCE, chapter=6)
    section = chapter(page, 6)
    for summary in section.locator("summary").all():  # the answer, and the code
        summary.click()
    expect(section.locator("pre")).to_contain_text("def attend")
    assert not serious_for_axe(page)
