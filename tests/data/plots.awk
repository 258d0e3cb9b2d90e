# Test data for the charts: the CSV of one probe on one device, computed from the rules and never measured.
#     awk -v probe=gmem -v part=h200 -v kinds="measured predicted" -f tests/data/plots.awk
# part: h200, mi210 or cpu. "Measured" rows are the predicted ones times a factor, so that a chart shows both. Some bear a
# verdict that a chart must mark. -v strides="1 2 4", -v widths="1 4" override the sweep; strides="" writes a header only.

function ceiling(x) {
    return x == int(x) ? x : int(x) + 1
}

# Sectors of one warp's request at a byte offset: distinct multiples of the sector that it touches.
function sectors_of(width, stride, offset,    lane, at, seen, count) {
    for (lane = 0; lane < lanes; lane++) {
        at = int((offset + lane * stride * width) / sector)
        count += !(at in seen)
        seen[at] = 1
        at = int((offset + lane * stride * width + width - 1) / sector)
        count += !(at in seen)
        seen[at] = 1
    }
    return count
}

# The group of lanes that serves a lane of a shared-memory load.
function group_of(lane, width,    quad, half) {
    if (part == "mi210" && width == 16) {
        half = int(lane / 32)
        quad = int(lane % 32 / 4)
        return half * 4 + substr("01230123", quad + 1, 1) * 0 + substr("01231032", quad + 1, 1)
    }
    return int(lane * (width < 4 ? 4 : width) / 128)
}

# Passes of one warp's request: the largest number of words from one bank in each group.
function passes_of(width, stride,    lane, word, last, bank, group, seen, rows, most, sum) {
    if (stride == 0) {
        return part == "mi210" ? ceiling(lanes * (width < 4 ? 4 : width) / 128) : width == 16 ? 2 : 1
    }
    for (lane = 0; lane < lanes; lane++) {
        group = group_of(lane, width)
        last = int((lane * stride * width + width - 1) / 4)
        for (word = int(lane * stride * width / 4); word <= last; word++) {
            bank = group " " word % 32
            if (!((group, word) in seen)) {
                rows[bank]++
                most[group] = rows[bank] > most[group] ? rows[bank] : most[group]
            }
            seen[group, word] = 1
        }
    }
    for (group in most) {
        sum += most[group]
    }
    return sum
}

