#include "tools/report/charts/pictures.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/statistics.h"

// ---- Arrangement ----

// The order of a picture's series and rows, the positions of an x that is not a number, and where lines end.

static const double GAP =
    2.5; // so that a single row may lack, also where steps differ as those of 4, 5, 6, 7 and 8 KiB do

// ---- Notes ----

// Takes the text.
static void notes_add(struct notes *notes, const struct chart *chart, const struct table *table, char *text) {
    notes->notes = memory_room(notes->notes, notes->count, sizeof *notes->notes);
    notes->notes[notes->count++] = (struct note){chart->name, text, table};
}

void notes_clear(struct notes *notes) {
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->notes[i].text);
    }
    free(notes->notes);
    *notes = (struct notes){0};
}

// ---- Positions ----

// Gives the name the position after `behind`, which is 0 for the first one.
static void insert_position(struct selection *selection, size_t name, size_t behind) {
    for (size_t i = 0; i < selection->x_names.count; i++) {
        selection->x_positions[i] += selection->x_positions[i] > behind;
    }
    selection->x_positions[name] = behind + 1;
    selection->bars++;
}

// If some x is not a number, gives all of them positions in the order of the files. Yardsticks come last.
static void find_positions(struct selection *selection) {
    const struct item *last = NULL;
    size_t behind = 0;
    names_clear(&selection->x_names);
    free(selection->x_positions);
    selection->x_positions = NULL;
    selection->x_is_name = false;
    selection->bars = 0;
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        selection->x_is_name =
            selection->x_is_name || (item->is_kept && !is_number_text(item_value(selection, item, selection->x)));
    }
    if (!selection->x_is_name) {
        return;
    }
    selection->x_positions =
        memory_zeros(selection->item_count + selection->chart->yardsticks.count, sizeof *selection->x_positions);
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        const char *x = item->is_kept ? item_value(selection, item, selection->x) : "";
        if (item->is_kept && item->source != PUBLISHED && !words_have(&selection->chart->yardsticks, x)) {
            behind = last && item->file == last->file && item->part == last->part ? behind : 0;
            const size_t name = names_number(&selection->x_names, x);
            if (selection->x_positions[name] == 0) {
                insert_position(selection, name, behind);
            }
            behind = selection->x_positions[name];
            last = item;
        }
    }
    for (size_t i = 0; i < selection->chart->yardsticks.count; i++) {
        const size_t name = names_number(&selection->x_names, selection->chart->yardsticks.words[i]);
        selection->x_positions[name] = selection->bars + i + 1;
    }
}

// A row's x, as a position or as the number; NAN if it has none.
static double x_of(struct selection *selection, const struct item *item) {
    const char *text = item_value(selection, item, selection->x);
    if (!selection->x_is_name) {
        return atof(text);
    }
    const size_t name = names_find(&selection->x_names, text);
    return name < selection->x_names.count ? (double)selection->x_positions[name] : NAN;
}

// ---- Series ----

struct ranked {
    const char *name;
    char *rank;
};

static int compare_ranks(const void *a, const void *b) {
    return strcmp(((const struct ranked *)a)->rank, ((const struct ranked *)b)->rank);
}

// Groups come as the chart lists them, devices by vendor and name, variants as the file has them, anything else by
// value.
static char *rank_of(const struct selection *selection, const char *name, size_t found) {
    const struct chart *chart = selection->chart;
    double number = atof(name);
    if (strcmp(chart->series, "device") == 0) {
        for (size_t i = 0; i < selection->part_count; i++) {
            if (strcmp(selection->parts[i].id, name) == 0) {
                return memory_format("%020.6f", (double)i);
            }
        }
    }
    bool is_group = false;
    for (size_t i = 0; i < chart->groups.count; i++) {
        if (strcmp(chart->groups.choices[i].name, name) == 0) {
            number = (double)i;
            is_group = true;
        }
    }
    if (strcmp(chart->series, "variant") == 0 && !is_group) {
        number = (double)found;
        is_group = true;
    }
    return is_group || number > 0 || number < 0 ? memory_format("%020.6f", number) : memory_copy(name);
}

