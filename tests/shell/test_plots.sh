#!/bin/sh
# The charts: they are drawn from test data (tests/data/plots.awk) completely and with labels, and one clear line says what can't
# be drawn.
# shellcheck disable=SC2154 # work, status: tests/shell/lib.sh
cd "$(dirname "$0")/../.." || exit 1
. tests/shell/lib.sh
. tests/shell/plots_lib.sh

built "$BUILD/report"
if ! command -v gnuplot >/dev/null; then
    skip "charts" "gnuplot is not installed: sh scripts/setup.sh --tests installs it"
    finish
fi

stretches "a line ends where rows lack" "1 2 4 8 256 512 1024" "1 2 4 8 | 256 512 1024"
stretches "a point between two gaps stands alone" "1 2 4 64 1024 2048 4096" "1 2 4 | 64 | 1024 2048 4096"
stretches "a line goes on where one row lacks, and where all are sparse" "1 2 4 16 32 64 4096 65536 1048576" "1 2 4 16 32 64 | 4096 65536 1048576"
stretches "steps of one size are no gaps" "1 2 3 4 5 6 7 8 9 10 11 12" "1 2 3 4 5 6 7 8 9 10 11 12"
stretches "two points are a line" "1 64" "1 64"

# Everything, of three devices.
data all/h200 gmem h200
data all/mi210 gmem mi210 "1 2 4 8 16 32 64" predicted
data all/cpu gmem cpu "1 2 4 8 16 32 64" measured
data all/h200 smem h200 "0 1 2 3 4 8 16 32 33 64"
data all/mi210 smem mi210 "0 1 2 3 4 8 16 32 33 64" predicted
draw all
is "draws every chart" "$status" 0
{
    for chart in gmem-contiguous gmem-gather gmem-offset-bandwidth gmem-published-relative gmem-stride; do
        printf '%s\n' "all/cpu/$chart"
    done
    for chart in gmem-contiguous gmem-gather gmem-offset gmem-offset-bandwidth gmem-published gmem-published-relative gmem-stride smem-conflicts \
        smem-course smem-stride smem-stride-relative smem-transpose; do
        printf '%s\n' "all/h200/$chart" "all/mi210/$chart"
    done
    printf '%s\n' all/gmem-compare all/gmem-compare-peak all/smem-conflicts
} | sed "s|.*|$work/&.svg\n$work/&.png|" | sort >"$work/expected"
# Someone's new chart may be drawn or left out, too.
find "$work/all" -name '*.svg' -o -name '*.png' | sort >"$work/written"
check "names the files written" sh -c 'sort "$1" | diff "$2" -' sh "$work/out" "$work/written"
is "writes those that the data allows" "$(comm -23 "$work/expected" "$work/written")" ""
is "says what is left out" "$(grep -cxF "plots: gmem-offset is left out: no rows of offset with load_efficiency_pct in $work/all/cpu/gmem.csv" \
    "$work/err") $(grep -vc ' is left out: ' "$work/err")" "1 0"

while read -r picture; do
    case $picture in
    *.svg) is_svg "$picture" ;;
    *) is_png "$picture" ;;
    esac || echo "$picture"
done <"$work/written" >"$work/bad"
is "SVG is well formed, PNG is PNG, both 800x600" "$(cat "$work/bad")" ""

for chart in plots/[gs]mem-*.gp; do # the other probes' own tests draw theirs
    name=$(basename "$chart" .gp) title=$(sed -n "s/^title = '\(.*\)'/\1/p" "$chart")
    if ! grep "/$name.svg" "$work/written" >"$work/pictures"; then
        check "$name: why it is left out" grep -q "^plots: $name is left out: " "$work/err"
    elif [ -n "$title" ]; then
        # shellcheck disable=SC2046 # a list of files
        shows "title of $name" ">$title<" $(cat "$work/pictures")
    fi
done
shows "unit of bandwidth" "bandwidth (GB/s" "$work"/all/*/*mem-stride.svg "$work"/all/*/*-published.svg "$work/all/gmem-compare.svg"
shows "unit of stride" "stride (elements)" "$work"/all/*/*mem-stride.svg "$work/all/smem-conflicts.svg"
shows "unit of offset" "(bytes)" "$work"/all/*/gmem-offset*.svg
# overlaps NAME FOLDER: no two texts overlap in any chart of the folder.
overlaps() {
    for picture in "$2"/*.svg "$2"/*/*.svg; do
        [ ! -f "$picture" ] || awk -f tests/shell/svg_overlaps.awk "$picture"
    done >"$work/overlaps"
    is "$1: no text upon another, none cut off" "$(cat "$work/overlaps")" ""
}
overlaps "test data" "$work/all"
mkdir -p "$work/four"
cp -R results/h200 results/h100 results/sim-mi210 results/sim-mi300x "$work/four"
draw four
overlaps "the repository's rows" "$work/four"

