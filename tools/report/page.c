#include "tools/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/explain.h"
#include "bench/keys.h"
#include "bench/parts_table.h"
#include "bench/row.h"
#include "tools/report/charts/chart.h"
#include "tools/report/charts/json.h"
#include "tools/report/charts/pictures.h"
#include "tools/report/parts.h"
#include "util/error.h"
#include "util/text.h"
#include "util/version.h"

// ---- The headline ----

// The figures that say most about a device.

struct headline_figure {
    const char *name, *meaning, *unit, *probe;
    const char *variants;   // "copy|stride-copy"; "!A|B" is all but these
    const char *conditions; // "stride=1 op=load", empty fields fit, too
    const char *value;      // the column, or "A|B": the first that is not empty
    const char *peak;       // the column of what the value can at most be; NULL: nothing bounds it
    const char *rank;       // the row with the largest number in this column is taken
};

// A rank of window_bytes or footprint_bytes finds what no cache holds.
static const struct headline_figure figures[] = {
    {"copy in memory", "the fastest contiguous copy, bytes read and written", "GB/s", "gmem", "copy|stride-copy",
     "stride=1 offset=0", "bandwidth_gb_s", "peak_gb_s", "bandwidth_gb_s"},
    {"read of memory", "the fastest contiguous read", "GB/s", "gmem", "read", "stride=1 offset=0", "bandwidth_gb_s",
     "peak_gb_s", "bandwidth_gb_s"},
    {"copy of every 32nd word", "of each sector that moves, one word is used", "GB/s", "gmem", "stride-copy",
     "stride=32 offset=0 width_bytes=4", "bandwidth_gb_s", "peak_gb_s", "bandwidth_gb_s"},
    {"gather at random", "by a random index, from more than the caches hold", "GB/s", "gmem", "gather", "",
     "bandwidth_gb_s", "peak_gb_s", "window_bytes"},
    {"latency of memory", "a load that waits for the one before", "ns", "levels", "latency", "op=load level=memory",
     "latency_ns", NULL, "footprint_bytes"},
    {"load of shared memory", "all units together, without bank conflicts", "GB/s", "smem", "load", "stride=1",
     "bandwidth_gb_s", "peak_gb_s", "bandwidth_gb_s"},
    {"worst bank conflict of 4-byte loads", "the costliest stride over stride 1", "times", "smem", "load",
     "width_bytes=4", "degree|degree_predicted", NULL, "degree|degree_predicted"},
    {"host to device", "from pinned memory, one way", "GB/s", "links", "host-pinned", "from=host direction=one-way",
     "one_way_gb_s", "peak_gb_s", "one_way_gb_s"},
    {"sum of numbers", "the fastest reduction, each number counted once", "GB/s", "reduce", "!read-limit|library", "",
     "bandwidth_gb_s", "peak_gb_s", "bandwidth_gb_s"},
    {"all-pairs shortest paths", "min-plus updates of the fastest variant", "GOP/s", "apsp", "!min-plus-peak|cpu-peak",
     "kernel=all devices=1", "gop_s", "peak_gop_s", "gop_s"},
};

// A device, measured or predicted, in the order of the files.
struct subject {
    const char *device, *source, *part, *backend, *arch;
};

struct subjects {
    struct subject *subjects;
    size_t count;
};

struct choice {
    const struct table *table; // NULL: none yet
    size_t table_number, row;
    double rank;
};

// Whether the list "A|B" holds the text.
static bool lists(const char *list, const char *text) {
    return list_place(list, '|', text) >= 0;
}

// The first of the columns "A|B" that is not empty.
static const char *first_text(const struct table *table, size_t row, const char *columns) {
    const char *text = "";
    while (*columns && !*text) {
        char name[32];
        const size_t length = strcspn(columns, "|");
        snprintf(name, sizeof name, "%.*s", (int)length, columns);
        text = table_text(table, row, name);
        columns += length + (columns[length] == '|');
    }
    return text;
}

