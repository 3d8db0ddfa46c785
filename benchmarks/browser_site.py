"""A site in Chromium: how soon it answers, what it weighs, whether it grows, and that nothing leaves the host.

    python benchmarks/browser_site.py [--model en-hi] [--rounds 200]

`dhyan site` is built and put on a plain web server of this machine. A fresh Chromium visits it, visits it again with
everything stored, then types sentences and opens them up in turns. Memory is what the browser counts for the page and
its worker after everything that is no longer needed was let go, WebAssembly and arrays with it; beside it, what the
tab's process has for itself, the browser's own code and caches included. It needs Chromium and Playwright (the extra
dev).
"""

import argparse
import gzip
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import IO, Any, ClassVar
from urllib.parse import quote

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from dhyan.browser.site import plan_site, write_site
from dhyan.pack.pack import find_pack

SWITCHES = [
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--enable-blink-features=ForceEagerMeasureMemory",  # counts at once, not at the browser's leisure
]
VISITS = 5
SECONDS = 60  # that anything may take
VIEWS = ("bench", "follow", "bench", "compare")
PEOPLE = ("The farmer", "My sister", "A teacher", "The doctor", "Our neighbour", "The old man", "His daughter")
DOES = ("buys", "sees", "paints", "forgets", "finds")
THINGS = ("a red house", "the river", "two books", "an apple", "the last train", "a letter")
SHOWN = """() => { // when the translation is first seen
  const now = () => performance.timeOrigin + performance.now();
  const look = () => {
    globalThis.shownAt ??= /[ऀ-ॿ]/.test(document.querySelectorAll(".sheet")[1]?.textContent) ? now() : undefined;
    requestAnimationFrame(look);
  };
  look();
}"""
COUNT = """async () => {
  const { breakdown } = await performance.measureUserAgentSpecificMemory();
  const sum = (isCounted) => breakdown.filter(isCounted).reduce((total, one) => total + one.bytes, 0);
  const ofWorker = (one) => one.attribution.some(({ scope }) => scope.includes("Worker"));
  return { worker: sum(ofWorker), page: sum((one) => !ofWorker(one)) };
}"""


class Host(SimpleHTTPRequestHandler):
    """As `python -m http.server`, and isolated, or a browser counts no memory. It keeps when a file was sent."""

    sent: ClassVar[dict[str, float]] = {}  # path → seconds since 1970

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        super().end_headers()

    def copyfile(self, source: Any, outputfile: IO[bytes]) -> None:  # type: ignore[override]
        super().copyfile(source, outputfile)
        self.sent[self.path] = time.time()

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--model", default="en-hi", help="a pack that translates from English to Hindi")
    arguments.add_argument("--rounds", type=int, default=200, help="translations, and as many views")
    given = arguments.parse_args()
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("No Chromium: install it (Debian: apt-get install chromium fonts-noto-core).")
    switches = [*SWITCHES, "--js-flags=--expose-gc", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        write_site(plan_site({given.model: find_pack(given.model)}), Path(folder, "site"))
        server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=str(Path(folder, "site"))))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        browser = playwright.chromium.launch(executable_path=chromium, args=switches)
        print_sizes(Path(folder, "site"))
        measure(browser, address, given.model, given.rounds)
        browser.close()
        server.shutdown()


def print_sizes(site: Path) -> None:
    source = (site / "service-worker.js").read_text(encoding="utf-8")
    found = re.search(r"^const PAGE = (\{.+\});$", source, re.MULTILINE)
    assert found is not None
    page = [site / (path or "index.html") for path in json.loads(found[1])["files"]]
    packs = [path for path in (site / "packs").rglob("*") if path.suffix in (".json", ".safetensors")]
    for name, files in {"the page": page, "the pack": packs}.items():
        contents = [path.read_bytes() for path in files]
        small = sum(len(gzip.compress(content, 6)) for content in contents)
        row(f"download of {name}", f"{sum(map(len, contents)) / 1e6:.2f} MB, gzip {small / 1e6:.2f} MB")