shows "device" "NVIDIA H200 (sm_90), " "$work"/all/h200/*.svg
shows "measured and predicted" "NVIDIA H200 (sm_90), measured and predicted" "$work"/all/h200/*mem-stride*.svg
shows "counts are predicted, whoever ran" "NVIDIA H200 (sm_90), predicted" "$work/all/h200/gmem-offset.svg"
shows "source" "AMD Instinct MI210 (gfx90a), predicted" "$work"/all/mi210/*.svg
shows "device name with a comma" "Example CPU, 16 cores (x86-64), measured" "$work"/all/cpu/*.svg
shows "peak on its line" "peak 4800 GB/s" "$work/all/h200/gmem-stride.svg"
shows "NVIDIA beside AMD" "NVIDIA H200, measured and predicted" "$work/all/gmem-compare.svg" "$work/all/gmem-compare-peak.svg"
shows "AMD beside NVIDIA" "AMD Instinct MI210, predicted" "$work/all/gmem-compare.svg" "$work/all/gmem-compare-peak.svg"
shows "the CPU beside both" "Example CPU, 16 cores, measured, peak 205 GB/s" "$work/all/gmem-compare.svg"
shows "the source of others' figures" "exp7: CUDA optimisation" "$work/all/h200/gmem-published.svg" "$work/all/h200/smem-stride.svg"
shows "marks in the legend" "throttled" "$work/all/h200/gmem-stride.svg" "$work/all/h200/smem-conflicts.svg"
hides "no marks where all is plain" "hollow" "$work/all/cpu/gmem-stride.svg"

# What a chart gets to draw.
# graphs FILE SOURCE VERTICES...: a row of apsp's first two steps for each.
graphs() {
    mkdir -p "$(dirname "$1")"
    {
        echo probe,variant,backend,device,arch,source,kernel,vertices,gop_s
        for vertices in $(shift 2; echo "$@"); do
            for variant in baseline grid-2d; do
                echo "apsp,$variant,$([ "$2" = measured ] && echo cuda || echo sim),NVIDIA H200,sm_90,$2,all,$vertices,$vertices"
            done
        done
    } >"$1"
}
graphs "$work/graphs/h200/apsp.csv" measured 100 4096
graphs "$work/graphs/sim/apsp.csv" predicted 1024
graphs "$work/graphs/alike/apsp.csv" predicted 1024 4096
is "graphs of one size" "$(picked apsp-ladder "$work/graphs/h200/apsp.csv" measured:1:; grep -c '^[12] 4096' "$work/picked/block")" "1 2 2"
says "the size of the graph" settings "4096 vertices"
says "which graphs are left out" left_out "left out: 2 rows with vertices 100"
is "a prediction for another size stays out" \
    "$(picked apsp-ladder "$work/graphs/h200/apsp.csv" predicted:1: "$work/graphs/sim/apsp.csv")" "NaN "
says "that it does" left_out "left out: 4 rows with vertices 100, 1024"
is "one for the same is shown" \
    "$(picked apsp-ladder "$work/graphs/h200/apsp.csv" predicted:1: "$work/graphs/alike/apsp.csv")" "1 2 "
is "a prediction's own picture has no measured rows" \
    "$(picked apsp-ladder "$work/graphs/alike/apsp.csv" measured:1: "$work/graphs/h200/apsp.csv")" "NaN "
is "it has the larger graph" "$(picked apsp-ladder "$work/graphs/alike/apsp.csv" predicted:1: "$work/graphs/h200/apsp.csv" >"$work/null"; grep -c '^[12] 4096' "$work/picked/block")" 2
is "marked rows are no plain ones" "$(picked gmem-stride "$work/all/h200/gmem.csv" plain:5:)" "1 2 8 16 32 64 "
is "marked rows are hollow ones" "$(picked gmem-stride "$work/all/h200/gmem.csv" marked:5:)" "4 "
is "predicted rows stay plain" "$(picked gmem-stride "$work/all/h200/gmem.csv" predicted:5:)" "1 2 4 8 16 32 64 "
is "offsets in bytes" "$(picked gmem-offset "$work/all/h200/gmem.csv" predicted:4:)" "0 8 16 24 32 40 48 56 64 "

data measured smem h200 "0 1 2" measured
is "conflicts as measured" "$(picked smem-conflicts "$work/measured/smem.csv" plain:1:)" "1 2 2 2 4 4 4 8 8 8 16 16 16 "
draw measured
shows "conflicts that nobody counted" "not counted" "$work/measured/smem-transpose.svg"

# rows FILE HEADER ROW...: a CSV of one H200, with each row's values after those that all rows share.
rows() {
    file=$1 header=$2
    shift 2
    mkdir -p "$(dirname "$file")"
    {
        echo "probe,backend,device,arch,source,kernel,$header"
        for row; do
            echo "$row" | awk -F, '{ source = $1; sub(/^[^,]*,/, "")
                for (i = split(source "," $0, field, ","); i < fields; i++) $0 = $0 ","
                print probe "," (source == "measured" ? "cuda" : "sim") ",NVIDIA H200,sm_90," source "," $0 }' \
                probe="$(basename "$file" .csv)" fields="$(echo "source,kernel,$header" | tr ',' '\n' | wc -l)"
        done
    } >"$file"
}

# Of rows at one point that differ in what the chart does not show, one is drawn, by the rest of the line; the others are named.
rows "$work/mix/gmem.csv" variant,op,width_bytes,stride,offset,elements,block,useful_bytes,time_ns_median,bandwidth_gb_s \
    measured,all,stride-copy,copy,4,1,0,1024,256,1,1,11 measured,all,stride-copy,copy,4,2,0,1024,256,1,1,12 \
    measured,all,stride-copy,copy,4,1,0,4096,256,1,1,21 measured,all,stride-copy,copy,4,2,0,4096,256,1,1,22 \
    measured,all,stride-copy,copy,4,4,0,4096,256,1,1,24 measured,all,stride-copy,copy,4,4,0,4096,128,1,1,34 \
    measured,all,stride-copy,copy,4,1,0,4096,256,1,1,41
is "sizes and blocks do not mix" "$(picked gmem-stride "$work/mix/gmem.csv" measured:1:; grep -c '^[124] [24][124] ' "$work/picked/block")" "1 2 4 3"
is "of rows that repeat the last one counts" "$(grep -c '^1 41 ' "$work/picked/block")" 1
says "settings in words" settings "4 Ki elements, blocks of 256 threads"
says "rows left out in words" left_out \
    "left out: 2 rows with elements 1 Ki; 1 row with block 128; 1 row that a later one repeats"
rows "$work/mix/reduce.csv" variant,type,elements,block,time_ns_median,bandwidth_gb_s \
    measured,all,read-limit,int32,4096,256,1,9 measured,all,first-add,int32,4096,256,1,1 measured,all,vector,int32,4096,256,1,2 \
    measured,all,first-add,float,4096,256,1,3 measured,all,vector,int32,1024,256,1,4 measured,all,vector,float,1048576,256,1,5
is "types do not mix" "$(picked reduce-shared "$work/mix/reduce.csv" measured:1:; grep -c '^[123] 10*  *[129] ' "$work/picked/block")" "1 2 3 3"
says "names of the bars from the data" x_names "first-add vector"
says "types left out" left_out "left out: 2 rows with type float; 1 row with elements 1 Ki"

# A measured row lends its prediction, which is counted neither among the rows left out nor for another row.
rows "$work/carried/gmem.csv" variant,op,width_bytes,stride,offset,elements,block,useful_bytes,time_ns_median,bandwidth_gb_s,predicted_ns \
    measured,all,stride-copy,copy,4,1,0,4096,256,600,10,60,12 measured,all,stride-copy,copy,4,2,0,4096,256,600,20,30,30 \
    measured,all,stride-copy,copy,4,4,0,4096,256,600,40,15, measured,all,stride-copy,copy,4,1,0,1024,256,600,5,120,6
is "the predictions of measured rows" "$(picked gmem-stride "$work/carried/gmem.csv" predicted:1:; grep -c '^1 50 \|^2 20 ' "$work/picked/block")" "1 2 2"
says "and their rows left out" left_out "left out: 1 row with elements 1 Ki"
rows "$work/carried/levels.csv" variant,footprint_bytes,latency_ns,latency_cycles,predicted_ns,predicted_latency_ns \
    measured,all,latency,1024,16,32,500,17 measured,all,latency,2048,18,36,600,
is "the predicted latency of a measured row, if it has one" "$(picked levels-latency "$work/carried/levels.csv" predicted:1:; grep -c '^1024 17 ' "$work/picked/block")" "1024 1"

rows "$work/held/apsp.csv" variant,vertices,gop_s \
    measured,all,baseline,4096,1 measured,all,grid-2d,4096,2 measured,all,unrolled,1024,3
is "a variant that ran with another size only stays out" "$(picked apsp-ladder "$work/held/apsp.csv" measured:1:)" "1 2 "
says "and is told" left_out "left out: 1 row with vertices 1024"

# The parts of a whole have one source: predictions must not become empty bars.
phases() {
    for part in phase1,baseline phase1,grid-2d phase2,baseline phase2,grid-2d phase3,baseline phase3,grid-2d; do
        echo "$1,$part,$2,1000"
    done
}
# shellcheck disable=SC2046 # a list of rows
rows "$work/phases/h200/apsp.csv" variant,vertices,time_ns_median $(phases measured 4096 | grep -v grid-2d) \
    measured,phase3,register-tiled,1024,9 measured,init,register-tiled,1024,3 measured,phase3,register-tiled,4096,99
# shellcheck disable=SC2046
rows "$work/phases/sim-h200/apsp.csv" variant,vertices,time_ns_median $(phases predicted 1024)
draw phases
hides "no bars of nothing" ">0 ns<" "$work/phases/h200/apsp-phases.svg"
shows "measured parts only" "NVIDIA H200 (sm_90), measured<" "$work/phases/h200/apsp-phases.svg"
hides "no bar of a variant without rows" ">grid-2d<" "$work/phases/h200/apsp-phases.svg"
is "the foot explains the parts that are there" "$(grep -c '>matrix: [^<]*; the parts in turn<' "$work/phases/h200/apsp-time.svg")" 1
shows "predicted parts only" "NVIDIA H200 (sm_90), predicted<" "$work/phases/sim-h200/apsp-phases.svg"
shows "each with its own size" ">1024 vertices<" "$work/phases/sim-h200/apsp-phases.svg"

# Devices are compared on graphs of one size, the one that most of them have.
graphs "$work/sizes/h200/apsp.csv" measured 4096
graphs "$work/sizes/sim-h200/apsp.csv" predicted 1024
graphs "$work/sizes/sim-mi210/apsp.csv" predicted 1024
sed -i.old 's/NVIDIA H200,sm_90/AMD Instinct MI210,gfx90a/' "$work/sizes/sim-mi210/apsp.csv"
draw sizes
shows "a comparison of graphs of one size" ">1024 vertices<" "$work/sizes/apsp-compare.svg"
shows "no point of another size" "NVIDIA H200, predicted<" "$work/sizes/apsp-compare.svg"

# Weak scaling: the graph grows with the devices; other families of graphs are left out.
rows "$work/weak/apsp.csv" variant,devices,vertices,ops,gop_s \
    measured,all,weak-scaling,1,4096,6.87e10,100 measured,all,weak-scaling,2,5248,1.445e11,190 \
    measured,all,weak-scaling,1,8192,5.50e11,100 measured,all,weak-scaling,2,10368,1.115e12,199 measured,all,weak-scaling,4,13056,2.225e12,390
is "one family of growing graphs" "$(picked apsp-weak "$work/weak/apsp.csv" measured:1: | wc -w | tr -d ' ') $(grep -c '^[124] \(100\|199\|390\) ' "$work/picked/block")" "3 3"
says "its sizes" settings "8192 to 13056 vertices"
draw weak
shows "ideal scaling" ">ideal scaling<" "$work/weak/apsp-weak.svg"

# A prediction carries no warning, because nothing was run.
rows "$work/warned/reduce.csv" variant,type,elements,bandwidth_gb_s,verdict \
    predicted,all,vector,int32,1024,5,cache-resident predicted,all,vector,int32,4096,6,ok \
    measured,all,vector,int32,1024,1,cache-resident measured,all,vector,int32,4096,2,ok
is "predictions are never hollow" "$(picked reduce-elements "$work/warned/reduce.csv" predicted:1:)" "1024 4096 "
is "measurements with a warning are" "$(picked reduce-elements "$work/warned/reduce.csv" marked:1:)" "1024 "

# The line of the peak is the memory's, also where a cache serves the first rows and has another peak.
rows "$work/peaks/reduce.csv" variant,type,elements,bandwidth_gb_s,peak_gb_s \
    predicted,all,vector,int32,1024,5,10137.6 predicted,all,vector,int32,4096,6,4800 predicted,all,vector,int32,2048,6,8347.42
picked reduce-elements "$work/peaks/reduce.csv" predicted:1: >"$work/null"
check "the memory's peak is the lowest" grep -qF 'array peak[1] = [4800]' "$work/picked/1.gp"

# What is left out for many reasons takes two lines at the foot.
rows "$work/reasons/levels.csv" variant,op,width_bytes,footprint_bytes,block,grid,parameters,bytes_in_flight,bandwidth_gb_s \
    measured,all,in-flight-async,load,16,8589934592,256,132,,65536,1 measured,all,in-flight-async,load,16,8589934592,256,132,,131072,2 \
    measured,all,in-flight-async,load,16,8589934592,256,132,,262144,3 measured,all,in-flight-async,load,16,8388608,256,132,,131072,2 \
    measured,all,in-flight-async,load,16,8589934592,512,132,,131072,2 measured,all,in-flight-async,load,16,8589934592,1024,132,,131072,2 \
    measured,all,in-flight-async,load,16,8589934592,256,132,stages=4,131072,2 measured,all,in-flight-async,load,16,8589934592,256,132,stages=16,131072,2
picked levels-in-flight-async "$work/reasons/levels.csv" measured:1: >"$work/null"
says "the first line" left_out "left out: 1 row with footprint_bytes 8388608; 2 rows with block 512, 1024;"
says "the second one" left_out_more "2 rows with parameters stages=4, stages=16"

# A bar's value stands above it.
rows "$work/values/reduce.csv" variant,type,elements,block,time_ns_median,bandwidth_gb_s measured,all,cpu-serial,int32,4096,,993,16.5 \
    measured,all,cpu-simd,int32,4096,,493,33.2 measured,all,cpu-threads,int32,4096,,1771,9.25 measured,all,read-limit,int32,4096,,480,34.1
sed 's/,cuda,/,cpu,/' "$work/values/reduce.csv" >"$work/values/cpu.csv" && mv "$work/values/cpu.csv" "$work/values/reduce.csv"
draw values
for value in 16.5 33.2 9.2; do
    shows "the value of a bar, $value" ">$value<" "$work/values/reduce-cpu.svg"
done
overlaps "values and limits" "$work/values"

# A bar is the 95 % interval of the median, else from the slowest to the fastest sample; what is not ok is hollow.
rows "$work/bars/gmem.csv" variant,op,width_bytes,stride,offset,useful_bytes,time_ns_median,time_ns_min,time_ns_max,time_ns_low,time_ns_high,bandwidth_gb_s,verdict \
    measured,all,stride-copy,copy,4,1,0,1000,100,50,200,80,125,10,ok measured,all,stride-copy,copy,4,2,0,1000,200,100,400,,,5,noisy \
    measured,all,stride-copy,copy,4,4,0,1000,200,100,400,160,250,5,waited measured,all,stride-copy,copy,4,8,0,1000,200,,,,,5,ok
picked gmem-stride "$work/bars/gmem.csv" measured:1: >"$work/null"
is "ends of the bars" "$(awk '{ print $3, $4 }' "$work/picked/block" | paste -sd ' ' -)" "8 12.5 2.5 10 4 6.25 NaN NaN"
is "what is noisy or waited is hollow" "$(picked gmem-stride "$work/bars/gmem.csv" marked:1:)" "2 4 "
says "the foot says why" marks "noisy waited"
says "and what the bars are" bar_kind "95 % or range"
rows "$work/bars/levels.csv" variant,op,footprint_bytes,time_ns_median,time_ns_low,time_ns_high,latency_ns,verdict \
    measured,all,latency,load,1024,100,90,120,5,ok measured,all,latency,load,2048,100,90,120,5,ok
picked levels-latency "$work/bars/levels.csv" measured:1: >"$work/null"
is "a longer time is a longer latency" "$(awk '{ print $4, $5 }' "$work/picked/block" | paste -sd ' ' -)" "4.5 6 4.5 6"
draw bars
shows "bars and hollow points" ">95 % or range<" "$work/bars/gmem-stride.svg"

# Legends and scales show what is there.
shows "bars from the slowest to the fastest sample" ">min to max<" "$work/all/h200/gmem-stride.svg"
sed 's/time_ns_min,time_ns_max/fastest,slowest/' "$work/all/h200/gmem.csv" >"$work/gmem.csv"
mkdir -p "$work/steady"
cp "$work/gmem.csv" "$work/steady"
data steady smem h200 "0 1 2 4 8 16 32" predicted "1 2 4"
draw steady
hides "no such bars in the legend where none shows" "min to max" "$work/steady/gmem-stride.svg"
hides "colours for no more than there is" ">64<" "$work/steady/smem-conflicts.svg"
shows "colours for all that there is" ">32<" "$work/steady/smem-conflicts.svg"
hides "an axis near the data" ">20<" "$work/steady/gmem-offset-bandwidth.svg"

# Rows that were measured on real GPUs.
mkdir -p "$work/real"
cp -r results/h200 results/h200-x2 results/h200-x4 "$work/real"
draw real
is "published results: status" "$status" 0
overlaps "published results" "$work/real"
shows "time by devices: graphs of one size" " 16384 vertices, " "$work/real/h200-x4/apsp-devices.svg"

# Columns are found by name: the last one moved to the front changes nothing.
data moved gmem h200
draw moved
mkdir "$work/front"
awk -F, -v OFS=, '!/^#/ { $1 = $NF OFS $1; NF-- } { print }' "$work/moved/gmem.csv" >"$work/front/gmem.csv"
draw front
check "columns are found by name" cmp "$work/moved/gmem-stride.svg" "$work/front/gmem-stride.svg"

# Little data.
data header gmem h200 ""
draw header
is "header only: nothing drawn" "$status $(cat "$work/out")" "0 "
is "header only: each chart said to be left out" "$(grep -c 'is left out: ' "$work/err")" \
    "$(grep -l '^# scope:.* device' plots/gmem-*.gp | xargs grep -L '^# where: backend=' | wc -l | tr -d ' ')"
# little NAME STRIDES KINDS WIDTHS: draws these rows.
little() {
    data "$1" gmem h200 "$2" "$3" "${4-}"
    draw "$1"
    is "$1: status" "$status" 0
    check "$1: drawn" is_svg "$work/$1/gmem-stride.svg"
}
little "one width" "1 2 4" "measured predicted" 8
little "measured only" "1 2 4" measured
little "two rows" "3 5" predicted 2
data "one stride" gmem h200 4 measured
draw "one stride"
is "one stride is no line, not even beside a published one" "$status $(ls "$work/one stride")" "0 gmem.csv"
check "one stride: said" grep -q 'gmem-stride is left out: fewer than 2 values of stride in the rows of stride-copy' "$work/err"

little many "1 2 4" predicted "1 2 3 4 5 6 7 8 9 10"
check "more widths than colours: said" grep -q 'gmem-stride shows the first 8 of 10' "$work/err"

rows "$work/one bar/gmem.csv" variant,op,width_bytes,stride,offset,elements,bandwidth_gb_s,verdict measured,all,copy,copy,16,1,0,1024,9,ok
draw "one bar"
check "one bar is no chart: said" grep -q 'gmem-contiguous is left out: fewer than 2 values of variant in the rows of read' "$work/err"

# Several devices in one file, and one device in two.
data both gmem h200 "1 2 4" predicted
awk -v probe=gmem -v part=mi210 -v strides="1 2 4" -v kinds=predicted -f tests/data/plots.awk | sed '1,/^probe/d' >>"$work/both/gmem.csv"
awk -v probe=gmem -v part=cpu -v strides=1 -v kinds=measured -f tests/data/plots.awk | sed '1,/^probe/d' >>"$work/both/gmem.csv"
draw both
shows "two devices in a file: NVIDIA" "NVIDIA H200" "$work/both/gmem-stride-nvidia-h200-sxm.svg"
shows "two devices in a file: AMD" "AMD Instinct MI210" "$work/both/gmem-stride-amd-instinct-mi210.svg"
check "two devices in a file: compared" is_svg "$work/both/gmem-compare.svg"
shows "a device with one point has no line, and the foot says so" "with device Example CPU" "$work/both/gmem-compare.svg"
data joined/cuda-0 gmem h200 "1 2 4" measured
data joined/sim-h200 gmem h200 "1 2 4" predicted
draw joined
shows "points from one folder, line from another" "NVIDIA H200 (sm_90), measured and predicted" "$work/joined/cuda-0/gmem-stride.svg"
for picture in "$work"/joined/cuda-0/*.svg; do
    twin=$work/joined/sim-h200/$(basename "$picture")
    [ ! -f "$twin" ] || ! cmp -s "$picture" "$twin" || echo "$twin"
done >"$work/twins"
is "no chart twice, of a part and of its twin" "$(cat "$work/twins")" ""
shows "the twin's own rows" "NVIDIA H200 (sm_90), predicted" "$work"/joined/sim-h200/*.svg
is "counts once" "$(ls "$work"/joined/*/gmem-offset.svg)" "$work/joined/sim-h200/gmem-offset.svg"
check "counts once: said" grep -qx "plots: gmem-offset is left out in cuda-0: it shows counts, which sim-h200 has" "$work/err"
check "one device is not compared with itself" test ! -e "$work/joined/gmem-compare.svg"

