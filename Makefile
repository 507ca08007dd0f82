# make demo: set up, run the exams on embedded data, show tables, write an HTML report
# make test: set up and run every test but those that train a model (make test-slow) or try to break things by chance (make test-faults)
# make docs: set up and build the documentation into site/
PYTHON ?= python3
# make test CONSTRAINTS= takes the newest versions of everything
CONSTRAINTS ?= -c constraints.txt
# compiled modules are kept, whatever the environment says: tests and demo start Python again and again
export PYTHONDONTWRITEBYTECODE :=
BIN := .venv/bin
CORE := .venv/.core
DEMO := .venv/.demo
DEV := .venv/.dev
DOCS := .venv/.docs

.PHONY: demo test test-slow test-faults lint docs bench clean

demo: $(DEMO)
	$(BIN)/snellen demo

# without a list of the warnings that tests provoke: what failed is to stand last
test: $(DEV)
	$(BIN)/python -m pytest -q --disable-warnings -n 2 --dist worksteal

lint: $(DEV)
	$(BIN)/ruff check src tests bench docs training
	$(BIN)/ruff format --check src tests bench docs training
	$(BIN)/mypy
	$(BIN)/python docs/tools/english.py

docs: $(DOCS)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo 'Open site/index.html'

# make test-faults FAULTS_SEED=7 FAULTS_CASES=300: other cases, more of them
test-faults: $(DEV)
	$(BIN)/python -m pytest -q --disable-warnings -n 2 --dist worksteal -m faults tests/faults
	$(BIN)/python -m pytest -q --disable-warnings -n 2 --dist worksteal -m hypothesis --hypothesis-profile 'by chance' tests

test-slow: $(DEV)
	OMP_WAIT_POLICY=PASSIVE $(BIN)/python -m pytest -q -m slow

bench: $(DEV)
	$(BIN)/python bench/throughput.py
	$(BIN)/python bench/providers.py
	$(BIN)/python bench/nlg.py
	$(BIN)/python bench/local.py
	$(BIN)/python bench/scoring.py
	$(BIN)/python bench/screens.py
	$(BIN)/python bench/parsing.py
	PYTHONPATH=. $(BIN)/python bench/readers.py

$(CORE): pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check $(CONSTRAINTS) -e .
	touch $(CORE)

$(DEMO): $(CORE)
	$(BIN)/pip install --quiet --disable-pip-version-check $(CONSTRAINTS) -e '.[ocr,onnx]'
	touch $(DEMO)

$(DEV): $(CORE)
	$(BIN)/pip install --quiet --disable-pip-version-check $(CONSTRAINTS) -e '.[dev]'
	touch $(DEV)

$(DOCS): $(CORE)
	$(BIN)/pip install --quiet --disable-pip-version-check $(CONSTRAINTS) -e '.[docs]'
	touch $(DOCS)

clean:
	rm -rf .venv demo runs site
