#!/bin/sh
# gmem on the CUDA and HIP backends, on a fake driver that runs kernels on the host (tests/fakes/fake.h): what it
# does if a GPU fails in the middle of a run.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

gmem=$BUILD/gmem
built "$gmem"

# on BACKEND ARGUMENT...: one quick run; $csv holds its rows.
csv=$work/gpu.csv
on() {
    spec=$1
    shift
    rm -f "$csv"
    run_with_fakes "$gmem" --device "$spec" --full --quiet --min-time 0.002 --max-time 0.05 --samples 2 --elements 4K "$@" --csv "$csv"
}

# fails_with NAME PATTERN: the run must end with status 1 and one line that matches the pattern.
fails_with() {
    is "$1: status" "$status" 1
    is "$1: one line" "$(wc -l <"$work/err" | tr -d ' ') $(grep -cE "$2" "$work/err")" "1 1"
}

rows() {
    if [ -e "$csv" ]; then grep -vc '^#\|^probe,' "$csv"; else echo 0; fi
}

# notices_wrong BACKEND VARIANT OPTION...: a block that does nothing makes the row wrong.
notices_wrong() {
    backend=$1 variant=$2
    shift 2
    FAKE_KERNEL=$(echo "$variant" | tr - _) FAKE_FAIL=wrong on "$backend" --variant "$variant" "$@"
    is "$backend: a wrong $variant: verified" "$status $(column verified "$csv")" "1 no"
}

# test_backend BACKEND OUT-OF-MEMORY LOST
test_backend() {
    on "$1:0,$1:1" --variant stride-copy,read --width 4,16 --stride 3
    is "$1: two devices: status" "$status $(cat "$work/err")" "0 "
    is "$1: two devices: rows" "$(rows)" 8
    is "$1: two devices: verified" "$(column verified "$csv" | tr ' ' '\n' | sort -u)" yes
    on "$1" --variant read,write,copy,triad,sum --offset 3 --width 1,2,4,8,16
    is "$1: an offset: verified" "$status $(rows) $(column verified "$csv" | tr ' ' '\n' | sort -u)" "0 81 yes"
    [ "$1" = hip ] || {
        on "$1" --variant copy-bulk,read-bulk --elements 5000
        is "$1: bulk copies: verified" "$status $(column verified "$csv")" "0 yes yes"
        notices_wrong "$1" copy-bulk
        notices_wrong "$1" read-bulk
    }
    on "$1" --variant triad,sum,gather,scatter,gather-scatter,atomic-add,atomic-add-float,atomic-fetch-add,atomic-fetch-add-float \
        --width 8,4 --window 1,256,0
    is "$1: by index and atomics: status" "$status $(cat "$work/err")" "0 "
    is "$1: by index and atomics: verified" "$(rows) $(column verified "$csv" | tr ' ' '\n' | sort -u)" "46 yes"
    for wrong in triad sum; do
        notices_wrong "$1" $wrong --width 8
    done
    for wrong in gather scatter gather-scatter atomic-fetch-add; do
        notices_wrong "$1" $wrong --width 8 --window 256
    done
    FAKE_KERNEL=make_indices FAKE_FAIL=wrong on "$1" --width 8 --window 0 --variant gather --elements 64K
    fails_with "$1: wrong indices" "makes other indices than the host"
    FAKE_FAIL=wrong on "$1" --variant copy --width 4 --elements 64K
    is "$1: a wrong result: status" "$status" 1
    is "$1: a wrong result: verified" "$(column verified "$csv")" no
    FAKE_MEMORY_MB=1 on "$1" --variant copy --width 16 --elements 1M
    is "$1: a footprint over the memory: status" "$status" 2
    FAKE_FAIL=allocate:2 on "$1" --variant copy --width 4
    fails_with "$1: out of memory" "$2"
    FAKE_KERNEL=check_copy FAKE_FAIL=launch:3 on "$1" --variant copy --width 4,8,16
    fails_with "$1: the device is lost" "$3"
    is "$1: the device is lost: rows so far kept" "$(rows) $(column verified "$csv")" "2 yes yes"
    on "$1,$1:0,$1:1" --variant copy --width 4 --elements 64K
    is "$1: the first device named twice is measured once" "$status $(rows)" "0 2"
    FAKE_DEVICES=1 on "$1:1" --variant copy
    is "$1: an absent device: status" "$status" 3
}

# list_unwrapped [ASSIGNMENT...]: --list-devices in one line, because a long path wraps its text.
list_unwrapped() {
    run env "$@" "$gmem" --list-devices
    tr -s ' \n' ' ' <"$work/out"
}

# finds_compiler FOLDER NAME=VALUE: CUDA's run-time compiler must be found in the folder through this variable.
finds_compiler() {
    rm -rf "$work/places"
    mkdir -p "$work/places/driver" "$1"
    fake=$(cd "$BUILD" && pwd)/tests/fake_cuda.so
    ln -s "$fake" "$work/places/driver/libcuda.so.1"
    ln -s "$fake" "$1/libnvrtc.so.12"
    list_unwrapped -i PATH="$PATH" LD_LIBRARY_PATH="$work/places/driver" "$2" >"$work/list"
    check "NVRTC is found by ${2%%=*}" grep -q "kernels compiled by NVRTC [^,]*, .*/fake_cuda.so" "$work/list"
}

