# make run    install what playing needs, start the arena        make test   install everything and run every check
# make play   the same for a game in the terminal                make lint   style and types only
# make bench  measure speed                                      make browser   the arena's tests in a real browser
PYTHON ?= python3
GAME ?= doudizhu
BIN := .venv/bin

.PHONY: run play test browser lint bench playthroughs clean

run: .venv/.base
	@$(BIN)/shangyou serve

play: .venv/.base
	@$(BIN)/shangyou play $(GAME)

test: lint
	NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile  # a core each; a file is one worker's, compiled for once

# The arena in a real browser, Debian's Chromium: alone, since it is timed by what a person would wait for.
browser: .venv/.dev
	command -v chromium >/dev/null || { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q chromium; }
	SHANGYOU_BROWSER=required $(BIN)/python -m pytest tests/web/e2e

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/.dev
	$(BIN)/shangyou bench

playthroughs: .venv/.dev
	$(BIN)/python tests/playthrough.py

.venv/.base: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/.dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@ .venv/.base

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
