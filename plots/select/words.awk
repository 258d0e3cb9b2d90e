# What is said about a picture in words, and the peaks of its devices.

# The text, cut after a word to at most `longest` characters.
function cut(text, longest) {
    if (length(text) > longest) {
        text = substr(text, 1, longest - 3)
        sub(/,? [^ ]*$/, "", text)
        text = text "..."
    }
    return text
}

function sources_of(series,    i, seen, text, kind) {
    split("measured predicted", kind, " ")
    for (i = 1; i <= picked_count; i++) {
        if (series == 0 || series_at[picked[i]] == series) {
            seen[origin_of(picked[i])] = 1
        }
    }
    for (i = 1; i <= 2; i++) {
        text = text (kind[i] in seen ? (text == "" ? "" : " and ") kind[i] : "")
    }
    return text
}

function series_title(name) {
    if (spec["series"] == "device") {
        return part_title[name]
    }
    return spec["series"] ~ /^(width|fetch)_bytes$/ ? name (name == 1 ? " byte" : " bytes") : name
}

# Writes 67108864 as "64 Mi", the way in which the programs take sizes.
function in_binary(amount,    i, unit) {
    split(" Ki, Mi, Gi, Ti", unit, ",")
    for (i = 0; amount >= 1024 && i < 4; i++) {
        amount /= 1024
    }
    return sprintf("%.4g", amount) unit[i]
}

# Finds the least and the largest value of a setting, and whether all rows have the same. Returns how many have one.
function find_setting(column,    i, v, count) {
    split("", extent)
    for (i = 1; i <= picked_count; i++) {
        v = value[picked[i], column]
        if (v != "" && value[picked[i], "source"] != "published") {
            extent["least"] = count == 0 || v + 0 < extent["least"] + 0 ? v : extent["least"]
            extent["most"] = count == 0 || v + 0 > extent["most"] + 0 ? v : extent["most"]
            extent["differ"] = extent["differ"] || (count > 0 && v != extent["first"])
            extent["first"] = count++ == 0 ? v : extent["first"]
        }
    }
    return count + 0
}

# A setting in words. Sizes that differ are a range; another setting is named only if all rows that have it have the same, and a
# type only if all rows have it.
function setting_text(column,    least, most, count) {
    count = find_setting(column)
    if (count == 0 || (column == "type" && count < own)) {
        return ""
    }
    least = extent["least"]
    most = extent["most"]
    if (column == "elements") {
        least = in_binary(least)
        most = in_binary(most)
    }
    if (column == "footprint_bytes") {
        return least == most ? "transfers of " in_binary(most) "B" : ""
    }
    if (column ~ /^(vertices|elements|devices)$/) {
        return column == "devices" && most == 1 ? "" : (least == most ? "" : least " to ") most " " column
    }
    if (extent["differ"] || (column ~ /^(offset|op|direction)$/) || (column ~ /^(group)$/ && most == 1)) {
        return ""
    }
    return column == "type" ? most : column == "width_bytes" ? most (most == 1 ? " byte" : " bytes") " an element" : \
           column == "edges" ? most " edges" : column == "tile" ? "tiles of " most "x" most : \
           column == "block" ? (most ~ /x/ ? "blocks of " most : "blocks of " most " threads") : column " " most
}

function settings_text(    i, text, one) {
    for (i = 1; i <= settings; i++) {
        one = setting_text(setting[i])
        text = text (text == "" || one == "" ? "" : ", ") one
    }
    return text
}

# The device, and where its figures come from. A comparison has no subtitle.
function subtitle_text(id) {
    return id == "" ? "" : cut(part_title[id], 45) (part_arch[id] == "" ? "" : " (" cut(part_arch[id], 20) ")") ", " sources_of(0)
}

# Finds each series' peak in GB/s, of a measured row if there is one.
function find_peaks(    i, r, s) {
    split("", peak_of)
    for (i = 1; i <= picked_count; i++) {
        r = picked[i]
        s = series_at[r]
        if (value[r, "peak_gb_s"] + 0 > 0 && (peak_of[s] == "" || value[r, "source"] == "measured")) {
            peak_of[s] = value[r, "peak_gb_s"] + 0
        }
    }
}

# 1 if the picture shows a CPU.
function is_of_cpu(    i) {
    for (i = 1; i <= picked_count; i++) {
        if (value[picked[i], "backend"] == "cpu") {
            return 1
        }
    }
    return 0
}
