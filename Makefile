# Everything that is typed by hand. `make` alone lists it.

# What the demo reads: one real log and one real trace.
DEMO_LOG = tests/data/corpus/2.13.0/recompile_limit/log.txt
DEMO_TRACE = $(wildcard tests/data/corpus/2.13.0/breaks/trace/*.log)

PYTHON ?= python3
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Warnings are errors in CI only.
WERROR ?= $(if $(CI),ON,OFF)
# Seconds for each fuzz target.
FUZZ_SECONDS ?= 60
# The PyTorch that tests are run against.
TORCH ?= torch==2.13.0
# The Python tests of `make test-python`, as marks of pytest.
SELECT ?= not torch
# More arguments for ctest, for example CTEST='-E out_of_memory'.
CTEST ?=
# Arguments of benchmarks/instructions.py: INSTRUCTIONS=--update
INSTRUCTIONS ?=
# More arguments for CMake, for example
# CMAKE_ARGS=-DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER to build all
# dependencies from source. pip reads the same variable.
CMAKE_ARGS ?=
export CMAKE_ARGS
export CMAKE_BUILD_PARALLEL_LEVEL = $(JOBS)
# The package is compiled through ccache where there is one. Paths of the sources are
# taken as relative ones, so that `make wheel` finds the objects of `make setup`.
CCACHE = $(shell command -v ccache 2>/dev/null)
CACHED = CMAKE_CXX_COMPILER_LAUNCHER=$(CCACHE) CCACHE_BASEDIR=$(CURDIR)/cpp

VENV = .venv
BIN = $(VENV)/bin
# CMake and Ninja come from the system, else from the virtual environment.
export PATH := $(PATH):$(CURDIR)/$(BIN)

# Stamps: the time at which a step was last done.
SYSTEM = build/stamps/system
SYSTEM_DEV = build/stamps/system-dev
ENVIRONMENT = $(VENV)/stamp-environment
PACKAGE = $(VENV)/stamp-package

# What the package is built of; folders too, so that a removed file counts.
SOURCES := $(shell find cpp cmake python -name __pycache__ -prune -o -print)
CXX_FILES = find cpp tests benchmarks -path tests/data -prune \
  -o '(' -name '*.cc' -o -name '*.h' ')' -print

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo setup test test-cpp test-python lint format asan tsan \
  asan-python tsan-python release fuzz tidy bench instructions test-torch \
  notebooks wheel docs clean

help: ## List the targets
	@grep -E '^[a-z -]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /|/' | \
	  while IFS='|' read -r name text; do printf '  %-23s %s\n' "$$name" "$$text"; done

demo: $(PACKAGE) ## Install what is missing, build, and scan a real log and a real trace
	@test -n "$(DEMO_TRACE)" || { echo "demo: no trace in tests/data"; exit 1; }
	@echo
	@echo '$$ pt2triage scan $(DEMO_LOG)'
	@$(BIN)/pt2triage scan $(DEMO_LOG)
	@echo
	@echo '$$ pt2triage scan $(DEMO_TRACE)'
	@$(BIN)/pt2triage scan $(DEMO_TRACE)

setup: $(SYSTEM_DEV) $(PACKAGE) ## Only install and build, for users and developers

test: setup ## Run every test and every check (not those that need PyTorch)
	@$(MAKE) --no-print-directory test-cpp
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory test-python

test-cpp: $(SYSTEM_DEV) $(ENVIRONMENT) ## Build and run the C++ tests
	cmake --preset dev -DPT2TRIAGE_WERROR=$(WERROR) $(CMAKE_ARGS)
	cmake --build --preset dev
	ctest --preset dev -j $(JOBS)

test-python: $(PACKAGE) ## Run the Python tests (not those that need PyTorch)
	$(BIN)/python -m pytest -m "$(SELECT)" -n $(JOBS)

# worksteal: neighbours share the run of a scenario, and the longest tests stand
# first.
test-torch: $(PACKAGE) ## Run the tests that need PyTorch, which is installed for them
	$(BIN)/python -m pip install -qq $(TORCH) expecttest numpy \
	  transformers nbclient ipykernel
	$(BIN)/python -m pytest -m torch -n $(JOBS) --dist worksteal

notebooks: $(PACKAGE) ## Run the example notebooks, and save what they print
	$(BIN)/python -m pip install -qq $(TORCH) transformers nbclient ipykernel
	$(BIN)/python tests/notebooks.py

lint: $(PACKAGE) ## Check formatting, types and the stub file
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(CXX_FILES) | xargs $(BIN)/clang-format --dry-run --Werror
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml pt2triage._core

format: $(PACKAGE) ## Reformat all sources
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(CXX_FILES) | xargs $(BIN)/clang-format -i

asan tsan release: $(SYSTEM_DEV) $(ENVIRONMENT) ## Run the C++ tests under sanitizers, or optimised
	cmake --preset $@ $(CMAKE_ARGS)
	cmake --build --preset $@
	ctest --preset $@ -j $(JOBS) $(CTEST)

asan-python: SANITIZE = address;undefined
tsan-python: SANITIZE = thread
asan-python tsan-python: $(SYSTEM_DEV) $(PACKAGE) ## Run the Python tests with a sanitized core
	cmake --preset dev -B build/$@ -DPT2TRIAGE_BUILD_BINDINGS=ON \
	  '-DPT2TRIAGE_SANITIZE=$(SANITIZE)' \
	  -DPT2TRIAGE_BUILD_TESTS=OFF -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
	  $(CMAKE_ARGS)
	cmake --build build/$@ --target _core
	tests/sanitized.sh build/$@ -n $(JOBS)

fuzz: $(SYSTEM_DEV) $(ENVIRONMENT) ## Fuzz each target for FUZZ_SECONDS, JOBS at a time
	cmake --preset asan $(CMAKE_ARGS)
	cmake --build --preset asan
	tests/fuzz/run.sh build/asan/tests/fuzz $(FUZZ_SECONDS) $(JOBS)

tidy: $(SYSTEM_DEV) $(PACKAGE) ## Run clang-tidy over all C++ sources
	cmake --preset tidy $(CMAKE_ARGS)
	cmake --build --preset tidy

# The wheel's own build folder is used: it is optimised, and is there already.
instructions: $(SYSTEM_DEV) $(PACKAGE) ## Compare instruction counts with benchmarks/instructions.json
	folder=$$(ls -td build/cp*/ | head -n 1) && \
	  cmake --build "$$folder" --target scan_once && \
	  $(BIN)/python benchmarks/instructions.py "$${folder}benchmarks/scan_once" $(INSTRUCTIONS)

