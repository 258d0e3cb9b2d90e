#!/bin/sh
# The structure that CONTRIBUTING promises: no circle of calls between the sources, none of includes, headers that describe the source
# of their own name, arrows that run one way between the folders, and no state outside of structs. Calls are
# read from the symbols of the objects.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

# Objects of sources that are gone are left out, and the one in the simulator's place that a build before its libraries were installed
# left behind.
objects=$(cd "$BUILD/obj" && find . -name '*.o' ! -path './tests/*' | sed 's,^\./,,' | sort |
    while read -r object; do [ ! -f "$OLDPWD/${object%%.*}.c" ] || echo "$object"; done)
! has_simulator || objects=$(echo "$objects" | grep -vx 'sim/missing_sim[.]o')
check "there are objects to look at" [ -n "$objects" ]

# symbols OPTION...: what nm says of every object, each line after the object's path and a colon. It runs once for all of them, because
# a process for each takes longer than all that it reads.
symbols() {
    # shellcheck disable=SC2086 # a list of files
    (cd "$BUILD/obj" && nm -A "$@" $objects)
}

# calls: lines "CALLER CALLED", an object each, wherever one uses a symbol that the other defines.
calls() {
    symbols -g | awk '
        {
            object = $1
            sub(/[.]o:.*/, "", object)
            name = $NF
        }
        $(NF - 1) == "U" { symbol[++uses] = name; user[uses] = object }
        $1 ~ /:[0-9a-f]+$/ && name != "main" { homes[name] = homes[name] " " object }
        END {
            for (i = 1; i <= uses; i++) {
                n = split(homes[symbol[i]], home, " ")
                for (k = 1; k <= n; k++)
                    if (home[k] != user[i])
                        print user[i], home[k]
            }
        }' | sort -u
}

# includes: lines "HEADER INCLUDED".
includes() {
    find "$@" -name '*.h' -exec awk -F '"' '/^#include ".*"$/ { print FILENAME, $2 }' {} +
}

# knows: lines "FILE KNOWN", where a header and the source of its name are one file: whose functions, structs or constants it uses.
knows() {
    find "$@" -name '*.[ch]' -exec awk -F '"' '
        /^#include ".*"$/ {
            user = FILENAME
            known = $2
            sub(/[.][ch]$/, "", user)
            sub(/[.][ch]$/, "", known)
            if (user != known)
                print user, known
        }' {} +
}

# no_circle NAME FILE: of the graph that the file's lines are; tsort names what goes in a circle.
no_circle() {
    tsort "$2" >"$work/order" 2>"$work/circles"
    is "$1" "$(sed 's/^tsort: //' "$work/circles" | tr '\n' ' ')" ""
}

calls >"$work/calls"
folders="util model device sim bench $(listed_probes | tr '\n' ' ') tools"
# shellcheck disable=SC2086 # a list of folders
includes $folders tests >"$work/includes"
# shellcheck disable=SC2086 # a list of folders
knows $folders >"$work/knows"
check "calls are found" grep -q '^bench/program bench/options\|^bench/program util/options' "$work/calls"
check "includes are found" grep -q '^bench/probe.h bench/row.h' "$work/includes"
no_circle "no circle of calls between sources" "$work/calls"
no_circle "no circle of includes between headers" "$work/includes"
check "uses of structs are found" grep -q '^bench/plan bench/probe$' "$work/knows"
no_circle "no circle of includes between files" "$work/knows"

# A header describes the source of its own name. These are the exceptions, HEADER: why.
sed 's/:.*//' >"$work/interfaces" <<'END'
apsp/mpi/engine.h: one interface, which the CPU and the GPU implement
bench/probe.h: the interface of the harness
tools/compare/document.h: one interface, whose table for people is a source of its own
device/kernel/kernel_hooks.h: the functions that compiled kernels call
sim/ptx/instruction.h: one translation function for each kind of instruction
sim/ptx/kernel/hooks.h: the functions that compiled kernels call
sim/amdgcn/kernel/wave_hooks.h: the same
sim/amdgcn/writer.h: the state of a translation, and a function for each kind of instruction
levels/geometry/geometry.h: the state of a measurement, and a function for each kind of finding
levels/levels_detail.h: the functions that the rows of the variants name
gmem/gmem_measure.h: the same
links/row.h: the same
smem/smem_pattern.h: the same
apsp/apsp_session.h: the same
levels/stream.h: the plan and its run, which share their structs
END