static void order_series(struct selection *selection, const struct names *found, struct notes *notes) {
    struct ranked *ranked = memory_zeros(found->count, sizeof *ranked);
    for (size_t i = 0; i < found->count; i++) {
        ranked[i] = (struct ranked){found->texts[i], rank_of(selection, found->texts[i], i)};
    }
    qsort(ranked, found->count, sizeof *ranked, compare_ranks);
    selection->series_found = found->count;
    selection->series_count = found->count < SERIES_MAX ? found->count : SERIES_MAX;
    for (size_t i = 0; i < found->count; i++) {
        if (i < selection->series_count) {
            selection->series_names[i] = texts_copy(&selection->texts, ranked[i].name);
        }
        free(ranked[i].rank);
    }
    free(ranked);
    if (found->count > SERIES_MAX) {
        notes_add(notes, selection->chart, NULL,
                  memory_format("shows the first %d of %zu: the %s column has too many values", SERIES_MAX,
                                found->count, selection->chart->series));
    }
}

// The series of a row, counted from 0; series_count if it is beyond what is shown.
static size_t series_of(struct selection *selection, const struct item *item) {
    const char *name = item_series(selection, item);
    size_t i = 0;
    while (i < selection->series_count && strcmp(selection->series_names[i], name) != 0) {
        i++;
    }
    return i;
}

// ---- Gaps ----

// The shorter of the steps beside the i-th.
static double beside(const double *steps, size_t count, size_t i) {
    return i == 0 || (i + 1 < count && steps[i + 1] < steps[i - 1]) ? steps[i + 1] : steps[i - 1];
}

// Where a line over a sweep must not run on, because rows lack: one would read the figures between as computed. Sweeps
// go by sums or by factors, so a gap is long as a difference and as a factor. It is long beside the shorter of its
// neighbours and, as a factor, beside the usual one. So a sparse stretch stays a line.
static void find_gaps_of(struct item **members, size_t count) {
    double *differences = memory_zeros(count, sizeof *differences), *factors = memory_zeros(count, sizeof *factors);
    double *sorted = memory_zeros(count, sizeof *sorted);
    struct item **behind = memory_zeros(count, sizeof *behind);
    size_t steps = 0;
    for (size_t i = 1; i < count; i++) {
        const double from = members[i - 1]->positions[0], to = members[i]->positions[0];
        if (to > from) {
            behind[steps] = members[i];
            differences[steps] = to - from;
            factors[steps++] = from > 0 ? log2(to / from) : 1e9;
        }
    }
    for (size_t i = 0; i < steps; i++) {
        sorted[i] = factors[i];
    }
    qsort(sorted, steps, sizeof *sorted, by_value);
    for (size_t i = 0; i < steps && steps > 1; i++) {
        behind[i]->after_gap = factors[i] > GAP * sorted[(steps + 1) / 2 - 1] &&
                               factors[i] > GAP * beside(factors, steps, i) &&
                               differences[i] > GAP * beside(differences, steps, i);
    }
    free(differences);
    free(factors);
    free(sorted);
    free(behind);
}

// Bandwidths on the x axis are no sweep.
static void find_gaps(struct selection *selection, struct item **picked) {
    const char *x = column_name(selection, selection->x);
    const size_t length = strlen(x);
    const bool is_sweep = !selection->x_is_name && selection->chart->rows.count == 1 &&
                          !(length > 5 && strcmp(x + length - 5, "_gb_s") == 0);
    struct item **line = memory_zeros(selection->picked_count, sizeof *line);
    for (size_t i = 0; i < selection->picked_count; i++) {
        picked[i]->after_gap = false;
    }
    for (size_t series = 0; series < selection->series_count && is_sweep; series++) {
        for (enum source source = MEASURED; source < SOURCES; source++) {
            size_t count = 0;
            for (size_t i = 0; i < selection->picked_count; i++) {
                if (picked[i]->series == series && picked[i]->origin == source) {
                    line[count++] = picked[i];
                }
            }
            find_gaps_of(line, count);
        }
    }
    free(line);
}

// ---- The picture ----

