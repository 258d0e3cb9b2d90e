// The variants and devices that a command line selects.
#ifndef BENCH_SELECTION_H
#define BENCH_SELECTION_H

#include "bench/probe.h"

enum {
    SELECTION_DEVICES_MAX = 64,
    SPEC_TEXT = 64
};

struct selection {
    const struct variant **variants;
    size_t variant_count;
    bool all_variants; // none was named: a variant that cannot run is left out, not refused
    char specs[SELECTION_DEVICES_MAX][SPEC_TEXT];
    size_t spec_count;
    bool default_devices; // none was named: a device that cannot run the probe is left out, not refused
};

// variants: "A,B", "all" or NULL; devices: "cuda:0,sim:h200", "all" or NULL for the default.
enum status selection_make(struct selection *selection, const struct probe *probe, const char *variants,
                           const char *devices, struct error *error);
// Keeps only the variants in names, a list as --variant takes it; NULL keeps all.
void selection_keep(struct selection *selection, const char *names);
// Refuses a sweep that no chosen variant uses (STATUS_USAGE), because it would be silently ignored.
enum status selection_check_parameters(const struct selection *selection, const struct probe *probe,
                                       const struct sweep given[PARAMETERS_MAX], struct error *error);
void selection_clear(struct selection *selection);

#endif
