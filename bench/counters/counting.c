#include "bench/counters/counting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/counters/launches.h"

enum {
    KERNELS_MAX = 64 // of a window
};

struct counting {
    struct launch_watcher watcher; // the first member, so that a pointer to it is a pointer to the struct
    FILE *file;
    bool open; // a window is open
    struct counted_launch seen[KERNELS_MAX];
    size_t seen_count;
};

static bool same(const struct counted_launch *seen, const char *kernel, const struct launch *launch) {
    return strcmp(seen->kernel, kernel) == 0 && memcmp(&seen->grid, &launch->grid, sizeof seen->grid) == 0 &&
           memcmp(&seen->block, &launch->block, sizeof seen->block) == 0;
}

static bool is_first(struct counting *counting, const char *kernel, const struct launch *launch) {
    for (size_t i = 0; i < counting->seen_count; i++) {
        if (same(&counting->seen[i], kernel, launch)) {
            return false;
        }
    }
    if (counting->seen_count == KERNELS_MAX) {
        return false;
    }
    struct counted_launch *seen = &counting->seen[counting->seen_count++];
    snprintf(seen->kernel, sizeof seen->kernel, "%s", kernel);
    seen->grid = launch->grid;
    seen->block = launch->block;
    return true;
}

static bool watch(struct launch_watcher *watcher, const char *kernel, const struct launch *launch) {
    struct counting *counting = (struct counting *)watcher;
    const bool counted = counting->open && is_first(counting, kernel, launch);
    launches_write_launch(counting->file, kernel, launch, counted);
    return counted;
}

static void forget_outputs(const struct option_table *options, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < options[i].count; k++) {
            const struct option_row *row = &options[i].rows[k];
            if (row->kind == OPTION_OUTPUT) {
                *(const char **)(void *)((char *)options[i].base + row->offset) = NULL;
            }
        }
    }
}

enum status counting_open(struct counting **counting, const char *path, const struct option_table *options,
                          size_t count, struct error *error) {
    forget_outputs(options, count);
    *counting = calloc(1, sizeof **counting);
    if (!*counting) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    (*counting)->watcher.counts = watch;
    (*counting)->file = fopen(path, "w");
    const bool silent = freopen("/dev/null", "w", stdout) != NULL; // the profiler prints to standard output
    return (*counting)->file && silent
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "%s: cannot be written: %s", path, strerror(errno));
}

enum status counting_close(struct counting *counting, struct error *error) {
    enum status status = STATUS_OK;
    if (counting->file && fclose(counting->file) != 0) {
        status = error_set(error, STATUS_FAILED, "the launches cannot be written: %s", strerror(errno));
    }
    free(counting);
    return status;
}

void counting_watch(struct counting *counting, struct device *device) {
    device->watcher = &counting->watcher;
}

void counting_begin_point(struct counting *counting) {
    launches_write_point(counting->file);
}

void counting_row(struct counting *counting, const struct row *row) {
    launches_write_row(counting->file, row);
}

void counting_begin(struct counting *counting) {
    counting->open = true;
    counting->seen_count = 0;
    launches_write_window(counting->file);
}

void counting_end(struct counting *counting) {
    counting->open = false;
}
