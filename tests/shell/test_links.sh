#!/bin/sh
# links on two and four GPUs of a fake driver that runs kernels on the host (tests/fakes/fake.h): every variant, its rows,
# what a fault in the middle leaves, and what it refuses. No GPU is needed.
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh

links=$BUILD/links
built "$links"
csv=$work/links.csv

# on SPEC OPTION...: one quick run; $csv holds its rows.
on() {
    spec=$1
    shift
    rm -f "$csv"
    run_with_fakes "$links" --device "$spec" --full --quiet --min-time 0 --max-time 0.01 --samples 2 "$@" --csv "$csv"
}

# fails_with NAME PATTERN: status 1, and one line that says so.
fails_with() {
    is "$1: status" "$status" 1
    is "$1: one line" "$(wc -l <"$work/err" | tr -d ' ') $(grep -cE "^links: .*$2.*: .+" "$work/err")" "1 1"
}

# routes: the rows' variants and ways, a line each kind, with how often it is there.
routes() {
    awk -f scripts/csv.awk -f /dev/stdin "$csv" <<'END' | sort | uniq -c | awk '{ print $2 "*" $1 }' | tr '\n' ' '
{ print row["variant"] ":" row["direction"] }
END
}

# pretends NAME TOPOLOGY EXPECTED: the pairs "from>to" of the node variants on a topology that hwloc pretends.
pretends() {
    run env HWLOC_SYNTHETIC="$2" "$links" --device cpu --footprint 4M --samples 3 --quiet --csv "$csv"
    is "$1: status" "$status" 0
    for variant in node-read node-write node-write-streaming; do
        is "$1: $variant" "$(awk -v variant="$variant" -f scripts/csv.awk -f "$work/pairs.awk" "$csv" | xargs)" "$3"
    done
    is "$1: every byte is checked" "$(column verified "$csv" | tr ' ' '\n' | sort -u)" yes
    is "$1: what a pretended node measured is not verified" "$(column verdict "$csv" | tr ' ' '\n' | grep -cv unverified)" 0
}

test_nodes() {
    if "$links" --device cpu 2>&1 | grep -q 'hwloc'; then
        skip "nodes of memory" "$("$links" --device cpu 2>&1)"
        return
    fi
    refuses "one node" 3 env HWLOC_SYNTHETIC='NUMANode:1 PU:1' "$links" --device cpu
    refuses "nodes on a GPU" 3 "$links" --device sim:h200 --variant node-read
    refuses "half a page" 2 env HWLOC_SYNTHETIC='NUMANode:2 PU:1' "$links" --device cpu --variant node-read --footprint 4098
    # shellcheck disable=SC2016 # a script of awk's
    echo 'row["variant"] == variant { print (row["op"] == "read" ? substr(row["to"], 6) "<" substr(row["from"], 6) : substr(row["from"], 6) "<" substr(row["to"], 6)) }' >"$work/pairs.awk"
    pretends "two nodes" 'Package:2 [NUMANode(memory=8GB)] Core:1 PU:1' "0<0 0<1 1<0 1<1"
    pretends "nodes without processors" 'Package:1 [NUMANode(memory=8GB)] [NUMANode(memory=2GB)] Core:1 PU:1' "0<0 0<1"
}

# every NAME EXPRESSION: true of each row of the last run.
every() {
    echo "!($2) { bad = 1 } { some = 1 } END { exit bad || !some }" >"$work/every.awk"
    check "$1" awk -f scripts/csv.awk -f "$work/every.awk" "$csv"
}

verified() {
    is "$1: status" "$status $(cat "$work/err")" "0 "
    is "$1: every byte is checked" "$(column verified "$csv" | tr ' ' '\n' | sort -u)" yes
}

test_refusals() {
    refuses "the simulator" 3 "$links" --device sim:h200
    if "$links" --list-devices | grep -q '^\(cuda\|hip\):'; then
        skip "a machine without a GPU" "this one has a GPU"
    else
        refuses "a machine without a GPU" 3 "$links"
        is "it names no device that nobody has named" "$(grep -c 'sim:' "$work/err")" 0
    fi
    BANKSHOT_DEVICES=cpu,sim:h200
    is "run.sh leaves it out there" "$(devices links)" ""
    BANKSHOT_DEVICES=cuda:0,cpu,cuda:1
    is "run.sh gives it all GPUs at once" "$(device_groups links) $(device_groups smem | wc -l | tr -d ' ')" "cuda:0,cuda:1 2"
    unset BANKSHOT_DEVICES
}

