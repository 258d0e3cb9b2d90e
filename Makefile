# bankshot: everything is built into $(BUILD); `make help` lists the goals.

BUILD  ?= build
ifneq ($(words $(BUILD)),1)
override BUILD := $(or $(shell sh scripts/build/plain_path.sh '$(BUILD)'),$(error BUILD: the folder cannot be used: choose another))
endif
OBJ     = $(BUILD)/obj
# A build whose programs run here, if this one is for another machine: they write the manual pages and the completion.
NATIVE ?= $(BUILD)
PREFIX ?= /usr/local
DIR    ?= results
# Line numbers and functions' names are all that a backtrace and the tests need; whole types would take a quarter of the build's time.
CFLAGS ?= -O2 -g1
ifeq ($(origin CC),default)
CC := $(or $(firstword $(foreach name,cc gcc clang,$(shell command -v $(name) >/dev/null 2>&1 && echo $(name)))),cc)
endif
CLANG_FORMAT ?= clang-format

PROBES    := $(shell sed '/^\#/d; s/ .*//' scripts/build/probes)
TOOLS     := $(shell sed '/^\#/d' scripts/build/tools)
PROGRAMS   = $(PROBES) $(TOOLS) $(if $(HAVE_MPI),apsp-mpi)
LIBRARIES := util model device sim bench
VERSION   := 0.2.0
COMMIT    := $(shell sh scripts/build/commit.sh)

# GPU libraries are found when a program runs; only their headers matter here.
CUDA_INCLUDE := $(shell sh scripts/build/gpu_headers.sh cuda)
HIP_INCLUDE  := $(shell sh scripts/build/gpu_headers.sh hip)

