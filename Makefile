# Every job of this repository in one word: `make help` lists them. CMake does the building, in build/grader.
BUILD := build
JOBS  ?= $(shell nproc 2>/dev/null || echo 2)
TEST_JOBS ?= $(shell expr $(JOBS) + 1)  # some tests wait for limits of time

# nvcc: on the PATH, in CUDA_HOME, or where NVIDIA's packages put it. Whoever runs below finds it on the PATH.
NVCC  := $(shell command -v nvcc || ls -d "$(CUDA_HOME)"/bin/nvcc /usr/local/cuda/bin/nvcc \
           /usr/local/cuda-*/bin/nvcc 2>/dev/null | tail -n 1)
ifneq ($(NVCC),)
export PATH := $(PATH):$(dir $(NVCC))
endif

# Without this, ccache keeps nothing that is compiled with precompiled headers.
export CCACHE_SLOPPINESS ?= pch_defines,time_macros
# What one checkout compiled serves another: paths are compared as seen from the root.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1

PROGRAMS := grade gradebook simt
CMAKE_BUILD = env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL cmake --build $(BUILD)/grader -j $(JOBS)
CMAKE_OPTIONS := $(if $(shell command -v ninja 2>/dev/null),-G Ninja) \
                 $(if $(shell command -v ccache 2>/dev/null),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache) \
                 $(if $(WERROR),-DWARPGRADE_WERROR=ON)
STYLED = $(shell git ls-files -co --exclude-standard 'base/**.?pp' 'simulator/**.?pp' 'simulator/**.cu' 'grader/**.?pp' 'grader/**.cu' 'assignments/**.cpp' \
           'solutions/**.cu' 'solutions/**.h' ':!grader/tests/submissions' ':!simulator/tests/simt/ptx' \
           ':!simulator/tests/simt/corpus/cuda' ':!simulator/tests/simt/golden')  # their PTX names lines of their sources

.NOTPARALLEL:  # a target lists what it needs in the order in which it needs it; CMake builds in parallel
.DEFAULT_GOAL := all
.PHONY: all grade own-build demo demo-server install deb release kit handouts test test-long test-asan test-front-ends test-threads test-systems test-no-cuda test-arm test-arm-kit test-arm-machine test-browser test-accessibility test-packaging test-notebook test-slurm test-server test-gpu fuzz starter check-starter check-layers map bench format lint setup clean help

# build_programs NAMES: builds them and leaves them here.
define build_programs
	@$(CMAKE_BUILD) --target $(1)
	@for p in $(1) $(if $(filter gradebook,$(1)),gradebook-http); do \
	  built=$(BUILD)/grader/bin/$$p; \
	  [ ! -x $$built ] || cmp -s $$built $$p || cp --remove-destination $$built $$p || exit 1; \
	done
endef

all: own-build $(BUILD)/grader/CMakeCache.txt  ## build; leaves ./grade, ./gradebook and ./simt here
	$(call build_programs,$(PROGRAMS))

grade: own-build $(BUILD)/grader/CMakeCache.txt  ## build ./grade alone, which is all that students need
	$(call build_programs,grade)

demo: setup grade  ## grade the solutions of hw6 on the best device here
	@mkdir -p $(BUILD)/demo
	./grade --assignment hw6 --submission solutions/hw6 --html $(BUILD)/demo/report.html \
	  --json $(BUILD)/demo/score.json --junit $(BUILD)/demo/junit.xml
	@echo
	@echo "The report is above; for a browser: $(BUILD)/demo/report.html; for programs: $(BUILD)/demo/score.json, junit.xml"

demo-server: setup all  ## start a service with a demo course on loopback, and say what to type
	@tools/demo-server $(BUILD)/demo-server

install: all  ## install programs, course, manual pages and completions: PREFIX=/usr/local, DESTDIR=
	@cmake --install $(BUILD)/grader --prefix $(or $(PREFIX),/usr/local)

deb: all  ## make Debian packages, in build/deb/
	@packaging/make-deb $(BUILD)/grader $(BUILD)/deb

release: all  ## pack programs and course with checksums and a list of their parts (SPDX), in build/release/
	@packaging/make-release $(BUILD)/grader $(BUILD)/release

