// levels: what each level of the memory hierarchy holds, how long it takes and how much it gives.
#include "levels/levels.h"

#include "levels/levels_cpu.h"

static const struct parameter parameters[] = {
    [LEVELS_FOOTPRINT] = {"footprint", "bytes that are gone through; default: 1K to what fits", 64, 1e15, false},
    [LEVELS_LINE] = {"line", "bytes from an access to the next; default: the part's line", 8, 1e12, false},
    [LEVELS_PAGE] = {"page", "in random order within so many bytes, then the next; 0: all at random (0)", 0, 1e12,
                     false},
};

// Four footprints an octave.
#define OCTAVE(a, b, c, d, unit) #a unit "," #b unit "," #c unit "," #d unit
#define OCTAVES_OF(unit)                                                                                               \
    OCTAVE(4, 5, 6, 7, unit)                                                                                           \
    "," OCTAVE(8, 10, 12, 14, unit) "," OCTAVE(16, 20, 24, 28, unit) "," OCTAVE(32, 40, 48, 56, unit) "," OCTAVE(      \
        64, 80, 96, 112,                                                                                               \
        unit) "," OCTAVE(128, 160, 192, 224,                                                                           \
                         unit) "," OCTAVE(256, 320, 384, 448,                                                          \
                                          unit) "," OCTAVE(512, 640, 768, 896,                                         \
                                                           unit) "," OCTAVE(1024, 1280, 1536, 1792,                    \
                                                                            unit) "," OCTAVE(2048, 2560, 3072, 3584,   \
                                                                                             unit)
#define FOOTPRINTS                                                                                                     \
    OCTAVE(1024, 1280, 1536, 1792, "")                                                                                 \
    "," OCTAVE(2048, 2560, 3072, 3584, "") "," OCTAVES_OF("K") "," OCTAVES_OF("M") "," OCTAVE(                         \
        4, 5, 6, 7, "G") "," OCTAVE(8, 10, 12, 14, "G") "," OCTAVE(16, 20, 24, 28, "G") "," OCTAVE(32, 40, 48, 56,     \
                                                                                                   "G") ",64G"

#define LATENCY_COLUMNS "device variant footprint_bytes page_bytes latency_ns latency_cycles level verdict"
#define LATENCY(name, summary, entry, op, native, shared)                                                              \
    {                                                                                                                  \
        name, summary, {[LEVELS_FOOTPRINT] = FOOTPRINTS, [LEVELS_LINE] = "0", [LEVELS_PAGE] = "0"},                    \
            &(struct levels_detail) {                                                                                  \
            levels_check_latency, levels_skip_latency, levels_measure_latency, levels_finish_latency, LATENCY_COLUMNS, \
                &(struct levels_latency) {                                                                             \
                {entry, native, shared}, op                                                                            \
            }                                                                                                          \
        }                                                                                                              \
    }

static const struct variant variants[] = {
    LATENCY("latency", "of loads, each waiting for the one before", "chase", "load", levels_cpu_chase, false),
    LATENCY("latency-read-only", "of loads by the read-only path, AMD's scalar cache", "chase_read_only",
            "load-read-only", NULL, false),
    LATENCY("latency-atomic", "of atomic additions", "chase_atomic", "atomic-add", levels_cpu_chase_atomic, false),
    LATENCY("latency-shared", "of shared memory", "chase_shared", "load-shared", NULL, true),
};

static const struct levels_detail *detail_of(const struct variant *variant) {
    return variant->detail;
}

static const char *columns_of(const struct variant *variant) {
    return detail_of(variant)->columns;
}

static bool has_native(const struct variant *variant) {
    const struct levels_latency *latency = detail_of(variant)->own;
    return latency->kernel.native != NULL;
}

static enum status supports(const void *session, const struct device *device, const struct variant *variant,
                            struct error *error) {
    (void)session;
    if (device->info.predicted) {
        return error_set(error, STATUS_NO_DEVICE, "%s has no caches to measure: give --device cuda, hip or cpu",
                         device->info.spec);
    }
    if (device_is_cpu(&device->info) && !has_native(variant)) {
        return error_set(error, STATUS_NO_DEVICE, "cpu has no such path: leave out --variant %s", variant->name);
    }
    return STATUS_OK;
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    return detail_of(point->variant)->check(run, point, error);
}

static bool skip(const struct run *run, const struct point *point) {
    const struct levels_detail *detail = detail_of(point->variant);
    return detail->skip && detail->skip(run, point);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    return detail_of(point->variant)->measure(run, point, error);
}

static void finish(struct run *run) {
    detail_of(run->variant)->finish(run);
}

static const struct probe levels = {
    .name = "levels",
    .summary = "latency and bandwidth of every level of the memory hierarchy",
    .description = "Latency is that of one access in a chain of them, by the device's own counters;\n"
                   "the level is the one that is documented to hold the footprint. A simulated\n"
                   "device has no caches yet, and is refused.\n",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .variants = variants,
    .variant_count = sizeof variants / sizeof variants[0],
    .table_columns = LATENCY_COLUMNS,
    .state_bytes = sizeof(struct chase),
    .variant_columns = columns_of,
    .supports = supports,
    .check = check,
    .skip = skip,
    .measure = measure_point,
    .finish = finish,
};

int main(int argc, char **argv) {
    return program_main(&levels, argc, argv);
}