# The simulator needs libdw's and libffi's headers; without them it is left out, and --list-devices says so.
HASH       := \#
have_header = $(shell echo '$(HASH)include <$(1)>' | $(CC) $(CPPFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)
# The thread sanitizer and the simulator define the same hooks, __tsan_read4 and its kin.
HAVE_SIM   := $(if $(findstring thread,$(SANITIZE)),,$(and $(call have_header,elfutils/libdwfl.h),$(call have_header,ffi.h)))

# gmem reads Spatter's pattern files with jansson, and refuses them without it.
HAVE_JANSSON := $(shell printf '$(HASH)include <jansson.h>\nint main(void) { return !json_null(); }\n' | \
                  $(CC) $(CPPFLAGS) -x c - -o /dev/null $(LDFLAGS) -ljansson >/dev/null 2>&1 && echo yes)

# The nodes of a machine's memory are hwloc's knowledge; its library is found when a program runs.
HAVE_HWLOC := $(call have_header,hwloc.h)

# Without OpenMP, which is clang's where its libomp is not installed, one thread does everything: docs/dependencies.md.
OPENMP := $(shell printf '$(HASH)include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n' | \
            $(CC) -fopenmp -x c - -o /dev/null >/dev/null 2>&1 && echo -fopenmp)

# apsp-mpi is built if there is an MPI, with the options that its compiler wrapper would give the compiler.
MPICC     ?= $(firstword $(shell command -v mpicc) $(wildcard /usr/lib64/openmpi/bin/mpicc /usr/lib64/mpich/bin/mpicc \
               /usr/lib64/mpi/gcc/*/bin/mpicc))
MPI_WORDS := $(if $(MPICC),$(shell $(MPICC) -show 2>/dev/null))
MPI_FLAGS := $(patsubst -I%,-isystem %,$(filter -I% -D%,$(MPI_WORDS)))
MPI_LIBS  := $(filter -L% -l% -Wl% -pthread,$(MPI_WORDS))
HAVE_MPI  := $(if $(MPI_LIBS),$(shell printf '$(HASH)include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n' | \
               $(CC) $(MPI_FLAGS) -x c - -o /dev/null $(MPI_LIBS) >/dev/null 2>&1 && echo yes))

# The vendors' libraries that reduce compares itself with are plug-ins. They take as long to compile as everything else, so they are
# part of `make` only where a GPU of the vendor and its compiler are; `make plugins` builds them wherever the compiler is. A
# compiler's output is kept next to its plug-in. If there is no GPU to build for, CUB becomes PTX, which the driver compiles.
NVCC  := $(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_HOME) $(CUDA_PATH) /usr/local/cuda /opt/cuda)) \
           $(shell command -v nvcc))
HIPCC := $(if $(wildcard $(addsuffix /hipcub/hipcub.hpp,$(HIP_INCLUDE))),$(shell command -v hipcc))
CUDA_ARCH ?= $(if $(wildcard /dev/nvidia0),native,compute_80)
PLUGIN     = $(BUILD)/reduce-library
PLUGINS   := $(if $(SANITIZE),,$(if $(and $(NVCC),$(CUDA_INCLUDE)),$(PLUGIN)-cuda) $(if $(HIPCC),$(PLUGIN)-hip))
GPUS_HERE := $(if $(wildcard /dev/nvidia0),cuda) $(if $(wildcard /dev/kfd),hip)

WARNINGS  := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(WERROR) \
             $(if $(OPENMP),,-Wno-unknown-pragmas -Wno-source-uses-openmp)
SANITIZER := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)

CPPFLAGS += -I. -D_GNU_SOURCE -DBANKSHOT_CC='"$(CC)"' \
            $(if $(CUDA_INCLUDE),-DHAVE_CUDA $(addprefix -isystem ,$(CUDA_INCLUDE))) \
            $(if $(HIP_INCLUDE),-DHAVE_HIP -D__HIP_PLATFORM_AMD__ -isystem $(HIP_INCLUDE)) \
            $(if $(HAVE_SIM),-DHAVE_SIM) $(if $(HAVE_JANSSON),-DHAVE_JANSSON)
COMPILE   = $(CC) -std=c11 $(CPPFLAGS) $(WARNINGS) $(CFLAGS) $(OPENMP) $(SANITIZER) -MMD -MP
# The simulator's kernels are loaded as libraries and call back into the program, so the program contains all of the library and
# exports its symbols.
LINK      = $(CC) $(CFLAGS) $(OPENMP) $(SANITIZER) -rdynamic $(LDFLAGS)
LIBS      = -Wl,--whole-archive $(BUILD)/libbankshot.a -Wl,--no-whole-archive \
            $(if $(HAVE_SIM),-ldw -lelf -lffi) -ldl -lm $(LDLIBS)

# The files of a kind in these folders and below: $(call files_below,FOLDERS,PATTERN).
files_below   = $(sort $(shell find $(1) -name '$(2)'))
LEFT_OUT     := model/experiments/fit.c util/version.c device/cpu/$(if $(HAVE_HWLOC),missing_)nodes.c $(if $(HAVE_SIM),sim/missing_sim.c,$(filter-out sim/missing_sim.c,$(call files_below,sim,*.c)) $(wildcard tests/unit/test_sim*.c tests/unit/test_ptx*.c)) \
                $(if $(CUDA_INCLUDE),,device/gpu/cuda.c device/gpu/nvrtc.c) $(if $(HIP_INCLUDE),,device/gpu/hip.c device/gpu/hiprtc.c) \
                $(if $(HAVE_MPI),,$(wildcard tests/unit/test_*mpi.c))
SOURCES      := $(filter-out $(LEFT_OUT),$(call files_below,$(LIBRARIES),*.c))
OBJECTS       = $(call objects_from,$(SOURCES))
VERSION_OBJECT := $(OBJ)/util/version.o
UNIT_TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter-out $(LEFT_OUT),$(wildcard tests/unit/test_*.c)))
FAKES        := $(if $(CUDA_INCLUDE),$(BUILD)/tests/fake_cuda.so) $(if $(HIP_INCLUDE),$(BUILD)/tests/fake_hip.so)
KERNELS      := $(call files_below,$(PROBES) bench tools,*.cu)
MANUALS      := $(PROGRAMS:%=$(BUILD)/man/bankshot-%.1) $(BUILD)/man/bankshot.1
COMPLETIONS  := $(addprefix $(BUILD)/completion/,bash zsh fish)

# A source NAME_vector.c is compiled once for each instruction set of this kind of processor (device/cpu/host.h), with ISA as
# the set's name. If there is a BITS_NAME_vector, it is compiled once for each of these widths of an element, too, with
# ELEMENT_BITS.
ISAS       := $(shell printf '%s\n' '$(HASH)include "device/cpu/host.h"' '$(HASH)define NAME(vectors, isa) isa' \
                'names: CPU_VECTORS_BUILT(NAME)' | $(CC) -I. $(CFLAGS) -E -P -x c - | sed -n 's/^names: //p')
ISA_sse2     := -DVECTOR_BYTES=16
ISA_avx2     := -DVECTOR_BYTES=32 -mavx2
ISA_avx512   := -DVECTOR_BYTES=64 -mavx512f -mavx512bw
ISA_neon     := -DVECTOR_BYTES=32 # two registers: as much in flight as with twice as many vectors
ISA_portable := -DVECTOR_BYTES=16
BITS_cpu_vector := 16 32
vector_objects = $(foreach isa,$(ISAS),$(or $(BITS_$(notdir $(1)):%=$(OBJ)/$(1).$(isa)-%.o),$(OBJ)/$(1).$(isa).o))
sources_of  = $(wildcard $(addsuffix /*.c,$(1)))
objects_from = $(patsubst %.c,$(OBJ)/%.o,$(filter-out %_vector.c,$(1))) \
               $(foreach source,$(filter %_vector.c,$(1)),$(call vector_objects,$(source:.c=)))
objects_of  = $(call objects_from,$(call sources_of,$(1)))

.PHONY: all always plugins no-mpi help run test unit-tests plots predictions fit docs playground slides install uninstall dist wheel deb format check-format clean
.DELETE_ON_ERROR:
.SECONDARY:

all: $(foreach gpu,$(GPUS_HERE),$(addsuffix .log,$(filter %-$(gpu),$(PLUGINS)))) $(addprefix $(BUILD)/,$(PROGRAMS)) $(if $(HAVE_MPI),,no-mpi) ## build every program (the default)

plugins: $(PLUGINS:%=%.log) ## build the vendors' libraries that reduce is compared with

no-mpi:
	@echo "apsp-mpi is left out, because there is no MPI here for $(CC): sh scripts/setup.sh --mpi installs one"

help: ## list the goals
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

run: ## install what is missing, build, run probes, draw charts
	sh scripts/run.sh

test: ## install what is missing, build, run the tests
	sh scripts/test.sh

plots: ## draw the charts of a folder: make plots DIR=results/cpu
	sh plots/draw.sh '$(DIR)'

docs: ## fill plots/README.md with the charts' captions
	sh scripts/build/charts.sh >$(OBJ)/charts.md && mv $(OBJ)/charts.md plots/README.md

predictions: all ## write results/sim-*/, the tables of simulated parts
	sh scripts/predictions.sh

fit: all $(BUILD)/tests/fit ## fit the constants of the model of time to results/h200
	BUILD='$(BUILD)' sh model/experiments/fit.sh

slides: $(BUILD)/lanes ## write the pictures of docs/lesson.md into build/slides
	mkdir -p $(BUILD)/slides
	cp docs/gmem-stride.svg docs/lanes.svg $(BUILD)/slides
	BUILD='$(BUILD)' sh scripts/build/slides.sh docs/lesson.md $(BUILD)/slides

playground: ## write docs/playground/: needs clang, lld, wasi-libc
	BUILD='$(BUILD)' sh scripts/build/playground.sh docs/playground/index.html

unit-tests: $(UNIT_TESTS) $(FAKES) $(BUILD)/tests/compile_kernel $(BUILD)/tests/time_constants $(BUILD)/tests/playground_requests $(BUILD)/tests/fit ## build the unit tests

SHARE = $(DESTDIR)$(PREFIX)/share
DATA  = $(SHARE)/bankshot
# A shell looks for a command's completion in a file of the command's name.
BASH_COMPLETION = $(SHARE)/bash-completion/completions
ZSH_COMPLETION  = $(SHARE)/zsh/site-functions
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d

install: all $(MANUALS) $(COMPLETIONS) ## install everything: make install PREFIX=/usr/local
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	$(foreach name,$(PROGRAMS),install -m 755 $(BUILD)/$(name) $(DESTDIR)$(PREFIX)/bin/bankshot-$(name) &&) true
	install -m 755 scripts/bankshot.sh $(DESTDIR)$(PREFIX)/bin/bankshot
	install -m 644 $(MANUALS) $(SHARE)/man/man1
	install -m 644 $(BUILD)/completion/bash $(BASH_COMPLETION)/bankshot
	install -m 644 $(BUILD)/completion/zsh $(ZSH_COMPLETION)/_bankshot
	install -m 644 $(BUILD)/completion/fish $(FISH_COMPLETION)/bankshot.fish
	$(foreach name,$(PROGRAMS),ln -sf bankshot $(BASH_COMPLETION)/bankshot-$(name) && \
	    ln -sf bankshot.fish $(FISH_COMPLETION)/bankshot-$(name).fish &&) true
	for folder in plots docs docs/playground tools/lanes/examples tools/lanes/examples/lesson results/published; do \
	    install -d "$(DATA)/$$folder" && find $$folder -maxdepth 1 -type f ! -name '.*' -exec install -m 644 {} "$(DATA)/$$folder" \; \
	        || exit 1; done
	install -d $(DATA)/scripts && install -m 644 scripts/csv.awk scripts/fleet.sh scripts/fleet_duckdb.py scripts/options.sh scripts/pack.awk scripts/pack.sh $(DATA)/scripts
	install -d $(DESTDIR)$(PREFIX)/lib/bankshot
	$(foreach plugin,$(wildcard $(PLUGIN)-*.so),install -m 755 $(plugin) $(DESTDIR)$(PREFIX)/lib/bankshot &&) true

uninstall: ## remove them again
	rm -f $(PROGRAMS:%=$(DESTDIR)$(PREFIX)/bin/bankshot-%) $(DESTDIR)$(PREFIX)/bin/bankshot
	rm -f $(PROGRAMS:%=$(SHARE)/man/man1/bankshot-%.1) $(SHARE)/man/man1/bankshot.1
	rm -f $(PROGRAMS:%=$(BASH_COMPLETION)/bankshot-%) $(BASH_COMPLETION)/bankshot $(ZSH_COMPLETION)/_bankshot
	rm -f $(PROGRAMS:%=$(FISH_COMPLETION)/bankshot-%.fish) $(FISH_COMPLETION)/bankshot.fish
	rm -rf $(DESTDIR)$(PREFIX)/lib/bankshot $(DATA)

dist: ## write the source archive, with SHA256SUMS, into build/dist
	BUILD='$(BUILD)' sh packaging/dist.sh

wheel: all ## write a wheel for pip into build/dist
	BUILD='$(BUILD)' CC='$(CC)' NATIVE='$(NATIVE)' sh packaging/wheel.sh

deb: all ## write a Debian package into build/dist
	BUILD='$(BUILD)' sh packaging/deb.sh

LAID_OUT = $(call files_below,$(LIBRARIES) $(PROBES) tools tests,*.[ch]) $(KERNELS)

format: ## lay out the sources
	$(CLANG_FORMAT) -i $(LAID_OUT)

check-format: ## say whether the layout is right
	$(CLANG_FORMAT) --dry-run --Werror $(LAID_OUT)

clean: ## remove everything that was built
	rm -rf "$$(readlink -f $(BUILD))" $(BUILD)

$(BUILD)/libbankshot.a: $(OBJECTS)
	rm -f $@
	$(AR) qcs $@ $^

# A probe's sources are in the folder of its name, a tool's in tools/.
define program_rule
$(BUILD)/$(1): $(call objects_of,$(if $(filter $(1),$(TOOLS)),tools/)$(1)) $(BUILD)/libbankshot.a $(VERSION_OBJECT)
	$$(LINK) -o $$@ $$(filter %.o,$$^) $$(LIBS)
endef
$(foreach name,$(PROGRAMS),$(eval $(call program_rule,$(name))))

$(BUILD)/gmem: LDLIBS += $(if $(HAVE_JANSSON),-ljansson)

$(BUILD)/levels: $(call objects_of,levels/geometry)
$(BUILD)/lanes: $(call objects_of,tools/lanes/input) $(call objects_of,tools/lanes/layout)
$(BUILD)/report: $(call objects_of,tools/report/charts)

# What apsp and apsp-mpi share: graphs, and the solvers.
APSP_GRAPH := $(call objects_of,apsp/graph)
APSP_SOLVE := $(call objects_of,apsp/solve)
$(BUILD)/apsp: $(APSP_GRAPH) $(APSP_SOLVE)
$(BUILD)/apsp-mpi: $(APSP_GRAPH) $(APSP_SOLVE) $(call objects_of,apsp/mpi)
$(BUILD)/apsp-mpi: LDLIBS += -pthread $(MPI_LIBS)
$(OBJ)/apsp/mpi/%.o: CPPFLAGS += $(MPI_FLAGS)

link_test = $(LINK) -o $@ $(filter %.o,$^) $(VERSION_OBJECT) $(if $(filter $@,$(UNIT_TESTS)),-lcmocka) $(LIBS)
$(UNIT_TESTS) $(addprefix $(BUILD)/tests/,compile_kernel time_constants playground_requests bench_copy bench_sim): | $(VERSION_OBJECT)
$(UNIT_TESTS): $(BUILD)/tests/%: $(OBJ)/tests/unit/%.o $(BUILD)/libbankshot.a
	@mkdir -p $(@D)
	$(link_test)
$(BUILD)/tests/compile_kernel $(BUILD)/tests/time_constants: $(BUILD)/tests/%: $(OBJ)/tests/shell/%.o $(BUILD)/libbankshot.a
	@mkdir -p $(@D)
	$(link_test)
$(BUILD)/tests/playground_requests: $(BUILD)/tests/%: $(OBJ)/tests/shell/%.o $(OBJ)/tools/lanes/playground/playground.o \
    $(addprefix $(OBJ)/tools/,$(addprefix lanes/,grid.o picture.o $(addprefix layout/,search.o show_layouts.o tile_access.o))) $(BUILD)/libbankshot.a
	@mkdir -p $(@D)
	$(link_test)
$(addprefix $(BUILD)/tests/,bench_copy bench_sim): $(BUILD)/tests/%: $(OBJ)/tests/%.o $(BUILD)/libbankshot.a
	@mkdir -p $(@D)
	$(link_test)

# The model of time with constants that vary.
$(BUILD)/tests/fit: model/experiments/fit.c util/statistics.c util/text.c util/error.c $(filter-out model/gpu_part.c model/gpu_find.c,$(wildcard model/*.c model/time/*.c)) $(wildcard model/*.h model/time/*.h)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DTIME_CONSTANTS_CONST= -Wl,--wrap=returns_missed,--wrap=drift_clocks -o $@ $(filter %.c,$^) -lm

# The parts of a probe that a test links.
$(BUILD)/tests/test_gmem: $(addprefix $(OBJ)/gmem/,gmem_layout.o gmem_index.o)
$(BUILD)/tests/test_cpu: $(call vector_objects,gmem/gmem_cpu_vector)
$(BUILD)/tests/test_compare: $(filter-out %/compare.o,$(call objects_of,tools/compare))
$(BUILD)/tests/test_levels: $(addprefix $(OBJ)/levels/,chain.o levels_cpu.o)
$(BUILD)/tests/test_levels_cpu: $(addprefix $(OBJ)/levels/,chain.o levels_cpu.o loaded_cpu.o stream_cpu.o)
$(BUILD)/tests/test_levels_stream $(BUILD)/tests/test_levels_staged: $(addprefix $(OBJ)/levels/,stream.o stream_plan.o stream_cpu.o)
$(BUILD)/tests/test_levels_answer: $(addprefix $(OBJ)/levels/,caches.o levels_detail.o)
$(BUILD)/tests/test_levels_emit: $(OBJ)/levels/geometry/emit_gpu.o
$(BUILD)/tests/test_levels_geometry: $(OBJ)/levels/geometry/detect.o
$(BUILD)/tests/test_lanes_input: $(call objects_of,tools/lanes/input)
$(BUILD)/tests/test_reduce: $(addprefix $(OBJ)/reduce/,reduce_plan.o reduce_numbers.o) $(call vector_objects,reduce/reduce_cpu_vector)
$(BUILD)/tests/test_apsp_graph: $(APSP_GRAPH)
$(BUILD)/tests/test_apsp_cpu: $(APSP_GRAPH) $(APSP_SOLVE)
$(BUILD)/tests/test_apsp_tile: $(APSP_GRAPH) $(APSP_SOLVE)

APSP_MPI_TESTED := check share ranks edge_share shared_file
$(BUILD)/tests/test_apsp_mpi: $(APSP_GRAPH) $(APSP_MPI_TESTED:%=$(OBJ)/apsp/mpi/%.o)
$(BUILD)/tests/test_apsp_mpi: LDLIBS += $(MPI_LIBS)
$(OBJ)/tests/unit/test_apsp_mpi.o: CPPFLAGS += $(MPI_FLAGS)

# Fuzzers of graph files, pattern files, CSV files that compare reads, .npy files, PTX, AMDGPU assembly, code objects and kernels' sources; with FUZZ=1 and clang they are guided by coverage.
FUZZERS := $(addprefix $(BUILD)/tests/fuzz_,amdgcn compare graph npy object pattern ptx user)
FUZZER_MAIN := $(if $(FUZZ),,tests/fuzz/mutate.c)
# What is listed below is checked by the sanitizers; the rest comes from the library as it is. More optimization takes longer than it saves.
$(FUZZERS): $(BUILD)/tests/fuzz_%: tests/fuzz/%.c $(FUZZER_MAIN) util/error.c $(BUILD)/libbankshot.a
	@mkdir -p $(@D)
	$(filter-out -MMD -MP,$(COMPILE)) -O1 -g1 $(if $(FUZZ),-fsanitize=fuzzer) -fsanitize=address,undefined -fno-sanitize-recover=all -o $@ \
	    $(filter %.c,$^) $(BUILD)/libbankshot.a $(if $(HAVE_JANSSON),-ljansson) -lm
$(BUILD)/tests/fuzz_graph: $(wildcard apsp/graph/*.c) util/file.c
$(BUILD)/tests/fuzz_pattern: $(addprefix gmem/,gmem_pattern.c gmem_index.c) bench/addresses.c
$(BUILD)/tests/fuzz_compare: $(filter-out tools/compare/compare.c tools/compare/document%.c,$(wildcard tools/compare/*.c)) \
                             $(addprefix util/,csv.c statistics.c text.c)
$(BUILD)/tests/fuzz_npy: tools/lanes/input/npy.c $(addprefix util/,file.c options.c text.c)
$(BUILD)/tests/fuzz_user: sim/compile/user/source.c
$(addprefix $(BUILD)/tests/fuzz_,amdgcn ptx user): $(addprefix sim/compile/,text.c assembly.c)
$(BUILD)/tests/fuzz_amdgcn: tests/fuzz/translation.c $(wildcard sim/amdgcn/*.c) $(addprefix sim/ptx/parse/,entry_name.c token.c)
$(BUILD)/tests/fuzz_ptx: tests/fuzz/translation.c $(filter-out %/hooks.c,$(call files_below,sim/ptx,*.c))

# report contains the list of charts, what selects their rows, and the parts of its page.
REPORT_PARTS := $(sort $(wildcard scripts/build/probes plots/*.gp plots/variants results/published/*.csv \
                  tools/report/*.html tools/report/*.css tools/report/*.js))
$(OBJ)/tools/report/parts.bin: $(REPORT_PARTS)
	@mkdir -p $(@D)
	for part in $(sort $^); do printf '\036%s\n' "$$part" && cat "$$part" || exit 1; done >$@
$(OBJ)/tools/report/parts.o: CPPFLAGS += -DREPORT_PARTS='"$(OBJ)/tools/report/parts.bin"'
$(OBJ)/tools/report/parts.o: $(OBJ)/tools/report/parts.bin

# The yardstick of gmem on the CPU; its STREAM loops are compiled as the reference is.
$(BUILD)/tests/bench_copy: $(OBJ)/gmem/gmem_cpu.o $(call vector_objects,gmem/gmem_cpu_vector)
$(OBJ)/tests/bench_copy.o: CFLAGS += -O3

# A plug-in that does not compile is left out.
$(PLUGIN)-cuda.log: reduce/plugin/library.cu
	@mkdir -p $(@D)
	$(NVCC) -O3 -std=c++17 -arch=$(CUDA_ARCH) -shared -Xcompiler -fPIC -o $(@:.log=.so) $< >$@ 2>&1 || rm -f $(@:.log=.so)
$(PLUGIN)-hip.log: reduce/plugin/library.cu
	@mkdir -p $(@D)
	$(HIPCC) -O3 -std=c++17 -shared -fPIC -o $(@:.log=.so) $< >$@ 2>&1 || rm -f $(@:.log=.so)

# What waits for files and people compiles in less time with less optimization.
$(foreach part,$(TOOLS:%=tools/%) tools/lanes/input tools/lanes/layout levels/geometry links,$(call objects_of,$(part))): private CFLAGS := $(CFLAGS:-O2=-O1)

# The compiler must vectorize the loops over rows in these, too, if it optimizes.
$(OBJ)/apsp/solve/cpu.o $(OBJ)/apsp/solve/next_hops.o $(call vector_objects,apsp/solve/cpu_vector): private CFLAGS := $(CFLAGS:-O2=-O3)

# Libraries that stand in for a GPU driver in tests.
HOST_LANES = $(BUILD)/tests/host_lanes.o
FAKE_SOURCES := $(addprefix tests/fakes/,memory.c streams.c graphs.c modules.c compiler.c collectives.c)
$(BUILD)/tests/fake_cuda.so: FAKE = -DFAKE_CUDA
$(BUILD)/tests/fake_hip.so: FAKE = -DFAKE_HIP
$(BUILD)/tests/fake_%.so: tests/fakes/%.c $(FAKE_SOURCES) tests/fakes/fake.h $(HOST_LANES) Makefile
	@mkdir -p $(@D)
	$(filter-out -MMD -MP,$(COMPILE)) $(FAKE) -DHOST_LANES='"$(HOST_LANES)"' -fPIC -shared -Wl,-Bsymbolic -o $@ $< $(FAKE_SOURCES)

# The fake drivers' kernels are linked with this, without sanitizers, because these do not know how lanes take turns.
$(HOST_LANES): tests/fakes/host_lanes.c sim/coroutine.c util/error.c $(wildcard device/kernel/*.h sim/*.h util/*.h)
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -D_GNU_SOURCE -O1 -w -fPIC -I. -nostdlib -r -o $@ $(filter %.c,$^)

# A program makes its manual page of its table of options (util/help.c).
$(BUILD)/man/bankshot-%.1: $(NATIVE)/%
	@mkdir -p $(@D)
	BANKSHOT_HELP=manual $< --help >$@

$(BUILD)/man/bankshot.1: scripts/bankshot.sh $(addprefix $(NATIVE)/,$(PROGRAMS))
	@mkdir -p $(@D)
	BANKSHOT_HELP=manual BUILD='$(NATIVE)' sh scripts/bankshot.sh help >$@

$(BUILD)/completion/%: scripts/build/completion.sh $(addprefix $(NATIVE)/,$(PROGRAMS))
	@mkdir -p $(@D)
	sh scripts/build/completion.sh $* $(NATIVE) $(PROGRAMS) >$@

# The compiler's command without its warnings. If it changes, for instance because headers were installed, sources are compiled
# again.
words = '$(subst ','\'',$(filter-out $(WARNINGS),$(COMPILE)))'
$(OBJ)/compiler: always
	@mkdir -p $(@D)
	@printf '%s\n' $(words) | cmp -s - $@ || printf '%s\n' $(words) >$@

define isa_rule
$(OBJ)/%.$(1)$(2:%=-%).o: %.c Makefile $(OBJ)/compiler
	@mkdir -p $$(@D)
	$$(COMPILE) -DISA=$(1) $(ISA_$(1)) $(2:%=-DELEMENT_BITS=%) -c -o $$@ $$<
endef
$(foreach isa,$(ISAS),$(eval $(call isa_rule,$(isa)))$(foreach bits,16 32,$(eval $(call isa_rule,$(isa),$(bits)))))

$(OBJ)/%.o: %.c Makefile $(OBJ)/compiler
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

# A source that embeds a file is built again when the file changes.
EMBEDS := $(shell grep -rH --include='*.c' -E '^(EMBED_FILE|KERNEL_SOURCE).*"' $(LIBRARIES) $(PROBES) tools tests | \
            sed 's,^\(.*\)\.c:.*"\(.*\)".*,$(OBJ)/\1.o:\2,')
$(foreach embed,$(EMBEDS),$(eval $(embed)))

# Programs alone are linked again when the commit changes: it is in no other object, and tests only need it to be there.
$(VERSION_OBJECT): CPPFLAGS += -DBANKSHOT_VERSION='"$(VERSION)"' $(if $(COMMIT),-DBANKSHOT_COMMIT='"$(COMMIT)"')
$(VERSION_OBJECT): $(OBJ)/version
$(OBJ)/version: always
	@mkdir -p $(@D)
	@echo '$(VERSION) $(COMMIT)' | cmp -s - $@ || echo '$(VERSION) $(COMMIT)' >$@

# The simulator reuses no compiled kernel of a build that compiles otherwise.
$(OBJ)/sim/compile/kernel_cache.o: CPPFLAGS += -DSIM_COMPILE_SOURCES='"$(shell cat sim/compile/*.[ch] | cksum)"'
$(OBJ)/sim/compile/kernel_cache.o: $(wildcard sim/compile/*.[ch])

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)