# Levels: shaded and named where the rows name them, others' curves behind, Little's law, units by addresses.
levels_header=variant,op,footprint_bytes,fetch_bytes,stride,compute_unit,address,bytes_in_flight,level,bandwidth_gb_s,peak_gb_s,latency_ns,verdict,parameter,confidence_pct
# shellcheck disable=SC2046
rows "$work/levels/h200/levels.csv" $levels_header \
    measured,all,geometry,,,,,,,,L1,,,,ok,size,99.9 "measured,all,geometry,,,,,,,,near L2,,,,ok,size,95" measured,all,geometry,,,,,,,,L2,,,,ok,size,60 \
    measured,all,latency,load,1024,,,,,,L1,,,16,ok measured,all,latency,load,131072,,,,,,L1,,,16,ok \
    measured,all,latency,load,524288,,,,,,,,,90,ok measured,all,latency,load,20971520,,,,,,L2,,,150,ok measured,all,latency,load,41943040,,,,,,L2,,,150,ok "measured,all,latency,load,2097152,,,,,,near L2,,,141,ok" \
    "measured,all,latency,load,8388608,,,,,,near L2,,,141,ok" measured,all,latency-store,store,8388608,,,,,,L2,,,300,ok \
    measured,all,bandwidth,read,1048576,,,,,,L2,9000,,,ok measured,all,bandwidth,read,67108864,,,,,,,6700,,,cache-resident \
    measured,all,unit-bandwidth,read,65536,,,,,,L1,32000,,,ok measured,all,unit-bandwidth,read,131072,,,,,,L1,32100,,,ok \
    measured,all,in-flight,read,1073741824,,,,,65536,memory,160,4800,,ok measured,all,in-flight,read,1073741824,,,,,4194304,memory,4300,4800,,ok \
    measured,all,loaded-latency,read,1073741824,,,,,,memory,1000,4800,400,ok measured,all,loaded-latency,read,1073741824,,,,,,memory,4500,4800,900,ok \
    measured,all,dram,read,,64,4,,,,memory,4500,4800,,ok measured,all,dram,read,,64,8192,,,,memory,3900,4800,,ok \
    $(for unit in 0 1 2; do for address in 0 640 12800; do
        echo "measured,all,partitions,atomic-add,,,,$unit,$address,,L2,,,$((150 + 90 * ((unit + address / 640) % 2))),ok"
    done; done)
