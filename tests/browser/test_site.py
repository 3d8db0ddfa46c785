"""A site in a real Chromium: all answers come from the tab, also when the server is gone."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from dhyan.browser.site import plan_site, write_site
from dhyan.pack.pack import find_pack
from support.browsing import settled

SENTENCE = "The river is deep."
HINDI = "नदी"


class Host(SimpleHTTPRequestHandler):
    """As `python -m http.server`; it writes down what was asked for."""

    asked: ClassVar[list[str]] = []

    def log_message(self, format, *arguments):
        self.asked.append(self.path)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("host")
    write_site(plan_site({name: find_pack(name) for name in ("en-hi", "writer")}), folder / "below" / "here")
    return folder


@pytest.fixture
def host(built):
    Host.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=built))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def visit(host, browser):
    """visit("bench", text=…): the site in a fresh browser, which must stay at home and complain of nothing."""
    context = browser.new_context(viewport={"width": 1366, "height": 900}, locale="en")
    context.set_default_timeout(30_000)
    page = context.new_page()
    address = f"http://127.0.0.1:{host.server_address[1]}/below/here/"
    complaints, strangers = [], []
    page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    context.on("request", lambda one: strangers.append(one.url) if not one.url.startswith(address) else None)

    def visited(view="translate", **asked):
        query = "&".join(f"{name}={quote(str(value))}" for name, value in asked.items())
        page.goto(f"{address}#/{view}?{query}")
        settled(page)
        return page

    visited.context, visited.page, visited.address = context, page, address
    yield visited
    context.close()
    assert not strangers
    assert not complaints


def kept(page):
    """Until the page's own files are kept."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")


def test_a_visit_and_another_without_a_connection(visit, host):
    page = visit(text=SENTENCE)
    expect(page.locator(".sheet").nth(1)).to_contain_text(HINDI)
    visit("write", model="writer", text="To be")
    assert not page.locator(".problem:visible").count()
    kept(page)
    assert not [path for path in Host.asked if "api/v1" in path]
    visit.context.set_offline(True)
    host.shutdown()
    page.goto("about:blank")
    page = visit(text=SENTENCE)
    expect(page.locator(".sheet").nth(1)).to_contain_text(HINDI)

    visit("bench", text=SENTENCE)  # opened up
    expect(page.locator("main")).to_contain_text(HINDI)
    page.get_by_role("button", name="▶ Play").click()
    expect(page.locator(".flow.playing")).to_be_visible()
    visit("follow", text=SENTENCE)
    assert not page.locator(".problem:visible").count()
    for chapter in range(1, 13):  # of the lesson
        page.goto(f"{visit.address}#/learn?chapter={chapter}")
        expect(page.locator(f"#chapter-{chapter} .scene").first).to_be_attached()
    assert not page.locator(".problem:visible").count()
    visit("write", model="writer", text="To be")
    assert not page.locator(".problem:visible").count()
    visit("labs")
    expect(page.locator(".live figure, .live svg, .live img").first).to_be_visible()
    page.goto(f"{visit.address}#/watch")
    expect(page.locator(".problem:visible")).to_contain_text("needs Dhyan itself")


def test_a_broken_or_half_stored_pack_is_fetched_again_and_what_is_stored_can_be_cleared(visit):
    page = visit(text=SENTENCE)
    expect(page.locator(".sheet").nth(1)).to_contain_text(HINDI)
    weights = f"{visit.address}packs/en-hi/model.safetensors"
    spoil = """async ([address, how]) => {
      const name = (await caches.keys()).find((one) => one.startsWith("dhyan packs"));
      const cache = await caches.open(name);
      const bytes = new Uint8Array(await (await cache.match(address)).arrayBuffer());
      bytes[1000000] ^= 255;
      await cache.put(address, new Response(how === "half" ? bytes.slice(0, bytes.length / 2) : bytes));
    }"""
    for how in ("half", "other bytes"):
        page.evaluate(spoil, [weights, how])
        before = Host.asked.count("/below/here/packs/en-hi/model.safetensors")
        page.goto("about:blank")
        page = visit(text=SENTENCE)
        expect(page.locator(".sheet").nth(1)).to_contain_text(HINDI)
        assert Host.asked.count("/below/here/packs/en-hi/model.safetensors") == before + 1
    expect(page.locator(".fetching:visible")).to_have_count(0)
    page.locator("[data-key=stored]").click()
    expect(page.locator("[data-pack=en-hi]")).to_have_text("en-hi CC BY-SA 4.024.0 MB")
    page.locator("[data-pack=writer]").get_by_role("button", name="Fetch 5.4 MB").click()  # before it is needed
    expect(page.locator("[data-pack] button")).to_have_count(0)
    page.locator("[data-key=clear-stored]").click()
    expect(page.locator("[data-pack] button")).to_have_count(2)
    assert page.evaluate("caches.keys()") == []


def test_a_worker_that_does_not_come_is_no_fault_of_the_browser(visit):
    visit.context.route("**/js/worker.js", lambda route: route.fulfill(status=404))
    visit.page.goto(visit.address)
    expect(visit.page.locator(".problem")).to_have_text(
        "this site is incomplete, or there is no connection: load the page again."
    )


def test_a_browser_that_cannot_says_so_in_one_sentence(visit):
    visit.page.add_init_script("WebAssembly.validate = () => false")
    visit.page.goto(visit.address)
    expect(visit.page.locator(".problem")).to_have_text(
        "this browser cannot run Dhyan, which needs WebAssembly SIMD and module workers: update it, or use another."
    )
