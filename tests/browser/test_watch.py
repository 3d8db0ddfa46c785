"""Watch a training: the page shows what its folder says, as it grows."""

import json
import os
import re
import time

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from dhyan.core.special_tokens import END, START
from dhyan.explain.formulas import softmax
from dhyan.explain.numpy_model import NumpyTransformer
from dhyan.pack.pack import read_pack
from dhyan.pack.training_folder import (
    SAMPLES,
    SampleResult,
    Samples,
    read_attention,
    read_log,
    read_samples,
    write_samples,
)
from support.browsing import chromium, serving, settled, too_small

LAST = {"learns": 60, "shorter": 40}  # name → its last step
EVERY = 20
SAID = ["स स स", "नदी का का", "नदी का घर", "नदी का किनारा"]  # of the first text, checkpoint by checkpoint


@pytest.fixture(scope="module")
def trained(folders, tmp_path_factory):
    """Two trainings as `dhyan train` leaves them (tests/integration/test_train_page.py trains): name → folder.

    Their attention is that of a random pack, from a broad beginning to what it is.
    """
    place = tmp_path_factory.mktemp("trainings")
    pack = read_pack(folders["to-hindi"])
    given, written = pack.source_tokenizer.encode("the river")[:5], pack.target_tokenizer.encode("नदी")[:4]
    source, target = [*given, END], [START, *written]
    trace = NumpyTransformer(pack.manifest.architecture, pack.weights).trace(source, target)
    weights = {name: trace[name] for name in trace if name.endswith(".weights")}
    for name, last in LAST.items():
        folder = place / f"{name}.training"
        (folder / "data").mkdir(parents=True)
        training = f'objective = "translation"\nsteps = {last}\nvalidate_every = {EVERY}\nmetric = "chrf"\n'
        (folder / "recipe.toml").write_text(f'task = "translate"\n[training]\n{training}')
        for side, tokenizer in pack.tokenizers.items():
            tokenizer.save(folder / "data" / f"{side}.json")
        about = {"tokenizers": {side: f"{side}.json" for side in pack.tokenizers}}
        (folder / "data" / "prepared.json").write_text(json.dumps(about))
        entries = [{"step": 0, "kind": "start", "steps": last, "process": 1, "host": "elsewhere"}]
        for step in range(2, last + 1, 2):
            numbers = {"loss": 3 / step + 0.3, "learning_rate": step / 1e4, "gradient_norm": 9 / step}
            entries.append({"step": step, "kind": "train", **numbers, "tokens_per_second": 1e4 + step})
            if step % EVERY == 0:
                entries.append({"step": step, "kind": "valid", "loss": 4 / step + 0.4, "chrf": step / 2.0})
        entries.append({"step": last, "kind": "end", "how": "finished", "said": ""})
        write_log(folder, [{"time": 1000.0 + entry["step"]} | entry for entry in entries])
        for number, step in enumerate(range(0, last + 1, EVERY)):
            first = SampleResult(text="the river bank", said=SAID[number], reference=SAID[-1])
            others = [SampleResult(text=f"text {n}", said=f"पाठ {n}", reference="पाठ") for n in (1, 2, 3)]
            samples = Samples(
                step=step, source=source, target=target, predicted=[*written, END], results=[first, *others]
            )
            sharper = {key: softmax(np.log(one + 1e-9) * (step / last)) for key, one in weights.items()}
            write_samples(folder, samples, sharper)
    (place / "learns").symlink_to(folders["to-hindi"])  # the finished pack
    return {name: place / f"{name}.training" for name in LAST}


def write_log(folder, entries, mode="w"):
    with (folder / "log.jsonl").open(mode) as file:
        file.writelines(json.dumps(entry) + "\n" for entry in entries)


@pytest.fixture(scope="module")
def address(trained):
    """Where they are watched."""
    chromium()
    folders = [part for folder in trained.values() for part in ("--training", folder)]
    server, address = serving("--model", trained["learns"].with_suffix(""), *folders)
    yield address
    server.terminate()
    server.wait(10)