static int compare_items(const void *a, const void *b) {
    const struct item *x = *(struct item *const *)a, *y = *(struct item *const *)b;
    if (x->series != y->series) {
        return x->series < y->series ? -1 : 1;
    }
    for (size_t i = 0; i < POSITIONS_MAX; i++) {
        const int order = by_value(&x->positions[i], &y->positions[i]);
        if (order != 0) {
            return order;
        }
    }
    return x < y ? -1 : x > y; // the order of the files
}

static void place(struct selection *selection, struct item *item) {
    const size_t last = selection->chart->rows.count - 1;
    memset(item->positions, 0, sizeof item->positions);
    for (size_t i = 0; i < last; i++) {
        item->positions[i] = atof(item_value(selection, item, selection->rows[i]));
    }
    item->positions[last] = x_of(selection, item);
    item->series = series_of(selection, item);
}

// Leaves out rows without a value or without a place, such as a published figure of a variant that this device did not
// run. Counts the different x of the others and names their series.
static size_t count_kept(struct selection *selection, struct names *series) {
    struct names xs = {0};
    selection->own_count = 0;
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        const double x = item->is_kept ? x_of(selection, item) : NAN;
        item->is_kept = !isnan(x);
        if (item->is_kept) {
            names_number(series, item_series(selection, item));
        }
        if (item->is_kept && item->source != PUBLISHED &&
            chart_is_about(selection->chart, item_text(item, "variant"))) {
            char text[32];
            snprintf(text, sizeof text, "%.17g", x);
            names_number(&xs, text);
            selection->own_count++;
        }
    }
    const size_t different = xs.count;
    names_clear(&xs);
    return different;
}

// Orders the rows that are kept. Returns how many different x they have, without those of published rows and
// yardsticks.
static size_t arrange(struct selection *selection, struct notes *notes) {
    struct names series = {0};
    find_references(selection);
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        item->is_kept = item->is_kept && *item_value(selection, item, selection->y);
    }
    find_positions(selection);
    const size_t different = count_kept(selection, &series);
    order_series(selection, &series, notes);
    names_clear(&series);
    struct item **picked = memory_zeros(selection->item_count, sizeof *picked);
    selection->picked_count = 0;
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_kept) {
            place(selection, item);
        }
        if (item->is_kept && item->series < selection->series_count) {
            picked[selection->picked_count++] = item;
        }
    }
    qsort(picked, selection->picked_count, sizeof *picked, compare_items);
    find_gaps(selection, picked);
    free(selection->picked);
    selection->picked = picked;
    return different;
}

// Selects the pictures of a chart: one for each device of a file, or one of all devices.

// ---- Parts ----

// "NVIDIA GeForce RTX 3080 Ti" and "NVIDIA RTX 3080 Ti 12GB" are one part, "3080 TI": the names of a measured part and
// of the same part simulated differ a little.
static char *model_of(const char *device) {
    static const char SUFFIXES[] = "TI SUPER XT XTX GRE D LAPTOP";
    char *words = memory_copy(device), *rest = NULL, *model = NULL;
    for (char *letter = words; *letter; letter++) {
        *letter = isalnum((unsigned char)*letter) ? (char)toupper((unsigned char)*letter) : ' ';
    }
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (model ? list_place(SUFFIXES, ' ', word) >= 0 : strpbrk(word, "0123456789") != NULL) {
            model = text_join(model, " ", memory_copy(word));
        }
    }
    free(words);
    return model ? model : memory_copy(device);
}

// What a row says about its device.
struct device_fields {
    const char *backend, *device, *arch, *source;
};

