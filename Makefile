# Every target works in a fresh clone: it first makes what it needs, once.
# Needs Python 3.11 or newer. Without Node.js 20 or newer on the machine, it is installed into .venv.

PYTHON ?= $(shell sh tools/find_python.sh)
# `make test-peers` compares with other packages for the same stores, which need a newer Python.
PEER_PYTHON ?= $(shell sh tools/find_python.sh 12)
PEER_TESTS := $(addprefix tests/datasets/test_,anndata_peer.py anndata_written_peer.py anndata_memory.py mudata_peer.py atlas_peer.py \
	cf_peer.py mzpeak_numpress.py scanpy_peer.py code_peer.py shapely_peer.py \
	soma_peer.py) tests/unit/test_compare_deseq2.py tests/test_docs.py
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
# The environment contains Node.js only if the machine has none that is new enough.
WITH_NODE := PATH="$(CURDIR)/$(BIN):$$PATH"
# One build writes all bundles; this is the last one written.
BUNDLE := cxg_widget/static/widget.js
JS_SOURCES := $(shell find js/src -type f 2>/dev/null) js/build.mjs

# Seconds that `make fuzz` runs, and its first seed (default: the time). For every ten seconds, property tests draw as
# many more examples as in `make test`.
SECONDS ?= 60
SEED ?=
PROPERTIES := $(shell grep -rl --include='test_*.py' 'MORE' tests/unit tests/datasets tests/convert)

.PHONY: help setup browser demo test test-hosts test-tools test-lowest quick test-peers fuzz record trace check build protocol notebooks docs release-check bench dev clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

setup: $(VENV)/.installed js/node_modules/.installed $(BUNDLE) ## environment, JavaScript packages and bundle

demo: setup browser ## show 100,000 synthetic cells in JupyterLab; HEADLESS=1 only checks that they are drawn
	@$(BIN)/python -m tools.demo

test: setup browser ## pytest in three processes (some tests only wait), and node --test
	cd js && $(WITH_NODE) npm test --silent & node=$$!; $(BIN)/python -m tests.compiled && wait $$node
	$(BIN)/python -m pytest --ignore tests/tools --ignore tests/fuzz --ignore tests/browser --ignore tests/hosts -m 'not docs' -n 3 --dist worksteal
	$(BIN)/python -m pytest tests/browser -n 3 --dist loadfile

test-hosts: setup browser .venv-hosts/.installed tests/hosts/node_modules/.installed ## the widget in JupyterLab, VS Code, Shiny and other hosts, in a browser
	.venv-hosts/bin/python -m pytest tests/hosts -n 2 --dist loadfile

test-tools: setup browser ## the tests of tools/, benchmarks/ and `make fuzz`
	$(BIN)/python -m pytest tests/tools tests/fuzz -m 'not browser' -n 2 --dist worksteal
	$(BIN)/python -m pytest tests/tools -m browser

quick: $(VENV)/.installed ## unit tests without a browser, a store or another process, in a minute or two
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m 'not slow' tests/unit tests/test_architecture.py

test-lowest: .venv-lowest/.installed ## unit tests with the lowest versions that pyproject.toml allows, pandas 2.2 among them
	.venv-lowest/bin/python -m pytest -q -n 2 --dist worksteal -m 'not slow' -W ignore tests/unit

test-peers: .venv-peers/.installed ## compare with the packages that write and read the same stores; Python 3.12
	CXG_TILEDB_CF_PYTHON="$(CURDIR)"/.venv-peers-cf/bin/python .venv-peers/bin/python -m pytest $(PEER_TESTS)

fuzz: $(VENV)/.installed ## damage stores and messages, try properties with many cases; SECONDS=60 SEED=1
	@$(BIN)/python -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -W ignore -m tests.fuzz.written $(if $(SEED),--seed $(SEED))
	@MORE_EXAMPLES=$$((1 + $(SECONDS) / 10)) $(BIN)/python -m pytest -q -n 2 --dist worksteal --hypothesis-profile=search --timeout 1800 \
		-W ignore $(PROPERTIES) $(if $(SEED),--hypothesis-seed=$(SEED))

record: $(VENV)/.installed ## write tests/transitions.json again, which records how settings change; then read its diff
	$(BIN)/python -m tests.transitions

trace: $(VENV)/.installed ## count the files of the package that run for each action of a user
	@$(BIN)/python -m tools.trace

check: $(VENV)/.installed js/node_modules/.installed ## lint, format, types, unused code, generated files
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/vulture
	cd js && $(WITH_NODE) npm run --silent lint
	cd js && $(WITH_NODE) npm run --silent check
	$(BIN)/python tools/protocol_js.py --check
	$(BIN)/python tools/colormaps.py --check
	$(BIN)/python tools/constants_js.py --check

build: js/node_modules/.installed ## bundle the JavaScript, print its size
	@cd js && $(WITH_NODE) npm run --silent build

protocol: $(VENV)/.installed ## generate js/src/wire and docs/protocol.md from wire/protocol.py and display/settings.py
	$(BIN)/python tools/protocol_js.py
	$(BIN)/python tools/constants_js.py
	$(BIN)/python -m tools.golden

notebooks: setup ## run the notebooks and save their outputs, for readers on the web
	$(BIN)/python -m tools.notebooks

docs: setup .venv-docs/.installed ## run the code of pages and docstrings, build the site into docs/_build/html, look at it in a browser
	$(BIN)/python -m pytest -q -m docs -n 2 --dist worksteal tests/test_docs.py tests/unit/test_reference.py
	@.venv-docs/bin/python -m sphinx -n -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python -m pytest -q tests/test_site.py

release-check: setup ## build sdist and wheel into dist/, check and install each alone, open the demo
	@$(BIN)/python -m tools.release_check

bench: setup browser ## run the benchmarks, write the results into benchmarks/; fails if slower than the last tag, or THEN=COMMIT
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input -e '.[bench]'
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.since $(THEN)

dev: setup ## rebuild the bundle on every change, with JupyterLab reloading it
	@(cd js && $(WITH_NODE) exec node build.mjs --watch) & watcher=$$!; trap 'kill $$watcher' EXIT INT TERM; \
	ANYWIDGET_HMR=1 $(BIN)/python -m tools.demo

clean: ## remove generated files, except the environments and the demo data
	rm -rf cxg_widget/static dist build docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './.venv*' -not -path './*/node_modules/*' -prune -exec rm -rf {} +

browser: $(VENV)/.installed
	@$(BIN)/python tools/browser.py --install >/dev/null

.venv-lowest/.installed: pyproject.toml tools/setup_lowest.sh
	@sh tools/setup_lowest.sh "$(PYTHON)" .venv-lowest
	@touch $@

.venv-docs/.installed .venv-hosts/.installed: .venv-%/.installed: pyproject.toml tools/setup_extra.sh | $(VENV)/.installed
	@sh tools/setup_extra.sh $* $(VENV) .venv-$*
	@touch $@

.venv-peers/.installed: pyproject.toml tools/setup_peers.sh
	@sh tools/setup_peers.sh "$(PEER_PYTHON)" .venv-peers .venv-peers-cf
	@touch $@

$(VENV)/.installed: pyproject.toml
	@sh tools/setup_python.sh "$(PYTHON)" $(VENV)
	@touch $@

js/node_modules/.installed tests/hosts/node_modules/.installed: %/node_modules/.installed: %/package-lock.json | $(VENV)/.installed
	@sh tools/setup_node.sh $(VENV)
	@cd $* && $(WITH_NODE) npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(BUNDLE): $(JS_SOURCES) js/node_modules/.installed
	@cd js && $(WITH_NODE) npm run --silent build
