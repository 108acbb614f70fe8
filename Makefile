# Needs Python 3.11 or newer and make, nothing else: the tools are installed into .venv.
# Another interpreter:  make test PYTHON=python3.12      More processes:  make test WORKERS=8

PYTHON ?= python3
WORKERS ?= 2

BIN := .venv/bin
# -qq keeps errors and drops the rest.
INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check
PYTEST := $(BIN)/pytest -n $(WORKERS) --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo test test-all lint format docs bench-paper clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/.demo-stamp ## label 1,797 digits from 20 labels and draw lapoleaf-demo.png
	$(BIN)/lapoleaf demo

test: .venv/.dev-stamp ## run the tests and all examples of README and docs
	$(PYTEST) -m "not slow"

test-all: .venv/.dev-stamp ## run everything, the slow tests too
	$(PYTEST)

lint: .venv/.dev-stamp ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: .venv/.dev-stamp ## repair what ruff can repair
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: .venv/.docs-stamp ## build the documentation into docs/_build/html
	rm -rf docs/generated
	$(BIN)/sphinx-build -q -W --keep-going -b html -d docs/_build/doctrees docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

bench-paper: .venv/.bench-stamp ## make the paper's tables in lapoleaf-paper; DATA=DIR for a folder of data sets
	$(BIN)/python -m benchmarks paper $(if $(DATA),--data $(DATA))

clean: ## remove .venv and everything built
	rm -rf .venv build dist docs/_build docs/generated docs/gallery lapoleaf-demo.png
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find src tests docs examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "lapoleaf needs Python 3.11 or newer, and $(PYTHON) is not:" \
	    "name another one, as in 'make PYTHON=python3.12 ...'." >&2; exit 1; }
	@echo "Creating .venv"
	@$(PYTHON) -m venv .venv
	@touch $@

.venv/.demo-stamp: EXTRAS := plot
.venv/.dev-stamp: EXTRAS := dev
.venv/.bench-stamp: EXTRAS := bench
.venv/.docs-stamp: EXTRAS := dev,docs
.venv/.demo-stamp .venv/.dev-stamp .venv/.docs-stamp .venv/.bench-stamp: pyproject.toml | .venv/.stamp
	@echo "Installing lapoleaf[$(EXTRAS)] into .venv"
	@$(INSTALL) -e '.[$(EXTRAS)]'
	@touch $@