def test_the_numbers_are_those_of_the_folder(open_page, trained, at):
    page, folder = open_page("watch"), trained["learns"]
    entries = read_log(folder / "log.jsonl")
    last, valid = (next(one for one in reversed(entries) if one["kind"] == kind) for kind in ("train", "valid"))
    curve = [one for one in entries if one["kind"] == "train"]
    expect(page.locator("[data-how]")).to_have_text("Finished")
    for name in ("loss", "learning_rate", "gradient_norm", "tokens_per_second"):
        assert at.same(at.number(page, f"train.{name}[{len(curve) - 1}]"), last[name]), name
    assert at.same(at.number(page, "validations[2].metrics.chrf"), valid["chrf"])

    samples, attention = read_samples(folder, 60), read_attention(folder, 60)
    expect(page.locator("[data-text]")).to_have_count(4)
    for number, one in enumerate(samples.results):
        item = page.locator(f'[data-text="{number}"]')
        expect(item.locator(".watch-given")).to_have_text(one.text)
        expect(item.locator(".watch-reference")).to_contain_text(one.reference)
        assert item.locator(".now").inner_text().split() == (one.said.split() or ["(nothing)"])
    heads = page.locator(".watch-thumbnail").evaluate_all("all => all.map((one) => one.dataset.address)")
    assert set(heads) == {
        name.replace(".weights", f".h{head}.weights") for name, one in attention.items() for head in range(len(one))
    }
    page.locator('[data-key="open-dec.0.cross.h1"]').click()
    page.wait_for_url("**at=dec.0.cross.h1.weights*")
    settled(page)
    page.locator("dhyan-matrix canvas").press("ArrowRight")
    page.locator("dhyan-matrix canvas").press("Enter")
    page.wait_for_url(re.compile(r"at=dec\.0\.cross\.h1\.weights\[0,0\]"))
    expect(page.locator(".watch-number")).to_contain_text("dec.0.cross.h1.weights[0,0] = ")
    page.locator('[data-key="head-table"]').click()
    for (row, column), weight in np.ndenumerate(attention["dec.0.cross.weights"][1]):
        assert at.same(at.number(page, f"dec.0.cross.h1.weights[{row},{column}]"), weight)


def test_pointing_at_the_curve_and_its_table(open_page, trained, at):
    page = open_page("watch")
    curve = [one for one in read_log(trained["learns"] / "log.jsonl") if one["kind"] == "train"]
    page.get_by_role("slider", name="Step that is pointed at").focus()
    page.keyboard.press("Home")
    expect(page.locator(".watch-readout dd").first).to_have_text(str(curve[0]["step"]))
    assert at.same(at.number(page, "train.loss[0]"), curve[0]["loss"])
    page.locator(".watch-loss svg").hover()
    assert curve[0]["step"] < int(page.locator(".watch-readout dd").first.inner_text()) < curve[-1]["step"]
    linear = page.locator(".chart-line.train").first.get_attribute("d")
    page.get_by_role("button", name="Logarithmic").click()
    page.wait_for_url("**scale=log*")
    expect(page.locator(".chart-line.train").first).not_to_have_attribute("d", linear)
    page.locator('[data-key="table"]').click()
    expect(page.locator(".watch-curves tbody tr")).to_have_count(3)