# misplaced: headers that declare a function which a source of another name defines.
misplaced() {
    symbols -g | awk '$(NF - 1) == "T" { source = $1; sub(/[.].*/, "", source); print "has", $NF, source }' >"$work/functions"
    # shellcheck disable=SC2086 # a list of folders
    find $folders -name '*.h' -exec awk '
        FILENAME == ARGV[1] { home[$2] = $3; next }
        FILENAME == found { next }
        /^[a-z][A-Za-z0-9_ *]*\(/ && !/^static / {
            name = $0
            sub(/\(.*/, "", name)
            sub(/.*[ *]/, "", name)
            if (name in home && home[name] ".h" != FILENAME) {
                print FILENAME
                found = FILENAME
            }
        }' "$work/functions" {} +
}
misplaced | sort >"$work/misplaced"
check "interfaces are found" grep -q '^bench/probe.h$' "$work/misplaced"
is "a header describes the source of its own name" "$(grep -vxF -f "$work/interfaces" "$work/misplaced" | tr '\n' ' ')" ""
[ -x "$BUILD/apsp-mpi" ] || sed -i '/^apsp\/mpi\//d' "$work/interfaces" # without MPI, nothing was compiled there
is "every exception is needed" "$(grep -vxF -f "$work/misplaced" "$work/interfaces" | tr '\n' ' ')" ""

# Arrows run down: util, model, device, sim, bench, and the programs on top, which do not know each other. The device layer names
# the simulator once, in its table of backends.
awk '
    function level(file,    folder) {
        folder = file
        sub(/\/.*/, "", folder)
        return folder == "util" ? 1 : folder == "model" ? 2 : folder == "device" ? 3 : folder == "sim" ? 4 : folder == "bench" ? 5 : 6
    }
    function top(file) { # apsp/solve/cpu: apsp; tools/lanes/csv: tools/lanes
        match(file, /^(tools\/)?[^\/]*/)
        return substr(file, 1, RLENGTH)
    }
    $1 == "device/device" && $2 == "sim/sim" { next }
    level($1) < level($2) || (level($1) == 6 && level($2) == 6 && top($1) != top($2)) { print $1 " -> " $2 }
' "$work/calls" "$work/includes" | grep -v '^tests/' >"$work/upward"
is "arrows between folders run one way" "$(tr '\n' ' ' <"$work/upward")" ""

# The solvers and the graphs of apsp are libraries: they know neither options nor rows.
is "apsp's libraries know no harness" \
    "$(grep -l '#include "bench/' apsp/graph/*.[ch] apsp/solve/*.[ch] 2>"$work/null" | tr '\n' ' ')" ""

# A compiled kernel outlives the model in a cache (BANKSHOT_KERNEL_CACHE), so no constant of the model may be in it.
is "what compiles kernels knows no constant of the model" "$(grep -rlw 'time_constants' sim/compile sim/ptx | tr '\n' ' ')" ""

# Comments name files, so that a reader finds what they speak of; kfd_crat.c is Linux's.
# shellcheck disable=SC2086 # a list of folders
find $folders \( -name '*.[ch]' -o -name '*.cu' \) -exec grep -hoE '\(([a-z_]+/)*[a-z0-9_]+[.][ch]\)' {} + | tr -d '()' | sort -u |
    grep -vx kfd_crat.c >"$work/named"
find . -path ./build -prune -o -type f -name '*.[ch]' -print >"$work/files"
check "comments that name files are found" [ -s "$work/named" ]
is "comments name files that exist" "$(while read -r name; do grep -q "/$name\$" "$work/files" || echo "$name"; done <"$work/named")" ""

# What a program wrote may lie in the working tree, but it is no part of the sources; an unpacked archive has no list of them.
is "git keeps no file that it is told to ignore" "$(git ls-files --cached --ignored --exclude-standard 2>"$work/null" | tr '\n' ' ')" ""

# State belongs to a run, a session or a device. These are the exceptions, FILE NAME: why.
sed 's/:.*//' >"$work/exceptions" <<'END'
device/cpu/nodes hwloc: hwloc's functions, which are the same for every device
device/cpu/nodes hwloc_library: the file that these come from, loaded once
device/energy nvml: NVML's functions, which are the same for every device
device/energy nvml_library: the file that these come from, loaded once
device/energy rsmi: ROCm SMI's functions, likewise
device/energy rsmi_library: the same
device/gpu/cuda calls: the driver's functions, which the driver table's calls get no context for
device/gpu/cuda library: the file that these come from, loaded once
device/gpu/hip calls: the same
device/gpu/hip library: the same
device/gpu/hiprtc calls: the compiler's functions, likewise
device/gpu/hiprtc library: the same
device/gpu/nvrtc calls: the same
device/gpu/nvrtc library: the same
sim/block machine: 1024 stacks that serve every device, because one kernel at a time runs in a process
sim/process offered: a signal handler, which gets no context, gives it to the loader
sim/block before: signal handlers belong to the process
sim/block handler_stack: the same
sim/block stack_before: the same
sim/lane sim_turn: compiled kernels call hooks without a context
sim/wave turn: the same
sim/launch running: the lock that makes one kernel at a time run
util/error silent_status: a process that lacks memory ends wherever it is, without a context
util/leftover folders: what the keeper, a process of its own, has to remove
util/leftover keeper: the process that removes folders when this one ends, which its signal handler tells to
util/leftover before: signal handlers belong to the process
util/leftover caught: the same
util/leftover leftovers: the files that the handler removes
util/leftover last_words: what the handler writes
util/leftover speaker: the process that they are of
tools/compare/compare has_status: a function that atexit calls gets no context
END

# state: lines "FILE NAME", for each variable of a source that can change. The details in the rows of variants do not
# count: rows point to them by pointers to constants.
state() {
    symbols --format=sysv | awk -F '|' '
        { gsub(/ /, "") }
        ($4 == "OBJECT" || $4 == "TLS") && $7 ~ /^\.t?(data|bss)/ && $7 !~ /rel\.ro/ && $1 !~ /compound_?literal/ {
            file = name = $1
            sub(/[.].*/, "", file)
            sub(/^[^:]*:/, "", name)
            sub(/\.[0-9]+$/, "", name) # as gcc names a variable of a function; clang writes the function before it
            sub(/^.*\./, "", name)
            print file, name
        }' | sort -u
}
state >"$work/state"
check "variables that can change are found" grep -q '^util/leftover leftovers$' "$work/state"
is "no source keeps state but those with a reason" "$(grep -vxF -f "$work/exceptions" "$work/state" | tr '\n' ';')" ""

finish
