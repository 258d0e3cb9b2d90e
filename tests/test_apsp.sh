#!/bin/sh
# What apsp promises: graphs in and out, what is refused, and the same bytes from every variant. No GPU is needed.
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh

apsp=$BUILD/apsp
built "$apsp"
export OMP_WAIT_POLICY=passive # small graphs are all barriers, and tests share a machine
gpu_variants=$("$apsp" --list | grep -vc '^ *cpu-')
cpu_variants="cpu-reference cpu-course cpu-tiled cpu-int16"

# solve DEVICE VARIANT OPTION...: one sample; distances land in $work/VARIANT, the CSV in $work/out.
solve() {
    device=$1 variant=$2
    shift 2
    rm -f "$work/$variant"
    run "$apsp" --device "$device" --variant "$variant" --quiet --samples 1 --csv - --output "$work/$variant" "$@"
}

# same NAME DEVICE OPTION... : all of $variants must give the bytes of cpu-reference.
same() {
    label=$1 where=$2
    shift 2
    solve cpu cpu-reference "$@"
    for name in $variants; do
        [ "$name" = cpu-reference ] || solve "$where" "$name" "$@"
        if [ "$status" -ne 0 ]; then
            fail "$label: $name" "status $status" "$(head -n 3 "$work/err")"
        elif cmp -s "$work/cpu-reference" "$work/$name"; then
            ok "$label: $name"
        else
            fail "$label: $name" "its bytes are not those of cpu-reference"
        fi
    done
}

test_cpu_bytes() {
    variants=$cpu_variants
    for vertices in 1 2 31 64 65 200; do
        same "$vertices vertices" cpu --vertices "$vertices"
    done
    same "1500 vertices" cpu --vertices 1500
    same "density 1 %" cpu --vertices 150 --edges 223
    same "density 100 %" cpu --vertices 150 --edges 22350
    same "heaviest weights" cpu --vertices 90 --max-weight 1073741822
    printf 'p sp 9 0\n' >"$work/alone.gr"
    same "no edge" cpu --graph "$work/alone.gr"
    printf 'p sp 4 4\na 1 2 0\na 2 1 0\na 3 4 0\na 1 1 9\n' >"$work/zero.gr"
    same "weights of 0" cpu --graph "$work/zero.gr"
}

test_files() {
    printf 'c two ways\np sp 3 3\na 1 2 5\na 1 2 4\na 2 3 1\n' >"$work/graph.gr"
    printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 3\n1 2 5\n1 2 4\n2 3 1\n' >"$work/graph.mtx"
    expected="0 4 5 1073741823 0 1 1073741823 1073741823 0"
    for format in gr mtx; do
        solve cpu cpu-tiled --graph "$work/graph.$format" --save-graph "$work/graph.bin"
        is "distances of a .$format" "$(od -An -v -w36 -td4 "$work/cpu-tiled" | xargs)" "$expected"
        is "the graph of a .$format, saved" "$(od -An -v -w44 -td4 "$work/graph.bin" | xargs)" "3 3 0 1 5 0 1 4 1 2 1"
    done
    solve cpu cpu-tiled --graph "$work/graph.bin"
    is "distances of a binary file" "$(od -An -v -w36 -td4 "$work/cpu-tiled" | xargs)" "$expected"
    is "what is timed" "$(column kernel "$work/out")" "read init all write"
    is "vertices and edges" "$(column vertices "$work/out") $(column edges "$work/out")" "3 3 3 3 3 3 3 3"
    is "verified" "$(column verified "$work/out" | xargs)" "yes"
    check "nothing is left beside the files" test -z "$(find "$work" -name 'graph.bin.*' -o -name 'cpu-tiled.*')"
    solve cpu cpu-tiled --vertices 100 --seed 5 --save-graph "$work/seed5"
    solve cpu cpu-tiled --vertices 100 --seed 5 --save-graph "$work/again"
    check "a seed gives the same graph" cmp "$work/seed5" "$work/again"
    solve cpu cpu-tiled --vertices 100 --seed 6 --save-graph "$work/again"
    check "another seed gives another" sh -c "! cmp -s '$work/seed5' '$work/again'"
    solve cpu cpu-int16 --vertices 300
    is "int16 computes with 2 bytes" "$(column width_bytes "$work/out" | xargs)" 2
    solve cpu cpu-int16 --vertices 300 --max-weight 100000
    is "int16 falls back on 4 where it must" "$(column width_bytes "$work/out" | xargs)" 4
}

# An implementation that shares nothing with this one.
test_scipy() {
    if ! python3 -c 'import scipy.sparse.csgraph' 2>"$work/null"; then
        skip "SciPy gives the same distances" "SciPy is not here"
        return
    fi
    for edges in 900 30000; do
        solve cpu cpu-tiled --vertices 300 --edges "$edges" --max-weight 1000 --save-graph "$work/graph"
        check "SciPy gives the same distances: $edges edges" python3 tests/apsp_scipy.py "$work/graph" "$work/cpu-tiled"
    done
}

# counts NAME KERNEL EXPECTED OPTION...: load and store conflicts of one launch of the kernel on a GTX 1080.
counts() {
    label=$1 kernel=$2 expected=$3
    shift 3
    run "$apsp" --device sim:gtx1080 --quiet --csv "$work/counts.csv" "$@"
    is "$label" "$(awk -v kernel="$kernel" -f scripts/csv.awk -f tests/apsp_conflicts.awk "$work/counts.csv")" "$expected"
}

