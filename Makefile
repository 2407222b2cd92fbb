# The front door. Each target installs what is missing on a bare Debian 12 (scripts/deps.sh), builds what it needs in
# build/PRESET, and says where its results are. The presets themselves are in CMakePresets.json.

PREFIX = /usr/local
FUZZ =
MESHES = $(firstword $(wildcard meshes ../meshes ../*/meshes))
SECONDS = 600

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL = help
.NOTPARALLEL:
.PHONY: help demo test test-web check soak fuzz bench bench-map bench-rules bench-physics bench-surgery bench-view hand coverage docs format install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

demo: ## simulate a cantilever and a liver; results and pictures in out/demo: [MESHES=directory]
	@scripts/deps.sh build
	@scripts/build.sh release
	@scripts/demo.sh build/release/cleave $(MESHES)

test: ## build with assertions and run the tests
	@scripts/deps.sh build test
	@scripts/build.sh test
	@scripts/test.sh test

test-web: ## the page of cleave view in a real browser; pictures in build/test/web: [REFERENCES=write]
	@scripts/deps.sh build web web-test
	@scripts/build.sh test
	@cd web && npm run --silent check
	@PICTURES=build/test/web CLEAVE=build/test/cleave node --test --test-reporter=spec web/test/page.test.mjs

check: ## format, layering, clang-tidy, cppcheck, tests under sanitizers, a minute of fuzzing
	@scripts/deps.sh build test check
	@scripts/check.sh

soak: ## the long random tests, in the release and in the sanitizer build
	@scripts/deps.sh build test
	@scripts/build.sh release -DCLEAVE_TESTS=ON
	@scripts/build.sh debug
	@ctest --test-dir build/release -C soak -L soak --no-label-summary --no-tests=error --verbose
	@ctest --test-dir build/debug -C soak -L soak --no-label-summary --no-tests=error --verbose

fuzz: ## fuzz the readers and keep what was learnt: [FUZZ=name] [SECONDS=600]
	@scripts/deps.sh build check
	@scripts/build.sh fuzz
	@scripts/fuzz.sh --keep $(SECONDS) $(FUZZ)

bench: bench-map bench-rules bench-physics bench-surgery bench-view ## every benchmark

bench-map: ## the map beside its peer, CGAL
	@scripts/deps.sh build bench
	@scripts/build.sh release -DCLEAVE_BENCH=ON
	@cmake --build --preset release --target bench --parallel $$(nproc)
	@build/release/$(@:bench-%=bench_%) build/release/peers/*

bench-rules: ## compiled rules beside force loops written by hand
	@scripts/deps.sh build
	@scripts/build.sh release -DCLEAVE_BENCH=ON
	@cmake --build --preset release --target bench_rules --parallel $$(nproc)
	@build/release/bench_rules

bench-physics: ## whole steps beside programs written by hand, the papers, and SOFA: [MESHES=directory]
	@scripts/deps.sh build
	@scripts/build.sh release -DCLEAVE_BENCH=ON
	@cmake --build --preset release --target bench_physics --parallel $$(nproc)
	@build/release/bench_physics $(addprefix --meshes ,$(MESHES))

bench-surgery: ## edits of moving bodies, with all that follows from them: [MESHES=directory]
	@scripts/deps.sh build
	@scripts/build.sh release -DCLEAVE_BENCH=ON
	@cmake --build --preset release --target bench_surgery --parallel $$(nproc)
	@build/release/bench_surgery $(addprefix --meshes ,$(MESHES))

bench-view: ## what it costs the engine that others look on, and how often a browser draws
	@scripts/deps.sh build web web-test
	@scripts/build.sh release -DCLEAVE_BENCH=ON
	@cmake --build --preset release --target bench_view --parallel $$(nproc)
	@build/release/bench_view
	@CLEAVE=build/release/cleave taskset -c 1 node web/test/frames.bench.mjs

hand: ## look which functions edits run, so that they lie side by side (cmake/hand.ld)
	@scripts/deps.sh build hand
	@scripts/build.sh release -DCLEAVE_BENCH=ON
	@cmake --build --preset release --target bench_hand --parallel $$(nproc)
	@scripts/hand.py

coverage: ## which lines the tests reach
	@scripts/deps.sh build test coverage
	@scripts/build.sh coverage
	@find build/coverage -name '*.gcda' -delete
	@scripts/test.sh coverage
	@gcovr --root . --filter src/ build/coverage

docs: ## the reference of the C interface, from its headers; in build/docs/html
	@scripts/deps.sh docs
	@mkdir -p build
	@doxygen docs/Doxyfile
	@echo 'build/docs/html/index.html: every header, type and function; docs/ has the guides'

format: ## lay out the sources as .clang-format says
	@scripts/deps.sh check
	@scripts/sources.sh 'c|h|cpp' | xargs -0 clang-format -i

install: ## install the library and the program: [PREFIX=/usr/local] [DESTDIR=]
	@scripts/deps.sh build web
	@scripts/build.sh release
	@cmake --install build/release --prefix $(abspath $(PREFIX))

clean: ## remove build/ and out/
	@rm -rf build out