hosts="host-latency:one-way*3 host-mapped:both-ways*2 host-mapped:one-way*2 host-pageable:one-way*2"
hosts="$hosts host-pinned:both-ways*2 host-pinned:one-way*2 host-register:both-ways*2 host-register:one-way*2"
hosts="$hosts managed-fault:one-way*2 managed-overflow:one-way*2 managed-prefetch:one-way*2 managed-stay:one-way*2 managed-touch:one-way*1 "

test_one() {
    FAKE_DEVICES=1 on "$1" --footprint 1M
    verified "$1: one device"
    is "$1: one device: what it measures" "$(routes)" "$hosts"
    FAKE_DEVICES=1 on "$1" --variant pair-copy --footprint 1M
    is "$1: a pair of one device: refused" "$status $(grep -c 'or more devices$' "$work/err")" "2 1"
    on "$1" --footprint 1000
    is "$1: a footprint of broken words" "$status $(grep -c 'not a multiple of 16' "$work/err")" "2 1"
    FAKE_MEMORY_MB=4 on "$1" --footprint 4M
    is "$1: a footprint beyond the memory" "$status $(grep -c 'give a smaller one$' "$work/err")" "2 1"
}

test_two() {
    on "$1:0,$1:1" --footprint 20000,1M
    verified "$1: two devices"
    is "$1: two devices: what they measure" "$(routes | sed 's/\(host\|managed\)[^ ]* //g')" \
        "pair-copy:both-ways*2 pair-copy:one-way*4 pair-latency:one-way*4 pair-pull:both-ways*2 pair-pull:one-way*4 pair-read:both-ways*2 pair-read:one-way*4 pair-write:both-ways*2 pair-write:one-way*4 "
    every "$1: an end is the host or a device" "(row[\"from\"] != row[\"to\"]) == (row[\"variant\"] != \"managed-touch\") && row[\"from\"] ~ /^(host|$1:[01])\$/ && row[\"to\"] ~ /^(host|$1:[01])\$/"
    every "$1: one way is the bytes over the time" "row[\"latency_ns\"] != \"\" || row[\"useful_bytes\"] / row[\"time_ns_median\"] / row[\"one_way_gb_s\"] > 0.999 && row[\"useful_bytes\"] / row[\"time_ns_median\"] / row[\"one_way_gb_s\"] < 1.001"
    every "$1: a sum belongs to transfers at once" "(row[\"sum_gb_s\"] != \"\") == (row[\"direction\"] != \"one-way\")"
    every "$1: the sum is more than one way" "row[\"sum_gb_s\"] == \"\" || row[\"sum_gb_s\"] > row[\"one_way_gb_s\"]"
    every "$1: no peak is known" 'row["peak_gb_s"] == ""'
    check "$1: the link in words" grep -q "^# $1:0 to $1:1: .*direct, performance rank 0, with atomics\$" "$csv"
}

test_four() {
    FAKE_DEVICES=4 on "$1:0,$1:1,$1:2,$1:3" --footprint 1M --variant host-pinned,pair-copy,pair-write
    verified "$1: four devices"
    is "$1: four devices: what they measure" "$(routes)" "host-pinned:all-at-once*8 host-pinned:both-ways*8 host-pinned:one-way*8 pair-copy:all-at-once*12 pair-copy:both-ways*12 pair-copy:one-way*12 pair-write:all-at-once*12 pair-write:both-ways*12 pair-write:one-way*12 "
    is "$1: all pairs at once: each once" "$(awk -f scripts/csv.awk -f /dev/stdin "$csv" <<'END' | sort -u | wc -l | tr -d ' '
row["variant"] == "pair-copy" && row["direction"] == "all-at-once" { print row["from"], row["to"] }
END
)" 12
}

# Streams whose work is done as late as can be, or in another order, find their data all the same.
test_order() {
    for order in lazy 7; do
        FAKE_ORDER=$order on "$1:0,$1:1" --footprint 64K
        verified "$1: in the order $order"
    done
}

