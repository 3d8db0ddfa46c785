"""A real Chromium on a real `dhyan serve`. In no test may anything leave the host or land on the console."""

from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import sync_playwright

from dhyan.explain.explainer import Explainer
from dhyan.pack.pack import read_pack
from support.browsing import PACKS, SENTENCE, SWITCHES, chromium, readable, serving, settled

IN_MAKE_TEST = ("test_translate_view.py", "test_bench.py", "test_links.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """A browser takes long: `make test` opens the views that people use most, `make long` all others."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in IN_MAKE_TEST:
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("packs")
    for name, (shape, options) in PACKS.items():
        readable(folder / name, shape, **options)
    return {name: folder / name for name in PACKS}


@pytest.fixture(scope="session")
def explainers(folders):
    return {name: Explainer(read_pack(folder)) for name, folder in folders.items()}


@pytest.fixture(scope="session")
def trace(explainers):
    """The same sentence, explained in Python."""
    return explainers["to-hindi"].explain(SENTENCE)


@pytest.fixture(scope="session")
def address(folders, tmp_path_factory):
    """Where all of them are served."""
    chromium()
    dev = tmp_path_factory.mktemp("dev") / "dev.tsv"
    dev.write_text("the river\tनदी का घर\n", encoding="utf-8")
    named = [part for folder in folders.values() for part in ("--model", folder)]
    server, address = serving("--dev", dev, *named, DHYAN_HOME=str(tmp_path_factory.mktemp("home")))
    yield address
    server.terminate()
    server.wait(10)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, address):
    """open_page("bench", text=…): a page on a view, which must stay at home and complain of nothing."""
    contexts, complaints, strangers = [], [], []

    def opened(view="translate", width=1366, height=900, scheme="light", language="en", **asked):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, locale=language, accept_downloads=True
        )
        contexts.append(context)
        context.set_default_timeout(15_000)
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.on("console", lambda said: complaints.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: strangers.append(request.url) if elsewhere(request.url) else None)
        page.goto(link(view, **asked))
        settled(page)
        return page

    def elsewhere(url):
        return not url.startswith((address, f"blob:{address}"))

    def link(view, **asked):
        pairs = [
            f"{name}={quote(str(one), safe='[],:')}"
            for name, value in asked.items()
            for one in (value if isinstance(value, list) else [value])
        ]
        return f"{address}/#/{view}?{'&'.join(pairs)}"

    opened.link, opened.complaints, opened.address = link, complaints, address
    yield opened
    for context in contexts:
        context.close()
    assert not strangers
    # A refused request is written to the console by the browser itself; what it was is tested where it is caused.
    assert not [said for said in complaints if "Failed to load resource" not in said]


@pytest.fixture
def at():
    """The number that an element shows, in full."""

    def number(page, address, where=""):
        element = page.locator(f'{where} [data-address="{address}"][data-value]').first
        return float(element.get_attribute("data-value"))

    return SimpleNamespace(number=number, same=lambda one, other: np.float32(one) == np.float32(other))
