#!/bin/sh
# apsp's kernels: right on two simulated parts and over drivers that run them on the host, with the counters that others
# published, and refused where they do not fit. No GPU is needed.
# shellcheck disable=SC2154 # work, status: tests/lib.sh
cd "$(dirname "$0")/.." || exit 1
. tests/lib.sh
. tests/apsp_lib.sh

# All but those that run over several tiles, which have checks of their own.
steps=$("$apsp" --list | awk '$1 !~ /^(cpu-|shared$|global$)/ { printf "%s%s", comma, $1; comma = "," }')

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
            run "$apsp" --device "$device" --variant "$steps" --vertices "$vertices" --quiet --csv "$work/all.csv"
            is "$device, $vertices vertices: every variant is right" "$status $(column verified "$work/all.csv" |
                xargs -n 1 | sort -u) $(column variant "$work/all.csv" | xargs -n 1 | sort -u | wc -l)" "0 yes $(echo "$steps" | tr , '\n' | wc -l)"
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
    solve cpu cpu-reference --vertices 300
    for devices in sim:h200,sim:h200 sim:h200,sim:h200,sim:mi210; do
        for way in peer host auto; do
            solve "$devices" multi-device --vertices 300 --exchange "$way"
            check "$devices, rows sent by $way" cmp "$work/cpu-reference" "$work/multi-device"
        done
        is "$devices: devices" "$(column devices "$work/out" | xargs)" "$(echo "$devices" | tr , '\n' | wc -l)"
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

# The CUDA and HIP backends, over drivers that run kernels on the host.
test_fake_drivers() {
    mkdir "$work/lib"
    for library in cuda/libcuda.so.1 cuda/libnvrtc.so hip/libamdhip64.so hip/libhiprtc.so; do
        ln -s "$(cd "$BUILD/tests" && pwd)/fake_${library%/*}.so" "$work/lib/${library#*/}"
    done
    solve cpu cpu-reference --vertices 70
    for backend in cuda hip; do
        if ! grep -q FAKE_MEMORY_MB "$BUILD/tests/fake_$backend.so" 2>"$work/null"; then
            skip "$backend" "there is no fake of it"
            continue
        fi
        for name in shared-row int16 multi-device; do
            rm -f "$work/$name"
            run env LD_LIBRARY_PATH="$work/lib" CUDA_HOME="$work" ROCM_PATH="$work" "$apsp" --device "$backend:0,$backend:1" \
                --variant "$name" --vertices 70 --quiet --samples 1 --csv - --output "$work/$name"
            check "$backend, a fake driver: $name" cmp "$work/cpu-reference" "$work/$name"
        done
        is "$backend, a fake driver: devices share a solution" "$(column kernel "$work/out") $(column devices "$work/out" |
            xargs)" "exchange all write 2 2 1"
    done
}

test_gpus
test_fake_drivers
finish