bench: $(SYSTEM_DEV) $(ENVIRONMENT) ## Build and run the C++ benchmarks
	cmake --preset release $(CMAKE_ARGS)
	cmake --build --preset release
	build/release/benchmarks/pt2triage_bench

wheel: $(SYSTEM_DEV) $(PACKAGE) ## Build source archive and wheel, and try the wheel alone
	$(CACHED) packaging/wheel.sh $(CURDIR)/$(BIN)/python $(dir $(DEMO_LOG))

# The pages and their links; warnings are errors. What it is made with is installed here.
docs: $(PACKAGE) ## Build the documentation as a site, build/docs
	$(BIN)/python -m pip install -qq 'pt2triage[docs]'
	$(BIN)/python -m sphinx -W --keep-going -q -E -j $(JOBS) -d build/docs.cache docs build/docs
	@echo "build/docs/index.html"

clean: ## Remove everything that was built, the virtual environment too
	rm -rf build dist $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(SYSTEM): packaging/debian.txt packaging/setup.sh
	packaging/setup.sh packaging/debian.txt
	@mkdir -p $(@D) && touch $@

$(SYSTEM_DEV): packaging/debian.txt packaging/debian-dev.txt packaging/setup.sh
	packaging/setup.sh packaging/debian.txt packaging/debian-dev.txt
	@mkdir -p $(@D) && touch $@

# The environment with the build tools, so that a rebuild needs no network. The pip
# of older Pythons writes programs that load `re` first; see docs/start-up.md.
$(ENVIRONMENT): pyproject.toml | $(SYSTEM)
	@echo "make: preparing the Python environment in $(VENV)"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -c 'import tomllib; print("\n".join(tomllib.load( \
	  open("pyproject.toml", "rb"))["build-system"]["requires"]))' \
	  > $(VENV)/requirements.txt
	$(BIN)/python -m pip install -qq --upgrade pip
	$(BIN)/python -m pip install -qq -r $(VENV)/requirements.txt
	command -v cmake >/dev/null || $(BIN)/python -m pip install -qq cmake
	command -v ninja >/dev/null || $(BIN)/python -m pip install -qq ninja
	@touch $@

$(PACKAGE): $(SOURCES) CMakeLists.txt README.md LICENSE $(ENVIRONMENT)
	@echo "make: building pt2triage and installing it into $(VENV) (a minute or two)"
	$(CACHED) $(BIN)/python -m pip install -qq --no-build-isolation '.[dev]'
	@touch $@