test_gpus() {
    has_sim=$("$apsp" --list-devices 2>"$work/null" | grep -c '^sim:')
    [ "$has_sim" -gt 0 ] || {
        skip "kernels" "the simulator is not built here"
        return
    }
    for device in sim:h200 sim:mi210; do
        for vertices in 1 2 31 64 65 200; do
            run "$apsp" --device "$device" --vertices "$vertices" --quiet --csv "$work/all.csv"
            is "$device, $vertices vertices: every variant is right" "$status $(column verified "$work/all.csv" |
                xargs -n 1 | sort -u) $(column variant "$work/all.csv" | xargs -n 1 | sort -u | wc -l)" "0 yes $gpu_variants"
        done
        variants="baseline shared-row register-tiled int16 global"
        same "$device, random" "$device" --vertices 50 --edges 700 --max-weight 9
        same "$device, heaviest weights" "$device" --vertices 40 --max-weight 1073741822
        for shape in 16:16x16 32:8x32 48:16x16 64:32x8 78:39x13 80:40x16 90:45x15; do
            run "$apsp" --device "$device" --variant shared-row,shared-column,unrolled,global --tile "${shape%:*}" --block "${shape#*:}" \
                --vertices 95 --quiet --csv "$work/all.csv"
            is "$device, tile ${shape%:*}, block ${shape#*:}" "$status $(column verified "$work/all.csv" | xargs)" "0 yes yes yes yes"
        done
    done
    for weight in 100 20000; do
        run "$apsp" --device sim:h200 --variant int16 --vertices 60 --max-weight "$weight" --quiet --csv "$work/all.csv"
        is "int16 on a GPU, weights to $weight" "$status $(column verified "$work/all.csv" | xargs) $(column width_bytes \
            "$work/all.csv" | xargs -n 1 | sort -u)" "0 yes $([ "$weight" = 100 ] && echo 2 || echo 4)"
    done
    run "$apsp" --device sim:h200 --variant global --tile 256 --vertices 20 --quiet --csv "$work/all.csv"
    is "a tile of 256 from global memory" "$status $(column verified "$work/all.csv" | xargs)" "0 yes"
    counts "published conflicts, by row" phase1 "2048 1056" --variant shared-row --tile 32 --block 16x16 --vertices 40
    counts "published conflicts, by column" phase1 "30720 15840" --variant shared-column --tile 32 --block 16x16 --vertices 40
    counts "a block of 32x8 has none" phase3 "0 0" --variant coarsened --vertices 100
    counts "blocks of a large graph" phase1 "2048 1056" --variant shared-row --vertices 5000 --sim-blocks 2
    is "some blocks alone are not verified" "$(column verified "$work/counts.csv" | xargs)" ""
    refuses "a tile too large for shared memory" 2 "$apsp" --device sim:mi210 --variant shared-row --tile 96 --block 32x32
    refuses "a block with too many threads" 2 "$apsp" --device sim:h200 --variant grid-2d --tile 64 --block 64x32
    refuses "a block larger than the tile" 2 "$apsp" --device sim:h200 --variant shared-row --tile 16 --block 32x8
    refuses "too many elements a thread" 2 "$apsp" --device sim:h200 --variant shared-row --tile 90 --block 8x8
    refuses "two dimensions where there is one" 2 "$apsp" --device sim:h200 --variant baseline --block 32x32
    refuses "a block that is no size" 2 "$apsp" --device sim:h200 --variant shared-row --block 16x
    refuses "a GPU variant on the CPU" 3 "$apsp" --device cpu --variant shared-row
}

test_refusals() {
    graph="--device cpu --variant cpu-tiled --graph"
    printf '\003\0\0\0\002\0\0\0\0\0\0\0\001\0\0\0\007\0\0\0' >"$work/short"
    printf '\377\377\377\0\0\0\0\0' >"$work/huge"
    printf 'p sp 3 1\na 1 9 2\n' >"$work/range.gr"
    # shellcheck disable=SC2086 # a list of options
    {
        refuses "a short file" 2 "$apsp" $graph "$work/short"
        refuses "too many vertices for any memory" 2 "$apsp" $graph "$work/huge"
        refuses "a vertex out of range" 2 "$apsp" $graph "$work/range.gr"
        refuses "a file that is not there" 2 "$apsp" $graph "$work/missing"
        refuses "a folder" 2 "$apsp" $graph "$work"
        refuses "a file and a random graph" 2 "$apsp" $graph "$work/range.gr" --random
        refuses "a file and a number of vertices" 2 "$apsp" $graph "$work/range.gr" --vertices 4
    }
    refuses "more edges than pairs" 2 "$apsp" --device cpu --vertices 3 --edges 7
    refuses "no vertices" 2 "$apsp" --device cpu --vertices 0
    refuses "more vertices than memory" 2 "$apsp" --device cpu --vertices 1000000
    refuses "a CPU variant elsewhere" 3 "$apsp" --device sim:h200 --variant cpu-tiled
    refuses "an output that can't be" 1 "$apsp" --device cpu --variant cpu-tiled --vertices 5 --samples 1 --csv "$work/csv" \
        --output "$work/missing/file"
    run "$apsp" --device cpu --variant cpu-tiled --graph "$work/range.gr"
    check "the message names the line" grep -q 'line 2:' "$work/err"
    run "$apsp" --device cpu --variant cpu-tiled --graph "$work/short"
    check "the message names the byte" grep -q 'byte 20:' "$work/err"
}

# What a fuzzer would try first, under the sanitizers.
test_fuzz() {
    if make -s BUILD="$BUILD" "$BUILD/tests/fuzz_graph" >"$work/make" 2>&1; then
        check "mutated graph files are read or refused" env OMP_NUM_THREADS=1 "$BUILD/tests/fuzz_graph" tests/graphs/*
    else
        skip "mutated graph files" "the sanitizers are not here"
    fi
}

test_cpu_bytes
test_files
test_fuzz
test_scipy
test_gpus
test_refusals
finish
