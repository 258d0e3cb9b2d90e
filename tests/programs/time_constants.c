// Prints the section on constants of docs/simulator.md: those of the model of time, and what it knows of each part.
#include <stdio.h>

#include "model/gpu_limits.h"
#include "model/latency.h"
#include "model/time_constants.h"

static void print_constants(void) {
    size_t count;
    const struct time_constant *constant = time_constant_table(&count);
    puts("| constant | value | what it is | source |\n|---|---|---|---|");
    for (size_t i = 0; i < count; i++, constant++) {
        printf("| `%s` | %.10g%s%s | %s | %s |\n", constant->name, constant->value, *constant->unit ? " " : "",
               constant->unit, constant->meaning, constant->source);
    }
}

static void print_parts(void) {
    size_t count;
    const struct gpu *gpu = gpu_table(&count);
    puts("| part | units | MHz | memory, GB/s | its channels | cache, MiB | L2, bytes per clock | a unit's threads, "
         "shared KiB | L1 | ECC |");
    puts("|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < count; i++, gpu++) {
        printf("| `%s` | %u | %u | %g | %.0f%s | %g | %.0f%s | %u, %u | %s | %s |\n", gpu->name, gpu->compute_units,
               gpu->clock_mhz, gpu->memory_gb_s, gpu_memory_channels(gpu), gpu->memory_channels > 0 ? "" : " (guess)",
               (double)gpu->last_level_cache_bytes / (1 << 20), gpu_l2_bytes_per_clock(gpu),
               gpu->l2_bytes_per_clock > 0 ? "" : " (guess)", gpu_unit_threads(gpu), gpu_unit_shared_bytes(gpu) >> 10,
               gpu_shares_l1(gpu) ? "one with shared memory" : "apart", gpu->without_ecc ? "no" : "yes");
    }
}

// A column of the table of latencies; a level that the part lacks is empty.
static void print_figure(double value) {
    if (value > 0) {
        printf(" %.4g |", value);
    } else {
        printf(" |");
    }
}

static void print_latencies(void) {
    size_t count;
    const struct gpu *gpu = gpu_table(&count);
    puts("| part | L1 | L2 | far | L3 | memory | atomic | store | shared | L1, B/clock | L2 reads | L2 writes | "
         "memory, GB/s |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < count; i++, gpu++) {
        const struct gpu_latency *part = gpu_latency(gpu);
        if (part) {
            const double figures[] = {part->l1,
                                      part->l2,
                                      part->far,
                                      part->l3,
                                      part->memory,
                                      part->atomic,
                                      part->store,
                                      part->shared,
                                      part->l1_bytes_per_clock,
                                      part->l2_read_bytes_per_clock,
                                      part->l2_write_bytes_per_clock,
                                      part->memory_share * gpu->memory_gb_s};
            printf("| `%s` |", gpu->name);
            for (size_t column = 0; column < sizeof figures / sizeof *figures; column++) {
                print_figure(figures[column]);
            }
            puts("");
        }
    }
}

int main(void) {
    puts("These are all constants of the model of time (`model/time_constants.h`). Other parts than the H200 have the "
         "same ones. For an\n"
         "H100 they were tested ([validation.md](validation.md#an-h100)); for others they are a guess. Rows M are "
         "`read`, `write` and `stride-copy`\n"
         "of `gmem` with elements of 4 and 16 bytes, but `write` at stride 1. Rows A are those; of `reduce` "
         "interleaved-modulo, sequential,\n"
         "first-add, unroll-full, cascade, read-limit, vector, global-neighbored, -interleaved, -unroll4 and -unroll8; "
         "of `apsp` baseline,\n"
         "coalesced, shared-row, unrolled, register-tiled, and phase 3 of global. All other rows of `results/h200`, "
         "and all of `results/published`,\n"
         "were held out. So were those of `results/h100`, but some mechanisms were chosen with them in view. "
         "`gmem.csv`, `reduce.csv`,\n"
         "`apsp.csv` and the rows of units' own footprints in `levels.csv` were measured anew after the fit, so the "
         "constants come from earlier\n"
         "runs of the same points (`graph_ns` from `apsp-launch.csv`).\n");
    print_constants();
    puts("\nWhat differs by part. `model/gpus.c` and `model/gpu_limits.c` name the sources.\n");
    print_parts();
    puts("\nLatencies in clocks and what levels reach, for `levels` (`model/latency.c` names the sources; empty: "
         "unknown, or no such level).\n");
    print_latencies();
    return 0;
}
