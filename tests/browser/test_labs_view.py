"""Labs: knobs that really turn, and experiments that are really measured."""

from playwright.sync_api import expect

from dhyan.lab.framework.live import run_live
from support.browsing import settled


def test_a_knob_recomputes_sentence_table_and_plot(open_page):
    page = open_page("labs", lab="sqrt-dk")
    expect(page.locator(".says").first).to_have_text(run_live("sqrt-dk").says)
    before = page.locator('[data-figure="variance"] svg').inner_html()
    page.locator('[data-knob="keys"]').focus()
    page.keyboard.press("ArrowRight")  # by keyboard alone
    page.wait_for_url("**keys=33*")
    turned = run_live("sqrt-dk", {"keys": 33})
    expect(page.locator(".says").first).to_have_text(turned.says)
    assert page.locator('[data-figure="variance"] svg').inner_html() != before
    rows = page.locator(".live tbody tr").evaluate_all(
        "all => all.map((row) => [...row.cells].map((c) => c.innerText))"
    )
    assert rows == turned.tables[0].rows
    expect(page.locator('[data-knob="keys"]')).to_be_focused()

    page.locator('[data-knob="sizes"]').fill("8, 32")
    page.get_by_role("button", name="Draw again").click()
    page.wait_for_url("**seed=1*")
    both = run_live("sqrt-dk", {"keys": 33, "sizes": [8, 32]}, seed=1)
    expect(page.locator(".says").first).to_have_text(both.says)
    again = open_page("labs", **dict(part.split("=") for part in page.url.partition("?")[2].split("&")))
    expect(again.locator(".says").first).to_have_text(both.says)  # the URL is all it takes


def test_a_wrong_knob_is_told_and_put_right(open_page):
    page = open_page("labs", lab="norms")
    page.locator('[data-knob="neighbour_lengths"]').fill("6, many")
    expect(page.locator(".problem")).to_contain_text("neighbour_lengths.1 = 'many'")
    page.get_by_role("button", name="As it was").click()
    expect(page.locator(".problem")).to_be_hidden()
    expect(page.locator('[data-knob="neighbour_lengths"]')).to_have_value("6, 8, 12, 24, 48")


def test_an_experiment_is_measured_from_the_page(open_page):
    page = open_page("labs", lab="leak")
    expect(page.locator(".measured")).to_contain_text("dhyan lab leak --quick")
    page.get_by_role("button", name="Measure it now").click()
    expect(page.locator("progress")).to_be_visible()
    page.get_by_role("link", name="autoregressive").click()
    expect(page.locator(".measured")).to_contain_text("Being measured: leak")  # one at a time
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Measure it now").click()
    expect(page.locator(".measured .badge")).to_have_text("✓ The claim held", timeout=60_000)
    expect(page.locator('[data-figure="seconds"] svg')).to_be_visible()
    expect(page.locator(".labs-list [aria-current] ~ .mark")).to_have_attribute("aria-label", "The claim held")
    with page.expect_download() as waiting:
        page.locator('[data-key="svg-seconds"]').click()
    assert waiting.value.suggested_filename == "autoregressive-seconds.svg"


def test_labs_in_hindi(open_page):
    page = open_page("labs", lab="norms", language="hi")
    settled(page)
    expect(page.get_by_role("heading", name="प्रयोगशाला")).to_be_visible()
    expect(page.locator(".says").first).to_contain_text("बैच नॉर्म के बाद")
    expect(page.locator('[data-figure="neighbours"] svg')).to_contain_text("लेयर नॉर्म")
