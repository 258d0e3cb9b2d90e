#!/bin/sh
# What apsp promises: graphs in and out, what is refused, and the same bytes from every variant. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. tests/shell/apsp_lib.sh

cpu_variants="cpu-reference cpu-course cpu-tiled cpu-int16"

test_cpu_bytes() {
    variants=$cpu_variants
    for vertices in 1 2 31 64 65 200; do
        same "$vertices vertices" cpu --vertices "$vertices"
    done
    # More columns than a thread's part of a round has at most: 1024 of 16 bits.
    ! everything || same "1100 vertices" cpu --vertices 1100
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

# The first vertices of all paths.
test_paths() {
    printf 'p sp 4 4\na 1 2 0\na 2 1 0\na 2 3 0\na 1 4 9\n' >"$work/paths.gr"
    solve cpu cpu-tiled --graph "$work/paths.gr" --output-paths "$work/hops"
    is "hops that lead round no circle" "$status $(od -An -v -w64 -td4 "$work/hops" | xargs)" "0 0 1 1 3 0 1 2 0 -1 -1 2 -1 -1 -1 -1 3"
    is "paths that were checked" "$(column kernel "$work/out") $(column paths "$work/out" | xargs)" "read init all next_hops write 6"
    solve cpu cpu-int16 --vertices 200 --max-weight 3 --paths
    is "a time for the hops" "$status $(column kernel "$work/out") $(column verified "$work/out" | xargs)" "0 init all next_hops write yes"
    refuses "paths that cannot be written, before the work" 2 "$apsp" --device cpu --variant cpu-tiled --vertices 16K --edges 1 \
        --output-paths "$work/no/paths"
}

# Compares with an implementation that shares no code with this one.
test_scipy() {
    if ! python3 -c 'import scipy.sparse.csgraph' 2>"$work/null"; then
        skip "SciPy gives the same distances" "SciPy is not here"
        return
    fi
    for edges in 900 30000; do
        solve cpu cpu-tiled --vertices 300 --edges "$edges" --max-weight 1000 --save-graph "$work/graph"
        check "SciPy gives the same distances: $edges edges" python3 tests/shell/apsp_scipy.py "$work/graph" "$work/cpu-tiled"
    done
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
    while read -r words; do
        # shellcheck disable=SC2086 # a list of options
        refuses "what nothing uses: $words" 2 "$apsp" $words
    done <<'END'
--device cpu --tile 32
--device cpu --launch graph
--device cpu --exchange host
--device cpu --variant cpu-peak --random
--device cpu --variant cpu-tiled --memory-limit 1G
--device sim:h200 --variant shared-row --look-ahead no
END
    run "$apsp" --device cpu,sim:h200 --vertices 40 --quick --budget 600 --strip copy --samples 1 --quiet --csv "$work/csv"
    is "what one of the devices uses" "$status $(cat "$work/err")" "0 "
    echo 'row["variant"] != "min-plus-peak" { print row["backend"], row["parameters"] }' >"$work/parameters.awk"
    is "only rows that an option changes name it" "$(awk -f scripts/csv.awk -f "$work/parameters.awk" "$work/csv" | sort -u | xargs)" \
        "cpu sim strip=copy"
    rm "$work/csv"
    printf 'p sp 2 1\na 1 2 3\n' >"$work/two.gr"
    ln -s two.gr "$work/link.gr"
    solving="--device cpu --variant cpu-tiled --samples 1 --quiet"
    # shellcheck disable=SC2086 # a list of options
    {
        # This graph is too large to be solved within the time limit of `refuses`.
        refuses "an output that cannot be, before the work" 2 "$apsp" $solving --vertices 16K --edges 1 \
            --csv "$work/csv" --output "$work/missing/file"
        refuses "a graph that cannot be saved, before the work" 2 "$apsp" $solving --vertices 16K --edges 1 \
            --save-graph "$work"
        refuses "one file for two outputs" 2 "$apsp" $solving --vertices 5 --output "$work/new" --save-graph "$work/./new"
        refuses "one file for rows and distances" 2 "$apsp" $solving --vertices 5 --csv "$work/new" --output "$work/new"
        refuses "an input for an output" 2 "$apsp" $solving --graph "$work/two.gr" --save-graph "$work/link.gr"
        refuses "standard output for distances" 2 "$apsp" $solving --vertices 5 --output -
        refuses "distances of two graphs" 2 "$apsp" $solving --vertices 5,6 --output "$work/new"
        refuses "two graphs in one file" 2 "$apsp" $solving --vertices 5,6 --save-graph "$work/new"
        refuses "distances of two devices' graphs" 2 "$apsp" --device cpu,sim:h200 --output "$work/new"
    }
    is "nothing is written of what is refused" "$(ls "$work"/new* "$work"/csv* 2>"$work/null"; cat "$work/two.gr")" \
        "p sp 2 1
a 1 2 3"
    run "$apsp" --device cpu --variant cpu-tiled --graph "$work/range.gr"
    check "the message names the line" grep -q 'line 2:' "$work/err"
    run "$apsp" --device cpu --variant cpu-tiled --graph "$work/short"
    check "the message names the byte" grep -q 'byte 20:' "$work/err"
}

# Edges count against the memory, as matrices do: with 900 vertices a matrix has 13 MB, and the edges twice that.
test_memory() {
    if ! little_memory 40; then
        skip "edges that do not fit into memory" "mounting another /proc/meminfo needs root"
        return
    fi
    solving="$work/little $apsp --device cpu --variant cpu-tiled --samples 1 --quiet --csv $work/csv"
    # shellcheck disable=SC2086 # a list of words
    {
        run $solving --vertices 900 --edges 1
        is "a matrix fits" "$status" 0
        refuses "its edges do not" 2 $solving --vertices 900 --edges 800000
        run "$apsp" --device cpu --variant cpu-tiled --vertices 900 --edges 800000 --samples 1 --quiet \
            --save-graph "$work/large" --csv "$work/csv"
        little_memory 8
        refuses "nor do a file's" 2 "$work/little" "$apsp" --device cpu --variant cpu-tiled --graph "$work/large"
    }
}

test_cpu_bytes
test_files
test_paths
mutate "graph files" fuzz_graph tests/data/graphs/*
test_scipy
test_refusals
test_memory
finish
