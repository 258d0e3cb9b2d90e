# Texts of many cubins from one run of nvdisasm, which takes longer to begin than to disassemble one of them.
#   readelf -SW FILE... | awk -v step=pieces -f cubin_text.awk     lines "FILE SECTION OFFSET BYTES", a section of code each
#   awk -v step=join -f cubin_text.awk PIECES                      lines "FILE OFFSET BYTES", sections that touch are one
#   awk -v step=split -f cubin_text.awk PIECES TEXT                writes FILE.text, from what nvdisasm says of all pieces
function number(digits,    i, value) {
    for (i = 1; i <= length(digits); i++) value = 16 * value + index("123456789abcdef", substr(digits, i, 1))
    return value + 0
}

function end_run() {
    if (bytes) print file, begin, bytes
    bytes = 0
}

step == "pieces" && /^File: / { file = $2 }
step == "pieces" && / \.text\./ {
    sub(/.* \.text\./, ".text.")
    print file, $1, number($4), number($5)
}

step == "join" {
    if ($1 != file || $3 != begin + bytes) {
        end_run()
        file = $1
        begin = $3
    }
    bytes += $4
}

step == "split" && FILENAME == ARGV[1] {
    home[++pieces] = $1
    name[pieces] = $2
    end[pieces] = end[pieces - 1] + $4
    next
}
step == "split" && match($0, /\/\*[0-9a-f]+\*\//) {
    if (number(substr($0, RSTART + 2, RLENGTH - 4)) >= end[piece]) {
        piece++
        if (home[piece] ".text" != text) close(text)
        text = home[piece] ".text"
        printf "\t.section\t%s\n%s:\n", name[piece], name[piece] >text
    }
    print >text
}

END { end_run() }
