# After csv.awk: the requests of a published table's rows. Prints what the rows publish:
#   ROW,DEVICE,FIGURE,VALUE,WITHIN,SCALE
# and writes a line ROW<tab>ADDRESSES to the file GPU-SPACE-OPERATION-WIDTH for each request. FIGURE is a column of `lanes`; its mean over the
# row's requests times SCALE is VALUE within so many per cent. A figure that ends in ? is only said to be above 0 or not.
function expects(device, figure, value, within, scale) {
    if (value != "")
        print NR "," device "," figure "," value "," within "," scale
}

function write(gpu, space, operation, width, addresses) {
    print NR "\t" addresses >(to gpu "-" space "-" operation "-" width)
}

# The addresses of this many lanes, the first of which is `first`; a row's own function says which.
function strided(lanes, bytes,    lane, line) {
    for (lane = 0; lane < lanes; lane++)
        line = line " " lane * bytes
    return line
}

# Only these two lanes of 64.
function pair(a, at, b, bt,    lane, line) {
    for (lane = 0; lane < 64; lane++)
        line = line " " (lane == a ? at : lane == b ? bt : ".")
    return line
}

function l1_element(thread, offset) {
    if (row["pattern"] == "stride")
        return thread % 64 * row["parameter"] + offset
    return thread % row["parameter"] % 64 + (int(thread / row["parameter"]) % 32 + 1) * 4098 + offset
}

table == "l1-strides" {
    gpu = row["device"] ~ /MI210/ ? "mi210" : row["device"] ~ /H200/ ? "h200" : "a100"
    lanes = gpu == "mi210" ? 64 : 32
    width = row["element_bytes"]
    fits = gpu != "mi210" || (63 * row["parameter"] + 29) * width <= 16384
    expects(row["device"] (fits ? "" : " beyond L1"), "l1_clocks", row["clocks_per_32"], 9, 32 / lanes)
    count = split("0 4 8 12 20 16 24 28", offsets, " ")
    threads = row["pattern"] == "stride" ? 64 : 1024
    for (first = 0; first < threads; first += lanes)
        for (i = 1; i <= count; i++) {
            line = ""
            for (lane = 0; lane < lanes; lane++)
                line = line " " l1_element(first + lane, offsets[i]) * width
            write(gpu, "global", "load", width, line)
        }
}

table == "vcopy-counters" {
    gpu = row["device"] == "MI100" ? "mi100" : "mi210"
    waves = row["SQ_INSTS_VMEM_RD"]
    expects(row["device"], "l1_clocks", row["TCP_TOTAL_CACHE_ACCESSES_sum"], 0, 2 * waves)
    expects(row["device"], "sectors", row["TCP_TCC_READ_REQ_sum"] + row["TCP_TCC_WRITE_REQ_sum"], 0, 2 * waves)
    write(gpu, "global", "load", 8, strided(64, 8))
    write(gpu, "global", "store", 8, strided(64, 8))
}

# W7900 is of the RX 7900 XTX's family. Latencies are not counts.
table == "lds-strides" {
    gpu = row["arch"] == "gfx942" ? "mi300x" : ""
    if (gpu != "") {
        expects(row["device"], "bank_conflicts", row["conflicts_per_64_loads"], 0, 64)
        write(gpu, "shared", "load", row["width_bytes"], strided(row["lanes"], row["stride_bytes"]))
    }
}

table == "lds-mi250-lanes" {
    expects("MI250", "passes", row["index_accesses"], 0, 1)
    expects("MI250", "bank_conflicts", row["conflicts"], 0, 1)
    write("mi250x", "shared", "load", 4, strided(row["lanes"], 128))
}

table == "lds-gfx950-pairs" {
    expects("MI355X " row["operation"] " " row["width_bytes"], "bank_conflicts?", row["conflict"], 0, 1)
    write("mi355x", "shared", row["operation"], row["width_bytes"],
        pair(row["lane_a"], 256 * row["lane_a"], row["lane_b"], 256 * row["lane_b"]))
}

table == "lds-gfx950-banks" {
    all = row["case"] == "all lanes"
    expects("MI355X " row["operation"] " " row["width_bytes"], "bank_conflicts" (all ? "" : "?"), row["conflicts"], 0, 1)
    write("mi355x", "shared", row["operation"], row["width_bytes"],
        all ? strided(64, 256) : pair(0, 0, 1, 4 * row["bank"]))
}

table == "rocroller-gfx950" && row["data_cycles"] != "" {
    line = ""
    for (lane = 0; lane < 64; lane++)
        line = line " " 64 * (lane % 16) + 16 * int(lane / 16)
    expects("gfx950", "passes", row["data_cycles"], 0, 1)
    write("mi355x", "shared", "load", 4 * row["dwords"], line)
}