mkdir "$work/levels/cpu"
sed 's/cuda/cpu/; s/NVIDIA H200/AMD EPYC 9654 96-Core Processor/; s/sm_90/x86-64/' "$work/levels/h200/levels.csv" >"$work/levels/cpu/levels.csv"
draw levels
is "levels: status and errors" "$status $(grep -v 'is left out' "$work/err")" "0 "
levels_charts=$(for chart in latency bandwidth unit-bandwidth in-flight loaded-latency dram partitions; do
    echo "$work/levels/h200/levels-$chart.svg"
done)
for svg in $levels_charts; do
    check "$(basename "$svg") is whole" is_svg "$svg"
done
shows "levels are named" ">near L2<" "$work/levels/h200/levels-latency.svg"
shows "and L1 beside it" ">L1<" "$work/levels/h200/levels-latency.svg"
hides "a level of which the run is not sure is not" ">L2<" "$work/levels/h200/levels-latency.svg"
hides "a level that no row names is not" ">memory<" "$work/levels/h200/levels-latency.svg"
shows "others' curves stand behind" ">MI300X<" "$work/levels/h200/levels-latency.svg" "$work/levels/h200/levels-unit-bandwidth.svg"
hides "no GPU's curves stand behind a CPU's" ">MI300X<" "$work/levels/cpu/levels-latency.svg"
shows "those that measured this" ">A100 80 GB<" "$work/levels/h200/levels-bandwidth.svg"
hides "and no others" ">MI300X<" "$work/levels/h200/levels-bandwidth.svg"
shows "Little's law has the latency of the fewest bytes" "a latency of 410 ns" "$work/levels/h200/levels-in-flight.svg"
shows "units by addresses" ">compute unit, as the device numbers it<" "$work/levels/h200/levels-partitions.svg"
overlaps "levels" "$work/levels"

# What is swept beside a footprint: bytes in flight by several kinds of copies, policies, energy, ranks of a cluster.
in_flight() { # VARIANT STAGES
    for mebibyte in 1 2 4 8; do
        echo "measured,all,$1,16,1073741824,$((mebibyte << 20)),$2,$((mebibyte * 500)),4800,,ok"
    done
}
policy() { # VARIANT GB/S PJ
    for kibibytes in 64 128 256; do echo "measured,all,$1,16,$((kibibytes << 10)),,,$2,,$3,ok"; done
}
# shellcheck disable=SC2046
rows "$work/today/h200/levels.csv" variant,width_bytes,footprint_bytes,bytes_in_flight,parameters,bandwidth_gb_s,peak_gb_s,pj_per_byte,verdict \
    $(in_flight in-flight '') $(in_flight in-flight-async stages=2) $(in_flight in-flight-bulk stages=4) \
    $(policy unit-bandwidth 30000 20) $(policy policy-cg 9000 '')
distances() { # CLUSTER
    for distance in $(seq 0 $(($1 - 1))); do
        echo "measured,all,remote-latency,load,4,1,$1,$distance,32,$((33 + (distance > 0) * 150)),,ok"
    done
}
strides() { # VARIANT CLUSTER
    for stride in 1 2 8; do echo "measured,all,$1,load,4,$stride,$2,1,1024,,$((32 / stride)),ok"; done
}
# shellcheck disable=SC2046
rows "$work/today/h200/smem.csv" variant,op,width_bytes,stride,cluster,distance,block,cycles_per_request,bytes_per_clock,verdict \
    $(distances 2) $(distances 4) $(strides remote-load 4) $(strides remote-load 2) $(strides remote-store 4)
draw today
is "clusters, copies, policies and energy: status" "$status $(grep -v 'is left out' "$work/err")" "0 "
for svg in levels-in-flight-async levels-policy levels-energy smem-remote smem-remote-latency; do
    check "$svg is whole" is_svg "$work/today/h200/$svg.svg"
done
shows "a kind of copies" ">in-flight-bulk<" "$work/today/h200/levels-in-flight-async.svg"
# shellcheck disable=SC2046
rows "$work/today/own/levels.csv" variant,width_bytes,footprint_bytes,bytes_in_flight,parameters,bandwidth_gb_s,peak_gb_s,pj_per_byte,verdict \
    $(in_flight in-flight '')
cp "$work/today/h200/levels.csv" "$work/today/own/levels-in-flight.csv"
draw today
shows "a chart's own file takes the place of its probe's" ">in-flight-bulk<" "$work/today/own/levels-in-flight-async.svg"
hides "and of no other chart's" ">in-flight-bulk<" "$work/today/own/levels-in-flight.svg"
rm "$work/today/own/levels-in-flight.csv" "$work/today/own/levels-in-flight-async.svg"
draw today
check "a variant that others are compared with makes no picture alone" test ! -e "$work/today/own/levels-in-flight-async.svg"
shows "a policy" ">policy-cg" "$work/today/h200/levels-policy.svg"
shows "a line for each size of clusters" ">clusters of 4<" "$work/today/h200/smem-remote-latency.svg"
shows "rows of other clusters do not mix" "left out: 3 rows with cluster 2" "$work/today/h200/smem-remote.svg"

# A run beside another folder: only its own charts, and those that compare devices.
data mine/cpu gmem cpu "1 2 4 8" measured
data others/h200 gmem h200 "1 2 4 8" measured
data others/mi210 gmem mi210 "1 2 4 8" predicted
run sh plots/draw.sh "$work/mine" --beside "$work/others/h200" "$work/others"
is "beside others: status" "$status" 0
is "beside others: nothing is drawn for them" "$(find "$work/others/h200" "$work/others/mi210" -name '*.svg')" ""
shows "beside others: a comparison with them" "NVIDIA H200, measured" "$work/mine/gmem-compare.svg"
shows "beside others: the title names this machine" "Example CPU, 16 cores, beside others" "$work/mine/gmem-compare.svg"
awk '/,ok$/ { split("noisy drifting throttled waited", verdict, " "); sub(/ok$/, verdict[1 + row++ % 4]) } { print }' "$work/mine/cpu/gmem.csv" >"$work/marked.csv"
mv "$work/marked.csv" "$work/mine/cpu/gmem.csv"
run sh plots/draw.sh "$work/mine" --beside "$work/others"
shows "the foot names each verdict of hollow points" ">hollow points: throttled, waited, noisy, drifting<" "$work/mine/gmem-compare.svg"
overlaps "four verdicts" "$work/mine"
for number in 1 2 3 4; do
    mkdir -p "$work/many/$number"
    sed "s/AMD Instinct MI210/Example GPU $number/" "$work/others/mi210/gmem.csv" >"$work/many/$number/gmem.csv"
done
run sh plots/draw.sh "$work/mine" --beside "$work/others" "$work/many"
shows "a legend of eight rows names each device" ">Example GPU 4, predicted, peak 1638 GB/s<" "$work/mine/gmem-compare.svg"
overlaps "eight rows of a legend" "$work/mine"
# shellcheck disable=SC2046
rows "$work/limit/cpu/apsp.csv" variant,vertices,gop_s,peak_gop_s,verdict $(limit=198; for bar in reference:noisy course:drifting \
    tiled:throttled int16:waited; do limit=$((limit + 4)) && echo "measured,all,cpu-${bar%:*},512,200,$limit,${bar#*:}"; done)
sed 's/cuda/cpu/' "$work/limit/cpu/apsp.csv" >"$work/limited.csv"
mv "$work/limited.csv" "$work/limit/cpu/apsp.csv"
draw limit
shows "a bar's limit" ">add-min instructions alone<" "$work/limit/cpu/apsp-cpu.svg"
shows "the verdicts of hollow bars" ">hollow bars: noisy, drifting, throttled, waited<" "$work/limit/cpu/apsp-cpu.svg"
overlaps "values beside their limits" "$work/limit"
data mine/cpu gmem cpu "1" measured
run sh plots/draw.sh "$work/mine" --beside "$work/others"
check "no comparison without a device of the folder" grep -q 'gmem-compare is left out: no device of the folder has' "$work/err"
refuses "a folder beside it that is not there" 2 sh plots/draw.sh "$work/mine" --beside "$work/nowhere"
refuses "a word that is no option" 2 sh plots/draw.sh "$work/mine" "$work/others"

# Captions stand in the charts' files alone. A chart that the page does not name yet is no fault.
sh scripts/build/charts.sh >"$work/captions"
grep -o '^\*\*[a-z-]*\*\*' plots/README.md | while read -r name; do
    sed -n "/^$(echo "$name" | sed 's/\*/\\*/g'):/,/^$/p" plots/README.md >"$work/ours"
    sed -n "/^$(echo "$name" | sed 's/\*/\\*/g'):/,/^$/p" "$work/captions" >"$work/theirs"
    [ "$name" = '**compare**' ] || cmp -s "$work/ours" "$work/theirs" || echo "$name"