static bool meets_conditions(const struct table *table, size_t row, const char *conditions) {
    char column[32], wanted[32];
    bool meets = true;
    int length = 0;
    for (const char *at = conditions; meets && sscanf(at, " %31[^=]=%31s%n", column, wanted, &length) == 2;
         at += length) {
        const char *text = table_text(table, row, column);
        meets = !*text || strcmp(text, wanted) == 0;
    }
    return meets;
}

// The largest last-level cache that the head of the file names, in bytes; 0 if it names none.
static double last_level_cache(const struct table *table) {
    static const char NAME[] = "last-level cache ";
    double largest = 0;
    for (size_t i = 0; i < table->remark_count; i++) {
        const char *at = strstr(table->remarks[i].value, NAME);
        largest = at ? fmax(largest, atof(at + sizeof NAME - 1)) : largest;
    }
    return largest;
}

// Whether a row whose level is not known may come from the last-level cache.
static bool may_be_cached(const struct table *table, size_t row) {
    static const double BEYOND = 4; // an H200's rows name memory from 4.3 times the cache on
    return !*table_text(table, row, "level") &&
           atof(table_text(table, row, "footprint_bytes")) < BEYOND * last_level_cache(table);
}

// A footprint in the cache does not measure memory, and a wrong result measures nothing.
static bool is_trusted(const struct headline_figure *figure, const struct table *table, size_t row) {
    const char *verdict = table_text(table, row, "verdict");
    return strcmp(table_text(table, row, "verified"), "no") != 0 && !strstr(verdict, "above-peak") &&
           (!figure->peak || !strstr(verdict, "cache-resident")) &&
           (strcmp(figure->rank, "footprint_bytes") != 0 || !may_be_cached(table, row));
}

static bool fits(const struct headline_figure *figure, const struct table *table, size_t row) {
    const char *variant = table_text(table, row, "variant");
    const bool others = *figure->variants == '!';
    return lists(figure->variants + others, variant) != others && meets_conditions(table, row, figure->conditions) &&
           *first_text(table, row, figure->value) && is_trusted(figure, table, row);
}

static bool is_of(const struct subject *subject, const struct table *table, size_t row) {
    return strcmp(subject->device, table_text(table, row, "device")) == 0 &&
           strcmp(subject->source, table_text(table, row, "source")) == 0;
}

static struct choice choose(const struct headline_figure *figure, const struct subject *subject,
                            const struct inputs *inputs) {
    struct choice best = {.rank = -INFINITY};
    for (size_t i = 0; i < inputs->count; i++) {
        const struct table *table = &inputs->tables[i];
        for (size_t row = 0; row < table->row_count && strcmp(table_probe(table), figure->probe) == 0; row++) {
            const double rank = atof(first_text(table, row, figure->rank));
            if (rank > best.rank && is_of(subject, table, row) && fits(figure, table, row)) {
                best = (struct choice){table, i, row, rank};
            }
        }
    }
    return best;
}

static void write_value(struct json_writer *writer, const struct headline_figure *figure, const struct choice *choice) {
    json_begin_object(writer, NULL);
    if (choice->table) {
        const char *value = first_text(choice->table, choice->row, figure->value);
        const double peak = figure->peak ? atof(table_text(choice->table, choice->row, figure->peak)) : 0;
        json_write_number(writer, "value", value);
        json_write_text(writer, "verdict", table_text(choice->table, choice->row, "verdict"));
        json_write_count(writer, "table", choice->table_number);
        json_write_count(writer, "row", choice->row);
        if (peak > 0) {
            json_write_real(writer, "of_peak", 100 * atof(value) / peak);
        }
    }
    json_end(writer);
}

static void write_figure(struct json_writer *writer, const struct headline_figure *figure,
                         const struct subjects *subjects, const struct inputs *inputs) {
    json_begin_object(writer, NULL);
    json_write_text(writer, "name", figure->name);
    json_write_text(writer, "meaning", figure->meaning);
    json_write_text(writer, "unit", figure->unit);
    json_begin_array(writer, "values");
    for (size_t i = 0; i < subjects->count; i++) {
        const struct choice choice = choose(figure, &subjects->subjects[i], inputs);
        write_value(writer, figure, &choice);
    }
    json_end(writer);
    json_end(writer);
}

