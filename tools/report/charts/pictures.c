// Selects the pictures of a chart: one for each device of a file, or one of all devices.
#include "tools/report/charts/pictures.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/arrange.h"
#include "tools/report/charts/columns.h"
#include "tools/report/charts/select.h"
#include "tools/report/charts/words.h"
#include "util/error.h"

// ---- Parts ----

static bool holds_digit(const char *text, size_t length) {
    bool found = false;
    for (size_t i = 0; i < length && !found; i++) {
        found = isdigit((unsigned char)text[i]);
    }
    return found;
}

static bool is_suffix(const char *word, size_t length) {
    static const char *const suffixes[] = {"TI", "SUPER", "XT", "XTX", "GRE", "D", "LAPTOP"};
    bool found = false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !found; i++) {
        found = strlen(suffixes[i]) == length && strncasecmp(suffixes[i], word, length) == 0;
    }
    return found;
}

// "NVIDIA GeForce RTX 3080 Ti" and "NVIDIA RTX 3080 Ti 12GB" are one part, "3080 TI": the names of a measured part and
// of the same part simulated differ a little.
static char *model_of(const char *device) {
    char model[128] = "";
    for (const char *at = device; *at;) {
        size_t length = 0;
        while (isalnum((unsigned char)at[length])) {
            length++;
        }
        const size_t used = strlen(model);
        if (*model ? is_suffix(at, length) : holds_digit(at, length)) {
            snprintf(model + used, sizeof model - used, "%s%.*s", used ? " " : "", (int)length, at);
        }
        at += length + (at[length] != '\0');
    }
    for (char *letter = model; *letter; letter++) {
        *letter = (char)toupper((unsigned char)*letter);
    }
    return memory_format("%s", *model ? model : device);
}

// What a row says about its device.
struct device_fields {
    const char *backend, *device, *arch, *source;
};

char *machine_name(const char *backend, const char *device, const char *arch) {
    if (strcmp(backend, "cpu") == 0) {
        return memory_format("%s", device);
    }
    char *model = model_of(device);
    char *name = memory_format("%.*s %s", (int)strcspn(arch, ":"), arch, model);
    free(model);
    return name;
}

static int vendor_rank(const struct device_fields *fields) {
    return strcmp(fields->backend, "cpu") == 0                                                    ? 3
           : strstr(fields->device, "NVIDIA") || strncmp(fields->arch, "sm_", strlen("sm_")) == 0 ? 1
                                                                                                  : 2;
}

// A chart says that its rows are predicted.
static const char *title_of(struct selection *selection, const char *device) {
    static const char END[] = " (simulated)";
    const size_t length = strlen(device), end = strlen(END);
    if (length < end || strcmp(device + length - end, END) != 0) {
        return device;
    }
    return texts_keep(&selection->texts, device, length - end);
}

static size_t find_part(struct selection *selection, const struct device_fields *fields) {
    char *id = machine_name(fields->backend, fields->device, fields->arch);
    size_t part = 0;
    while (part < selection->part_count && strcmp(selection->parts[part].id, id) != 0) {
        part++;
    }
    if (part == selection->part_count) {
        selection->parts = memory_room(selection->parts, part, sizeof *selection->parts);
        selection->parts[selection->part_count++] =
            (struct machine){.id = keep_text(selection, id), .rank = vendor_rank(fields)};
    }
    struct machine *found = &selection->parts[part];
    if (!found->title || strcmp(fields->source, "measured") == 0) {
        found->title = title_of(selection, fields->device);
        found->arch = fields->arch;
    }
    free(id);
    return part;
}

static void find_parts_of(struct selection *selection, size_t file) {
    const struct table *table = selection->tables[file];
    const size_t backend = table_column(table, "backend"), device = table_column(table, "device"),
                 arch = table_column(table, "arch"), source = table_column(table, "source");
    struct device_fields last = {0};
    size_t part = 0;
    selection->parts_of[file] = memory_zeros(table->row_count, sizeof *selection->parts_of[file]);
    for (size_t row = 0; row < table->row_count; row++) {
        const struct device_fields fields = {table_field(table, row, backend), table_field(table, row, device),
                                             table_field(table, row, arch), table_field(table, row, source)};
        if (memcmp(&fields, &last, sizeof fields) != 0) { // a repeated field is one text
            part = find_part(selection, &fields);
            last = fields;
        }
        selection->parts_of[file][row] = part;
    }
}

static int compare_parts(const void *a, const void *b) {
    const struct machine *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : strcmp(x->title, y->title);
}

