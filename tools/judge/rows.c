#include "tools/judge/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"
#include "util/csv.h"
#include "util/error.h"

enum {
    SEPARATOR = '\x1f', // between the columns of a key
    KEY_SIZE_FIRST = 512
};

// Columns besides those that say what was run.
enum own_column {
    DEVICE,
    SOURCE,
    VERIFIED,
    VERDICT,
    OWN_COLUMNS
};
static const char *const own_columns[OWN_COLUMNS] = {"device", "source", "verified", "verdict"};

// An open file, and where its columns are; one that it lacks is at the number of its columns.
struct file {
    struct csv_reader reader;
    size_t own[OWN_COLUMNS];
    size_t figures[FIGURES];
    size_t *keys;       // of each key column
    enum figure figure; // of the present row
    double value;
    char *key; // of the present row
    size_t key_length, key_capacity;
};

static const char *own_text(const struct file *file, enum own_column column) {
    return csv_reader_field(&file->reader, file->own[column]);
}

// Of a column that says what was run.
static const char *key_text(const struct file *file, const char *name) {
    return csv_reader_field(&file->reader, file->keys[key_column_find(name) - key_columns]);
}

// The figure that the row is judged by; false: it has none.
static bool find_figure(struct file *file) {
    for (file->figure = 0; file->figure < FIGURES; file->figure++) {
        file->value = strtod(csv_reader_field(&file->reader, file->figures[file->figure]), NULL);
        if (file->value > 0 && file->value < HUGE_VAL) {
            return true;
        }
    }
    return false;
}

static void close_file(struct file *file) {
    csv_reader_close(&file->reader);
    free(file->keys);
    free(file->key);
}

static enum status read_header(struct file *file, struct error *error) {
    const struct csv_reader *header = &file->reader;
    TRY(csv_reader_header(&file->reader, NULL, NULL, error));
    for (size_t i = 0; i < OWN_COLUMNS; i++) {
        file->own[i] = csv_reader_column(header, own_columns[i]);
    }
    bool has_figure = false;
    for (size_t i = 0; i < FIGURES; i++) {
        file->figures[i] = csv_reader_column(header, figure_kinds[i].column);
        has_figure |= file->figures[i] < header->columns;
    }
    file->keys = memory_zeros(key_column_count, sizeof *file->keys);
    for (size_t i = 0; i < key_column_count; i++) {
        file->keys[i] = csv_reader_column(header, key_columns[i].name);
    }
    return csv_reader_column(header, "probe") < header->columns && has_figure
               ? csv_reader_check_header(header, error)
               : error_set(error, STATUS_USAGE, "%s: it has no rows of bankshot's", header->path);
}

// Reads the next row that was measured.
static enum status next_row(struct file *file, bool *found, struct error *error) {
    do {
        TRY(csv_reader_next(&file->reader, found, error));
    } while (*found && (!find_figure(file) || strcmp(own_text(file, SOURCE), "predicted") == 0 ||
                        strcmp(own_text(file, SOURCE), "simulated") == 0));
    return STATUS_OK;
}

// ---- Keys ----

static void append(struct file *file, const char *text) {
    const size_t length = strlen(text);
    if (file->key_length + length + 2 > file->key_capacity) {
        file->key_capacity = 2 * (file->key_length + length) + KEY_SIZE_FIRST;
        file->key = realloc(file->key, file->key_capacity);
        if (!file->key) {
            memory_end();
        }
    }
    memcpy(file->key + file->key_length, text, length);
    file->key_length += length;
    file->key[file->key_length++] = SEPARATOR;
    file->key[file->key_length] = '\0';
}

// Returns where the part begins that says what was run.
static size_t make_key(struct file *file) {
    file->key_length = 0;
    append(file, own_text(file, DEVICE));
    const size_t work_at = file->key_length;
    for (size_t i = 0; i < key_column_count; i++) {
        append(file, csv_reader_field(&file->reader, file->keys[i]));
    }
    append(file, figure_kinds[file->figure].column);
    return work_at;
}

