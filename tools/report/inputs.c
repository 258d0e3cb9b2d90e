#include "tools/report/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/csv.h"

static bool same_file(const char *a, const char *b) {
    struct stat at_a, at_b;
    return stat(a, &at_a) == 0 && stat(b, &at_b) == 0 && at_a.st_dev == at_b.st_dev && at_a.st_ino == at_b.st_ino;
}

static bool was_read(const struct inputs *inputs, const char *path) {
    bool found = false;
    for (size_t i = 0; i < inputs->count && !found; i++) {
        found = same_file(inputs->tables[i].path, path);
    }
    return found;
}

// Keeps a table that has rows, unless it was read before.
static enum status read_file(void *context, const char *path, bool *foreign, struct error *error) {
    struct inputs *inputs = context;
    *foreign = false;
    if (was_read(inputs, path)) {
        inputs->repeated++;
        return STATUS_OK;
    }
    const char *kept = texts_copy(&inputs->paths, path);
    inputs->tables = memory_room(inputs->tables, inputs->count, sizeof *inputs->tables);
    struct table *table = &inputs->tables[inputs->count];
    const enum status status = table_read(table, kept, ROWS_MAX - inputs->rows, foreign, error);
    if (status == STATUS_OK && table->row_count > 0) {
        inputs->count++;
        inputs->rows += table->row_count;
    } else {
        table_clear(table);
    }
    return status;
}

static enum status read_path(struct inputs *inputs, const char *path, struct error *error) {
    const size_t before = inputs->count + inputs->repeated;
    size_t foreign;
    TRY(csv_files_read(path, read_file, inputs, &foreign, error));
    if (inputs->count + inputs->repeated == before) {
        return error_set(error, STATUS_USAGE, "%s: there is no row in it to show: run a probe with --csv first", path);
    }
    return STATUS_OK;
}

enum status inputs_read(struct inputs *inputs, const char *const *paths, size_t count, struct error *error) {
    for (size_t i = 0; i < count; i++) {
        TRY(read_path(inputs, paths[i], error));
    }
    return STATUS_OK;
}

void inputs_clear(struct inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++) {
        table_clear(&inputs->tables[i]);
    }
    free(inputs->tables);
    texts_clear(&inputs->paths);
    *inputs = (struct inputs){0};
}

const char *table_probe(const struct table *table) {
    return table_text(table, 0, "probe");
}