// Sorts the devices by vendor and then by name.
static void find_parts(struct selection *selection) {
    selection->parts_of = memory_zeros(selection->table_count, sizeof *selection->parts_of);
    for (size_t i = 0; i < selection->table_count; i++) {
        find_parts_of(selection, i);
    }
    struct names before = {0};
    for (size_t i = 0; i < selection->part_count; i++) {
        names_number(&before, selection->parts[i].id);
    }
    qsort(selection->parts, selection->part_count, sizeof *selection->parts, compare_parts);
    size_t *after = memory_zeros(selection->part_count, sizeof *after);
    for (size_t i = 0; i < selection->part_count; i++) {
        after[names_find(&before, selection->parts[i].id)] = i;
    }
    for (size_t i = 0; i < selection->table_count; i++) {
        for (size_t row = 0; row < selection->tables[i]->row_count; row++) {
            selection->parts_of[i][row] = after[selection->parts_of[i][row]];
        }
    }
    names_clear(&before);
    free(after);
}

// ---- Pictures ----

struct drawing {
    struct selection *selection;
    picture_writer *write;
    void *context;
    struct notes *notes;
};

// "-nvidia-h200" of "NVIDIA H200".
static char *slug_of(const char *title) {
    char *slug = memory_format("-%s", title);
    size_t length = 0;
    for (const char *at = slug; *at; at++) {
        if (isalnum((unsigned char)*at)) {
            slug[length++] = (char)tolower((unsigned char)*at);
        } else if (length == 0 || slug[length - 1] != '-') {
            slug[length++] = '-';
        }
    }
    slug[length] = '\0';
    return slug;
}

// Each series' peak in GB/s, of a measured row if there is one.
static double peak_of(struct selection *selection, size_t series) {
    double peak = 0;
    for (size_t i = 0; i < selection->picked_count; i++) {
        const struct item *item = selection->picked[i];
        const double own = atof(item_value(selection, item, COLUMN_PEAK));
        if (item->series == series && own > 0 && (!(peak > 0) || item->source == MEASURED)) {
            peak = own;
        }
    }
    return peak;
}

static void name_positions(struct picture *picture, const struct selection *selection) {
    picture->names = memory_zeros(selection->x_names.count, sizeof *picture->names);
    picture->bars = selection->bars;
    for (size_t i = 0; i < selection->x_names.count; i++) {
        const size_t position = selection->x_positions[i];
        picture->names[position - 1] =
            memory_format("%s", chart_short_name(selection->chart, selection->x_names.texts[i]));
    }
    picture->name_count = selection->x_names.count;
}

static struct mark mark_of(struct selection *selection, const struct item *item) {
    const size_t rows = selection->chart->rows.count - 1, values = selection->chart->values.count;
    const char **texts = memory_zeros(rows + values, sizeof *texts);
    for (size_t i = 0; i < rows; i++) {
        texts[i] = item_value(selection, item, selection->rows[i]);
    }
    for (size_t i = 0; i < values; i++) {
        texts[rows + i] = item_value(selection, item, selection->values[i]);
    }
    struct mark mark = {.series = item->series,
                        .source = item_origin(selection, item),
                        .file = item->file,
                        .row = item->row,
                        .warnings = item_marks(selection, item),
                        .positions = item->positions,
                        .values = texts,
                        .after_gap = item->after_gap};
    mark.interval = item_interval(selection, item, &mark.low, &mark.high);
    return mark;
}

// "H200, beside others" of a comparison with machines that are only beside the own ones; else it has no subtitle.
static char *beside_text(const struct selection *selection) {
    char *text = memory_format("%s", "");
    for (size_t part = 0; part < selection->part_count && selection->own_table_count < selection->table_count; part++) {
        bool is_own = false;
        for (size_t i = 0; i < selection->picked_count && !is_own; i++) {
            const struct item *item = selection->picked[i];
            is_own = item->part == part && item->file < selection->own_table_count;
        }
        if (is_own) {
            char *title = cut_text(selection->parts[part].title, 45);
            char *joined = memory_format("%s%s%s", text, *text ? ", " : "", title);
            free(title);
            free(text);
            text = joined;
        }
    }
    char *whole = memory_format("%s%s", text, *text ? ", beside others" : "");
    free(text);
    return whole;
}

// The device, and where its figures come from.
static char *subtitle_of(const struct selection *selection, size_t part) {
    if (part == (size_t)NOWHERE) {
        return beside_text(selection);
    }
    const struct machine *own = &selection->parts[part];
    char *sources = sources_text(selection, NOWHERE), *title = cut_text(own->title, 45),
         *arch = cut_text(own->arch, 20);
    char *text = memory_format("%s%s%s%s, %s", title, *arch ? " (" : "", arch, *arch ? ")" : "", sources);
    free(sources);
    free(title);
    free(arch);
    return text;
}

