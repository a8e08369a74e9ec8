# The two commands a newcomer needs are `make run` and `make test`; `make help` lists the rest.
.PHONY: help run build lodash web console screenshots extension test-extension test-sillytavern test test-faults lint unit api bench fuzz setup doctor clean

CARGO ?= cargo

help: ## list what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: doctor lodash web-if-possible ## build and serve on http://127.0.0.1:7117, data in ./data, with a small demo conversation
	$(CARGO) run --profile quick --bin tavernkeep -- serve --demo

build: doctor lodash web-if-possible ## build the program: target/release/tavernkeep
	$(CARGO) build --release --bin tavernkeep
	@scripts/binary-size target/release/tavernkeep

web: ## build the console, which the next build of the program takes in (needs Node)
	scripts/web build

.PHONY: web-if-possible
web-if-possible:
	@scripts/web build-if-possible

console: ## the tests of the SDK and of the console, in a real browser against a real server
	$(CARGO) build --bin tavernkeep --locked
	scripts/web test

screenshots: ## every page of the console, light and dark, desktop and phone: web/screenshots/index.html
	$(CARGO) build --bin tavernkeep --locked
	scripts/web screenshots

extension: ## build the SillyTavern extension: integrations/sillytavern/dist
	scripts/sillytavern build

test-extension: ## the parts of the SillyTavern extension, on chats recorded from SillyTavern, against a real server
	$(CARGO) build --bin tavernkeep --locked
	scripts/sillytavern test

test-sillytavern: ## play a real SillyTavern 1.19 with the extension and a scripted model, in Chromium (installs about 400 MB once)
	$(CARGO) build --bin tavernkeep --locked
	scripts/sillytavern play

test: setup web-if-possible lint unit api console test-extension ## install what the tests need and run every one of them

# `make test` runs a small version of the same. TAVERNKEEP_TEST_SEED repeats a run, TAVERNKEEP_TEST_FAULTS says how much.
test-faults: setup ## break everything on purpose, 200 times each, and compare 100,000 operations with each of two oracles, 20,000 on PostgreSQL
	TAVERNKEEP_TEST_FAULTS=$${TAVERNKEEP_TEST_FAULTS:-200} $(CARGO) test --locked -p tavernkeep --test faults -- --nocapture
	TAVERNKEEP_TEST_OPERATIONS=$${TAVERNKEEP_TEST_OPERATIONS:-100000} $(CARGO) test --locked -p tavernkeep-runtime --test model sqlite -- --nocapture
	TAVERNKEEP_TEST_OPERATIONS=$${TAVERNKEEP_TEST_OPERATIONS:-100000} $(CARGO) test --locked -p tavernkeep-runtime --test tale sqlite -- --nocapture
	TAVERNKEEP_TEST_OPERATIONS=$${TAVERNKEEP_TEST_OPERATIONS:-20000} $(CARGO) test --locked -p tavernkeep-runtime --test tale postgres -- --nocapture

lodash: ## install what scripts find in their sandbox, where npm is there
	@scripts/lodash || true

setup: doctor ## install what the tests need where that is possible, say what is missing where not
	@scripts/setup

lint: ## formatting, lints with warnings denied, the order between the folders of a crate, and the dependencies
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	scripts/import-cycles
	scripts/deny

unit: ## all tests of the workspace, on SQLite and PostgreSQL, and the examples of the documentation
	$(CARGO) test --workspace --locked
	$(CARGO) test --locked -p tavernkeep-runtime --no-default-features --test without_scripts

api: ## the API document against the running server
	$(CARGO) build --bin tavernkeep --locked
	scripts/schemathesis target/debug/tavernkeep

bench: ## measure, beside bare SQLite, bare axum and LangGraph, and count instructions; the tables are kept in docs/benchmarks.md
	$(CARGO) bench --bench variables --locked
	$(CARGO) bench --bench story --locked
	$(CARGO) bench --bench scripts --locked
	$(CARGO) run --release --locked -p tavernkeep-engine --example bench
	$(CARGO) run --release --locked -p tavernkeep-runtime --example bench_tools

fuzz: ## let libFuzzer look for a minute at each target (SECONDS=600 for longer, TARGETS="reply schema" for some); needs nightly
	scripts/fuzz $(or $(SECONDS),60) $(TARGETS)

doctor: ## is the toolchain there?
	@scripts/doctor

clean: ## remove what was built
	$(CARGO) clean