static void add_subject(struct subjects *subjects, const struct table *table, size_t row) {
    for (size_t i = 0; i < subjects->count; i++) {
        if (is_of(&subjects->subjects[i], table, row)) {
            return;
        }
    }
    subjects->subjects = memory_room(subjects->subjects, subjects->count, sizeof *subjects->subjects);
    subjects->subjects[subjects->count++] = (struct subject){
        table_text(table, row, "device"), table_text(table, row, "source"), table_text(table, row, "part"),
        table_text(table, row, "backend"), table_text(table, row, "arch")};
}

static struct subjects find_subjects(const struct inputs *inputs) {
    struct subjects subjects = {0};
    for (size_t i = 0; i < inputs->count; i++) {
        for (size_t row = 0; row < inputs->tables[i].row_count; row++) {
            add_subject(&subjects, &inputs->tables[i], row);
        }
    }
    return subjects;
}

// Writes the array "devices" of names and sources, and the array "headline". Each of its objects is a figure with one
// value for each device that has it, and names the row that it comes from.
static void write_headline(struct json_writer *writer, const struct inputs *inputs) {
    const struct subjects subjects = find_subjects(inputs);
    json_begin_array(writer, "devices");
    for (size_t i = 0; i < subjects.count; i++) {
        const struct subject *subject = &subjects.subjects[i];
        char *machine = machine_name(subject->backend, subject->device, subject->arch);
        json_begin_object(writer, NULL);
        json_write_text(writer, "device", subject->device);
        json_write_text(writer, "source", subject->source);
        json_write_text(writer, "part", subject->part);
        json_write_text(writer, "machine", machine);
        json_write_text(writer, "backend", subject->backend);
        free(machine);
        json_end(writer);
    }
    json_end(writer);
    json_begin_array(writer, "headline");
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        write_figure(writer, &figures[i], &subjects, inputs);
    }
    json_end(writer);
    free(subjects.subjects);
}

enum {
    GPUS_BESIDE_MAX = 9 // three times three beside each other
};

// ---- Rows ----

// Rows of a table that follow each other.
struct group {
    const struct table *table;
    size_t first, end;
};

static bool is_same_in_group(const struct group *group, size_t column) {
    const char *text = table_field(group->table, group->first, column);
    bool same = true;
    for (size_t row = group->first + 1; row < group->end && same; row++) {
        same = strcmp(table_field(group->table, row, column), text) == 0;
    }
    return same;
}

// Without the zeros that a fraction ends with: a page has tens of thousands of them.
static void write_short_number(struct json_writer *writer, const char *key, const char *text) {
    char number[64];
    size_t length = (size_t)snprintf(number, sizeof number, "%s", text);
    if (length < sizeof number && strchr(number, '.') && !strpbrk(number, "eE")) {
        while (number[length - 1] == '0') {
            number[--length] = 0;
        }
        number[length - (number[length - 1] == '.')] = 0;
        text = number;
    }
    json_write_number(writer, key, text);
}

static void write_field(struct json_writer *writer, const struct table *table, size_t row, size_t column,
                        const char *key) {
    const char *text = table_field(table, row, column);
    if (*text && table->numbers[column]) {
        write_short_number(writer, key, text);
    } else {
        json_write_text(writer, key, text);
    }
}

static void write_remarks(struct json_writer *writer, const struct table *table) {
    json_begin_array(writer, "remarks");
    for (size_t i = 0; i < table->remark_count; i++) {
        json_begin_array(writer, NULL);
        json_write_text(writer, NULL, table->remarks[i].key);
        json_write_text(writer, NULL, table->remarks[i].value);
        json_end(writer);
    }
    json_end(writer);
}

// Whether the row above has the same field, for which "" stands, unless the field itself is shorter.
static bool repeats(const struct group *group, size_t row, size_t column) {
    const char *text = table_field(group->table, row, column);
    return row > group->first && strlen(text) != 1 && strcmp(text, table_field(group->table, row - 1, column)) == 0;
}

