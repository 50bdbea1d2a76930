# The verbs of the house. The environment rebuilds itself when pyproject.toml changes.
# Overridable: PYTHON (interpreter for a new .venv), VENV, ARGS (for pytest), PARALLEL.

VENV ?= .venv
ARGS ?=
# Files side by side; the tests of one share a browser. One more than processors, for many wait.
PARALLEL ?= -n $$($(PY) -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))') --dist loadfile --no-loadscope-reorder --max-worker-restart 0

# The tests of the link and its ends that are about nothing else.
LINK := tests/bridge/relay tests/bridge/transport tests/bridge/proxy tests/extension \
	tests/chromium/test_native_host.py $(wildcard tests/chromium/test_extension_*.py)

export VENV
# Some images switch this on. Each worker and each of a thousand short processes would then compile
# every module anew: 12.4 s instead of 5.7 s of processor time to collect the tests, 0.2 s a process.
unexport PYTHONDONTWRITEBYTECODE
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
PYTEST := $(PY) -m pytest
MYPY := $(PY) -m mypy --no-error-summary

# Set-up and checks that do not need each other go side by side.
MAKEFLAGS += --jobs=4

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test test-extension test-faults soak check static lint contract fresh house unit chromium gen bench dist clean browser screen peers apps

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: $(READY) browser ## install what is missing, then show the main job: an agent's view of a page
	@$(PY) -m bridge demo --picture .artifacts/demo.png

test: $(READY) browser screen peers apps static ## set up, then every check and every test, real Chromium included
	$(PYTEST) -m "not slow" $(PARALLEL) $(ARGS)

test-extension: $(READY) browser screen ## the extension: its modules, its link, and every tool over it in a real Chromium
	$(PYTEST) -m "extension and (inside or not slow)" $(PARALLEL) $(ARGS)
	$(PYTEST) -q -m "not slow and not extension" $(LINK) $(PARALLEL) $(ARGS)

test-faults: $(READY) browser ## put the server through what can befall it; prints a table
	$(PYTEST) -q -m "not slow" tests/faults $(ARGS)

soak: $(READY) browser ## the long tests: full deadlines, floods, a hundred rounds of kills
	CHROME_BRIDGE_TEST_ROUNDS=100 $(PYTEST) -m slow $(ARGS)
	CHROME_BRIDGE_TEST_ROUNDS=100 $(PYTEST) -k "again_and_again or at_once or server_restarted" tests/chromium $(ARGS)

check: static house ## format, lint, types on three systems, import contract, generated files, house rules

static: lint types-linux types-darwin types-win32 contract fresh

lint: $(READY)
	$(PY) -m ruff format --check --quiet .
	$(PY) -m ruff check --quiet .

types-%: $(READY)
	$(MYPY) --platform $* --cache-dir .mypy_cache/$*

contract: $(READY)
	$(VENV)/bin/lint-imports

fresh: $(READY)
	$(PY) -m bridge.cdp.generate --check
	$(PY) -m bridge.transport.link --check
	$(PY) -m docs.generate --check

house: $(READY)
	$(PYTEST) -q tests/house

unit: $(READY) ## the tests that need no browser (seconds)
	$(PYTEST) -q -m "not chromium and not peers" $(ARGS)

chromium: $(READY) browser screen apps ## the tests that drive a real Chromium
	$(PYTEST) -m chromium $(ARGS)

gen: $(READY) ## rewrite the generated files: bindings, the extension's messages, tables of the docs
	$(PY) -m bridge.cdp.generate
	$(PY) -m bridge.transport.link
	$(PY) -m docs.generate

bench: $(READY) browser ## run every measurement of tests/bench
	@set -e; for file in tests/bench/bench_*.py; do \
		test -f "$$file" || { echo "There is no measurement yet." >&2; exit 1; }; \
		echo "== $$file"; $(PY) "$$file"; \
	done

dist: $(READY) ## build the wheel into dist/
	$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

clean: ## remove everything that can be made again, the environment included
	rm -rf .venv .artifacts .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .grimp_cache build dist
	find . -name __pycache__ -not -path './node_modules/*' -prune -exec rm -rf {} +

browser: $(READY)
	@.ci/bootstrap browser

# After the browser: two installers at once stand in each other's way.
screen: browser ## install what shows a browser in a window to the tests that need one (Linux)
	@.ci/bootstrap screen

peers: ## install the programs of others that test ours (needs Node.js)
	@.ci/bootstrap peers

apps: ## bundle pages from the libraries real pages are made of (needs Node.js)
	@.ci/bootstrap apps

$(READY): pyproject.toml .ci/bootstrap
	@.ci/bootstrap environment
	@touch $@