char *machine_name(const char *backend, const char *device, const char *arch) {
    if (strcmp(backend, "cpu") == 0) {
        return memory_copy(device);
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
            (struct machine){.id = texts_copy(&selection->texts, id), .rank = vendor_rank(fields), .found = part};
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
    qsort(selection->parts, selection->part_count, sizeof *selection->parts, compare_parts);
    size_t *after = memory_zeros(selection->part_count, sizeof *after);
    for (size_t i = 0; i < selection->part_count; i++) {
        after[selection->parts[i].found] = i;
    }
    for (size_t i = 0; i < selection->table_count; i++) {
        for (size_t row = 0; row < selection->tables[i]->row_count; row++) {
            selection->parts_of[i][row] = after[selection->parts_of[i][row]];
        }
    }
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
static const char *slug_of(struct selection *selection, const char *title) {
    char *slug = memory_format("-%s", title);
    size_t length = 0;
    for (const char *at = slug; *at; at++) {
        if (isalnum((unsigned char)*at)) {
            slug[length++] = (char)tolower((unsigned char)*at);
        } else if (length == 0 || slug[length - 1] != '-') {
            slug[length++] = '-';
        }
    }
    const char *kept = texts_keep(&selection->texts, slug, length);
    free(slug);
    return kept;
}

// Each series' peak in GB/s, of a measured row if there is one. The lowest is the memory's: a predicted row that a
// cache serves has the cache's rate.
static double peak_of(struct selection *selection, size_t series) {
    double peak = 0;
    bool is_measured = false;
    for (size_t i = 0; i < selection->picked_count; i++) {
        const struct item *item = selection->picked[i];
        const double own = atof(item_text(item, "peak_gb_s"));
        const bool measured = item->source == MEASURED;
        const bool is_lower = measured == is_measured && own < peak;
        if (item->series == series && own > 0 && (!(peak > 0) || (measured && !is_measured) || is_lower)) {
            is_measured = measured;
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
        picture->names[position - 1] = chart_short_name(selection->chart, selection->x_names.texts[i]);
    }
    picture->name_count = selection->x_names.count;
}

// "H200, beside others" of a comparison with machines that are only beside the own ones; else it has no subtitle.
static const char *beside_text(struct selection *selection) {
    const char *text = "";
    for (size_t part = 0; part < selection->part_count && selection->own_table_count < selection->table_count; part++) {
        bool is_own = false;
        for (size_t i = 0; i < selection->picked_count && !is_own; i++) {
            const struct item *item = selection->picked[i];
            is_own = item->part == part && item->file < selection->own_table_count;
        }
        if (is_own) {
            text = text_and(selection, text, ", ", cut_text(&selection->texts, selection->parts[part].title, 45));
        }
    }
    return *text ? text_and(selection, text, ", ", "beside others") : text;
}

// The device, and where its figures come from.
static const char *subtitle_of(struct selection *selection, size_t part) {
    struct texts *texts = &selection->texts;
    if (part == (size_t)NOWHERE) {
        return beside_text(selection);
    }
    const char *title = cut_text(texts, selection->parts[part].title, 45);
    const char *arch = cut_text(texts, selection->parts[part].arch, 20);
    return texts_format(texts, "%s%s%s%s, %s", title, *arch ? " (" : "", arch, *arch ? ")" : "",
                        sources_text(selection, NOWHERE));
}

static void write_picture(struct drawing *drawing, size_t part, size_t file, bool is_one_of_several) {
    struct selection *selection = drawing->selection;
    struct picture picture = {.chart = selection->chart,
                              .is_comparison = part == (size_t)NOWHERE,
                              .machine = part == (size_t)NOWHERE ? "" : selection->parts[part].id,
                              .file = file,
                              .suffix = is_one_of_several ? slug_of(selection, selection->parts[part].title) : "",
                              .subtitle = subtitle_of(selection, part),
                              .settings = settings_text(selection),
                              .left_out = left_out_text(selection),
                              .of_cpu = true,
                              .series_count = selection->series_count,
                              .marks = selection->picked,
                              .mark_count = selection->picked_count,
                              .rows = selection->rows,
                              .values = selection->values};
    for (size_t i = 0; i < picture.series_count; i++) {
        picture.series[i] =
            (struct picture_series){selection->series_names[i], series_title(selection, selection->series_names[i]),
                                    sources_text(selection, (long)i), peak_of(selection, i)};
    }
    for (size_t i = 0; i < picture.mark_count; i++) {
        struct item *item = selection->picked[i];
        item_describe(selection, item);
        picture.of_cpu =
            picture.of_cpu && (item->source == PUBLISHED || strcmp(item_text(item, "backend"), "cpu") == 0);
    }
    if (selection->x_is_name) {
        name_positions(&picture, selection);
    }
    drawing->write(drawing->context, &picture);
    free(picture.names);
}

// ---- Devices ----

static void keep_nothing(struct selection *selection) {
    forget_drops(selection);
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        item->is_kept = false;
    }
}

// Selects the rows of one device's picture. Returns whether they are enough to show.
static bool pick(struct drawing *drawing, size_t part, size_t file) {
    struct selection *selection = drawing->selection;
    keep_nothing(selection);
    keep_device(selection, part, file, NULL);
    for (struct item *item = selection->items; item < items_end(selection); item++) {
        item->is_kept = item->is_kept || (item->is_shown && item->source == PUBLISHED);
    }
    return arrange(selection, drawing->notes) >= selection->chart->points;
}

// Another file with predicted rows of the device, if this one has only measured rows: the counts of both are the same.
static size_t file_with_counts(const struct selection *selection, size_t part, size_t file) {
    size_t found = (size_t)NOWHERE;
    for (const struct item *item = selection->items; item < items_end(selection) && selection->chart->counts_all;
         item++) {
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
                found = !*name || list_place(where->choices[i].members, '|', name) >= 0;
            }
            return found;
        }
    }
    return true;
}

