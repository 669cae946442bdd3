# make run    install what playing needs, start the arena        make test   install everything and run every check
# make play   the same for a game in the terminal                make lint   style and types only
# make bench  measure speed                                      make browser   only the tests in a real browser
# make docs   build the documentation site into build/site
# make test-all   make test with what it leaves out: more sizes of screens, whole games on each
PYTHON ?= python3
GAME ?= doudizhu
BIN := .venv/bin
PAGE := tests/web/page_checks
WITH_NODE = PATH="$(abspath $(BIN)):$$PATH"
AS_ROOT := $(shell [ "$$(id -u)" = 0 ] || echo sudo -n) env DEBIAN_FRONTEND=noninteractive

.PHONY: run play test test-all browser chromium postgres lint docs bench playthroughs clean

run: .venv/.base
	@$(BIN)/shangyou serve

play: .venv/.base
	@$(BIN)/shangyou play $(GAME)

test: lint chromium postgres
	SHANGYOU_POSTGRES=required NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist loadfile --ignore tests/web/e2e  # a core each; a file is one worker's, compiled for once
	$(MAKE) browser

test-all: export SHANGYOU_ALL := 1
test-all: test

# The arena in a real browser, after the other tests: it is timed by what a person would wait for. Every worker has a server and
# a browser of its own. Skipping is failing.
browser: .venv/.dev chromium
	SHANGYOU_BROWSER=required $(BIN)/python -m pytest -n auto --dist loadfile tests/web/e2e

chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| { $(AS_ROOT) apt-get update -q && $(AS_ROOT) apt-get install -y -q --no-install-recommends chromium; } \
	|| { echo "the browser tests need Chromium, and apt-get could not install it: install chromium, then run make again" >&2; exit 1; }

# Every test that needs it starts a server of its own, on no port; that of the system, if there is one, is not touched.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null \
	|| { $(AS_ROOT) apt-get update -q && $(AS_ROOT) apt-get install -y -q --no-install-recommends postgresql; } \
	|| { echo "tests of the arena need PostgreSQL, and apt-get could not install it: install it, then run make again" >&2; exit 1; }

lint: .venv/.dev $(PAGE)/node_modules/.package-lock.json
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python $(PAGE)/server_types.py $(PAGE)/made/server.d.ts
	$(WITH_NODE) $(PAGE)/node_modules/.bin/tsc --project $(PAGE)
	$(WITH_NODE) $(PAGE)/node_modules/.bin/eslint --config $(PAGE)/eslint.config.js src/shangyou/web/static tests/web/e2e

docs: .venv/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "the site is build/site/index.html; its search needs a server: python3 -m http.server --directory build/site"

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

# What checks the page's JavaScript; Node itself is a Python package of `dev`.
$(PAGE)/node_modules/.package-lock.json: $(PAGE)/package-lock.json .venv/.dev
	cd $(PAGE) && $(WITH_NODE) npm ci --silent
	@touch $@

clean:
	rm -rf $(PAGE)/node_modules $(PAGE)/made build .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis
