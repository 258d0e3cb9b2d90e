# Functions for scripts that simulate the points of measured rows (sourced, in the repository's root):
# $folder has the rows, $part is the GPU, $work a folder for the predictions, $BUILD that of the programs.

# values CSV COLUMN [CONDITION]: the column's different values, as a list for an option.
values() {
    # shellcheck disable=SC2016 # a script of awk's
    awk -f scripts/csv.awk -f - "$1" <<EOF | sort -un | paste -sd, -
row["source"] == "measured" && (${3:-1}) && row["$2"] != "" { print row["$2"] }
EOF
}

# variants CSV [CONDITION]
variants() {
    awk -f scripts/csv.awk -f - "$1" <<EOF | sort -u | paste -sd, -
row["source"] == "measured" && (${2:-1}) { print row["variant"] }
EOF
}

# simulate PROBE NAME OPTION...: later, by simulate_all; its rows go to NAME.csv.
simulate() {
    probe=$1 name=$2
    shift 2
    case $1 in
    --full) ;;
    *) set -- --budget 99999 "$@" ;;
    esac
    echo "$BUILD/$probe --device sim:$part --quiet $* --csv $work/$name.csv" >>"$work/commands"
}

# Predictions do not depend on one another, so they are made side by side, one on each processor, and the work of each launch is noted.
simulate_all() {
    touch "$work/commands"
    # shellcheck disable=SC2016 # a script of its own
    BANKSHOT_SIM_THREADS=1 xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 sh -c '
        for csv; do :; done
        BANKSHOT_SIM_WORK=${csv%.csv}.work "$@" </dev/null || echo "simulate: $* failed" >&2' simulate <"$work/commands"
    rm "$work/commands"
}

# sweep CSV OPTION COLUMN VARIANT POINT: the option with the values of the column in the rows of POINT, if the variant's rows differ in it.
sweep() {
    case $(values "$1" "$3" "$4") in
    *,*) echo "$2 $(values "$1" "$3" "$5")" ;;
    esac
}

# The number of elements follows from the width and the stride, so these are not crossed.
simulate_gmem() {
    for variant in $(variants "$1" 'row["variant"] !~ /^(driver-copy|pattern)$/' | tr , ' '); do
        of_variant="row[\"variant\"] == \"$variant\""
        for width in $(values "$1" width_bytes "$of_variant" | tr , ' '); do
            of_width="$of_variant && row[\"width_bytes\"] == $width"
            for elements in $(values "$1" elements "$of_width" | tr , ' '); do
                point="$of_width && row[\"elements\"] == $elements"
                # shellcheck disable=SC2046 # lists of options
                simulate gmem "gmem-$variant-$width-$elements" --variant "$variant" --width "$width" --elements "$elements" \
                    $(sweep "$1" --stride stride "$of_variant" "$point") $(sweep "$1" --offset offset "$of_variant" "$point") \
                    $(sweep "$1" --window window_bytes "$of_variant" "$point")
            done
        done
    done
}

simulate_smem() {
    loops='row["elements"] == ""' tiles='row["elements"] != ""'
    simulate smem smem-loops --full --variant "$(variants "$1" "$loops")"
    simulate smem smem-tiles --variant "$(variants "$1" "$tiles")" --elements "$(values "$1" elements "$tiles")"
}

simulate_reduce() {
    kernels='row["block"] != "" && row["type"] == "int32"'
    for elements in $(values "$1" elements "$kernels" | tr , ' '); do
        simulate reduce "reduce-$elements" --variant "$(variants "$1" "$kernels && row[\"elements\"] == $elements")" \
            --elements "$elements"
    done
}

# launch_of CSV VERTICES: the way in which these solutions were launched.
launch_of() {
    awk -f scripts/csv.awk -f - "$1" <<EOF
row["kernel"] == "all" && row["vertices"] == $2 && row["launch"] != "" { print row["launch"]; exit }
EOF
}

simulate_apsp() {
    kernels='row["kernel"] ~ /phase|round/ && row["devices"] == 1 && row["vertices"] <= 8192 && row["variant"] !~ /device|scaling/'
    for vertices in $(values "$1" vertices "$kernels" | tr , ' '); do
        simulate apsp "apsp-$vertices" --variant "$(variants "$1" "$kernels && row[\"vertices\"] == $vertices")" \
            --vertices "$vertices" --launch "$(launch_of "$1" "$vertices" | grep . || echo stream)" --sim-blocks 8
    done
}

# simulate_levels_within VARIANT LEAST MOST: those of its footprints.
simulate_levels_within() {
    footprints=$(values "$folder/levels.csv" footprint_bytes "row[\"variant\"] == \"$1\" && row[\"footprint_bytes\"] >= $2 &&
        row[\"footprint_bytes\"] <= $3")
    [ -z "$footprints" ] || simulate levels "levels-$1" --variant "$1" --footprint "$footprints"
}

simulate_latencies() {
    for variant in latency latency-read-only latency-atomic latency-store latency-shared; do
        simulate_levels_within "$variant" 0 1e15
    done
}

simulate_bandwidths() {
    for variant in bandwidth bandwidth-follow bandwidth-write bandwidth-copy; do
        simulate_levels_within "$variant" 1048576 536870912
    done
    for variant in unit-bandwidth unit-bandwidth-write unit-bandwidth-copy; do
        simulate_levels_within "$variant" 32768 1048576
    done
}

simulate_levels() {
    simulate_latencies
    simulate_bandwidths
}

# Rows by the bytes in flight are in a file of their own, and as many as the default sweeps have.
simulate_flights() {
    for variant in $(variants "$1" | tr , ' '); do
        simulate levels "flights-$variant" --variant "$variant"
    done
}

# rows_of FOLDER ROWS: the file with the measured ones.
rows_of() {
    case $2 in
    flights) echo "$1/levels-in-flight.csv" ;;
    *) echo "$1/$2.csv" ;;
    esac
}

# part_of FOLDER: the part whose rows it has.
part_of() {
    awk -f scripts/csv.awk -f - "$1"/*.csv 2>/dev/null <<'EOT' | head -n 1
/H200/ { print "h200" }
/H100/ { print "h100" }
/A100/ { print "a100" }
EOT
}