test_faults() {
    FAKE_FAIL=pin on "$1" --variant host-pinned --footprint 1M
    fails_with "$1: no pinned memory" "allocating 1048576 bytes of pinned memory failed"
    FAKE_FAIL=pin on "$1" --variant host-pageable,host-register --footprint 1M
    fails_with "$1: memory that cannot be pinned" "pinning 1048576 bytes .*failed"
    is "$1: memory that cannot be pinned: rows so far are kept" "$(column variant "$csv") $(column verified "$csv")" \
        "host-pageable host-pageable yes yes"
    # So large that a sample is one transfer, however fast the machine is: host-pageable has some 14 copies in all.
    FAKE_MEMORY_MB=512 FAKE_FAIL=copy:24 on "$1" --variant host-pageable,host-pinned --footprint 64M
    fails_with "$1: a copy fails" "copying to the [a-z]* failed with"
    check "$1: a copy fails: rows so far are kept" [ "$(column verified "$csv" | grep -c '^yes yes')" -eq 1 ]
    FAKE_FAIL=reach on "$1:0,$1:1" --variant pair-copy,pair-read --footprint 1M
    fails_with "$1: a device that is not reached" "reaching the memory of $1:[01] failed"
    is "$1: a device that is not reached: rows so far are kept" "$(column variant "$csv" | tr ' ' '\n' | sort | uniq -c | tr -s ' ')" \
        " 3 pair-copy"
    FAKE_KERNEL=link_copy FAKE_FAIL=wrong on "$1:0,$1:1" --variant pair-write --footprint 64K
    is "$1: bytes that did not arrive" "$status $(column verified "$csv")" "1 no no"
    FAKE_KERNEL=link_chase FAKE_FAIL=wrong on "$1" --variant host-latency
    is "$1: a chase that went astray" "$status $(column verified "$csv")" "1 no yes yes"
    FAKE_FAIL=direct on "$1:0,$1:1" --footprint 64K --variant pair-copy,pair-write,pair-latency
    verified "$1: devices that do not reach each other"
    is "$1: they have copies alone" "$(column variant "$csv" | tr ' ' '\n' | sort -u | tr '\n' ' ')$(column op "$csv" | tr ' ' '\n' | sort -u)" \
        "pair-copy pair-latency copy"
}

# Managed memory: rows of each direction, what a fault leaves, and a device that moves no pages.
test_managed() {
    on "$1" --footprint 4K,1M --variant managed-touch,managed-fault,managed-prefetch,managed-stay,managed-overflow
    verified "$1: managed memory"
    is "$1: managed memory: what was done" "$(awk -f scripts/csv.awk -f /dev/stdin "$csv" <<'END' | sort | uniq -c | awk '{ print $2 "*" $1 }' | xargs
{ print row["op"] ":" row["from"] ">" row["to"] }
END
)" "fault:$1:0>host*2 fault:host>$1:0*2 prefetch:$1:0>host*2 prefetch:host>$1:0*2 read:host>$1:0*4 touch:$1:0>$1:0*2 write:$1:0>host*4"
    FAKE_KERNEL=link_fill FAKE_FAIL=wrong on "$1" --variant managed-touch --footprint 64K
    is "$1: managed words that are wrong" "$status $(column verified "$csv")" "1 no"
    FAKE_KERNEL=link_fill FAKE_FAIL=wrong on "$1" --variant managed-fault --footprint 64K
    fails_with "$1: words that came to the host wrong" "a page of managed memory came with other bytes"
    FAKE_FAIL=move on "$1" --variant managed-touch,managed-prefetch --footprint 64K
    fails_with "$1: pages that cannot be moved" "moving managed memory failed"
    is "$1: pages that cannot be moved: rows so far are kept" "$(column op "$csv")" touch
    FAKE_MOVES_PAGES=0 on "$1" --variant managed-fault --footprint 64K
    is "$1: a device that moves no pages" "$status $(grep -c 'moves no pages of managed memory: leave out managed-fault$' "$work/err")" "3 1"
    FAKE_MOVES_PAGES=0 on "$1" --footprint 64K
    is "$1: by default it has the other variants" "$status $(routes | grep -c managed)" "0 0"
}