static void say_too_few(struct drawing *drawing, const struct table *table) {
    struct selection *selection = drawing->selection;
    const struct chart *chart = selection->chart;
    const char *what = selection->own_count > 0
                           ? texts_format(&selection->texts, "fewer than %zu values of %s in the rows", chart->points,
                                          column_name(selection, selection->x))
                           : "no rows";
    notes_add(drawing->notes, chart, table,
              memory_format("is left out: %s of %s with %s in %s", what, chart->variants, chart->values.words[0],
                            table->path));
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
            const char *folder = folder_name(selection, table->path);
            const char *other = folder_name(selection, selection->tables[twin]->path);
            notes_add(drawing->notes, selection->chart, NULL,
                      memory_format("is left out in %s: it shows counts, which %s has", folder, other));
            found = true;
        } else if (is_own[part] && pick(drawing, part, file)) {
            write_picture(drawing, part, file, own > 1);
            found = true;
        }
    }
    if (!found && is_for_file(selection, file)) {
        say_too_few(drawing, table);
    }
    free(is_own);
}

// Leaves out devices whose rows are too few for a line.
static void drop_short_lines(struct selection *selection) {
    struct names xs = {0}, series = {0};
    size_t *counts = memory_zeros(selection->item_count, sizeof *counts);
    for (const struct item *item = selection->items; item < items_end(selection); item++) {
        if (item->is_kept) {
            const char *name = item_series(selection, item);
            char key[ROW_KEY];
            snprintf(key, sizeof key, "%s\t%s", name, item_value(selection, item, selection->x));
            const size_t number = names_number(&series, name), before = xs.count;
            names_number(&xs, key);
            counts[number] += xs.count - before;
        }
    }
    for (struct item *item = selection->items; item < items_end(selection); item++) {
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
    const char *points = chart->points > 1 ? texts_format(&selection->texts, "%zu values of %s in the ", chart->points,
                                                          column_name(selection, selection->x))
                                           : "";
    notes_add(drawing->notes, chart, NULL,
              memory_format("is left out: %s %srows of %s with %s",
                            selection->series_found < 2 ? "fewer than two devices have" : "no device of the folder has",
                            points, chart->variants, chart->values.words[0]));
}

void chart_pictures(const struct chart *chart, const struct table *const *tables, size_t table_count, size_t own_count,
                    picture_writer *write, void *context, struct notes *notes) {
    struct table published;
    const bool has_published = charts_published(chart->published, &published);
    struct selection selection = {.chart = chart,
                                  .tables = tables,
                                  .table_count = table_count,
                                  .own_table_count = own_count,
                                  .published = has_published ? &published : NULL};
    struct drawing drawing = {&selection, write, context, notes};
    struct words scopes = words_split(&selection.texts, chart->scope, " ");
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
    free(scopes.words);
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
    if (has_published) {
        table_clear(&published);
    }
}
