# Reads a CSV of bankshot by the names of its columns. A script that follows this one finds the fields of each row in
# row["NAME"]. Comment lines and the header do not reach it.

# Splits one line after RFC 4180 into field[1..n]; returns n.
function split_csv(line, field,    n, start, quoted, i, c, text) {
    if (index(line, "\"") == 0)
        return split(line, field, ",")
    n = 1
    text = ""
    quoted = 0
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quoted && c == "\"" && substr(line, i + 1, 1) == "\"") {
            text = text c
            i++
        } else if (c == "\"")
            quoted = !quoted
        else if (c == "," && !quoted) {
            field[n++] = text
            text = ""
        } else
            text = text c
    }
    field[n] = text
    return n
}

FNR == 1 {
    columns = 0
    sub(/^\357\273\277/, "") # a byte order mark
}
{ sub(/\r$/, "") }
/^#/ && !columns { next }
!columns {
    columns = split_csv($0, header)
    next
}
{
    split("", row)
    fields = split_csv($0, values)
    for (i = 1; i <= columns; i++)
        row[header[i]] = values[i]
}
