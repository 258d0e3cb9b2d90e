#include "bench/metadata.h"
#include "util/version.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

static enum status write_date(struct output *output, struct error *error) {
    char date[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    }
    return output_metadata(output, "date", date, error);
}

static enum status write_host(struct output *output, struct error *error) {
    struct utsname system;
    char host[sizeof system] = "";
    if (uname(&system) == 0) {
        snprintf(host, sizeof host, "%s, %s %s %s", system.nodename, system.sysname, system.release, system.machine);
    }
    return output_metadata(output, "host", host, error);
}

static enum status write_command(struct output *output, int argc, char **argv, struct error *error) {
    char *command = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&command, &length);
    if (!stream) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (int i = 0; i < argc; i++) {
        fprintf(stream, "%s%s", i ? " " : "", argv[i]);
    }
    fclose(stream);
    enum status status = output_metadata(output, "command", command, error);
    free(command);
    return status;
}

enum status metadata_write_program(struct output *output, const struct probe *probe, int argc, char **argv,
                                   struct error *error) {
    char version[128], schema[16];
    snprintf(version, sizeof version, "%s %s", probe->name, version_text);
    snprintf(schema, sizeof schema, "%d", ROWS_SCHEMA);
    TRY(output_metadata(output, "bankshot", version, error));
    TRY(output_metadata(output, "schema", schema, error));
    TRY(write_date(output, error));
    TRY(write_host(output, error));
    return write_command(output, argc, argv, error);
}

static void format_clocks(char *to, size_t size, const struct bench_device *b) {
    const struct device_info *info = &b->device->info;
    if (info->predicted) {
        snprintf(to, size, "%.0f MHz assumed", info->clock_mhz);
    } else if (info->clock_mhz > 0 && b->expected_clock_mhz > 0) {
        snprintf(to, size, "%.0f MHz stated, below %.0f MHz a sample counts as throttled", info->clock_mhz,
                 bench_device_throttled_mhz(b));
    } else if (info->clock_mhz > 0) {
        snprintf(to, size, "%.0f MHz stated", info->clock_mhz);
    } else if (b->expected_clock_mhz > 0) {
        snprintf(to, size, "%.0f MHz measured at the start", b->expected_clock_mhz);
    }
}

static void format_flush(char *to, size_t size, const struct bench_device *b) {
    if (isfinite(b->flush_probe_ratio)) {
        snprintf(to, size, "before each sample; a probe read after it took %.2f times a cached one",
                 b->flush_probe_ratio);
    }
}

static void format_memory(char *to, size_t size, const struct device_info *info) {
    const int length =
        snprintf(to, size, "%llu bytes, last-level cache %llu bytes", (unsigned long long)info->memory_bytes,
                 (unsigned long long)info->last_level_cache_bytes);
    if (info->reported_cache_bytes) {
        snprintf(to + length, size - (size_t)length, " as measured, %llu reported",
                 (unsigned long long)info->reported_cache_bytes);
    }
}

enum status metadata_write_device(struct output *output, const struct bench_device *b, struct error *error) {
    const struct device_info *info = &b->device->info;
    char overhead[64] = "";
    char clocks[128] = "";
    char flush[128] = "";
    char memory[128];
    if (isfinite(b->launch_overhead_ns)) {
        snprintf(overhead, sizeof overhead, "%.0f ns for an empty kernel", b->launch_overhead_ns);
    }
    format_clocks(clocks, sizeof clocks, b);
    format_flush(flush, sizeof flush, b);
    format_memory(memory, sizeof memory, info);
    const struct {
        const char *key, *value;
    } lines[] = {
        {"device", info->name}, {"driver", info->driver}, {"runtime", info->runtime},    {"compiler", info->compiler},
        {"memory", memory},     {"clocks", clocks},       {"launch overhead", overhead}, {"cache flush", flush},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char key[128];
        snprintf(key, sizeof key, "%s %s", info->spec, lines[i].key);
        TRY(output_metadata(output, key, lines[i].value, error));
    }
    return STATUS_OK;
}
