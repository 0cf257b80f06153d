# All targets share one virtual environment, `.venv`. Stamps in it record the installed extras, and expire when
# pyproject.toml or constraints.txt change. PYTHON=python3.12 selects the interpreter.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run test lint format types contracts wheel pictures bench chaos trace check constraints clean

bin := .venv/bin
stamps := .venv/stamps$(if $(PYTHON),/$(notdir $(PYTHON)))
port := $(if $(findstring --port,$(ARGS)),,$(filter-out 0,$(or $(STRINGD_PORT),3100)))
elsewhere := $(if $(port),,STRINGD_PORT=PORT )
ARGS :=

# Without its bytecode, every program that a test starts would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

help:             ## list the targets
	@sed -n 's/^\([a-z]*\):.*##/  make \1\t/p' Makefile | expand -t 20

run: $(stamps)/run    ## install and start the daemon in the foreground (ARGS="--port 0")
	@echo 'stringd starts here and stops with Ctrl-C. In another terminal, from this directory, try:'
	@echo '    $(elsewhere)$(bin)/string file:main /help'
	@echo "    $(elsewhere)$(bin)/string file:main '/exec date'"
	@echo '    curl -s http://127.0.0.1:$(or $(port),PORT)/health'
	@$(if $(port),,echo 'PORT is the one that the daemon names below.')
	@exec $(bin)/stringd $(ARGS)

test: $(stamps)/test  ## run the tests (ARGS="tests/docs -k links" selects, ARGS=--long adds slow ones)
	$(bin)/pytest --numprocesses auto --maxprocesses 8 --dist loadfile $(ARGS)

lint: $(stamps)/dev   ## check style and formatting
	$(bin)/ruff check
	$(bin)/ruff format --check

format: $(stamps)/dev ## format the code and fix lint errors
	$(bin)/ruff check --fix
	$(bin)/ruff format

types: $(stamps)/dev  ## check the types, strictly
	$(bin)/mypy
	$(bin)/mypy .ci/smoke.py

contracts: $(stamps)/dev  ## check the import contracts
	$(bin)/lint-imports

wheel: $(stamps)/dev  ## build sdist and wheel into dist/
	rm -rf dist
	PIP_CONSTRAINT=constraints.txt $(bin)/python -m build --outdir dist

pictures: $(stamps)/test ## draw the pictures of the documentation anew
	STRINGD_PICTURES=1 $(bin)/pytest tests/console/test_tour.py --long -q

bench: $(stamps)/dev  ## run the benchmarks (ARGS="kernel.exec" selects)
	$(bin)/python -m bench $(ARGS)

chaos: $(stamps)/test ## hurt a cluster while clients work (SEED=1 SECONDS=60 RUNS=10)
	$(bin)/python -m tests.cluster.chaos --seed $(or $(SEED),1) --seconds $(or $(SECONDS),60) --runs $(or $(RUNS),1) $(ARGS)

trace: $(stamps)/run  ## print the functions that a command passes through (CMD="/open a.md#x")
	@$(bin)/python -m bench.trace $(ARGS) -- "$${CMD:-/info}"

check:                ## run everything that a change must pass
	.ci/run

constraints:          ## update constraints.txt from a new venv
	.ci/constraints

clean:                ## remove the venv, caches and dist/, but not the daemon's data
	rm -rf .venv dist build .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(stamps)/%: pyproject.toml constraints.txt
	@.ci/install $* $(stamps)