// The columns whose field is the same in all rows of the group. Empty ones are left out, and those of a larger group.
static void write_same(struct json_writer *writer, const struct group *group, const struct group *larger) {
    const struct table *table = group->table;
    json_begin_object(writer, "same");
    for (size_t i = 0; i < table->columns.count; i++) {
        if (is_same_in_group(group, i) && !(larger && is_same_in_group(larger, i)) &&
            *table_field(table, group->first, i)) {
            write_field(writer, table, group->first, i, table->columns.texts[i]);
        }
    }
    json_end(writer);
}

// The column behind the last one that differs from row to row and is not empty in this row.
static size_t end_of_row(const struct table *table, size_t row, const bool *differs) {
    size_t end = table->columns.count;
    while (end > 0 && !(differs[end - 1] && *table_field(table, row, end - 1))) {
        end--;
    }
    return end;
}

// Columns that differ from row to row are written for each row, as far as it has fields, others once.
static void write_group(struct json_writer *writer, const struct group *group, const struct group *all, bool *differs) {
    const struct table *table = group->table;
    for (size_t i = 0; i < table->columns.count; i++) {
        differs[i] = !is_same_in_group(group, i);
    }
    json_begin_object(writer, NULL);
    write_same(writer, group, all);
    json_begin_array(writer, "columns");
    for (size_t i = 0; i < table->columns.count; i++) {
        if (differs[i]) {
            json_write_text(writer, NULL, table->columns.texts[i]);
        }
    }
    json_end(writer);
    json_begin_array(writer, "rows");
    for (size_t row = group->first; row < group->end; row++) {
        const size_t end = end_of_row(table, row, differs);
        json_begin_array(writer, NULL);
        for (size_t i = 0; i < end; i++) {
            if (!differs[i]) {
                continue;
            }
            if (repeats(group, row, i)) {
                json_write_text(writer, NULL, "");
            } else if (*table_field(table, row, i)) {
                write_field(writer, table, row, i, NULL);
            } else {
                json_write_text(writer, NULL, NULL);
            }
        }
        json_end(writer);
    }
    json_end(writer);
    json_end(writer);
}

// Rows of one variant that follow each other, which have values in the same columns.
static struct group group_from(const struct table *table, size_t first) {
    const size_t variant = table_column(table, "variant");
    size_t end = first + 1;
    while (end < table->row_count &&
           strcmp(table_field(table, end, variant), table_field(table, first, variant)) == 0) {
        end++;
    }
    return (struct group){table, first, end};
}

static void write_table(struct json_writer *writer, const struct table *table, bool beside) {
    const struct group all = {table, 0, table->row_count};
    bool *differs = memory_zeros(table->columns.count, sizeof *differs);
    json_begin_object(writer, NULL);
    json_write_text(writer, "path", table->path);
    json_write_text(writer, "probe", table_probe(table));
    json_write_bool(writer, "beside", beside);
    write_remarks(writer, table);
    write_same(writer, &all, NULL);
    json_begin_array(writer, "groups");
    for (size_t row = 0; row < table->row_count;) {
        const struct group group = group_from(table, row);
        write_group(writer, &group, &all, differs);
        row = group.end;
    }
    json_end(writer);
    json_end(writer);
    free(differs);
}

static void write_tables(struct json_writer *writer, const struct inputs *inputs) {
    json_begin_array(writer, "tables");
    for (size_t i = 0; i < inputs->count; i++) {
        write_table(writer, &inputs->tables[i], i >= inputs->own);
    }
    json_end(writer);
}

// ---- Columns and charts ----

// Where the column's values come from: the model or, "counted", the vendor's counters; "": what the row's source says.
// The simulator counts for measured rows, too.
static const char *origin_of(const char *column) {
    static const char *const by_model[] = {
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define COUNTER(name, format, scope, value) #name,
#define PREDICTED(name, of, format) #name,
#include "bench/columns.h"
        "sector_bytes", "bound_ns",           "bound_by",         "predicted_ns",   "prediction_error_pct",
        "model",        "sampling_error_pct", "degree_predicted", "rule_certainty", "certainty",
    };
    for (size_t i = 0; i < sizeof by_model / sizeof *by_model; i++) {
        if (strcmp(column, by_model[i]) == 0) {
            return "predicted";
        }
    }
    return strncmp(column, "counted_", strlen("counted_")) == 0 || strcmp(column, "counters") == 0 ? "counted" : "";
}

