# The longest run of accesses each of which takes its address from what the one before has loaded, with nothing between them
# that computes: `ENTRY LENGTH` for each entry whose name begins with chase, from PTX, SASS (nvdisasm -c), AMD assembly (clang
# -S) or its disassembly (llvm-objdump -d). Of chase_store, which follows no loads, the longest run of stores each of which is
# waited for before the next, by a call where HIP's device library, which has the fence, is not here to be inlined.

function end_entry() {
    if (entry ~ /^chase/) print entry, longest
    longest = length_now = 0
    loaded = ""
    is_stored = 0
}

function begin_entry(name) {
    end_entry()
    entry = name
}

# An access of the chain: to what register, from the address in what register.
function access(to, from) {
    length_now = loaded != "" && from == loaded ? length_now + 1 : 1
    loaded = to
    if (length_now > longest) longest = length_now
}

function computes() {
    loaded = ""
}

entry == "chase_store" && /(^|[ \t])(st\.global|STG|global_store|flat_store)/ {
    length_now = is_stored ? 0 : length_now
    is_stored = 1
    next
}
entry == "chase_store" && is_stored && /membar\.gl|fence\.|MEMBAR|s_waitcnt|s_wait_storecnt|s_swappc/ {
    is_stored = 0
    if (++length_now > longest) longest = length_now
    next
}
entry == "chase_store" && !/^\.(visible )?\.?entry |\.section[ \t]+\.text\.|^[0-9a-f]+ <.*>:$|^[A-Za-z_][A-Za-z_0-9]*:.*@/ { next }

# PTX; cvta.to.global changes nothing in a 64-bit address, but gives it another register's name.
/^\.(visible )?\.?entry / { sub(/\(.*/, ""); begin_entry($NF); ptx = 1 }
ptx && /^[ \t]*cvta\.to\.global/ { gsub(/[,;]/, ""); if ($3 == loaded) loaded = $2; next }
ptx && /^[ \t]*(ld|atom)\.[a-z.]*(global|shared)/ {
    line = $0
    gsub(/[][,;]/, " ", line)
    split(line, word, " ")
    access(word[2], word[3])
    next
}
ptx && /^[ \t]*atom\.add/ { line = $0; gsub(/[][,;]/, " ", line); split(line, word, " "); access(word[2], word[3]); next }
ptx && /^[ \t]*[a-z]+\.[a-z]/ && !/^[ \t]*\./ { computes(); next }

# SASS
/\.section[ \t]+\.text\./ { sub(/.*\.text\./, ""); sub(/,.*/, ""); begin_entry($0); sass = 1 }
sass && /\/\*[0-9a-f]+\*\// {
    line = $0
    gsub(/\/\*[^*]*\*\//, "", line)
    if (line ~ /[ \t](LDG|LDS|ATOMG|ATOM|LD)[. ]/) {
        match(line, /R[0-9]+/)
        to = substr(line, RSTART, RLENGTH)
        n = split(line, part, "[")
        match(part[n], /R[0-9]+/)
        access(to, substr(part[n], RSTART, RLENGTH))
    } else if (line ~ /[ \t](BRA|EXIT|CS2R)/) {
        computes()
    } else if (loaded != "" && line ~ ("[^A-Z0-9]" loaded "[^0-9]")) {
        computes()
    }
    next
}

# AMD: v[0:1], v[0:1] and s[8:9], s[8:9], 0x0
/^[A-Za-z_][A-Za-z_0-9]*:.*@/ { amd = 1; sub(/:.*/, ""); begin_entry($0); next }
/^[0-9a-f]+ <.*>:$/ { amd = 1; gsub(/.*<|>:/, ""); begin_entry($0); next }
amd && $1 ~ /^(global_load|flat_load|global_atomic|flat_atomic|s_load|ds_read|ds_load)/ {
    gsub(/,/, " ")
    access($2, $3)
    next
}
amd && $1 ~ /^(v_|s_add|s_sub|s_and|s_or|s_xor|s_lshl|s_lshr|s_mov)/ { computes() }

END { end_entry() }