static void write_picture(struct drawing *drawing, size_t part, size_t file, bool is_one_of_several) {
    struct selection *selection = drawing->selection;
    struct picture picture = {.chart = selection->chart,
                              .is_comparison = part == (size_t)NOWHERE,
                              .machine = part == (size_t)NOWHERE ? "" : selection->parts[part].id,
                              .file = file,
                              .suffix =
                                  is_one_of_several ? slug_of(selection->parts[part].title) : memory_format("%s", ""),
                              .subtitle = subtitle_of(selection, part),
                              .settings = settings_text(selection),
                              .left_out = left_out_text(selection),
                              .of_cpu = true,
                              .series_count = selection->series_count,
                              .marks = memory_zeros(selection->picked_count, sizeof *picture.marks),
                              .mark_count = selection->picked_count};
    for (size_t i = 0; i < picture.series_count; i++) {
        picture.series[i] =
            (struct picture_series){selection->series_names[i], series_title(selection, selection->series_names[i]),
                                    sources_text(selection, (long)i), peak_of(selection, i)};
    }
    for (size_t i = 0; i < picture.mark_count; i++) {
        const struct item *item = selection->picked[i];
        picture.marks[i] = mark_of(selection, item);
        picture.of_cpu = picture.of_cpu &&
                         (item->source == PUBLISHED || strcmp(item_value(selection, item, COLUMN_BACKEND), "cpu") == 0);
    }
    if (selection->x_is_name) {
        name_positions(&picture, selection);
    }
    drawing->write(drawing->context, &picture);
    for (size_t i = 0; i < picture.mark_count; i++) {
        free(picture.marks[i].values);
    }
    for (size_t i = 0; i < picture.series_count; i++) {
        free(picture.series[i].title);
        free(picture.series[i].sources);
    }
    for (size_t i = 0; i < picture.name_count; i++) {
        free(picture.names[i]);
    }
    free(picture.names);
    free(picture.marks);
    free(picture.suffix);
    free(picture.subtitle);
    free(picture.settings);
    free(picture.left_out);
}

// ---- Devices ----

static void keep_nothing(struct selection *selection) {
    forget_drops(selection);
    for (size_t i = 0; i < selection->item_count; i++) {
        selection->items[i].is_kept = false;
    }
}

// Selects the rows of one device's picture. Returns whether they are enough to show.
static bool pick(struct drawing *drawing, size_t part, size_t file) {
    struct selection *selection = drawing->selection;
    keep_nothing(selection);
    keep_device(selection, part, file, NULL);
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        item->is_kept = item->is_kept || (item->is_shown && item->source == PUBLISHED);
    }
    return arrange(selection, drawing->notes) >= selection->chart->points;
}

// Another file with predicted rows of the device, if this one has only measured rows: the counts of both are the same.
static size_t file_with_counts(const struct selection *selection, size_t part, size_t file) {
    size_t found = (size_t)NOWHERE;
    for (size_t i = 0; i < selection->item_count && selection->chart->counts_all; i++) {
        const struct item *item = &selection->items[i];
        if (item->is_shown && item->part == part && item->source == PREDICTED && !item->is_carried) {
            found = item->file;
            if (found == file) {
                return (size_t)NOWHERE;
            }
        }
    }
    return found;
}

// Whether the chart is for the backends of this file at all.
static bool is_for_file(const struct selection *selection, size_t file) {
    const struct table *table = selection->tables[file];
    const size_t backend = table_column(table, "backend");
    const struct key_choices *where = &selection->chart->where;
    for (size_t i = 0; i < where->count; i++) {
        if (strcmp(where->choices[i].name, "backend") == 0) {
            bool found = false;
            for (size_t row = 0; row < table->row_count && !found; row++) {
                const char *name = table_field(table, row, backend);
                found = !*name || words_have(&where->choices[i].members, name);
            }
            return found;
        }
    }
    return true;
}

static void say_too_few(struct drawing *drawing, const char *path) {
    const struct selection *selection = drawing->selection;
    const struct chart *chart = selection->chart;
    char *what = selection->own_count > 0 ? memory_format("fewer than %zu values of %s in the rows", chart->points,
                                                          column_name(selection, selection->x))
                                          : memory_format("no rows");
    notes_add(
        drawing->notes, chart,
        memory_format("is left out: %s of %s with %s in %s", what, chart->variants, chart->values.words[0], path));
    free(what);
}

static char *folder_name(const char *path) {
    const char *end = strrchr(path, '/');
    const char *start = end ? memrchr(path, '/', (size_t)(end - path)) : NULL;
    start = start ? start + 1 : path;
    return end ? memory_text(start, (size_t)(end - start)) : memory_format(".");
}

