// Prints the section on constants of docs/simulator.md: those of the model of time, and what it knows of each part.
#include <stdio.h>
#include <string.h>

#include "model/evidence.h"
#include "model/gpus.h"
#include "model/time/latency.h"
#include "model/time/time_constants.h"

static void print_constants(void) {
    puts("| constant | value | what it is | source |\n|---|---|---|---|");
    for (size_t i = 0; i < time_constant_count; i++) {
        const struct time_constant *constant = &time_constant_list[i];
        printf("| `%s` | %.10g%s%s | %s | %s |\n", constant->name, constant->value, *constant->unit ? " " : "",
               constant->unit, constant->meaning, constant->source);
    }
}

// A column of a table; what the part lacks is empty.
static void print_figure(double value) {
    if (value > 0) {
        printf(" %.4g |", value);
    } else {
        printf(" |");
    }
}

static void print_parts(void) {
    const struct gpu *gpu = gpu_rows;
    puts("| part | units | MHz | memory, GB/s | reads, stores | its channels | cache, MiB | its rate | L2, bytes per "
         "clock "
         "| a unit's threads, shared KiB | L1 | ECC |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < gpu_row_count; i++, gpu++) {
        printf("| `%s` | %u | %u | %g |", gpu->name, gpu->compute_units, gpu->clock_mhz, gpu->memory_gb_s);
        printf(gpu->read_gb_s > 0 ? " %.0f, %.0f |" : " |", gpu->read_gb_s, gpu->write_gb_s);
        printf(" %.0f%s | %g |", gpu_memory_channels(gpu), gpu->memory_channels > 0 ? "" : " (guess)",
               (double)gpu->last_level_cache_bytes / (1 << 20));
        print_figure(gpu->cache_gb_s);
        printf(" %.0f%s | %u, %u | %s | %s |\n", gpu_l2_bytes_per_clock(gpu),
               gpu->l2_bytes_per_clock > 0 ? "" : " (guess)", gpu_unit_threads(gpu), gpu_unit_shared_bytes(gpu) >> 10,
               gpu_shares_l1(gpu) ? "one with shared memory" : "apart", gpu->without_ecc ? "no" : "yes");
    }
}

static void print_latencies(void) {
    const struct gpu *gpu = gpu_rows;
    puts("| part | L1 | L2 | far | L3 | memory | atomic | store | shared | L1, B/clock | L2 reads | L2 writes | "
         "memory, GB/s |");
    puts("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (size_t i = 0; i < gpu_row_count; i++, gpu++) {
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
                                      (part->memory_share > 0 ? part->memory_share : 1) * gpu_read_gb_s(gpu)};
            printf("| `%s` |", gpu->name);
            for (size_t column = 0; column < sizeof figures / sizeof *figures; column++) {
                print_figure(figures[column]);
            }
            puts("");
        }
    }
}

// Names that are separated by '|', as a table has them.
static void print_names(const char *names, const char *end) {
    printf(", `");
    for (; *names; names++) {
        if (*names == '|') {
            printf("`, `");
        } else {
            putchar(*names);
        }
    }
    printf("%s`", end);
}

// The list at the beginning of docs/validation.md.
static void print_checks(void) {
    puts("| part | probe | nine of ten rows within | certainty | held against |\n|---|---|---|---|---|");
    for (size_t i = 0; i < checked_time_count; i++) {
        const struct checked_time *check = &checked_times[i];
        printf("| `%s` | `%s`", check->part, check->probe);
        if (check->apart || check->only) {
            print_names(check->apart ? check->apart : check->only, check->apart ? "..." : "");
        }
        printf(" | %g %% | %s | %s |\n", check->error_pct, evidence_name(check->evidence), check->against);
    }
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "checks") == 0) {
        print_checks();
        return 0;
    }
    puts(
        "These are all constants of the model of time (`model/time/time_constants.h`). Other parts than the H200 have "
        "the same ones. `make fit` finds\n"
        "the fitted ones again: it simulates the rows of `results/h200` (gmem, smem, reduce, the kernels of apsp, and "
        "bandwidths of levels), and then\n"
        "changes one constant after the other by up to a fifth, as long as the errors get smaller (each variant counts "
        "by "
        "the root of its rows: its\n"
        "median error and a quarter of its 90th percentile). Rows of `results/h100` and `results/h200-second` are held "
        "out, and so are all of\n"
        "`results/published` but those that a constant names. [validation.md](validation.md#what-each-constant-buys) "
        "says what each one buys.\n");
    print_constants();
    puts("\nWhat differs by part. `model/gpus.c` names the sources.\n");
    print_parts();
    puts("\nLatencies in clocks and what levels reach, for `levels` (`model/time/latency.c` names the sources; empty: "
         "unknown, or no such level).\n");
    print_latencies();
    return 0;
}
