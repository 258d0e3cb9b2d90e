# bankshot: everything is built into $(BUILD); `make help` lists the goals.

BUILD  ?= build
OBJ     = $(BUILD)/obj
PREFIX ?= /usr/local
DIR    ?= results
CFLAGS ?= -O2 -g
CLANG_FORMAT ?= clang-format

PROBES    := gmem smem reduce apsp
PROGRAMS   = $(foreach name,$(PROBES) lanes,$(if $(wildcard $(name)/$(name).c),$(name))) $(if $(HAVE_MPI),apsp-mpi)
LIBRARIES := common device model bench
VERSION   := 0.1.0

# GPU libraries are found when a program runs; only their headers matter here.
CUDA_INCLUDE := $(firstword $(dir $(wildcard $(addsuffix /cuda.h,$(CUDA_HOME)/include $(CUDA_PATH)/include \
                  /usr/local/cuda/include /opt/cuda/include /usr/include))))
HIP_INCLUDE  := $(firstword $(dir $(patsubst %/hip/hip_runtime_api.h,%/,$(wildcard $(addsuffix \
                  /hip/hip_runtime_api.h,$(ROCM_PATH)/include /opt/rocm/include /usr/include)))))

# The simulator needs libdw's and libffi's headers; without them it is left out, and --list-devices says so.
HASH       := \#
have_header = $(shell echo '$(HASH)include <$(1)>' | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)
HAVE_SIM   := $(and $(call have_header,elfutils/libdwfl.h),$(call have_header,ffi.h))

