# make test sets up everything it needs, on a fresh machine too, then checks everything.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Two test processes with one thread each: steadier than one with two, and what the timings are meant for.
export OMP_NUM_THREADS = 1

CODE := src tests benchmarks recipes notebooks docs/hooks docs/draw_rooms.py docs/take_screenshots.py

.PHONY: test suite long quick lint browser coverage format bench docs dist image clean

# The checks of the code beside the tests: mypy has one core, and would let the other wait.
test: $(VENV)/.ready browser
	$(MAKE) --jobs=2 lint suite

suite: $(VENV)/.ready
	$(BIN)/pytest -m "not long" -n 2 --dist worksteal --durations 10

# What takes long: most views in a browser, toy tasks trained to near-perfection, training by several processes, installs.
long: $(VENV)/.ready
	$(BIN)/pytest -m long -n 2 --dist worksteal

# The inner loop: what takes long, or needs a browser, is left out.
quick: $(VENV)/.ready
	$(BIN)/ruff check $(CODE)
	$(BIN)/pytest tests/unit -m "not slow and not long" -n 2 --dist worksteal

lint: $(VENV)/.ready
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	sh tests/page/check.sh

# Which lines the tests reach. Not part of `test`: counting makes everything slower.
coverage: $(VENV)/.ready browser
	$(BIN)/pytest -n 2 --dist worksteal --cov dhyan --cov-report term:skip-covered

# The page is tested in a real Chromium, with a font that has Devanagari.
browser:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-core >/dev/null; then exit 0; fi; \
	echo "No Chromium: install it and a font with Devanagari to test the page (Debian: apt-get install chromium fonts-noto-core)."

format: $(VENV)/.ready
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/training_speed.py --size tiny --seconds 20
	$(BIN)/python benchmarks/cost_growth.py $(BENCH)  # e.g. BENCH="--full --out docs/measured/cost"

# Wheel and source distribution in dist/, checked; see docs/releasing.md. PYTHONS="python3.12 …" names other Pythons to try.
PYTHONS ?= python3.11 python3.12 python3.13
dist:
	rm -rf dist src/*.egg-info build
	$(PYTHON) -m venv build/venv
	build/venv/bin/pip install --quiet build twine
	build/venv/bin/python -m build --outdir dist .
	build/venv/bin/twine check --strict dist/*
	build/venv/bin/python tests/release/check.py dist $(PYTHONS)

# The documentation as a site, in build/site: a warning (a dead link, a missing anchor, an unlisted page) is an error.
docs: $(VENV)/.ready
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "python -m http.server -d build/site shows it (opened as files, it has no search)."

# The server as a container; see docs/guides/serving.md.
image:
	@docker info >/dev/null 2>&1 || { echo "No image: that takes Docker, installed and running (https://docs.docker.com/get-docker)."; exit 1; }
	docker build --tag dhyan .

$(VENV)/.ready: pyproject.toml constraints.txt tests/oracles.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev]"
	$(BIN)/pip install --quiet --no-deps --upgrade --target $(VENV)/oracles -r tests/oracles.txt
	touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
