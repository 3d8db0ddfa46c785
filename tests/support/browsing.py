"""What the browser tests share: the sentence, the packs, and waiting until a page is done."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from dhyan.pack.pack import write_pack
from support.packs import random_pack

SENTENCE = "the river bank flows"
SWITCHES = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"]
PACKS = {
    "to-hindi": ("encoder-decoder", {}),
    "turning": ("encoder-decoder", {"positions": "rotary", "norm": "post", "activation": "swiglu", "tie": "none"}),
    "learnt": ("encoder-decoder", {"positions": "learned", "activation": "gelu", "tie": "all"}),
    "moods": ("encoder", {"masked_head": True, "words": True}),
    "topics": ("encoder", {"words": True, "label_kind": "several"}),
    "worth": ("encoder", {"words": True, "label_kind": "number"}),
    "author": ("decoder", {}),
}


def chromium():
    """Where Chromium is. Under CI it must be there; elsewhere the tests are skipped and say what to install."""
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
    )
    if not found:
        reason = "no Chromium: install it (Debian: apt-get install chromium fonts-noto-core) to test the page"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return found


def readable(folder, shape, **options):
    """A random pack that writes letters: the bytes of its vocabulary are made unlikely, spaces likelier."""
    pack = random_pack(folder, shape, **options)
    if shape == "encoder":
        return
    weights = dict(pack.weights)
    bias = weights["dec.out.b"] = weights["dec.out.b"].copy()
    for number in range(5, pack.target_tokenizer.size):
        piece = pack.target_tokenizer.piece(number)
        if re.fullmatch(r"<0x..>", piece) or not piece.isprintable():
            bias[number] -= 30
        elif piece == " ":
            bias[number] += 3
    decoding = pack.manifest.decoding.model_copy(
        update={"temperature": 0.6, "top_k": 9} if shape == "decoder" else {}
    )
    manifest = pack.manifest.model_copy(update={"decoding": decoding})
    write_pack(folder, manifest, weights, pack.tokenizers)


def serving(*arguments, **environment):
    """The real command, left running on a free port: the process and its address."""
    command = [sys.executable, "-m", "dhyan.cli", "serve", "--port", "0", *map(str, arguments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    line = server.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+", line)
    assert found, line
    return server, found[0]


def settled(page):
    """Until nothing is being fetched or worked out."""
    expect(page.locator("main h1")).to_be_visible()
    expect(page.locator("[aria-busy]")).to_have_count(0, timeout=30_000)


LEAST = 24  # pixels of what is pressed
TARGETS = """(least) => [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [role=button], [role=link], [tabindex='0']")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.classList.contains("skip"))
  .filter((one) => getComputedStyle(one).display !== "inline") // a link, a word within a text
  .map((one) => [one, (one.matches("[type=checkbox], [type=radio]") ? one.closest("label") ?? one : one)
    .getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 0 && (width < least - 0.1 || height < least - 0.1))
  .map(([one, { width, height }]) => `${one.outerHTML.slice(0, 90)} ${width.toFixed(1)} × ${height.toFixed(1)}`)"""


def too_small(page):
    """What can be pressed and is less than 24 pixels high or wide."""
    return page.evaluate(TARGETS, LEAST)


def crowded():
    """How much slower a busy machine makes everything: limits on time are meant for one that is free."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


FRAMES = """(milliseconds) => new Promise((done) => {
  const begin = performance.now(), times = [];
  const frame = (now) => {
    times.push(now);
    if (now - begin < milliseconds) requestAnimationFrame(frame);
    else done(times.slice(1).map((time, index) => time - times[index]));
  };
  requestAnimationFrame(frame);
})"""
EMPTY = "<!doctype html><title>empty</title><div style='height: 9000px'></div>"
SLOW = 33.4  # milliseconds: two frames of a screen with 60 a second


def slow_frames(page, act, seconds=1.5):
    """The share of frames that take over 33 ms while `act(page)` goes on.

    act: starts something in the page and returns at once, such as `scrolling`.
    """
    act(page)
    times = page.evaluate(FRAMES, 1000 * seconds)
    return sum(time > SLOW for time in times) / len(times)


def scrolling(page):
    """Down and up again, a little with every frame."""
    page.evaluate("""() => {
      const begin = performance.now();
      const step = (now) => {
        const room = document.documentElement.scrollHeight - innerHeight;
        scrollTo({ top: room * (0.5 - 0.5 * Math.cos((now - begin) / 250)), behavior: "instant" });
        if (now - begin < 4000) requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    }""")


def flows(page, act, seconds=1.5):
    """Whether the page keeps its frames: at most 5 % are slow that an empty page on the same machine keeps.

    A machine that is busy elsewhere takes frames from both, now the one, now the other: the best of three counts.
    """
    empty = page.context.new_page()
    empty.set_content(EMPTY)
    shares = []
    for _ in range(3):
        empty.bring_to_front()
        unavoidable = slow_frames(empty, scrolling, seconds)
        page.bring_to_front()
        shares.append(slow_frames(page, act, seconds) - unavoidable)
        if shares[-1] <= 0.05:
            break
    empty.close()
    return min(shares) <= 0.05, shares
