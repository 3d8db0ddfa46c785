"""Takes the README's pictures of the page: python docs/take_screenshots.py writes docs/page/*.png.

It starts `dhyan serve` with the packs that ship, and needs Chromium and Playwright (the extra dev).
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

OUT = Path(__file__).with_name("page")
SIZE = {"width": 1240, "height": 800}
VIEWS = {  # picture → what the page is asked for, and what is brought to the top
    "start": ("", None),
    "flow": ("bench?text=The boy sat on the bank of the river.&zoom=flow&step=3", ".stage"),
    "learn": ("learn?chapter=4", None),
    "space": ("space", None),
}


def settled(page: Page) -> None:
    """Until nothing is being fetched or worked out, and what moves has come to rest."""
    expect(page.locator("main h1").first).to_be_visible()
    expect(page.locator("[aria-busy]")).to_have_count(0, timeout=60_000)
    page.wait_for_timeout(2_000)


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("No Chromium: install it, and a font (Debian: apt-get install chromium fonts-noto-core).")
    OUT.mkdir(exist_ok=True)
    serve = [sys.executable, "-m", "dhyan.cli", "serve", "--port", "0"]
    with (
        subprocess.Popen(serve, stderr=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"]) as browser,
    ):
        assert server.stderr is not None
        found = re.search(r"http://\S+:\d+", server.stderr.readline())
        if found is None:
            sys.exit("`dhyan serve` did not say where it is.")
        for name, (asked, top) in VIEWS.items():
            page = browser.new_page(viewport=SIZE, color_scheme="light", locale="en", reduced_motion="reduce")
            page.goto(f"{found[0]}/#/{asked}")
            settled(page)
            if top:
                page.locator(top).evaluate("(element) => element.scrollIntoView()")
            page.screenshot(path=OUT / f"{name}.png")
            page.close()
            print(OUT / f"{name}.png")
        server.terminate()


if __name__ == "__main__":
    main()