// "gmem copy, width_bytes 16, stride 2", to be freed.
static char *make_name(const struct file *file) {
    static const char *const shown[] = {"op",       "width_bytes", "stride", "footprint_bytes",
                                        "vertices", "from",        "to",     "direction"};
    const char *probe = key_text(file, "probe"), *variant = key_text(file, "variant");
    const char *kernel = key_text(file, "kernel");
    struct written name;
    FILE *out = memory_stream(&name);
    fprintf(out, "%s %s", probe, variant);
    if (*kernel && strcmp(kernel, "all") != 0) {
        fprintf(out, " %s", kernel);
    }
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *column = shown[i], *text = key_text(file, column);
        const bool is_op = strcmp(column, "op") == 0;
        const bool follows =
            strcmp(column, "footprint_bytes") == 0 && strcmp(probe, "levels") != 0 && strcmp(probe, "links") != 0;
        if (*text && !(is_op && strcmp(text, variant) == 0) && !follows) {
            const bool plain = is_op || strcmp(column, "direction") == 0;
            fprintf(out, ", %s%s%s", plain ? "" : column, plain ? "" : " ", text);
        }
    }
    return memory_stream_end(&name);
}

// ---- Files ----

static void note_fault(struct rows *rows, uint32_t gpu, const struct file *file, const char *what) {
    fleet_fault(&rows->fleet->gpus[gpu], text_join(make_name(file), ": ", memory_copy(what)));
}

static enum status add_row(struct rows *rows, uint32_t gpu, struct file *file, struct error *error) {
    struct fleet_gpu *known = &rows->fleet->gpus[gpu];
    const size_t work_at = make_key(file);
    const struct record record = {.group = store_group(rows->store, file->key, work_at, file->figure),
                                  .gpu = gpu,
                                  .cost = store_value(file->figure, file->value),
                                  .earlier = rows->earlier != NULL};
    struct group *group = &rows->store->groups[record.group];
    group->name = group->name ? group->name : make_name(file);
    if (!rows->earlier) {
        const char *model = own_text(file, DEVICE);
        if (!known->model || strcmp(known->model, model) != 0) {
            known->model = texts_copy(&rows->fleet->texts, model);
        }
        if (strcmp(own_text(file, VERIFIED), "no") == 0) {
            note_fault(rows, gpu, file, "wrong result");
        }
        if (strstr(own_text(file, VERDICT), "throttled") && !known->throttled) {
            known->throttled = true;
            note_fault(rows, gpu, file, "throttled");
        }
        rows->count++;
    }
    return store_add(rows->store, &record, error);
}

enum status rows_read(void *context, uint32_t gpu, const char *path, struct error *error) {
    struct rows *rows = context;
    struct file file = {.key = NULL};
    struct error fault = {0};
    bool found = true;
    if (rows->earlier) {
        const struct fleet_gpu *before = &rows->earlier->gpus[gpu];
        gpu = (uint32_t)fleet_find(rows->fleet, before->host, before->name);
        if (gpu == rows->fleet->count) {
            return STATUS_OK; // it is gone
        }
    }
    enum status status = csv_reader_open(&file.reader, path, &fault);
    THEN(status, read_header(&file, &fault));
    while (status == STATUS_OK && (status = next_row(&file, &found, &fault)) == STATUS_OK && found) {
        const enum status added = add_row(rows, gpu, &file, error);
        if (added != STATUS_OK) {
            close_file(&file);
            return added;
        }
    }
    if (status != STATUS_OK && !rows->earlier) {
        fleet_fault(&rows->fleet->gpus[gpu], memory_copy(fault.text));
    }
    error_clear(&fault);
    close_file(&file);
    return STATUS_OK;
}

// A reference has some hundred rows.
static void set_reference(struct store *store, const char *work, double cost) {
    for (uint32_t i = 0; i < store->count; i++) {
        if (strcmp(store->groups[i].work, work) == 0) {
            store->groups[i].reference = cost;
        }
    }
}

enum status rows_read_reference(struct store *store, const char *path, struct error *error) {
    struct file file = {.key = NULL};
    enum status status = STATUS_OK;
    TRY(csv_reader_open(&file.reader, path, error));
    bool found = read_header(&file, NULL) == STATUS_OK; // another file, such as a peer's, has no rows to compare with
    while (found && status == STATUS_OK && (status = next_row(&file, &found, error)) == STATUS_OK && found) {
        const size_t work_at = make_key(&file);
        set_reference(store, file.key + work_at, store_value(file.figure, file.value));
    }
    close_file(&file);
    return status;
}
