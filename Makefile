# make test sets up everything it needs, on a fresh machine too, then checks everything.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Two test processes with one thread each: steadier than one with two, and what the timings are meant for.
export OMP_NUM_THREADS = 1

.PHONY: test lint browser format bench clean

test: lint browser
	$(BIN)/pytest -n 2 --dist worksteal --durations 10

lint: $(VENV)/.ready
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

# The page is tested in a real Chromium, with a font that has Devanagari.
browser:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-core >/dev/null; then exit 0; fi; \
	echo "No Chromium: install it and a font with Devanagari to test the page (Debian: apt-get install chromium fonts-noto-core)."

format: $(VENV)/.ready
	$(BIN)/ruff check --fix src tests benchmarks
	$(BIN)/ruff format src tests benchmarks

bench: $(VENV)/.ready
	$(BIN)/python benchmarks/training_speed.py --size tiny --seconds 20
	$(BIN)/python benchmarks/cost_growth.py $(BENCH)  # e.g. BENCH="--full --out docs/cost"

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
