#include "bench/listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/help.h"
#include "util/wrap.h"

enum {
    SUMMARY_COLUMN = 25
};

void list_help(const struct probe *probe, const struct option_table *options, size_t table_count) {
    help_begin(probe->name, probe->summary, "", options, table_count);
    help_text("LIST is 1,2,4 or 1:32 or 1:32:+4 or 1:32:*2; sizes take K, M, G (1024).");
    help_text(probe->description);
    printf("\nVariants:\n");
    for (size_t i = 0; i < probe->variant_count; i++) {
        printf("  %-22s ", probe->variants[i].name);
        wrap_text(stdout, probe->variants[i].summary, SUMMARY_COLUMN, SUMMARY_COLUMN);
        printf("\n");
    }
    help_text("Exit status: 0 all measured and verified, 1 a row or a device failed, 2 usage, 3 no such device.");
}

void list_variants(const struct probe *probe) {
    for (size_t i = 0; i < probe->variant_count; i++) {
        printf("%-22s %s\n", probe->variants[i].name, probe->variants[i].summary);
    }
}

static void list_device(const char *spec) {
    struct error error = {0};
    struct device *device;
    if (device_open(spec, &device, &error) != STATUS_OK) {
        printf("%-10s unavailable: %s\n", spec, error.text);
        error_clear(&error);
        return;
    }
    const struct device_info *info = &device->info;
    printf("%-10s %s, %s, %.1f GiB\n", spec, info->name, info->arch, (double)info->memory_bytes / (1 << 30));
    if (info->driver[0]) {
        printf("%-10s driver %s\n", "", info->driver);
    }
    if (info->runtime[0]) {
        printf("%-10s kernels compiled by %s\n", "", info->runtime);
    }
    if (info->gpu) {
        printf("%-10s simulated as sim:%s\n", "", info->gpu->name);
    }
    device_close(device);
}

static void list_places(const struct backend *backend) {
    char *places = backend->places ? backend->places() : NULL;
    if (places) {
        printf("%-10s looked in: %s\n", "", places);
    }
    free(places);
}

static void list_backend(const struct backend *backend) {
    struct error error = {0};
    uint32_t count = 0;
    enum status status = backend_count(backend, &count, &error);
    if (status != STATUS_OK || count == 0) {
        printf("%-10s unavailable: %s\n", backend->name, error.text);
        list_places(backend);
        error_clear(&error);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        char spec[32];
        snprintf(spec, sizeof spec, "%s:%u", backend->name, i);
        list_device(backend->kind == BACKEND_CPU ? "cpu" : spec);
    }
}

static void list_simulator(void) {
    struct error error = {0};
    uint32_t count = 0;
    if (backend_count(backend_of(BACKEND_SIM), &count, &error) == STATUS_OK && count > 0) {
        printf("%-10s %u simulated GPUs: see --list-gpus\n", "sim:GPU", count);
    } else {
        printf("%-10s unavailable: %s\n", "sim", error.text);
    }
    error_clear(&error);
}

void list_devices(void) {
    for (enum backend_kind kind = 0; kind < BACKEND_SIM; kind++) {
        list_backend(backend_of(kind));
    }
    list_simulator();
}

void list_gpus(void) {
    size_t count;
    const struct gpu *gpus = gpu_table(&count);
    printf("%-12s %-30s %-8s %5s %6s %6s %9s\n", "name", "GPU", "arch", "units", "lanes", "sector", "GB/s");
    for (size_t i = 0; i < count; i++) {
        printf("%-12s %-30s %-8s %5u %6u %6u %9.0f\n", gpus[i].name, gpus[i].title, gpus[i].arch, gpus[i].compute_units,
               gpus[i].warp_width, gpus[i].sector_bytes, gpus[i].memory_gb_s);
    }
}