kit: all check-starter handouts  ## pack what students get, in build/kit/; for 64-bit Arm too after tools/setup --arm
	@tools/build-arm $(BUILD)/arm --for-kit
	@./gradebook kit --out $(BUILD)/kit --handouts $(BUILD)/handouts

test: setup all check-starter check-layers  ## run the tests that need no GPU, but for the long ones
	@tools/check-threats
	@tools/test-make-starter
	@tools/test-setup
	@tools/test-bench
	@tools/test-editor
	@$(CMAKE_BUILD)
	@tools/test-install $(BUILD)/grader
	@cd $(BUILD)/grader && ctest --output-on-failure --no-tests=error -j $(TEST_JOBS) -LE long

SHARE ?= 1/1
comma := ,
test-long: all $(if $(filter 1/1,$(SHARE)),handouts)  ## run the tests that repeat or wait: kills, hostile classes, thread counts, both compilers, handouts and their commands, most submissions; SHARE=2/4 runs the second quarter of them, without making the handouts
	@tools/test-own-build
	@$(CMAKE_BUILD)
	@cd $(BUILD)/grader && ctest --output-on-failure --no-tests=error -j $(TEST_JOBS) -L long -I $(subst /,$(comma)$(comma),$(SHARE))

test-front-ends: all  ## does every submission of the tests get the same verdict from nvcc and clang? needs both
	@$(CMAKE_BUILD) --target test_end_to_end
	@WARPGRADE_ALL_FIXTURES=1 WARPGRADE_CACHE=$${WARPGRADE_CACHE:-$(CURDIR)/$(BUILD)/grader/build-cache} \
	  $(BUILD)/grader/tests/end_to_end/test_end_to_end --gtest_filter='FrontEnds*:*/*Submission.*'

test-threads: all  ## is every record of the tests' submissions the same with 1, 2, 7 and 64 threads?
	@$(CMAKE_BUILD) --target test_end_to_end
	@WARPGRADE_ALL_FIXTURES=1 WARPGRADE_CACHE=$${WARPGRADE_CACHE:-$(CURDIR)/$(BUILD)/grader/build-cache} \
	  $(BUILD)/grader/tests/end_to_end/test_end_to_end --gtest_filter='Threads.*'

test-systems:  ## does the README's beginning work on other systems? as root, in file systems that mmdebstrap makes
	@tools/test-systems $(SYSTEMS)

test-no-cuda:  ## does it all work without the CUDA Toolkit? hides it and tries; --all with NO_CUDA=--all
	@tools/test-no-cuda $(NO_CUDA)

test-arm:  ## cross-compile the simulator for 64-bit Arm and run its tests under qemu
	@tools/setup --arm
	@tools/test-arm $(BUILD)/arm-tests

test-arm-machine: all  ## grade kernels with a kit on an emulated machine of 64-bit Arm, and compare: some 15 minutes
	@tools/setup --arm
	@tools/setup --arm-machine
	@tools/test-arm-machine $(BUILD)/arm

test-arm-kit: all  ## pack a kit for 64-bit Arm, look at what it needs, and grade answers with it under qemu
	@tools/setup --arm
	@tools/test-arm-kit $(BUILD)/arm

handouts: all  ## fill in the handouts: build/handouts/hw6.html and hw6.pdf
	@tools/setup --handouts
	@WARPGRADE_CACHE=$${WARPGRADE_CACHE:-$(CURDIR)/$(BUILD)/grader/build-cache} tools/make-handouts $(BUILD)/handouts

test-browser: all handouts  ## look at the HTML reports and handouts in headless Chromium: BROWSER="--pictures DIR" keeps screenshots
	@tools/setup --browser
	@$(CMAKE_BUILD) --target page_samples
	@tools/test-browser $(BUILD)/grader $(BROWSER)

test-accessibility: all handouts  ## check all pages with axe-core, which npm gets from the network
	@tools/setup --browser
	@$(CMAKE_BUILD) --target page_samples
	@[ -s $(BUILD)/axe/node_modules/axe-core/axe.min.js ] || npm install --silent --no-audit --no-fund --prefix $(BUILD)/axe axe-core@4.10.3
	@tools/test-accessibility $(BUILD)/grader $(BUILD)/axe/node_modules/axe-core/axe.min.js

test-packaging: all  ## make packages and release archive twice, compare, grade with them; PACKAGING=--image builds the image too
	@tools/setup --packaging
	@tools/test-packaging $(BUILD)/grader $(PACKAGING)

