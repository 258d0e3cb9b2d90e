# Time and memory of apsp-mpi, by a model that docs/scale.md explains and compares with measurements:
#   awk -f scripts/scale.awk                                          # the table there
#   awk -v vertices='50000 200000' -v ranks='8 32' -v gop_s=3000 -v gb_s=12.5 -f scripts/scale.awk
#   vertices, ranks  lists
#   gop_s            of one rank, for a large matrix, as `mpirun -n 1 build/apsp-mpi` measures it on your machine
#   closure_gop_s    of one rank, for one block: its time is phase1 over the number of blocks
#   gb_s, latency_us between ranks
#   tile, edges      of a block; of a vertex
#   threads          of a rank

function default_to(value, otherwise) {
    return value == "" ? otherwise : value
}

# The grid that is nearest to a square, with rows <= columns.
function grid(count,    r) {
    for (r = int(sqrt(count)); count % r; r--)
        ;
    rows = r
    columns = count / r
}

function log2(x) {
    return log(x) / log(2)
}

# The vertices of the largest part. Sets `filled` to their number with the last block filled up.
function most(n, parts,    blocks) {
    blocks = int((n + tile - 1) / tile)
    filled = int((blocks + parts - 1) / parts) * tile
    return (blocks - 1) % parts ? filled : filled - blocks * tile + n # the last block may belong to another part
}

# Seconds of a run.
function run_time(n,    share_rows, share_columns, compute, closure, chain, transfer) {
    share_rows = most(n, rows)
    share_columns = most(n, columns)
    compute = share_rows * share_columns * tile / gop_s / 1e9
    closure = tile ^ 3 / closure_gop_s / 1e9
    # The next round waits for its column, its pivot, twice for its row, and for sending them.
    transfer = 4 * tile * ((columns > 1) * share_rows + (rows > 1) * share_columns) / gb_s / 1e9
    chain = closure + tile ^ 2 * (share_rows + 2 * share_columns) / gop_s / 1e9 + transfer
    chain += latency_us / 1e6 * (2 * log2(columns) + log2(rows))
    return n / tile * (compute + closure > chain ? compute + closure : chain)
}

# Bytes of a rank: its share, panels (received and packed), edges, and the rows that it checks at once.
function memory(n, count,    share, panels, check) {
    most(n, rows)
    panels = 12 * tile * filled
    share = 4 * filled
    most(n, columns)
    panels += 16 * tile * filled
    share *= filled
    check = 64 * n * 3 * threads
    return share + panels + 12 * edges * n / count + (check > 2 ^ 26 * 3 ? check : 2 ^ 26 * 3)
}

function time_text(seconds) {
    return seconds < 100 ? sprintf("%.2g s", seconds) : seconds < 7200 ? sprintf("%.0f min", seconds / 60) : \
        seconds < 172800 ? sprintf("%.0f h", seconds / 3600) : sprintf("%.0f days", seconds / 86400)
}

BEGIN {
    count_vertices = split(default_to(vertices, "10000 30000 100000 300000 1000000"), sizes, /[ ,]+/)
    count_ranks = split(default_to(ranks, "1 4 16 64 256"), counts, /[ ,]+/)
    gop_s = default_to(gop_s, 6400)
    closure_gop_s = default_to(closure_gop_s, 29)
    gb_s = default_to(gb_s, 12.5)
    latency_us = default_to(latency_us, 5)
    tile = default_to(tile, 192)
    edges = default_to(edges, 8)
    threads = default_to(threads, 64)
    printf "%8s %6s %8s %8s %10s %10s\n", "vertices", "ranks", "grid", "GB/rank", "time", "efficiency"
    for (i = 1; i <= count_vertices; i++)
        for (j = 1; j <= count_ranks; j++) {
            n = sizes[i]
            grid(counts[j])
            if (n <= (columns - 1) * tile) # ranks without a block
                continue
            seconds = run_time(n)
            gigabytes = memory(n, counts[j]) / 1e9
            printf "%8d %6d %8s %8s %10s %8.0f %%\n", n, counts[j], rows "x" columns,
                sprintf(gigabytes < 100 ? "%.2g" : "%.0f", gigabytes), time_text(seconds), 100 * n ^ 3 / gop_s / 1e9 / counts[j] / seconds
        }
}
