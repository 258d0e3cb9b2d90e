# Says which texts of a chart lie upon each other, upon a bar's prediction or upon a point, or reach beyond the picture,
# and which names its legend lacks: awk -f tests/shell/svg_overlaps.awk CHART.svg
# A text's box is estimated: gnuplot writes where a text begins, how large its type is, and where it is anchored; a letter is taken
# to be a little more than half as wide as its type is high, a capital or a digit somewhat wider. Level and upright texts are looked at.

# attribute NAME of the line, such as x="12".
function attribute(name,    text) {
    if (!match($0, name "=\"[^\"]*\"")) {
        return ""
    }
    text = substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 3)
    return text
}

/<g transform=/ {
    at = attribute("transform")
    upright = at ~ /rotate\(270/
    slanted = at ~ /rotate/ && !upright
    sub(/ rotate.*/, "", at)
    gsub(/[^0-9.,-]/, "", at)
    split(at, xy, ",")
    anchor = attribute("text-anchor")
    size = attribute("font-size")
}

# A bar's prediction or limit is a short level line. PNG pictures have texts some pixels lower than these.
/<title>/ {
    predictions = /<title>(predicted|add-min instructions alone)</
    entry = $0
    sub(/.*<title>/, "", entry)
    sub(/<.*/, "", entry)
    gsub(/&[a-z]+;/, "x", entry)
    if (entry !~ /[$]data/ && entry !~ /^(Gnuplot|gnuplot_plot_[0-9]+[a-z]?)?$/) {
        entries[entry] = 1
    }
}

predictions {
    for (rest = $0; match(rest, /M[0-9.]+,[0-9.]+ L[0-9.]+,[0-9.]+/); rest = substr(rest, RSTART + RLENGTH)) {
        split(substr(rest, RSTART + 1, RLENGTH - 1), end, /[ ,L]+/)
        if (end[2] == end[4] && end[3] - end[1] > 30) {
            from[++lines] = end[1]
            to[lines] = end[3]
            height[lines] = end[2]
        }
    }
}

# A point is as large as its scale. The legend's lie beside its texts.
/<use xlink:href=.* transform=.translate/ {
    for (rest = $0; match(rest, /translate\([0-9.]+,[0-9.]+\) scale\([0-9.]+/); rest = substr(rest, RSTART + RLENGTH)) {
        split(substr(rest, RSTART + 10, RLENGTH - 10), place, /[,()a-z ]+/)
        across[++points] = place[1]
        down[points] = place[2]
        radius[points] = place[3]
    }
}

# One text may be several spans.
/<text>/ {
    text = $0
    if (match(text, /font-size="[0-9.]+"/)) {
        size = substr(text, RSTART + 11, RLENGTH - 12)
    }
    gsub(/<[^>]*>/, "", text)
    gsub(/&[a-z]+;/, "x", text)
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    if (text != "" && !slanted) {
        add(text)
    }
}

function add(text,    wide, before, capitals) {
    capitals = gsub(/[A-Z0-9]/, "&", text)
    wide = size * (0.55 * length(text) + 0.08 * capitals)
    name[++count] = text
    before = anchor == "end" ? wide : anchor == "middle" ? wide / 2 : 0
    left[count] = xy[1] - (upright ? 0.75 * size : before)
    right[count] = upright ? xy[1] + 0.2 * size : left[count] + wide
    bottom[count] = xy[2] + (upright ? before : 0.2 * size)
    top[count] = upright ? bottom[count] - wide : xy[2] - 0.75 * size
}

END {
    for (i = 1; i <= count; i++) {
        if (left[i] < 0 || right[i] > 800 || top[i] < 0 || bottom[i] > 600) {
            print FILENAME ": '" name[i] "' reaches beyond the picture"
        }
        for (j = 1; j <= lines; j++) {
            if (left[i] < to[j] && from[j] < right[i] && top[i] < height[j] && height[j] < bottom[i] + 4) {
                print FILENAME ": '" name[i] "' lies upon a prediction"
            }
        }
        for (j = 1; j <= points; j++) {
            if (left[i] < across[j] + radius[j] && across[j] - radius[j] < right[i] && top[i] < down[j] + radius[j] && down[j] - radius[j] < bottom[i] + 2) {
                print FILENAME ": '" name[i] "' lies upon a point"
                break
            }
        }
        for (j = 1; j < i; j++) {
            if (left[i] < right[j] && left[j] < right[i] && top[i] < bottom[j] && top[j] < bottom[i]) {
                print FILENAME ": '" name[i] "' lies upon '" name[j] "'"
            }
        }
    }
    for (i = 1; i <= count; i++) {
        delete entries[name[i]]
    }
    for (entry in entries) { # gnuplot drops names that have no room
        print FILENAME ": the legend has no '" entry "'"
    }
    if (count < 3) {
        print FILENAME ": only " count + 0 " texts were found"
    }
}