def test_walking_through_the_checkpoints(open_page, trained):
    page = open_page("watch", checkpoint=20, at="enc.0.self.h0.weights")
    folder = trained["learns"]
    expect(page.locator(".watch-where")).to_have_text("step 20 · 2 of 4")
    expect(page.locator(".watch-frame")).to_have_count(4)
    before, now = (read_samples(folder, step).results[0].said for step in (0, 20))
    assert before != now
    first = page.locator('[data-text="0"]')
    expect(first.locator(".before")).to_contain_text("at step 0:")
    assert first.locator(".before").inner_text().removeprefix("at step 0:").split() == before.split()
    page.get_by_role("slider", name="Checkpoint").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**checkpoint=40*")
    expect(page.locator(".watch-where")).to_have_text("step 40 · 3 of 4")
    page.locator('[data-step="0"]').click()
    expect(page.locator(".watch-attention")).to_have_attribute("data-step", "0")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".watch-where")).to_have_text("step 60 · 4 of 4")  # through all of them
    expect(page.get_by_role("button", name="Follow the newest")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("p")
    page.keyboard.press("PageUp")  # presenter mode: the checkpoint before
    expect(page.locator(".watch-where")).to_have_text("step 40 · 3 of 4")


def test_two_trainings_in_one_picture_and_the_pack_in_use(open_page):
    page = open_page("watch", training="shorter")
    expect(page.locator(".watch-name")).to_have_text("shorter")
    expect(page.locator(".watch-line")).to_contain_text("step 40 of 40")
    page.get_by_role("button", name="All trainings").click()
    expect(page.locator(".chart-line.other")).to_have_count(1)
    expect(page.locator(".swatch.other-0")).to_have_text("learns")
    page.get_by_role("button", name="learns", exact=True).click()
    expect(page.locator(".watch-name")).to_have_text("learns")
    page.get_by_role("button", name="Translate with it").click()
    page.wait_for_url("**/#/translate?model=learns*")


def test_a_training_is_watched_while_it_runs_and_not_while_nobody_looks(open_page, trained):
    folder = trained["shorter"]
    whole = (folder / "log.jsonl").read_text()
    entries = read_log(folder / "log.jsonl")
    page = open_page("watch", training="shorter")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "seen=" in request.url else None)
    try:
        # As if it had been resumed a moment ago, by a process that lives: this one.
        start = entries[0] | {"step": 40, "steps": 100, "time": time.time(), "process": os.getpid()}
        write_log(folder, [start], "a")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # somebody looks again
        expect(page.locator("[data-how]")).to_have_text("Running")
        expect(page.locator(".chart-marks line")).not_to_have_count(0)
        trained_on = next(one for one in entries if one["kind"] == "train")
        write_log(folder, [trained_on | {"step": 50, "loss": 0.5, "time": time.time()}], "a")
        page.evaluate("window.chosen = document.querySelector('[data-key=smooth]')")
        samples = read_samples(folder, 40).model_copy(update={"step": 50})
        samples.results[0].said = "quite another thing"
        write_samples(folder, samples, read_attention(folder, 40))
        expect(page.locator(".watch-where")).to_contain_text("step 50")  # it follows the newest
        expect(page.locator('[data-text="0"] ins')).not_to_have_count(0)
        assert page.evaluate("chosen.isConnected")  # what somebody may be choosing from stays open
        expect(page.locator(".watch-line")).to_contain_text(re.compile(r"step 50 of 100.*left"))

        page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_timeout(300)
        asked.clear()
        page.wait_for_timeout(2500)
        assert asked == []
    finally:
        (folder / "log.jsonl").write_text(whole)
        for file in (folder / SAMPLES).glob("50.*"):
            file.unlink()


def test_a_wrong_link_is_answered_in_words(open_page):
    page = open_page("watch", training="nobody")
    expect(page.locator(".problem").last).to_have_text(
        "No training nobody is watched here; there is learns, shorter."
    )


@pytest.mark.parametrize("how", ["a laptop, light, English", "a telephone, dark, Hindi"])
def test_nothing_serious_for_axe_and_nothing_too_wide(open_page, how):
    small = how.startswith("a telephone")
    page = open_page("watch", **({"width": 390, "height": 844, "scheme": "dark", "language": "hi"} if small else {}))
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in serious]
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    if small:
        assert not too_small(page)


def test_a_checkpoint_or_a_head_that_is_not_there_is_said(open_page):
    page = open_page("watch", training="learns", checkpoint=33, at="enc.9.self.h0.weights")
    expect(page.locator(".remarks")).to_contain_text("checkpoint=33 in this link is not known here")
    expect(page.locator(".remarks")).to_contain_text("There is: 0, 20, 40, 60.")
    expect(page.locator(".remarks")).to_contain_text("at=enc.9.self.h0.weights in this link is not known here")
    expect(page.locator("[data-text]")).to_have_count(4)
    assert "checkpoint" not in page.url