static void write_columns(struct json_writer *writer) {
    json_begin_object(writer, "columns");
    for (size_t i = 0; i < ROW_COLUMN_COUNT; i++) {
        char *meaning = explain_meaning(i);
        json_begin_object(writer, row_column_name(i));
        json_write_text(writer, "unit", row_column_unit(i));
        json_write_text(writer, "origin", origin_of(row_column_name(i)));
        json_write_text(writer, "meaning", meaning);
        json_write_bool(writer, "key", key_column_find(row_column_name(i)) != NULL);
        json_write_bool(writer, "number", row_column_type(i) != COLUMN_TEXT);
        json_end(writer);
        free(meaning);
    }
    json_end(writer);
}

// The names in the list of probes, one in each line that is no comment.
static void write_probes(struct json_writer *writer) {
    char *list = part_text("scripts/build/probes"), *rest = NULL;
    json_begin_array(writer, "probes");
    for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, " ")] = '\0';
        if (*line != '#') {
            json_write_text(writer, NULL, line);
        }
    }
    json_end(writer);
    free(list);
}

static void write_charts(struct json_writer *writer, const struct charts *charts) {
    json_begin_array(writer, "charts");
    for (size_t i = 0; i < charts->count; i++) {
        json_begin_object(writer, NULL);
        json_write_text(writer, "name", charts->charts[i].name);
        json_write_text(writer, "probe", charts->charts[i].probe);
        json_write_text(writer, "caption", charts->charts[i].caption);
        json_write_count(writer, "first", charts->charts[i].first);
        json_end(writer);
    }
    json_end(writer);
}

// Whether the table is beside its probe's own one, as levels-energy.csv is beside levels.csv. Such a file is made for a
// few charts, so nobody misses the others.
static bool is_part(const struct inputs *inputs, const struct table *table) {
    const char *end = strrchr(table->path, '/');
    char *own = memory_format("%.*s%s.csv", end ? (int)(end + 1 - table->path) : 0, table->path, table_probe(table));
    bool is = false;
    for (size_t i = 0; i < inputs->count && !is; i++) {
        is = &inputs->tables[i] != table && strcmp(inputs->tables[i].path, own) == 0;
    }
    free(own);
    return is;
}

// The charts that are left out, and why.
static void write_notes(struct json_writer *writer, const struct inputs *inputs, const struct notes *notes) {
    json_begin_array(writer, "notes");
    for (size_t i = 0; i < notes->count; i++) {
        if (notes->notes[i].table && is_part(inputs, notes->notes[i].table)) {
            continue;
        }
        json_begin_array(writer, NULL);
        json_write_text(writer, NULL, notes->notes[i].chart);
        json_write_text(writer, NULL, notes->notes[i].text);
        json_end(writer);
    }
    json_end(writer);
}

static bool has_probe(const struct inputs *inputs, const char *probe) {
    bool has = false;
    for (size_t i = 0; i < inputs->count && !has; i++) {
        has = strcmp(table_probe(&inputs->tables[i]), probe) == 0;
    }
    return has;
}

static void write_curves(struct json_writer *writer, const struct inputs *inputs, const struct charts *charts) {
    json_begin_object(writer, "curves");
    for (size_t i = 0; i < charts->count; i++) {
        if (has_probe(inputs, charts->charts[i].probe)) {
            curves_write_json(writer, &charts->charts[i]);
        }
    }
    json_end(writer);
}