def measure(browser: Browser, address: str, model: str, rounds: int) -> None:
    strangers: list[str] = []
    first, again = [], []
    for _ in range(VISITS):
        context = fresh(browser, address, strangers)
        page = context.new_page()
        shown = visited(page, f"{address}#/translate?text=The river is deep.")
        first.append(shown - Host.sent[f"/packs/{model}/model.safetensors"])
        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        page.goto("about:blank")
        context.set_offline(True)
        begun = time.time()
        again.append(visited(page, f"{address}#/translate?text=The river is deep.") - begun)
        context.close()
    row("first translation after the download", f"{median(first):.2f} s (worst {max(first):.2f})", "< 1 s")
    row("first translation, all stored, offline", f"{median(again):.2f} s (worst {max(again):.2f})")
    context = fresh(browser, address, strangers)
    page = context.new_page()
    visited(page, f"{address}#/translate?text=The river is deep.")
    row("memory with the pack loaded", in_words(memory(page)), "< 250 MB")
    counts = []
    for number in range(rounds):
        turn(page, number)
        if (number + 1) % max(1, rounds // 4) == 0:
            counts.append(memory(page))
    for quarter, count in enumerate(counts, 1):
        row(f"after {quarter * (rounds // 4)} translations and views", in_words(count), "flat" if quarter > 1 else "")
    begun = time.time()
    page.goto(f"{address}#/space")
    page.wait_for_timeout(300)  # it is being drawn
    typed(page, "A bird sings in the tree.")
    row("a translation while the map is drawn", f"{time.time() - begun - 0.3:.2f} s")
    page.goto(f"{address}#/space")
    settled(page)
    row("the map of words", f"{time.time() - begun:.2f} s")
    row("memory with the map", in_words(memory(page)), "< 250 MB")
    context.close()
    row("requests to other hosts", str(len(strangers)), "0")


def fresh(browser: Browser, address: str, strangers: list[str]) -> BrowserContext:
    context = browser.new_context(viewport={"width": 1366, "height": 900}, locale="en")
    context.set_default_timeout(1000 * SECONDS)
    context.add_init_script(f"({SHOWN})()")
    context.on("request", lambda one: strangers.append(one.url) if not one.url.startswith(address) else None)
    return context


def visited(page: Page, address: str) -> float:
    """When the translation was seen, in seconds since 1970."""
    page.goto(address)
    return float(until(page, "globalThis.shownAt")) / 1000


def until(page: Page, condition: str, argument: str = "") -> Any:
    """What it gives, once it gives something. (Playwright's own waiting evaluates strings, which the CSP forbids.)"""
    end = time.time() + SECONDS
    while not (found := page.evaluate(condition, argument)):
        if time.time() > end:
            sys.exit(f"After {SECONDS} s there is still no {condition} at {page.url}.")
        time.sleep(0.01)
    return found


def turn(page: Page, number: int) -> None:
    """One sentence, typed and opened up; all sentences are different."""
    person, does = PEOPLE[number % len(PEOPLE)], DOES[number // len(PEOPLE) % len(DOES)]
    sentence = f"{person} {does} {THINGS[number // (len(PEOPLE) * len(DOES)) % len(THINGS)]}."
    typed(page, sentence)
    view = VIEWS[number % len(VIEWS)]
    page.evaluate("(hash) => { location.hash = hash; }", f"#/{view}?text={quote(sentence)}")
    settled(page)


def typed(page: Page, sentence: str) -> None:
    page.evaluate("() => { location.hash = '#/translate'; }")
    settled(page)
    before = page.locator(".sheet").nth(1).inner_text()
    page.locator(".sheet textarea").first.fill(sentence)
    until(page, "(before) => document.querySelectorAll('.sheet')[1]?.innerText !== before", before)
    settled(page)


def settled(page: Page) -> None:
    """Until nothing is being fetched or worked out."""
    page.locator("main h1").first.wait_for()
    until(page, "!document.querySelector('[aria-busy]')")


def memory(page: Page) -> dict[str, float]:
    """MB of the page and of its worker."""
    for _ in range(2):
        page.evaluate("gc()")
        for worker in page.workers:
            worker.evaluate("gc()")
        page.wait_for_timeout(200)
    counted = {name: count / 1e6 for name, count in page.evaluate(COUNT).items()}
    return counted | {"process": max(map(private, renderers(page)))}


def renderers(page: Page) -> list[int]:
    """Processes that show pages. Only one of them does at a time."""
    assert page.context.browser is not None
    session = page.context.browser.new_browser_cdp_session()
    found = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return [int(one["id"]) for one in found if one["type"] == "renderer"]


def private(process: int) -> float:
    """MB that a process shares with no other; 0 where the system does not say."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0
    return sum(map(int, re.findall(r"^Private_\w+: +(\d+) kB", lines, re.MULTILINE))) / 1e3


def in_words(count: dict[str, float]) -> str:
    worker, page, process = count["worker"], count["page"], count["process"]
    return f"{worker + page:.0f} MB (worker {worker:.1f}, page {page:.1f}), process {process:.0f} MB"


def row(what: str, measured: str, goal: str = "") -> None:
    print(f"{what:<40} {measured:<56} {goal}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
