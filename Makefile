# The two commands a newcomer needs are `make run` and `make test`; `make help` lists the rest.
.PHONY: help run build test test-faults lint unit api bench fuzz setup doctor clean

CARGO ?= cargo

help: ## list what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: doctor ## build and serve on http://127.0.0.1:7117, data in ./data, with a small demo conversation
	$(CARGO) run --profile quick --bin tavernkeep -- serve --demo

build: doctor ## build the program: target/release/tavernkeep
	$(CARGO) build --release --bin tavernkeep

test: setup lint unit api ## install what the tests need and run every one of them

# `make test` runs a small version of the same. TAVERNKEEP_TEST_SEED repeats a run, TAVERNKEEP_TEST_FAULTS says how much.
test-faults: setup ## break everything on purpose, 200 times each, and compare 100,000 operations with each of two oracles
	TAVERNKEEP_TEST_FAULTS=$${TAVERNKEEP_TEST_FAULTS:-200} $(CARGO) test --locked -p tavernkeep --test faults -- --nocapture
	TAVERNKEEP_TEST_OPERATIONS=$${TAVERNKEEP_TEST_OPERATIONS:-100000} $(CARGO) test --locked -p tavernkeep-runtime --test model sqlite -- --nocapture
	TAVERNKEEP_TEST_OPERATIONS=$${TAVERNKEEP_TEST_OPERATIONS:-100000} $(CARGO) test --locked -p tavernkeep-runtime --test tale sqlite -- --nocapture

setup: doctor ## install what the tests need where that is possible, say what is missing where not
	@scripts/setup

lint: ## formatting, lints with warnings denied, and the order between the folders of a crate
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	scripts/import-cycles

unit: ## all tests of the workspace, on SQLite and PostgreSQL, and the examples of the documentation
	$(CARGO) test --workspace --locked

api: ## the API document against the running server
	$(CARGO) build --bin tavernkeep --locked
	scripts/schemathesis target/debug/tavernkeep

bench: ## measure, beside bare SQLite, bare axum and LangGraph, and count instructions; the tables are kept in docs/benchmarks.md
	$(CARGO) bench --bench variables --locked
	$(CARGO) bench --bench story --locked
	$(CARGO) run --release --locked -p tavernkeep-engine --example bench

fuzz: ## let libFuzzer look for a minute at each target (SECONDS=600 for longer, TARGETS="reply schema" for some); needs nightly
	scripts/fuzz $(or $(SECONDS),60) $(TARGETS)

doctor: ## is the toolchain there?
	@scripts/doctor

clean: ## remove what was built
	$(CARGO) clean
