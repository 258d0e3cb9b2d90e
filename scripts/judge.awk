# Judges a fleet, for scripts/fleet.sh, which runs it behind csv.awk. Variables: work (a folder with the lists `files`, and where they are
# given `hosts` and `reference`), keys (the columns that say what was run), threshold (per cent), csv and junit (files to write, or empty).
#
# Rows that measured the same are compared by their times. A row stands out if it is farther from the median of its model's GPUs than the
# threshold, and than as many deviations as let one of a hundred fleets without a fault have a false alarm, if times are normally
# distributed: the quantile of the normal distribution at 0.01 / rows / 2. The deviation is 1.4826 times the median absolute deviation,
# which seven slow GPUs of 64 do not change.

BEGIN {
    FALSE_ALARMS = 0.01
    TOO_FEW = 5          # GPUs, of which a median says nothing about one
    LEAST_SPREAD = 0.002 # of the median: equal times of three GPUs do not mean that the next must be equal
    split(keys, identity, " ")
    while ((getline line < (work "/reference")) > 0)
        add_file(line, 1)
    while ((getline line < (work "/files")) > 0) {
        if (line ~ /\/fault$/)
            read_faults(line)
        else if (line ~ /[.]part$/) # after the faults of the same GPU, which say more of a run that failed
            interrupted(gpu_of(line), last_of(line))
        else
            add_file(line, 0)
    }
}

# A path that begins with a dot or a slash is no assignment of awk's.
function add_file(path, is_reference) {
    if (path !~ /^[.\/]/)
        path = "./" path
    references[path] = is_reference
    ARGV[ARGC++] = path
    if (!is_reference)
        gpu_of(path)
}

