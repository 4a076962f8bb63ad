# How clang compiles CUDA C++ with these headers: the student's Makefile reads this where there is no nvcc. Needs CLANG, ARCH,
# BUILD and CUDA_HEADERS. clang reads a file twice, for the device and for the host, here at the same time. It leaves the
# device code as PTX in $(BUILD)/keep/<file>/<file>.ptx.
CLANG_HEADERS ?= $(shell $(CLANG) -print-resource-dir)/include
TARGET        ?= sm_$(ARCH:compute_%=%)
PTX           ?= ptx71
# What every file begins with, as nvcc's do; the grader has it read beforehand.
DEVICE_START  ?= -include cuda_runtime.h
HOST_START    ?= -include cuda_runtime.h
# What the grader does with the host's object while the device code is still being made.
AFTER_HOST    ?= :

# No header of a toolkit or of clang's own for one, and no host function in device code, constexpr or not, as with nvcc. A narrowing
# conversion, as in dim3 grid{n / 16}, is a warning, as with nvcc.
comma := ,
BOTH   = -x cuda -std=c++17 -Wall$(subst $(comma), ,$(MORE_WARNINGS)) --cuda-gpu-arch=$(TARGET) --cuda-path=/nonexistent -nocudainc -nocudalib \
         -nobuiltininc -isystem $(CUDA_HEADERS) -isystem $(CLANG_HEADERS) -Xclang -target-sdk-version=11.5 \
         -Xclang -fno-cuda-host-device-constexpr -fno-crash-diagnostics -Wno-error=c++11-narrowing
# Lines for messages; loads and stores stay as they are written; loops over a thread's 8 x 8 results are unrolled, as nvcc does,
# so that these are registers. Endless loops stay too: nvcc does not remove them either. So do accesses through null pointers,
# which are found when they run.
DEVICE = $(BOTH) -O3 --cuda-device-only -gline-directives-only -fno-vectorize -fno-slp-vectorize -fno-finite-loops \
         -fno-delete-null-pointer-checks \
         -mllvm -disable-nvptx-load-store-vectorizer -mllvm -disable-vector-combine -mllvm -unroll-threshold=2000 \
         -Xclang -target-feature -Xclang +$(PTX) -S
# The host's object registers its kernels as one with device code in it would. What a launcher does is little, and is to be
# done as it is written: clang's optimiser leaves out memory that is taken and not used. Lines are for messages about calls.
HOST   = $(BOTH) -O0 -gline-tables-only --cuda-host-only -Xclang -fcuda-include-gpubinary -Xclang /dev/null -c

# The two readings, at the same time.
define READ_TWICE
{ $(CLANG) $(HOST) $(HOST_START) $< -o $@ 2> $(BUILD)/keep/$*/host.log && { $(AFTER_HOST) || :; }; } & host=$$!; \
  $(CLANG) $(DEVICE) $(DEVICE_START) -MD -MF $(BUILD)/keep/$*/$*.d $< -o $(BUILD)/keep/$*/$*.ptx \
    2> $(BUILD)/keep/$*/device.log; device=$$?; wait $$host; host=$$?
endef

# What the device's reading says is said; what the host's says only when that said nothing.
$(BUILD)/%.o: %.cu $(wildcard *.h)
	@[ -d $(BUILD)/keep/$* ] || mkdir -p $(BUILD)/keep/$*; $(READ_TWICE); \
	  for said in device host; do [ ! -s $(BUILD)/keep/$*/$$said.log ] || { cat $(BUILD)/keep/$*/$$said.log >&2; break; }; done; \
	  [ $$device = 0 ] && [ $$host = 0 ]

# For the grader, where many variants of a kernel have the same host code: the device code alone.
$(BUILD)/%.device: %.cu $(wildcard *.h)
	@[ -d $(BUILD)/keep/$* ] || mkdir -p $(BUILD)/keep/$*; \
	  $(CLANG) $(DEVICE) $(DEVICE_START) -MD -MF $(BUILD)/keep/$*/$*.d $< -o $(BUILD)/keep/$*/$*.ptx

# For the grader: the headers, read once for all files.
$(BUILD)/device.pch:
	@$(CLANG) $(DEVICE) $(BEFOREHAND) /dev/null -o $@
$(BUILD)/host.pch:
	@$(CLANG) $(HOST) $(BEFOREHAND) /dev/null -o $@
BEFOREHAND = -include cuda_runtime.h -Xclang -fpch-instantiate-templates -Xclang -emit-pch
