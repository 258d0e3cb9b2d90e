# The order of a picture's series and rows, and the positions of an x that is not a number.

# Orders the series: groups as the chart lists them, devices by vendor and name, variants as the file has them, anything else
# by value; as many as there are colours. Fills series_name and series_order.
function order_series(    name, i, rank) {
    split("", series_order)
    for (name in in_series) {
        rank[name] = spec["series"] == "device" ? part_rank[name] " " part_title[name] : \
            name in group_order ? sprintf("%020.6f", group_order[name]) : \
            spec["series"] == "variant" ? sprintf("%020.6f", in_series[name]) : \
            name + 0 == 0 ? name : sprintf("%020.6f", name)
    }
    if (series_found > colours) {
        tell("shows the first " colours " of " series_found ": the " spec["series"] " column has too many values")
    }
    for (count_of_series = 0; count_of_series < series_found && count_of_series < colours; ) {
        name = ""
        for (i in rank) {
            name = name == "" || rank[i] < rank[name] ? i : name
        }
        delete rank[name]
        series_name[++count_of_series] = name
        series_order[name] = count_of_series
    }
}

# If some x is not a number, gives all of them positions in the order of the files. Yardsticks come last.
function find_positions(    r, i, v, last, behind) {
    split("", x_position)
    x_is_name = x_positions = 0
    for (r = 1; r <= rows; r++) {
        x_is_name = x_is_name || ((r in kept) && known(r, x_column) !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/)
    }
    for (r = 1; r <= rows && x_is_name; r++) {
        v = known(r, x_column)
        if ((r in kept) && value[r, "source"] != "published" && !(v in yardstick_index)) {
            behind = last > 0 && file_of[r] == file_of[last] && part[r] == part[last] ? behind : 0
            if (!(v in x_position)) {
                insert_position(v, behind)
            }
            behind = x_position[v]
            last = r
        }
    }
    for (i = 1; i <= yardsticks; i++) {
        x_position[yardstick[i]] = x_positions + i
    }
}

# Gives v the position after `behind`, which is 0 for the first one.
function insert_position(v, behind,    name) {
    for (name in x_position) {
        x_position[name] += x_position[name] > behind
    }
    x_position[v] = behind + 1
    x_positions++
}

# A row's x, as a position or as the number; empty if it has none.
function x_of(r) {
    return !x_is_name ? known(r, x_column) + 0 : x_position[known(r, x_column)]
}

# Whether row a comes before row b: by series, then by position.
function before(a, b,    i, difference) {
    difference = series_at[a] - series_at[b]
    for (i = 1; i <= row_columns && difference == 0; i++) {
        difference = position[a, i] - position[b, i]
    }
    return difference < 0
}

function insert(list, count, item) {
    for (; count > 0 && before(item, list[count]); count--) {
        list[count + 1] = list[count]
    }
    list[count + 1] = item
}

# Orders the rows that are kept: picked[1..picked_count]. Returns how many different x they have, without those of published rows and
# of yardsticks.
function arrange(    r, i, xs, different) {
    split("", in_series)
    split("", picked)
    series_found = picked_count = own = 0
    find_references()
    for (r = 1; r <= rows; r++) {
        if ((r in kept) && known(r, value_column[1]) == "") {
            delete kept[r]
        }
    }
    find_positions()
    for (r = 1; r <= rows; r++) {
        if ((r in kept) && x_of(r) == "") {
            delete kept[r] # a published figure of a variant that this device did not run
        } else if (r in kept) {
            if (value[r, "source"] != "published" && !(known(r, x_column) in yardstick_index)) {
                different += !(x_of(r) in xs)
                xs[x_of(r)] = 1
                own++
            }
            if (!(series_of(r) in in_series)) {
                in_series[series_of(r)] = ++series_found
            }
        }
    }
    order_series()
    for (r = 1; r <= rows; r++) {
        if ((r in kept) && (series_of(r) in series_order)) {
            series_at[r] = series_order[series_of(r)]
            for (i = 1; i < row_columns; i++) {
                position[r, i] = known(r, row_column[i]) + 0
            }
            position[r, row_columns] = x_of(r)
            insert(picked, picked_count++, r)
        }
    }
    find_gaps()
    return different + 0
}
