# Compares two CSV files row by row, where a row is identified by what was run: see scripts/same_rows.sh.
#   awk -v ignored="COLUMN ..." -v title=TEXT -f scripts/csv.awk -f scripts/same_rows.awk OLD.csv NEW.csv

BEGIN {
    keys = split("variant kernel op type width_bytes stride offset group request_line elements block tile vertices " \
                 "devices footprint_bytes page_bytes parameter", key_columns, " ")
    split(ignored, list, " ")
    for (i in list)
        ignore[list[i]] = 1
}

function key_of(    k, text) {
    for (k = 1; k <= keys; k++)
        text = text " " row[key_columns[k]]
    return text
}

{
    key = key_of()
    key = key " #" ++times[FILENAME, key]
}

FILENAME == ARGV[1] {
    for (i = 1; i <= columns; i++)
        had[header[i]] = 1
    old_rows[key] = 1
    for (i = 1; i <= columns; i++)
        old[key, header[i]] = values[i]
    next
}

{
    for (i = 1; i <= columns; i++)
        has[header[i]] = 1
    if (!(key in old_rows)) {
        added++
        next
    }
    compared++
    delete old_rows[key]
    for (i = 1; i <= columns; i++) {
        name = header[i]
        if (!(name in had) || name in ignore || old[key, name] == values[i])
            continue
        if (!differing[name]++)
            first[name] = key ": it was " old[key, name] ", it is " values[i]
    }
}

END {
    for (key in old_rows)
        gone++
    printf "%s: %d rows compared, %d only in the old, %d only in the new\n", title, compared, gone, added
    for (name in had)
        if (!(name in has))
            printf "  column %s is gone\n", name
    for (name in has)
        if (!(name in had))
            printf "  column %s is new\n", name
    for (name in differing) {
        printf "  %s differs in %d rows, first%s\n", name, differing[name], first[name]
        faults++
    }
    exit gone > 0 || faults > 0
}
