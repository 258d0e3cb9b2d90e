#include "bench/counters/launches.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"
#include "util/error.h"
#include "util/text.h"

void row_key(const struct row *row, char key[ROW_KEY]) {
    char field[ROW_TEXT];
    size_t length = (size_t)snprintf(key, ROW_KEY, "%s", row->spec);
    for (size_t i = 0; i < key_column_count && length < ROW_KEY; i++) {
        if (key_columns[i].kind != KEY_FOUND) {
            const size_t column = row_column_find(key_columns[i].name);
            length += (size_t)snprintf(key + length, ROW_KEY - length, "|%s", row_field(row, column, field));
        }
    }
}

// ---- Writing: the run under the profiler ----

enum {
    KERNELS_MAX = 64 // of a window
};

struct counting {
    struct launch_watcher watcher; // the first member, so that a pointer to it is a pointer to the struct
    FILE *file;
    bool open;         // a window is open
    struct names seen; // in it: kernels with their grid and block
};

static bool is_first(struct names *seen, const char *launch) {
    const size_t before = seen->count;
    return before < KERNELS_MAX && names_number(seen, launch) == before;
}

// Flushes each line, so that the file's growth shows that the run is alive.
static bool watch(struct launch_watcher *watcher, const char *kernel, const struct launch *launch) {
    struct counting *counting = (struct counting *)watcher;
    char text[LAUNCH_NAME + 80];
    snprintf(text, sizeof text, "%s %u %u %u %u %u %u", kernel, launch->grid.x, launch->grid.y, launch->grid.z,
             launch->block.x, launch->block.y, launch->block.z);
    const bool counted = counting->open && is_first(&counting->seen, text);
    fprintf(counting->file, "launch %s %d\n", text, counted);
    fflush(counting->file);
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
    *counting = memory_zeros(1, sizeof **counting);
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
    names_clear(&counting->seen);
    free(counting);
    return status;
}

void counting_watch(struct counting *counting, struct device *device) {
    device->watcher = &counting->watcher;
}

void counting_begin_point(struct counting *counting) {
    fputs("point\n", counting->file);
}

void counting_row(struct counting *counting, const struct row *row) {
    char key[ROW_KEY];
    row_key(row, key);
    fprintf(counting->file, "row %s\n", key);
}

void counting_begin(struct counting *counting) {
    counting->open = true;
    names_clear(&counting->seen);
    fputs("window\n", counting->file);
}

void counting_end(struct counting *counting) {
    counting->open = false;
}

// ---- Reading ----

struct counted_launch *launches_add(struct launch_list *list) {
    list->at = memory_room(list->at, list->count, sizeof *list->at);
    struct counted_launch *added = &list->at[list->count++];
    *added = (struct counted_launch){.counted = true};
    for (size_t i = 0; i < LAUNCH_COUNTERS_MAX; i++) {
        added->values[i] = NAN;
    }
    return added;
}

static void add_row(struct launch_log *log, const char *key, size_t first, size_t window) {
    log->rows = memory_room(log->rows, log->row_count, sizeof *log->rows);
    struct counted_row *row = &log->rows[log->row_count++];
    *row = (struct counted_row){.first = first, .end = log->launches.count, .window = window};
    snprintf(row->key, sizeof row->key, "%s", key);
}

static bool add_launch(struct launch_log *log, const char *line, size_t window) {
    struct counted_launch *added = launches_add(&log->launches);
    struct dimensions *grid = &added->grid, *block = &added->block;
    int counted = 0;
    const int fields = sscanf(line, "launch %127s %u %u %u %u %u %u %d", added->kernel, &grid->x, &grid->y, &grid->z,
                              &block->x, &block->y, &block->z, &counted);
    added->window = window;
    added->counted = counted;
    return fields == 8;
}

// An incomplete line is invalid.
static bool read_line(struct launch_log *log, char *line, size_t *first, size_t *window) {
    char *end = strchr(line, '\n');
    if (!end) {
        return false;
    }
    *end = '\0';
    if (strncmp(line, "launch ", 7) == 0) {
        return add_launch(log, line, *window);
    }
    if (strncmp(line, "row ", 4) == 0) {
        add_row(log, line + 4, *first, (*window)++); // the next row is not about these launches
        return true;
    }
    *window += 1; // a point also begins a window
    *first = strcmp(line, "point") == 0 ? log->launches.count : *first;
    return true;
}

enum status launches_read(struct launch_log *log, const char *path, struct error *error) {
    *log = (struct launch_log){0};
    FILE *file = fopen(path, "r");
    if (!file) {
        return error_set(error, STATUS_FAILED, "%s: cannot be read: %s", path, strerror(errno));
    }
    char *line = NULL;
    size_t size = 0, first = 0, window = 0;
    bool whole = true;
    while (whole && getline(&line, &size, file) > 0) {
        whole = read_line(log, line, &first, &window);
    }
    free(line);
    fclose(file);
    return whole ? STATUS_OK : error_set(error, STATUS_FAILED, "the run under the profiler was cut off");
}

void launches_clear(struct launch_log *log) {
    free(log->launches.at);
    free(log->rows);
    *log = (struct launch_log){0};
}