function quoted(text) {
    return text ~ /[,"]/ ? "\"" text "\"" : text
}

function put(column, text) {
    cell[column] = text
}

# Writes the row that put() has filled, with its bandwidth, for each kind; measured ones scatter a little.
function write_row(bandwidth, top,    k, i, line, factor, verdict, saved) {
    for (k = 1; k <= kind_count; k++) {
        if (kind[k] == "predicted" && part == "cpu") {
            continue
        }
        factor = kind[k] == "measured" ? 0.9 + 0.04 * sin(++scatter) : 1
        verdict = kind[k] == "measured" && marked[cell["width_bytes"], cell["stride"]] != "" ? \
                  marked[cell["width_bytes"], cell["stride"]] : "ok"
        put("source", kind[k])
        put("backend", kind[k] == "predicted" ? "sim" : part == "cpu" ? "cpu" : part == "h200" ? "cuda" : "hip")
        put("device", quoted(kind[k] == "predicted" && part == "h200" ? name " SXM (simulated)" : name))
        put("bandwidth_gb_s", bandwidth * factor)
        put("useful_bytes", 2 ^ 30)
        put("time_ns_median", 2 ^ 30 / (bandwidth * factor))
        put("time_ns_min", cell["time_ns_median"] * (kind[k] == "measured" ? 0.9 : 1))
        put("time_ns_max", cell["time_ns_median"] * (kind[k] == "measured" ? 1.2 : 1))
        put("peak_gb_s", top)
        put("peak_pct", 100 * bandwidth * factor / top)
        put("verdict", verdict)
        put("degree", kind[k] == "measured" ? cell["degree_predicted"] * (1 + 0.02 * sin(scatter)) : "")
        put("verified", verdict ~ /unverified/ ? "" : "yes")
        if (kind[k] == "measured") { # counted by the simulator only
            saved = cell["bank_conflicts"]
            put("bank_conflicts", "")
        }
        line = ""
        for (i = 1; i <= columns; i++) {
            line = line (i > 1 ? "," : "") cell[column[i]]
        }
        print line
        if (kind[k] == "measured") {
            put("bank_conflicts", saved)
        }
    }
    split("", cell)
}

function start_row(variant, op, width, stride) {
    put("probe", probe)
    put("variant", variant)
    put("arch", arch)
    put("kernel", "all")
    put("op", op)
    put("width_bytes", width)
    put("stride", stride)
}

function gmem(    w, s, n, offset) {
    for (w = 1; w <= width_count; w++) {
        for (s = 1; s <= stride_count; s++) {
            n = sectors_of(width[w], stride[s], 0)
            start_row("stride-copy", "copy", width[w], stride[s])
            put("offset", 0)
            put("sectors_per_request", n)
            put("load_efficiency_pct", 100 * lanes * width[w] / (n * sector))
            write_row(0.93 * peak * lanes * width[w] / (n * sector), peak)
        }
        for (offset = 0; stride_count > 1 && offset * width[w] <= 64; offset++) {
            n = sectors_of(width[w], 1, offset * width[w])
            start_row("offset", "copy", width[w], 1)
            put("offset", offset)
            put("sectors_per_request", n)
            put("load_efficiency_pct", part == "cpu" ? "" : 100 * lanes * width[w] / (n * sector))
            write_row(0.93 * peak * lanes * width[w] / (n * sector), peak)
        }
    }
    if (stride_count > 1) {
        contiguous("read", "read", 0.97)
        contiguous("copy", "copy", 0.93)
        contiguous("driver-copy", "copy", 0.92)
        gather("gather", 1)
        gather("scatter", 0.8)
    }
}

function contiguous(variant, op, share) {
    start_row(variant, op, 16, 1)
    put("offset", 0)
    write_row(share * peak, peak)
}

function gather(variant, share,    at) {
    for (at = 6; at <= 26; at += 4) {
        start_row(variant, variant, 8, "")
        put("window_bytes", 2 ^ at)
        write_row(share * peak * (at > 20 ? 0.1 : at > 14 ? 0.4 : 0.6), peak)
    }
}

function smem(    w, s) {
    for (w = 1; w <= width_count; w++) {
        for (s = 1; s <= stride_count; s++) {
            shared_load("load", width[w], stride[s], 1)
            if (width[w] >= 2 && width[w] <= 8 && stride[s] >= 1 && stride[s] <= 32) {
                shared_load("course", width[w], stride[s], 0.3)
            }
        }
    }
    for (w = 1; w <= width_count; w++) {
        if (width[w] >= 2 && width[w] <= 8) {
            transpose("transpose-naive", width[w], 0, 0.3)
            transpose("transpose-shared", width[w], lanes, 0.4)
            transpose("transpose-padded", width[w], lanes / 32 * (width[w] > 4 ? width[w] / 4 : 1), 0.85)
            transpose("transpose-swizzled", width[w], lanes / 32 * (width[w] > 4 ? width[w] / 4 : 1), 0.86)
        }
    }
}

function shared_load(variant, width, stride, share,    n) {
    n = passes_of(width, stride)
    start_row(variant, "load", width, stride)
    put("passes_per_request", n)
    put("degree_predicted", n / passes_of(width, 1))
    write_row(share * shared_peak * lanes * width / (128 * n), shared_peak)
}

function transpose(variant, width, passes, share) {
    start_row(variant, "copy", width, "")
    put("passes_per_request", passes ? passes : "")
    put("bank_conflicts", passes <= 2 ? 0 : 2 ^ 20 * (passes - 1))
    write_row(share * peak * (width < 4 ? width / 4 : 1), peak)
}

BEGIN {
    sector = part == "h200" ? 32 : 64
    lanes = part == "h200" ? 32 : part == "mi210" ? 64 : 16
    peak = part == "h200" ? 4800 : part == "mi210" ? 1638 : 205
    shared_peak = part == "h200" ? 132 * 128 * 1.98 : 104 * 128 * 1.7
    name = part == "h200" ? "NVIDIA H200" : part == "mi210" ? "AMD Instinct MI210" : "Example CPU, 16 cores"
    arch = part == "h200" ? "sm_90" : part == "mi210" ? "gfx90a" : "x86-64"
    kind_count = split(kinds == "" ? "measured predicted" : kinds, kind, " ")
    width_count = split(widths == "" ? "1 2 4 8 16" : widths, width, " ")
    stride_count = split(strides, stride, " ")
    if (part != "cpu") {
        marked[1, 1] = "cache-resident"
        marked[1, 2] = "cache-resident+above-peak"
        marked[16, 4] = "throttled"
    }

    print "# program: test data, computed from the rules and measured by nobody"
    print "# command: \"a quote, and a comma"
    header = "probe,variant,backend,device,arch,source,kernel,op,width_bytes,stride,offset,window_bytes,time_ns_median,time_ns_min," \
             "time_ns_max,useful_bytes,bandwidth_gb_s,peak_gb_s,peak_pct,sectors_per_request,load_efficiency_pct," \
             "passes_per_request,bank_conflicts,degree,degree_predicted,verified,verdict"
    print header
    columns = split(header, column, ",")
    if (stride_count > 0) {
        if (probe == "gmem") {
            gmem()
        } else {
            smem()
        }
    }
}
