"""The page of a server that is run for others: below a prefix, with a key, without what is kept from them; /docs."""

import pytest
from playwright.sync_api import expect

from dhyan.server.operations.api_keys import KeyLimits, add_key
from support.browsing import SENTENCE, chromium, serving, settled


@pytest.fixture(scope="module")
def served(folders, tmp_path_factory):
    """The address of the page, and its key."""
    chromium()
    keys = tmp_path_factory.mktemp("keys") / "keys.toml"
    key = add_key(keys, "reader", KeyLimits())
    server, address = serving(
        "--model", folders["to-hindi"], "--root-path", "/mt", "--keys", keys, "--allow-explain"
    )  # fmt: skip
    yield f"{address}/mt/", key
    server.terminate()
    assert server.wait(15) == 0


@pytest.fixture
def page(browser, served):
    """A tab that must ask for nothing outside of the prefix and complain of nothing but refused keys."""
    context = browser.new_context()
    context.set_default_timeout(15_000)
    tab = context.new_page()
    complaints, strangers = [], []
    tab.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.on(
        "request", lambda asked: None if asked.url.startswith(served[0].rstrip("/")) else strangers.append(asked.url)
    )
    yield tab
    context.close()
    assert not strangers
    assert not [said for said in complaints if "401" not in said]


def give(page, key):
    page.get_by_label("Key").fill(key)
    page.get_by_role("button", name="Go on").click()


def test_the_page_asks_for_a_key_and_works_below_a_prefix(page, served):
    address, key = served
    page.goto(address.rstrip("/"))  # the slash is added
    expect(page.get_by_role("heading")).to_have_text("This server asks for a key")
    give(page, "wrong")
    expect(page.get_by_role("alert")).to_have_text("This key is not known here.")
    give(page, key)
    page.get_by_label("Your text").fill(SENTENCE)
    settled(page)
    expect(page.locator("#translation")).not_to_be_empty()
    page.get_by_role("link", name="Open it up").click()
    settled(page)
    expect(page.locator("main h1")).to_have_text("Look inside")
    expect(page.locator("nav [data-view='labs']")).to_have_count(0)
    page.goto(f"{address}#/labs")
    expect(page.get_by_text("This view is off on this server.")).to_be_visible()
    page.goto(f"{address}#/watch")
    expect(page.get_by_text("No training can be watched here")).to_be_visible()


def test_the_api_is_described_without_anything_from_elsewhere(page, served):
    address, _ = served
    page.goto(f"{address}docs")
    operation = page.locator("details", has_text="/api/v1/translate").first
    operation.locator("summary").click()
    expect(operation.get_by_role("heading", name="Body")).to_be_visible()
    expect(operation.locator("pre")).to_contain_text(f"curl -X POST '{address}api/v1/translate'")
    assert page.locator("details").count() > 40