# The slot as Linux describes it, slower than any copy here.
test_bus() {
    slot=$work/sys/bus/pci/devices/fa4e:00:00.0
    mkdir -p "$slot"
    echo 1 >"$slot/numa_node"
    echo "0.25 GT/s PCIe" >"$slot/max_link_speed"
    echo 1 >"$slot/current_link_width"
    BANKSHOT_SYSFS=$work/sys on "$1" --variant host-pinned --footprint 1M
    check "$1: the bus in words" grep -q "^# $1:0 bus: fa4e:00:00.0, NUMA node 1, PCIe 0.25 GT/s x1, at most 0.025 GB/s one way\$" "$csv"
    every "$1: faster than the slot" 'row["peak_gb_s"] == 0.025 && row["peak_pct"] > 100 && row["verdict"] ~ /above-peak/'
    on "$1" --variant host-pinned --footprint 1M --peak 1000000
    every "$1: a peak that the user gives" 'row["peak_gb_s"] == 1000000 && row["verdict"] !~ /above-peak/'
}

test_summary() {
    on "$1:0,$1:1" --variant host-pinned,pair-copy,pair-latency --footprint 64K,1M --peak 1000000
    summarize "$csv" >"$work/table"
    is "the summary of links" "$(awk 'NR == 2 { print $2, $3, $5 }' "$work/table")" "links 26 GB/s"
    run_with_fakes "$links" --device "$1" --quick --budget 2
    is "a headline" "$status $(grep -cE "^$1:0: host-pinned [0-9.]+ GB/s( \+- [0-9.]+ %)?, host-latency [0-9.]+ ns( \+- [0-9.]+ %)?\$" "$work/out")" "0 1"
    # Verdicts that are joined may be longer: a busy machine joins them.
    is "a table within 80 columns" "$(sed 's/+[a-z+-]*$//' "$work/out" | awk 'length > 80')" ""
}

# The charts, of four devices: matrices that name every device, lines that name every kind of memory.
test_charts() {
    if ! command -v gnuplot >"$work/null"; then
        skip "$1: charts" "gnuplot is not installed: sh scripts/setup.sh --tests installs it"
        return
    fi
    mkdir -p "$work/charts/machine"
    FAKE_NAME="Fake GPU" FAKE_DEVICES=4 on "$1:0,$1:1,$1:2,$1:3" --footprint 64K,1M --variant host-pageable,host-pinned,pair-copy,pair-read
    cp "$csv" "$work/charts/machine/links.csv"
    run sh plots/draw.sh "$work/charts"
    is "$1: charts: status" "$status" 0
    has "$1: charts" "$(sed 's,.*/,,' "$work/out" | grep svg | xargs)" links-pairs-all.svg links-pairs-both.svg links-pairs-size.svg \
        links-pairs.svg links-to-device.svg links-to-host.svg
    for chart in links-pairs links-pairs-both links-pairs-all; do
        is "$1: $chart: names of rows and columns" \
            "$(grep -o '>\(to device\|from device\|pair-copy\|pair-read\|transfers of 1 MiB\(, [^<]*\)\{0,1\}\|GB/s\)<' "$work/charts/machine/$chart.svg" | sed 's/, .*</</' | sort | uniq -c | tr -s ' \n' ' ')" \
            " 1 >GB/s< 1 >from device< 1 >pair-copy< 1 >pair-read< 2 >to device< 1 >transfers of 1 MiB< "
    done
    is "$1: a cell for each pair" "$(grep -c "stroke='rgb(255, 255, 255)'.* Z" "$work/charts/machine/links-pairs.svg")" 24
    for kind in host-pageable host-pinned; do
        check "$1: a line for $kind" grep -q ">$kind<" "$work/charts/machine/links-to-host.svg"
    done
    for picture in "$work"/charts/machine/*.svg; do awk -f tests/shell/svg_overlaps.awk "$picture"; done >"$work/overlaps"
    is "$1: no text upon another" "$(cat "$work/overlaps")" ""
}

# test_backend BACKEND
test_backend() {
    test_one "$1"
    test_two "$1"
    test_four "$1"
    test_order "$1"
    test_faults "$1"
    test_managed "$1"
    test_bus "$1"
    test_summary "$1"
    test_charts "$1"
}

link_fakes "$work/lib"
test_refusals
test_nodes
! has_fake cuda || test_backend cuda
! everything || ! has_fake hip || test_backend hip
finish