function last_of(path) {
    sub(/.*\//, "", path)
    sub(/[.]csv.*/, "", path)
    return path
}

# "HOST GPU" of DIR/HOST/GPU/FILE, or "HOST" of DIR/HOST/fault.
function gpu_of(path,    part, count, gpu) {
    count = split(path, part, "/")
    if (part[count] == "fault" && !(part[count - 1] ~ /^(cuda|hip)-[0-9]+$|^machine$/)) {
        hosts[part[count - 1]] = 1
        gpu = part[count - 1]
    } else {
        hosts[part[count - 2]] = 1
        gpu = part[count - 2] " " part[count - 1]
    }
    if (!(gpu in known)) {
        known[gpu] = 1
        gpus[++gpu_count] = gpu
    }
    return gpu
}

function fault(gpu, what) {
    faults[gpu] = (faults[gpu] == "" ? "" : faults[gpu] "; ") what
}

function interrupted(gpu, name) {
    if (!(gpu in faults))
        fault(gpu, name ": interrupted")
}

function read_faults(path,    line, gpu) {
    gpu = gpu_of(path)
    while ((getline line < path) > 0)
        fault(gpu, line)
    close(path)
}

# ---- Rows ----

row["time_ns_median"] + 0 > 0 && row["source"] != "predicted" && row["source"] != "simulated" {
    key = ""
    for (i = 1; i in identity; i++)
        key = key SUBSEP row[identity[i]]
    if (references[FILENAME]) {
        reference[key] = row["time_ns_median"] + 0
        next
    }
    gpu = gpu_of(FILENAME)
    model[gpu] = row["device"]
    if (row["verified"] == "no")
        fault(gpu, row_name() ": wrong result")
    if (row["verdict"] ~ /throttled/ && !(gpu in throttled)) {
        throttled[gpu] = 1
        fault(gpu, row_name() ": throttled")
    }
    key = row["device"] key
    n = ++group_count[key]
    time[key, n] = row["time_ns_median"] + 0
    owner[key, n] = gpu
    bandwidth[key, n] = row["bandwidth_gb_s"] + 0
    if (n == 1) {
        group[++groups] = key
        names[key] = row_name()
    }
    row_count++
}

function row_name(    name, i, column, options) {
    name = row["probe"] " " row["variant"]
    if (row["kernel"] != "" && row["kernel"] != "all")
        name = name " " row["kernel"]
    split("op width_bytes stride footprint_bytes vertices from to direction", options, " ")
    for (i = 1; i in options; i++) {
        column = options[i]
        if (row[column] != "" && !(column == "op" && row[column] == row["variant"]) && !(column == "footprint_bytes" && row["probe"] !~ /levels|links/))
            name = name ", " (column == "op" || column == "direction" ? "" : column " ") row[column]
    }
    return name
}

# ---- Statistics ----

# Sorts list[1..n], by heaps, because there may be thousands.
function sort_numbers(list, n,    i, last) {
    for (i = int(n / 2); i >= 1; i--)
        sift(list, i, n)
    for (i = n; i > 1; i--) {
        last = list[i]
        list[i] = list[1]
        list[1] = last
        sift(list, 1, i - 1)
    }
}

function sift(list, i, n,    value, child) {
    value = list[i]
    while ((child = 2 * i) <= n) {
        if (child < n && list[child + 1] > list[child])
            child++
        if (list[child] <= value)
            break
        list[i] = list[child]
        i = child
    }
    list[i] = value
}

function median_of(list, n) {
    sort_numbers(list, n)
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

# The normal distribution's upper quantile at a small p: Abramowitz and Stegun, 26.2.23, to 0.00045.
function upper_quantile(p,    t) {
    t = sqrt(-2 * log(p))
    return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t)
}

# ---- The verdict ----

# What a row measured, as bandwidth where it is one.
function figure(key, i) {
    return bandwidth[key, i] > 0 ? sprintf("%.4g GB/s", bandwidth[key, i]) : sprintf("%.4g ns", time[key, i])
}

# Keeps the row that stands out most of each GPU, and how many do.
function stands_out(key, i, middle, spread, against,    gpu, longer, more) {
    gpu = owner[key, i]
    longer = time[key, i] / middle
    more = bandwidth[key, i] > 0 ? 1 / longer - 1 : longer - 1
    out_count[gpu]++
    if (longer < 1)
        longer = 1 / longer
    if (longer > worst[gpu]) {
        worst[gpu] = longer
        worst_text[gpu] = sprintf("%s: %s, %.1f %% %s %s", names[key], figure(key, i), 100 * (more < 0 ? -more : more), more < 0 ? "below" : "above", against)
    }
    csv_lines[++csv_count] = sprintf("%s,%s,%s,%.1f,%.1f,%.3f,%.3f", csv_gpu(gpu), quoted(model[gpu]), quoted(names[key]), time[key, i], middle, \
        100 * (time[key, i] / middle - 1), 100 * spread / middle)
}

function csv_gpu(gpu,    part) {
    split(gpu, part, " ")
    return part[1] "," part[2]
}

function quoted(text) {
    gsub(/"/, "\"\"", text)
    return "\"" text "\""
}

function judge_group(key, deviations,    n, i, list, middle, spread, limit, plain) {
    n = group_count[key]
    for (i = 1; i <= n; i++)
        list[i] = time[key, i]
    middle = median_of(list, n)
    for (i = 1; i <= n; i++)
        list[i] = time[key, i] > middle ? time[key, i] - middle : middle - time[key, i]
    spread = 1.4826 * median_of(list, n)
    if (spread < LEAST_SPREAD * middle)
        spread = LEAST_SPREAD * middle
    limit = deviations * spread
    if (limit < threshold / 100 * middle)
        limit = threshold / 100 * middle
    plain = key
    sub("^[^" SUBSEP "]*", "", plain)
    for (i = 1; i <= n; i++) {
        if (n >= TOO_FEW && (time[key, i] > middle + limit || time[key, i] < middle - limit))
            stands_out(key, i, middle, spread, sprintf("the median of %d", n))
        else if (n < TOO_FEW)
            too_few[owner[key, i]] = n
        if (plain in reference) {
            compared++
            if (time[key, i] > reference[plain] * (1 + threshold / 100))
                stands_out(key, i, reference[plain], 0, "the reference")
        }
    }
}

# The model that three of four GPUs have, or "".
function common_model(    gpu, count, total, best) {
    for (gpu in model) {
        count[model[gpu]]++
        total++
    }
    for (best in count)
        if (4 * count[best] >= 3 * total && count[best] < total)
            return best
    return ""
}

function verdict_of(gpu,    text) {
    text = faults[gpu]
    if (common != "" && gpu in model && model[gpu] != common)
        text = text (text != "" ? "; " : "") "another model: " model[gpu] ", where most are " common
    if (gpu in worst_text)
        text = text (text != "" ? "; " : "") worst_text[gpu] (out_count[gpu] > 1 ? sprintf(", and %d more rows", out_count[gpu] - 1) : "")
    if (text == "" && !(gpu in model) && gpu ~ / /)
        text = "no row"
    return text
}

function xml(text) {
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/"/, "\\&quot;", text)
    return text
}

# A file that cannot be written ends awk with a message and status 2.
function write_junit(    i, text, failures) {
    for (i = 1; i <= gpu_count; i++)
        failures += verdict_of(gpus[i]) != ""
    printf "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"bankshot fleet\" tests=\"%d\" failures=\"%d\">\n", gpu_count, failures > junit
    for (i = 1; i <= gpu_count; i++) {
        text = verdict_of(gpus[i])
        if (text == "")
            printf "  <testcase name=\"%s\"/>\n", xml(gpus[i]) > junit
        else
            printf "  <testcase name=\"%s\"><failure message=\"%s\"/></testcase>\n", xml(gpus[i]), xml(text) > junit
    }
    print "</testsuite>" > junit
    close(junit)
}

function write_csv(    i, file) {
    file = csv == "-" ? "/dev/stdout" : csv
    print "host,gpu,device,row,time_ns,median_ns,difference_pct,spread_pct" > file
    for (i = 1; i <= csv_count; i++)
        print csv_lines[i] > file
    close(file)
}

END {
    while ((getline line < (work "/hosts")) > 0)
        if (!(line in hosts))
            fault(gpu_of("/" line "/fault"), "no result: the node was not reached, or died")
    deviations = row_count ? upper_quantile(FALSE_ALARMS / row_count / 2) : 0
    for (g = 1; g <= groups; g++)
        judge_group(group[g], deviations)
    common = common_model()
    for (i = 1; i <= gpu_count; i++) {
        text = verdict_of(gpus[i])
        if (text != "")
            bad++
        if (text != "" && csv != "-")
            print gpus[i] ": " text
        few += gpus[i] in too_few
        measured += gpus[i] in model && gpus[i] !~ / machine$/
    }
    if (csv != "-") {
        printf "%d GPUs, %d rows; %d of them stand out, failed or are missing\n", measured, row_count, bad
        if (row_count)
            printf "A row stands out beyond %s %% and %.1f deviations: a false alarm in one of %d fleets without a fault.\n", threshold, deviations, 1 / FALSE_ALARMS
        if (few && !reference_given())
            printf "GPUs of whose model fewer than %d have the same rows: %d; --against judges them by a folder.\n", TOO_FEW, few
    }
    if (csv != "")
        write_csv()
    if (junit != "")
        write_junit()
    if (reference_given() && !compared) {
        print "fleet: --against: no row of it is among these: measure it with bankshot fleet, too" > "/dev/stderr"
        exit 1
    }
    exit bad > 0
}

function reference_given(    path) {
    for (path in references)
        if (references[path])
            return 1
    return 0
}