// The pictures of the charts, as plots/draw.sh draws them of the same rows.
static void write_pictures(struct json_writer *writer, const struct inputs *inputs, const struct charts *charts) {
    const struct table **tables = memory_zeros(inputs->count, sizeof *tables);
    struct notes notes = {0};
    json_begin_array(writer, "pictures");
    for (size_t i = 0; i < charts->count; i++) {
        const struct chart *chart = &charts->charts[i];
        size_t count = 0;
        for (size_t j = 0; j < inputs->count; j++) {
            if (strcmp(table_probe(&inputs->tables[j]), chart->probe) == 0) {
                tables[count++] = &inputs->tables[j];
            }
        }
        if (count > 0) {
            chart_pictures(chart, tables, count, count, picture_write_json, writer, &notes);
        }
    }
    json_end(writer);
    write_curves(writer, inputs, charts);
    write_notes(writer, inputs, &notes);
    notes_clear(&notes);
    free(tables);
}

// ---- The document ----

// Adds the parts that the table's rows name, each once.
static void add_gpus(struct parts *parts, const struct table *table) {
    for (size_t row = 0; row < table->row_count; row++) {
        const struct gpu *gpu = gpu_find(table_text(table, row, "part"));
        size_t i = 0;
        while (i < parts->count && parts->gpus[i] != gpu) {
            i++;
        }
        if (gpu && i == parts->count && i < GPUS_BESIDE_MAX) {
            parts->gpus[parts->count++] = gpu;
        }
    }
}

// What the rows' GPUs have and what their differences mean, as the program parts prints it; nothing without a known
// GPU.
static void write_gpus_beside(struct json_writer *writer, const struct inputs *inputs) {
    const struct gpu *gpus[GPUS_BESIDE_MAX];
    struct parts parts = {.gpus = gpus};
    struct written table;
    for (size_t i = 0; i < inputs->count; i++) {
        add_gpus(&parts, &inputs->tables[i]);
    }
    if (parts.count > 0) {
        parts_write_table(memory_stream(&table), &parts);
        json_write_text(writer, "gpus_beside", memory_stream_end(&table));
        free(table.text);
    }
}

static void write_data(FILE *file, const struct page *page) {
    struct written data;
    char date[32], host[256] = "";
    const time_t now = time(NULL);
    struct tm utc;
    struct charts charts = {0};
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    struct json_writer writer = json_writer(memory_stream(&data));
    writer.compact = true;
    json_begin_object(&writer, NULL);
    json_write_text(&writer, "title", page->title);
    json_write_text(&writer, "version", version_text);
    json_write_text(&writer, "date", date);
    json_write_text(&writer, "host", gethostname(host, sizeof host) == 0 ? host : "");
    write_headline(&writer, page->inputs);
    write_gpus_beside(&writer, page->inputs);
    write_columns(&writer);
    write_probes(&writer);
    charts_read_own(&charts);
    write_charts(&writer, &charts);
    write_pictures(&writer, page->inputs, &charts);
    charts_clear(&charts);
    write_tables(&writer, page->inputs);
    json_end(&writer);
    markup_json(file, memory_stream_end(&data));
    free(data.text);
}

static void write_parts(FILE *file, const char *end) {
    struct part part = {0};
    while (part_next(&part, "tools/report/", end)) {
        fwrite(part.text, 1, part.length, file);
    }
}

// Writes what stands for a mark of tools/report/page.html.
static void write_mark(FILE *file, const char *mark, const struct page *page) {
    if (strncmp(mark, "title", 5) == 0) {
        markup_text(file, *page->title ? page->title : "bankshot report");
    } else if (strncmp(mark, "style", 5) == 0) {
        write_parts(file, ".css");
    } else if (strncmp(mark, "script", 6) == 0) {
        write_parts(file, ".js");
    } else {
        write_data(file, page);
    }
}

void page_write(FILE *file, const void *page) {
    struct part html = {0};
    part_next(&html, "tools/report/", ".html");
    for (const char *at = html.text, *end = html.text + html.length; at < end;) {
        const char *mark = memmem(at, (size_t)(end - at), "{{", 2);
        fwrite(at, 1, (size_t)((mark ? mark : end) - at), file);
        at = mark ? strstr(mark, "}}") + 2 : end;
        if (mark) {
            write_mark(file, mark + 2, page);
        }
    }
}