# apsp-mpi is built where an MPI is, with the words that its compiler wrapper would give the compiler.
MPICC     ?= $(firstword $(shell command -v mpicc) $(wildcard /usr/lib64/openmpi/bin/mpicc /usr/lib64/mpich/bin/mpicc \
               /usr/lib64/mpi/gcc/*/bin/mpicc))
MPI_WORDS := $(if $(MPICC),$(shell $(MPICC) -show 2>/dev/null))
MPI_FLAGS := $(patsubst -I%,-isystem %,$(filter -I% -D%,$(MPI_WORDS)))
MPI_LIBS  := $(filter -L% -l% -Wl% -pthread,$(MPI_WORDS))
HAVE_MPI  := $(if $(MPI_LIBS),$(shell printf '$(HASH)include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n' | \
               $(CC) $(MPI_FLAGS) -x c - -o /dev/null $(MPI_LIBS) >/dev/null 2>&1 && echo yes))

# The vendors' libraries that reduce compares with are plug-ins, built where their compilers are; what a compiler says
# is kept beside. Without a GPU to build for, CUB becomes PTX, which the driver compiles.
NVCC  := $(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda /opt/cuda)) \
           $(shell command -v nvcc))
HIPCC := $(if $(wildcard $(addsuffix hipcub/hipcub.hpp,$(HIP_INCLUDE))),$(shell command -v hipcc))
CUDA_ARCH ?= $(if $(wildcard /dev/nvidia0),native,compute_80)
PLUGIN     = $(BUILD)/reduce-library
PLUGINS   := $(if $(SANITIZE),,$(if $(and $(NVCC),$(CUDA_INCLUDE)),$(PLUGIN)-cuda) $(if $(HIPCC),$(PLUGIN)-hip))

WARNINGS  := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(WERROR)
SANITIZER := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)

CPPFLAGS += -I. -D_GNU_SOURCE -DBANKSHOT_VERSION='"$(VERSION)"' -DBANKSHOT_CC='"$(CC)"' \
            $(if $(CUDA_INCLUDE),-DHAVE_CUDA -isystem $(CUDA_INCLUDE)) \
            $(if $(HIP_INCLUDE),-DHAVE_HIP -D__HIP_PLATFORM_AMD__ -isystem $(HIP_INCLUDE)) \
            $(if $(HAVE_SIM),-DHAVE_SIM)
COMPILE   = $(CC) -std=c11 $(CPPFLAGS) $(WARNINGS) $(CFLAGS) -fopenmp $(SANITIZER) -MMD -MP
# The simulator's kernels are loaded as libraries and call back into the program: it has all of the library, and
# exports its symbols.
LINK      = $(CC) $(CFLAGS) -fopenmp $(SANITIZER) -rdynamic $(LDFLAGS)
LIBS      = -Wl,--whole-archive $(BUILD)/libbankshot.a -Wl,--no-whole-archive \
            $(if $(HAVE_SIM),-ldw -lelf -lffi) -ldl -lm $(LDLIBS)

LEFT_OUT     := $(if $(HAVE_SIM),,$(wildcard device/sim*.c tests/test_sim*.c)) \
                $(if $(HAVE_MPI),,$(wildcard tests/test_*mpi.c))
SOURCES      := $(filter-out $(LEFT_OUT),$(wildcard $(addsuffix /*.c,$(LIBRARIES))))
OBJECTS      := $(SOURCES:%.c=$(OBJ)/%.o)
UNIT_TESTS   := $(patsubst %.c,$(BUILD)/%,$(filter-out $(LEFT_OUT),$(wildcard tests/test_*.c)))
FAKES        := $(patsubst %.c,$(BUILD)/%.so,$(wildcard tests/fake_*.c))
MANUALS      := $(PROGRAMS:%=$(BUILD)/man/bankshot-%.1)
program_objects = $(patsubst %.c,$(OBJ)/%.o,$(wildcard $(1)/*.c))

.PHONY: all always no-mpi help run test unit-tests plots install uninstall format check-format clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(PLUGINS:%=%.log) $(addprefix $(BUILD)/,$(PROGRAMS)) $(if $(HAVE_MPI),,no-mpi) ## build every program (the default)

no-mpi:
	@echo "apsp-mpi is left out: there is no MPI here for $(CC)"

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

run: ## install what is missing, build, run every probe, draw every chart
	sh scripts/run.sh

test: ## the same, and run the tests
	sh scripts/test.sh

plots: ## draw the charts of a results folder: make plots DIR=results/cpu
	sh plots/draw.sh $(DIR)

unit-tests: $(UNIT_TESTS) $(FAKES) $(BUILD)/tests/compile_kernel ## build the unit tests

install: all $(MANUALS) ## install programs and manual pages: make install PREFIX=/usr/local
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1
	$(foreach name,$(PROGRAMS),install -m 755 $(BUILD)/$(name) $(DESTDIR)$(PREFIX)/bin/bankshot-$(name) &&) true
	install -m 644 $(MANUALS) $(DESTDIR)$(PREFIX)/share/man/man1
	install -d $(DESTDIR)$(PREFIX)/lib/bankshot
	$(foreach plugin,$(wildcard $(PLUGIN)-*.so),install -m 755 $(plugin) $(DESTDIR)$(PREFIX)/lib/bankshot &&) true

uninstall: ## remove them again
	rm -f $(PROGRAMS:%=$(DESTDIR)$(PREFIX)/bin/bankshot-%)
	rm -f $(PROGRAMS:%=$(DESTDIR)$(PREFIX)/share/man/man1/bankshot-%.1)
	rm -rf $(DESTDIR)$(PREFIX)/lib/bankshot

format: ## lay out the sources
	$(CLANG_FORMAT) -i $(wildcard */*.[ch] */*/*.[ch] */*.cu)

check-format: ## say whether the layout is right
	$(CLANG_FORMAT) --dry-run --Werror $(wildcard */*.[ch] */*/*.[ch] */*.cu)

clean: ## remove everything that was built
	rm -rf $(BUILD)

$(BUILD)/libbankshot.a: $(OBJECTS)
	rm -f $@
	$(AR) rcs $@ $^

define program_rule
$(BUILD)/$(1): $(call program_objects,$(1)) $(BUILD)/libbankshot.a
	$$(LINK) -o $$@ $$(filter %.o,$$^) $$(LIBS)
endef
$(foreach name,$(PROGRAMS),$(eval $(call program_rule,$(name))))

APSP_GRAPH := graph graph_read graph_text graph_random file_write
APSP_CPU   := apsp_cpu apsp_cpu_solver apsp_cpu_course apsp_check
# Its own sources, and apsp's but for its main and its measurements.
APSP_MPI := $(wildcard apsp/mpi/*.c) $(addprefix apsp/,$(addsuffix .c,$(APSP_GRAPH) $(APSP_CPU) apsp_gpu))
$(BUILD)/apsp-mpi: $(APSP_MPI:%.c=$(OBJ)/%.o)
$(BUILD)/apsp-mpi: LDLIBS += $(MPI_LIBS)
$(OBJ)/apsp/mpi/%.o: CPPFLAGS += $(MPI_FLAGS)
$(OBJ)/apsp/mpi/engine_gpu.o: $(wildcard apsp/*.cu)

$(BUILD)/tests/%: $(OBJ)/tests/%.o $(BUILD)/libbankshot.a
	@mkdir -p $(@D)
	$(LINK) -o $@ $(filter %.o,$^) $(if $(filter $@,$(UNIT_TESTS)),-lcmocka) $(LIBS)

# A probe's own parts that a test takes in.
$(BUILD)/tests/test_gmem: $(OBJ)/gmem/gmem_layout.o $(OBJ)/gmem/gmem_check.o
$(BUILD)/tests/test_reduce: $(addprefix $(OBJ)/reduce/,reduce_plan.o reduce_numbers.o)
$(BUILD)/tests/test_apsp_graph: $(APSP_GRAPH:%=$(OBJ)/apsp/%.o)
$(BUILD)/tests/test_apsp_cpu: $(APSP_GRAPH:%=$(OBJ)/apsp/%.o) $(APSP_CPU:%=$(OBJ)/apsp/%.o)

APSP_MPI_TESTED := check share ranks edge_share edge_source shared_file
$(BUILD)/tests/test_apsp_mpi: $(APSP_GRAPH:%=$(OBJ)/apsp/%.o) $(APSP_MPI_TESTED:%=$(OBJ)/apsp/mpi/%.o)
$(BUILD)/tests/test_apsp_mpi: LDLIBS += $(MPI_LIBS)
$(OBJ)/tests/test_apsp_mpi.o: CPPFLAGS += $(MPI_FLAGS)

# A fuzzer of graph files; with FUZZ=1 and clang one that is led by coverage.
$(BUILD)/tests/fuzz_graph: tests/fuzz_graph.c $(APSP_GRAPH:%=apsp/%.c) device/cpu_host.c device/cpu_memory.c common/error.c
	@mkdir -p $(@D)
	$(filter-out -MMD -MP,$(COMPILE)) -g $(if $(FUZZ),-DFUZZ -fsanitize=fuzzer) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ $^

# The yardstick of gmem's copy on the CPU; its STREAM loop is compiled as the reference is.
$(BUILD)/tests/bench_copy: $(OBJ)/gmem/gmem_cpu.o
$(OBJ)/tests/bench_copy.o: CFLAGS += -O3

# A plug-in that does not compile is left out.
$(PLUGIN)-cuda.log: reduce/plugin/library.cu
	@mkdir -p $(@D)
	$(NVCC) -O3 -std=c++17 -arch=$(CUDA_ARCH) -shared -Xcompiler -fPIC -o $(@:.log=.so) $< >$@ 2>&1 || rm -f $(@:.log=.so)
$(PLUGIN)-hip.log: reduce/plugin/library.cu
	@mkdir -p $(@D)
	$(HIPCC) -O3 -std=c++17 -shared -fPIC -o $(@:.log=.so) $< >$@ 2>&1 || rm -f $(@:.log=.so)

# Their loops over rows are to be vectors too.
$(OBJ)/apsp/apsp_cpu.o $(OBJ)/apsp/apsp_cpu_solver.o: CFLAGS += -O3

# Libraries that stand in for a GPU driver in tests.
HOST_LANES = $(BUILD)/tests/host_lanes.o
$(BUILD)/tests/fake_%.so: tests/fake_%.c $(wildcard tests/*.inc.h) $(HOST_LANES) Makefile
	@mkdir -p $(@D)
	$(COMPILE) -DHOST_LANES='"$(HOST_LANES)"' -fPIC -shared -o $@ $<

# What their kernels are linked with; the sanitizers do not know how lanes take turns.
$(HOST_LANES): tests/host_lanes.c device/sim_coroutine.c common/error.c $(wildcard device/*.h common/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -O1 -w -fPIC -I. -nostdlib -r -o $@ $(filter %.c,$^)

# A manual page is the program's own help, laid out.
$(BUILD)/man/bankshot-%.1: $(BUILD)/% scripts/manual.awk
	@mkdir -p $(@D)
	$< --help >$@.txt
	awk -v name=bankshot-$* -v version=$(VERSION) -f scripts/manual.awk $@.txt >$@

# The compiler's words but for warnings: where they change, as when headers have come since, sources are compiled again.
words = '$(subst ','\'',$(filter-out $(WARNINGS),$(COMPILE)))'
$(OBJ)/compiler: always
	@mkdir -p $(@D)
	@printf '%s\n' $(words) | cmp -s - $@ || printf '%s\n' $(words) >$@

# A source that embeds kernels is built again when a kernel changes.
$(OBJ)/%.o: %.c Makefile $(OBJ)/compiler
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<
$(foreach dir,$(PROBES) bench lanes,$(patsubst %.c,$(OBJ)/%.o,$(wildcard $(dir)/*.c))): $(wildcard */*.cu)
$(patsubst %.c,$(OBJ)/%.o,$(wildcard device/*.c)): $(wildcard device/kernel*.h)

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