done >"$work/differ"
is "plots/README.md has the captions of the charts: make docs" "$(cat "$work/differ")" ""
for chart in plots/*.gp; do
    ! grep -q '^# probe: ' "$chart" || ! sed -n 1p "$chart" | grep -q '^# [a-z]*: ' || echo "$chart"
done >"$work/bare"
is "each chart has a caption" "$(cat "$work/bare")" ""

# Any name of a folder.
data "a folder's name = \"odd\"" gmem mi210
draw "a folder's name = \"odd\""
is "any name of a folder" "$status" 0
data plain gmem mi210
run make -s plots DIR="$work/plain"
check "make plots" test -s "$work/plain/gmem-stride.png"

# A chart is one file.
mkdir -p "$work/copy/results"
cp -r plots scripts "$work/copy"
cp -r results/published "$work/copy/results"
sed 's/^# variants: .*/# variants: offset/; s/^# where: .*/# where: stride=1/; s/^# rows: .*/# rows: offset/' \
    plots/gmem-stride.gp >"$work/copy/plots/gmem-new.gp"
run sh "$work/copy/plots/draw.sh" "$work/plain"
check "a chart is one file" is_svg "$work/plain/gmem-new.svg"

# Columns of a chart's own.
long=$(printf '%070d' 0 | tr 0 s)
mkdir "$work/columns" "$work/scripts"
cp plots/variants "$work/columns"
# defines DEFINITION...: the chart gmem-stride with these columns, by the last of which its values are multiplied.
defines() {
    for definition; do printf '# column: %s\n' "$definition"; done >"$work/definitions"
    sed -e "2r $work/definitions" -e "s/^# values: .*/# values: bandwidth_gb_s*${definition%% *}/" plots/gmem-stride.gp |
        sed '1,/^# probe/{/^# [a-z]*: /!d;}' >"$work/columns/gmem-stride.gp"
}
defines "$long = 2*stride"
run "$BUILD/report" "$work/plain" --gnuplot "$work/scripts" --plots "$work/columns"
check "a column with a long name" grep -q "/gmem-stride$" "$work/scripts/pictures"
defines 'relative = relative(stride)'
run "$BUILD/report" "$work/plain" --gnuplot "$work/scripts" --plots "$work/columns"
is "a column may have a function's name" "$status" 0
defines 'speed = 2*speed'
refuses "a column that names itself" 2 "$BUILD/report" "$work/plain" --gnuplot "$work/scripts" --plots "$work/columns"
defines 'twice = half/2' 'half = relative(twice)'
refuses "columns that name each other" 2 "$BUILD/report" "$work/plain" --gnuplot "$work/scripts" --plots "$work/columns"
set --
for number in $(seq 60); do set -- "$@" "c$number = c$((number + 1))|c$((number + 1))"; done
defines "$@" 'c61 = stride'
check "columns each of which names the next one twice" timeout 60 \
    "$BUILD/report" "$work/plain" --gnuplot "$work/scripts" --plots "$work/columns"

# What cannot be drawn.
refuses "no folder named" 2 sh plots/draw.sh
refuses "missing folder" 2 sh plots/draw.sh "$work/nowhere"
refuses "a file for a folder" 2 sh plots/draw.sh "$work/plain/gmem.csv"
mkdir "$work/empty"
refuses "no CSV file in the folder" 2 sh plots/draw.sh "$work/empty"

# breaks NAME SED_SCRIPT: a CSV file with this change is refused.
breaks() {
    mkdir -p "$work/broken"
    sed "$2" "$work/plain/gmem.csv" >"$work/broken/gmem.csv"
    refuses "$1" 2 sh plots/draw.sh "$work/broken"
}
breaks "a row cut short" '$ s/,[^,]*,[^,]*$//'
breaks "a field too many" '9 s/$/,ok/'
breaks "a word for a number" '9 s/,copy,1,/,copy,one,/'
breaks "nan for a number" '9 s/,copy,1,/,copy,nan,/'
breaks "an open quote" '9 s/AMD/"AMD/'
breaks "a header without probe" 's/^probe,/sample,/'
breaks "an empty file" d
breaks "comments only" '/^#/!d'
mkdir -p "$work/mixed/good"
cp "$work/plain/gmem.csv" "$work/mixed/good"
cp -r "$work/broken" "$work/mixed"
draw mixed
is "a broken file beside a good one: status" "$status" 2
check "a broken file beside a good one: the good one is drawn" test -s "$work/mixed/good/gmem-stride.svg"

mkdir "$work/tools"
for tool in cp dirname grep head mktemp mv rm sed tail touch wc; do
    ln -s "$(command -v $tool)" "$work/tools/$tool"
done
shell=$(command -v sh)
refuses "no gnuplot" 1 env PATH="$work/tools" "$shell" plots/draw.sh "$work/plain"
printf '#!/bin/sh\necho "line 1: no such thing" >&2\nexit 1\n' >"$work/tools/gnuplot"
chmod +x "$work/tools/gnuplot"
run env PATH="$work/tools" "$shell" plots/draw.sh "$work/plain"
is "a gnuplot that fails: status" "$status" 1
check "a gnuplot that fails: its message" grep -qx 'plots: gmem-stride.gp: gnuplot failed: line 1: no such thing' "$work/err"

data blocked gmem mi210
mkdir "$work/blocked/gmem-stride.svg"
draw blocked
is "a picture that cannot be written: status" "$status" 2
is "a picture that cannot be written: one line" "$(grep -vc 'is left out' "$work/err")" 1
check "a picture that cannot be written: the others are" test -s "$work/blocked/gmem-offset.svg"

data readonly gmem mi210
chmod 555 "$work/readonly"
if has_no_power; then
    # shellcheck disable=SC2046 # a list of words
    refuses "read-only folder" 2 $(without_power) sh plots/draw.sh "$work/readonly"
else
    skip "read-only folder" "root may write everywhere, and setpriv can not take that power here"
fi
finish