test-notebook: all  ## execute the kit's notebook of hw6 with nbconvert, on the simulator
	@tools/setup --notebook
	@tools/test-notebook ./gradebook

test-slurm: all  ## grade a class through a Slurm cluster of this machine's own, and break it while it does
	@tools/setup --slurm
	@tools/test-slurm ./gradebook

test-server: setup all  ## grade through a service on loopback, kill it while it does, attack it
	@tools/setup --server
	@[ -x ./gradebook-http ] || { echo "there is no gradebook-http: 'make setup', then 'make clean all'"; exit 1; }
	@$(CMAKE_BUILD) --target test_service test_base
	@$(BUILD)/grader/tests/service/test_service --gtest_brief=1
	@$(BUILD)/grader/tests/base/test_base --gtest_brief=1 --gtest_filter='Base64.*'
	@tools/test-server .

test-asan: setup  ## run every test under AddressSanitizer and UndefinedBehaviorSanitizer; ASAN="-R Store" for some
	@env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL JOBS=$(JOBS) tools/test-asan $(BUILD)/asan $(ASAN)

test-gpu: setup all  ## run the tests that need a GPU; fails where there is none
	@$(CMAKE_BUILD) --target test_gpu test_submissions_gpu
	tools/test-gpu $(BUILD)/grader

fuzz:  ## throw hostile PTX, archives, plans, YAML and more at what reads them (clang): FUZZ_SECONDS=300 a harness
	@tools/setup --fuzz
	tools/fuzz $(BUILD)/fuzz $(or $(FUZZ_SECONDS),300)

starter:  ## regenerate starter/ from solutions/
	tools/make-starter solutions starter

check-starter:  ## fail unless starter/ is exactly what solutions/ generates
	@tools/make-starter solutions $(BUILD)/starter
	@diff -ru -x build $(BUILD)/starter starter || \
	  { echo "starter/ differs from what solutions/ generates: edit solutions/, then 'make starter'"; exit 1; }

check-layers:  ## fail where a room includes one that comes after it
	@tools/layers check

map:  ## print the rooms by floor with their lines and includes, and draw docs/houses.svg
	@tools/layers map

bench: all  ## the figures that matter as ratios: latency, simulator, a class, and with a GPU the steps; BENCH="--json FILE --quick"
	@$(CMAKE_BUILD) --target simt_bench race_recall
	@SIMT_BENCH=$(BUILD)/grader/machine/simt_bench tools/bench $(BENCH)

format:  ## lay out all C++ and CUDA sources with clang-format 14
	@tools/setup --lint
	@clang-format-14 -i $(STYLED)

lint: check-layers  ## check layout, clang-tidy's list, layers, house rules and the list of threats, without changing anything
	@tools/setup --lint
	@clang-format-14 --dry-run -Werror $(STYLED)
	@tools/check-tidy
	@tools/check-systems
	@tools/check-house-rules
	@tools/check-threats

setup:  ## install what is missing (Debian 12 or 13); says what to do about CUDA
	@tools/setup

clean:  ## remove everything that was built
	rm -rf $(BUILD) $(PROGRAMS) gradebook-http

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# The cache may go here, so whether it is there is asked in a make of its own.
own-build:
	@tools/own-build $(BUILD)/grader grader
	@[ -f $(BUILD)/grader/CMakeCache.txt ] || $(MAKE) --no-print-directory $(BUILD)/grader/CMakeCache.txt
ifeq ($(origin COURSE),command line)
	@[ -d '$(COURSE)/assignments' ] || { echo "COURSE=$(COURSE): there is no folder '$(COURSE)/assignments'"; exit 1; }
	@cmake "-DWARPGRADE_ASSIGNMENTS=$(CURDIR)/assignments;$$(cd '$(COURSE)' && pwd)/assignments" $(BUILD)/grader >/dev/null
endif

$(BUILD)/grader/CMakeCache.txt:
	@command -v cmake >/dev/null || { echo "cmake is missing: 'make setup' installs what the build needs"; exit 1; }
	@cmake -S grader -B $(BUILD)/grader $(CMAKE_OPTIONS) || { rm -f $@; \
	  echo "cmake failed, see above; 'make setup' installs what the build needs"; exit 1; }