test_places() {
    places=$work/places
    for variable in CUDA_HOME CUDA_PATH CUDA_ROOT CUDATOOLKIT_HOME EBROOTCUDA CONDA_PREFIX; do
        finds_compiler "$places/toolkit/lib64" "$variable=$places/toolkit"
    done
    finds_compiler "$places/hpc/cuda/lib64" NVHPC_ROOT="$places/hpc"
    finds_compiler "$places/conda/targets/x86_64-linux/lib" CONDA_PREFIX="$places/conda"
    finds_compiler "$places/site/nvidia/cuda_nvrtc/lib" PYTHONPATH="/none:$places/site"
    finds_compiler "$places/python/lib/python3.11/site-packages/nvidia/cu13/lib" PATH="$PATH:$places/python/bin"
    rm -rf "$places"
    list_unwrapped >"$work/list"
    grep -o 'was not found' "$work/list" >"$work/missing"
    if [ -s "$work/missing" ]; then
        is "--list-devices says where it looked" \
            "$(grep -c . "$work/missing")" "$(grep -o 'looked in: ' "$work/list" | grep -c .)"
    else
        skip "--list-devices says where it looked" "every GPU library is here"
    fi
}

# within PCT FOUND EXPECTED
within() {
    awk -v pct="$1" -v found="$2" -v expected="$3" 'BEGIN { exit !(found > 0 && found / expected > 1 - pct / 100 && found / expected < 1 + pct / 100) }'
}

# within_times FACTOR FOUND EXPECTED: other programs make some launches longer than others.
within_times() {
    awk -v factor="$1" -v found="$2" -v expected="$3" 'BEGIN { exit !(found > expected / factor && found < factor * expected) }'
}

# watts_by_time: the joules that 250 W are in the time of a launch.
watts_by_time() {
    awk -v ns="$(column time_ns_median "$csv")" 'BEGIN { print 250 * ns * 1e-9 }'
}

# test_energy BACKEND: the fake GPU draws FAKE_WATTS, whatever it does. Other programs may take the processor for longer than a step of
# its counter, but hardly in each of a few runs.
test_energy() {
    for _ in 1 2 3 4 5 6 7 8; do
        FAKE_WATTS=250 on "$1" --variant copy --width 16 --elements 64K --energy
        if within_times 2 "$(column joules "$csv")" "$(watts_by_time)" && within_times 2 "$(column energy_step_ms "$csv")" 20; then
            break
        fi
    done
    is "$1: joules: status" "$status $(cat "$work/err")" "0 "
    check "$1: watts" within 3 "$(column watts "$csv")" 250
    check "$1: joules are those of one launch, not of a batch" within_times 4 "$(column joules "$csv")" "$(watts_by_time)"
    check "$1: joules of a byte" within 0.1 "$(column pj_per_byte "$csv")" \
        "$(awk -v j="$(column joules "$csv")" -v b="$(column useful_bytes "$csv")" 'BEGIN { print 1e12 * j / b }')"
    check "$1: the bandwidth of that run" within 0.1 "$(column sustained_gb_s "$csv")" \
        "$(awk -v watts="$(column watts "$csv")" -v pj="$(column pj_per_byte "$csv")" 'BEGIN { print 1e3 * watts / pj }')"
    check "$1: steps of the counter" within_times 2 "$(column energy_step_ms "$csv")" 20
    check "$1: the error is stated" within_times 8 "$(column energy_error_pct "$csv")" 2.1 # more where the machine is busy
    FAKE_WATTS=0 on "$1" --variant copy --energy
    is "$1: no counter of energy: status" "$status" 3
    is "$1: no counter of energy: one line" "$(grep -c 'counters of energy begin with' "$work/err")" 1
    on "$1" --variant copy
    is "$1: no joules unless asked for" "$(column joules "$csv" | tr -d ' ')$(column throttle_reasons "$csv" | tr -d ' ')" ""
    on "$1" --variant copy --energy --cache cold
    is "$1: joules of cold caches: status" "$status $(grep -c -- '--cache cold' "$work/err")" "2 1"
}

# reasons BITS: why the clocks of an NVIDIA GPU are lower, in the row.
reasons() {
    FAKE_THROTTLE=$1 on cuda --variant copy --width 16 --elements 64K --energy
    column throttle_reasons "$csv"
}

# The address on PCI Express says which GPU of ROCm SMI's is HIP's.
test_energy_of_second() {
    FAKE_WATTS=100 on hip:1 --variant copy --width 16 --elements 64K --energy
    check "hip:1: the energy is this GPU's" within 3 "$(column watts "$csv")" 200
    is "hip:1: no reasons are told" "$(column throttle_reasons "$csv")" ""
    FAKE_SMI_BUS=2 on hip --variant copy --energy
    is "hip: a GPU that ROCm SMI does not know" "$status $(grep -c 'ROCm SMI gives no energy of the GPU at .*: leave out --energy' "$work/err")" "3 1"
    rm "$work/lib/librocm_smi64.so"
    on hip --variant copy --energy
    is "hip: no library of energy: one line" "$status $(grep -c 'ROCm SMI.*rocm-smi-lib' "$work/err")" "3 1"
}

link_fakes "$work/lib"
! has_fake cuda || test_places
! has_fake cuda || test_backend cuda CUDA_ERROR_OUT_OF_MEMORY CUDA_ERROR_ILLEGAL_ADDRESS
! has_fake cuda || test_energy cuda
if has_fake cuda; then
    is "cuda: why clocks are lower" "$(reasons 36) $(reasons 0) $(reasons -1)" "sw_power_cap+sw_thermal_slowdown none "
fi
! has_fake hip || test_backend hip hipErrorOutOfMemory hipErrorIllegalAddress
! has_fake hip || test_energy hip
! has_fake hip || test_energy_of_second
finish
