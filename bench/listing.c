#include "bench/listing.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/error.h"
#include "util/help.h"
#include "util/text.h"

enum {
    DEVICE_COLUMN = 11
};

void list_help(const struct probe *probe, const struct option_table *options, size_t table_count) {
    struct help_term *variants = memory_zeros(probe->variant_count, sizeof *variants);
    for (size_t i = 0; i < probe->variant_count; i++) {
        variants[i] = (struct help_term){probe->variants[i].name, probe->variants[i].summary};
    }
    help_print(&(struct help){
        .program = probe->name,
        .summary = probe->summary,
        .synopsis = "[OPTION]...",
        .tables = options,
        .table_count = table_count,
        .values = "LIST is 1,2,4 or 1:32 or 1:32:+4 or 1:32:*2; sizes take K, M, G (1024).",
        .description = probe->description,
        .terms_title = "Variants",
        .terms = variants,
        .term_count = probe->variant_count,
        .exit_status = "0 all measured and verified, 1 a row or a device failed, 2 usage, 3 no such device.",
    });
    free(variants);
}

void list_variants(const struct probe *probe) {
    for (size_t i = 0; i < probe->variant_count; i++) {
        printf("%-22s %s\n", probe->variants[i].name, probe->variants[i].summary);
    }
}

// Writes a device's line, and frees its text. An empty `spec` continues the device above.
static void list_line(const char *spec, char *text) {
    printf("%-*s ", DEVICE_COLUMN - 1, spec);
    wrap_text(stdout, text, DEVICE_COLUMN, DEVICE_COLUMN);
    printf("\n");
    free(text);
}

static void list_device(const char *spec) {
    struct error error = {0};
    struct device *device;
    if (device_open(spec, &device, &error) != STATUS_OK) {
        list_line(spec, memory_format("unavailable: %s", error.text));
        error_clear(&error);
        return;
    }
    const struct device_info *info = &device->info;
    list_line(spec, memory_format("%s, %s, %.1f GiB", info->name, info->arch, (double)info->memory_bytes / (1 << 30)));
    if (info->driver[0]) {
        list_line("", memory_format("driver %s", info->driver));
    }
    if (info->runtime[0]) {
        list_line("", memory_format("kernels compiled by %s", info->runtime));
    }
    if (info->gpu) {
        list_line("", memory_format("simulated as sim:%s", info->gpu->name));
    }
    device_close(device);
}

static void list_places(const struct backend *backend) {
    char *places = backend->places ? backend->places() : NULL;
    if (places) {
        list_line("", memory_format("looked in: %s", places));
    }
    free(places);
}

static void list_backend(const struct backend *backend) {
    struct error error = {0};
    uint32_t count = 0;
    enum status status = backend_count(backend, &count, &error);
    if (status != STATUS_OK || count == 0) {
        list_line(backend->name, memory_format("unavailable: %s", error.text));
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
        list_line("sim:GPU", memory_format("%u simulated GPUs: see --list-gpus", count));
    } else {
        list_line("sim", memory_format("unavailable: %s", error.text));
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
    printf("%-10s %-31s %-7s %5s %5s %6s %6s\n", "name", "GPU", "arch", "units", "lanes", "sector", "GB/s");
    for (size_t i = 0; i < gpu_row_count; i++) {
        printf("%-10s %-31s %-7s %5u %5u %6u %6.0f\n", gpu_rows[i].name, gpu_rows[i].title, gpu_rows[i].arch,
               gpu_rows[i].compute_units, gpu_rows[i].warp_width, gpu_rows[i].sector_bytes, gpu_rows[i].memory_gb_s);
    }
}