static void draw_devices(struct drawing *drawing, size_t file) {
    struct selection *selection = drawing->selection;
    const struct table *table = selection->tables[file];
    bool *is_own = memory_zeros(selection->part_count, sizeof *is_own), found = false;
    size_t own = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        own += !is_own[selection->parts_of[file][row]];
        is_own[selection->parts_of[file][row]] = true;
    }
    selection->own_count = 0;
    for (size_t part = 0; part < selection->part_count; part++) {
        const size_t twin = is_own[part] ? file_with_counts(selection, part, file) : (size_t)NOWHERE;
        if (twin != (size_t)NOWHERE) {
            char *folder = folder_name(table->path), *other = folder_name(selection->tables[twin]->path);
            notes_add(drawing->notes, selection->chart,
                      memory_format("is left out in %s: it shows counts, which %s has", folder, other));
            free(folder);
            free(other);
            found = true;
        } else if (is_own[part] && pick(drawing, part, file)) {
            write_picture(drawing, part, file, own > 1);
            found = true;
        }
    }
    if (!found && is_for_file(selection, file)) {
        say_too_few(drawing, table->path);
    }
    free(is_own);
}

// Leaves out devices whose rows are too few for a line.
static void drop_short_lines(struct selection *selection) {
    struct names xs = {0}, series = {0};
    size_t *counts = memory_zeros(selection->item_count, sizeof *counts);
    for (size_t i = 0; i < selection->item_count; i++) {
        const struct item *item = &selection->items[i];
        if (item->is_kept) {
            const char *name = item_series(selection, item);
            char key[ROW_KEY];
            snprintf(key, sizeof key, "%s\t%s", name, item_value(selection, item, selection->x));
            const size_t number = names_number(&series, name), before = xs.count;
            names_number(&xs, key);
            counts[number] += xs.count - before;
        }
    }
    for (size_t i = 0; i < selection->item_count; i++) {
        struct item *item = &selection->items[i];
        if (item->is_kept && counts[names_find(&series, item_series(selection, item))] < selection->chart->points) {
            item->is_kept = false;
            drop(selection, item, "device");
        }
    }
    names_clear(&xs);
    names_clear(&series);
    free(counts);
}

// Whether the picture has a row that is not only beside the others.
static bool shows_own(const struct selection *selection) {
    bool found = false;
    for (size_t i = 0; i < selection->picked_count && !found; i++) {
        found = selection->picked[i]->file < selection->own_table_count;
    }
    return found;
}

static void draw_comparison(struct drawing *drawing) {
    struct selection *selection = drawing->selection;
    const struct chart *chart = selection->chart;
    if (selection->part_count < 2) {
        return;
    }
    keep_nothing(selection);
    keep_all_devices(selection);
    drop_short_lines(selection);
    arrange(selection, drawing->notes);
    if (selection->series_found >= 2 && shows_own(selection)) {
        write_picture(drawing, (size_t)NOWHERE, 0, false);
        return;
    }
    bool is_for_own = false;
    for (size_t file = 0; file < selection->own_table_count && !is_for_own; file++) {
        is_for_own = is_for_file(selection, file);
    }
    if (!is_for_own) {
        return;
    }
    char *points = chart->points > 1
                       ? memory_format("%zu values of %s in the ", chart->points, column_name(selection, selection->x))
                       : memory_format("%s", "");
    notes_add(drawing->notes, chart,
              memory_format("is left out: %s %srows of %s with %s",
                            selection->series_found < 2 ? "fewer than two devices have" : "no device of the folder has",
                            points, chart->variants, chart->values.words[0]));
    free(points);
}

void chart_pictures(const struct chart *chart, const struct table *const *tables, size_t table_count, size_t own_count,
                    const struct table *published, picture_writer *write, void *context, struct notes *notes) {
    struct selection selection = {.chart = chart,
                                  .tables = tables,
                                  .table_count = table_count,
                                  .own_table_count = own_count,
                                  .published = published};
    struct drawing drawing = {&selection, write, context, notes};
    struct words scopes = words_split(chart->scope, " ");
    find_parts(&selection);
    select_rows(&selection);
    for (size_t i = 0; i < scopes.count; i++) {
        if (strcmp(scopes.words[i], "compare") == 0) {
            draw_comparison(&drawing);
        } else {
            for (size_t file = 0; file < own_count; file++) {
                draw_devices(&drawing, file);
            }
        }
    }
    words_clear(&scopes);
    forget_drops(&selection);
    names_clear(&selection.x_names);
    free(selection.x_positions);
    free(selection.picked);
    for (size_t i = 0; i < table_count; i++) {
        free(selection.parts_of[i]);
    }
    free(selection.parts_of);
    free(selection.parts);
    forget_rows(&selection);
}
