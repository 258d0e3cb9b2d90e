# Finds out which rows belong to one device. The names of a measured part and of the same part simulated differ a little, so
# both are identified by their model.

# "NVIDIA GeForce RTX 3080 Ti" and "NVIDIA RTX 3080 Ti 12GB" are one part, "3080 Ti".
function model_of(device,    word, count, i, model) {
    count = split(device, word, /[^A-Za-z0-9]+/)
    for (i = 1; i <= count && model == ""; i++) {
        model = word[i] ~ /[0-9]/ ? toupper(word[i]) : ""
    }
    for (; i <= count; i++) {
        model = model (toupper(word[i]) ~ /^(TI|SUPER|XT|XTX|GRE|D|LAPTOP)$/ ? " " toupper(word[i]) : "")
    }
    return model == "" ? device : model
}

function part_of(r,    arch) {
    if (value[r, "backend"] == "cpu") {
        return value[r, "device"]
    }
    arch = value[r, "arch"]
    sub(/:.*/, "", arch)
    return arch " " model_of(value[r, "device"])
}

function vendor_rank(r) {
    return value[r, "backend"] == "cpu" ? 3 : value[r, "device"] ~ /NVIDIA/ || value[r, "arch"] ~ /^sm_/ ? 1 : 2
}

# Sorts the devices for a comparison, by vendor and then by name. Fills part, part_id, part_title and part_arch.
function find_parts(    r, id) {
    for (r = 1; r <= rows; r++) {
        if (value[r, "source"] == "published") {
            continue
        }
        id = part[r] = part_of(r)
        if (!(id in part_title)) {
            part_id[++parts] = id
            part_rank[id] = vendor_rank(r)
        }
        if (!(id in part_title) || value[r, "source"] == "measured") {
            part_title[id] = value[r, "device"]
            sub(/ [(]simulated[)]$/, "", part_title[id]) # a chart says that its rows are predicted
            part_arch[id] = value[r, "arch"]
        }
        if (file_of[r] == ENVIRON["csv"]) {
            own_parts += !(id in own_part)
            own_part[id] = 1
        }
    }
    sort_parts()
}

function sort_parts(    i, j, id) {
    for (i = 2; i <= parts; i++) {
        id = part_id[i]
        for (j = i; j > 1 && comes_before(id, part_id[j - 1]); j--) {
            part_id[j] = part_id[j - 1]
        }
        part_id[j] = id
    }
}

function comes_before(a, b) {
    return part_rank[a] " " part_title[a] < part_rank[b] " " part_title[b]
}
