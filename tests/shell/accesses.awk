# Counts memory instructions in PTX, in SASS (nvdisasm -c), in AMD assembly (clang -S) and in its disassembly
# (llvm-objdump -d): a line
#   ENTRY SPACE OPERATION WIDTH COUNT         shared_again shared load 16 4
# for each kind, sorted by the caller, and on AMD
#   ENTRY in-flight N                         most global loads under way at once

# A wait until at most `left` loads are under way: "vmcnt(3)", "0x3".
function wait(left) {
    if (under_way > left) under_way = left
}

function end_entry(    kind) {
    if (entry != "") {
        for (kind in count) print entry, kind, count[kind]
        if (amd) print entry, "in-flight", most
    }
    split("", count)
    most = under_way = 0
}

function begin_entry(name) {
    end_entry()
    entry = name
}

# "u32" "b64" "v4.u32" "dwordx4" "ushort": bytes
function width(type,    parts) {
    if (type ~ /byte/) return 1
    if (type ~ /short/) return 2
    if (type ~ /dword/) return 4 * (match(type, /x[0-9]/) ? substr(type, RSTART + 1, 1) : 1)
    parts = match(type, /v[24]/) ? substr(type, RSTART + 1, 1) : 1
    match(type, /[a-z](8|16|32|64|128)$/)
    return parts * substr(type, RSTART + 1) / 8
}

# PTX
/^\.(visible )?\.?entry / { sub(/\(.*/, ""); begin_entry($NF) }
/^[ \t]*(@%p[0-9]+ )?(ld|st)\.(volatile\.)?(global|shared)\./ {
    match($0, /(ld|st)\.[A-Za-z0-9_.:]+/)
    opcode = substr($0, RSTART, RLENGTH)
    operation = opcode ~ /^ld/ ? "load" : "store"
    space = opcode ~ /global/ ? "global" : "shared"
    sub(/.*(global|shared)\./, "", opcode)
    sub(/^nc\./, "", opcode)
    count[space " " operation " " width(opcode)]++
}

# SASS
/\.section[ \t]+\.text\./ { sub(/.*\.text\./, ""); sub(/,.*/, ""); begin_entry($0) }
match($0, /[ \t](LD|ST)[GS]?(\.[A-Z0-9]+)*[ \t]/) && /\/\*[0-9a-f]+\*\// {
    opcode = substr($0, RSTART + 1, RLENGTH - 1)
    space = substr(opcode, 3, 1)
    space = space == "G" ? "global" : space == "S" ? "shared" : "flat"
    operation = opcode ~ /^LD/ ? "load" : "store"
    bytes = opcode ~ /[US]8/ ? 1 : opcode ~ /[US]16/ ? 2 : opcode ~ /\.64/ ? 8 : opcode ~ /\.128/ ? 16 : 4
    count[space " " operation " " bytes]++
}

# AMD
/^[A-Za-z_][A-Za-z_0-9]*:.*@/ { amd = 1; sub(/:.*/, ""); begin_entry($0) }
/^[0-9a-f]+ <.*>:$/ { amd = 1; gsub(/.*<|>:/, ""); begin_entry($0) }
$1 ~ /^(global|flat|ds)_(load|store|read|write)/ {
    space = $1 ~ /^ds/ ? "shared" : $1 ~ /^flat/ ? "flat" : "global"
    operation = $1 ~ /_(load|read)/ ? "load" : "store"
    type = $1
    sub(/^[a-z]+_(load|store|read|write)(_[us]?d16)?(_hi)?_?/, "", type)
    if ($1 ~ /(load|store|read|write)_?2/) count[space " pair " $1]++
    else count[space " " operation " " width(type)]++
    if (space == "global" && operation == "load" && ++under_way > most) most = under_way
}
/s_waitcnt .*vmcnt\(/ { sub(/.*vmcnt\(/, ""); wait($0 + 0) }
/s_wait_loadcnt/ { sub(/.*0x/, ""); wait(index("123456789abcdef", substr($0, 1, 1))) }
/s_endpgm/ { wait(0) }

END { end_entry() }
