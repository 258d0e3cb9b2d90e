# The compilations of one kernel file, from the lines "CHECK COMPILER FILE ARCH..." of what is looked at and from its configurations:
#   configurations FILE | awk -v compiler=NAME -v file=FILE -v archs=ARCH,... -v work=FOLDER -v unseen=WHAT -f compilations.awk LOOKS -
# Where somebody looks at the outcome, every configuration is compiled as users compile it: all of them for the first GPU that is looked
# at, and for the others in turns, so that each configuration is looked at on two GPUs and each GPU has every kind of configuration.
# Where nobody looks, only the first configuration always is compiled, and WHAT becomes of the others: "all" compiles them too, "last" only the last of them, and an option each once with it: for the first GPU.
function compilation(archs, configuration, option,    folder) {
    if (archs == "") return
    folder = compiler "/" file " " configuration
    gsub(/ /, "_", folder)
    print work "/" folder "\t" archs " " option configuration
}

function join(list, item) { return list (list == "" ? "" : ",") item }

FILENAME != "-" {
    for (i = 4; i <= NF && $2 == compiler && $3 == file; i++) looked[$i]
    next
}

{ sub(/ +$/, ""); configuration[++count] = $0 }

END {
    n = split(archs, arch, ",")
    for (i = 1; i <= n; i++) if (arch[i] in looked) look_at[++looks] = arch[i]; else others = join(others, arch[i])
    for (c = 1; c <= count; c++) {
        seen = looks ? look_at[1] : ""
        for (i = 2; i <= looks; i++) if ((c - i) % (looks - 1) == 0 || count < looks) seen = join(seen, look_at[i])
        compilation(seen, configuration[c], "")
        if (c == 1 || unseen == "all" || (unseen == "last" && c == count)) compilation(others, configuration[c], "")
        else if (unseen != "last" && seen == "") compilation(arch[1], configuration[c], unseen " ")
    }
}
