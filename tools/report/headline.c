#include "tools/report/headline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/charts/pictures.h"

struct figure {
    const char *name, *meaning, *unit, *probe;
    const char *variants;   // "copy|stride-copy"; "!A|B" is all but these
    const char *conditions; // "stride=1 op=load", empty fields fit, too
    const char *value;      // the column, or "A|B": the first that is not empty
    const char *peak;       // the column of what the value can at most be; NULL: nothing bounds it
    const char *rank;       // the row with the largest number in this column is taken
};

// A rank of window_bytes or footprint_bytes finds what no cache holds.
static const struct figure figures[] = {
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
    {"all-pairs shortest paths", "min-plus updates of the fastest variant", "GOP/s", "apsp", "!min-plus-peak",
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
static bool lists(const char *list, size_t length, const char *text) {
    const size_t size = strlen(text);
    for (const char *at = list, *end = list + length; at < end; at++) {
        const size_t word = strcspn(at, "|") < (size_t)(end - at) ? strcspn(at, "|") : (size_t)(end - at);
        if (word == size && memcmp(at, text, size) == 0) {
            return true;
        }
        at += word;
    }
    return false;
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
    bool meets = true;
    for (const char *at = conditions; *at && meets; at += strspn(at, " ")) {
        char name[32];
        const char *wanted = strchr(at, '=') + 1;
        const size_t length = strcspn(wanted, " ");
        snprintf(name, sizeof name, "%.*s", (int)(wanted - 1 - at), at);
        const char *text = table_text(table, row, name);
        meets = !*text || lists(wanted, length, text);
        at = wanted + length;
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
static bool is_trusted(const struct figure *figure, const struct table *table, size_t row) {
    const char *verdict = table_text(table, row, "verdict");
    return strcmp(table_text(table, row, "verified"), "no") != 0 && !strstr(verdict, "above-peak") &&
           (!figure->peak || !strstr(verdict, "cache-resident")) &&
           (strcmp(figure->rank, "footprint_bytes") != 0 || !may_be_cached(table, row));
}

static bool fits(const struct figure *figure, const struct table *table, size_t row) {
    const char *variant = table_text(table, row, "variant");
    const bool others = *figure->variants == '!';
    const char *variants = figure->variants + others;
    return lists(variants, strlen(variants), variant) != others && meets_conditions(table, row, figure->conditions) &&
           *first_text(table, row, figure->value) && is_trusted(figure, table, row);
}

static bool is_of(const struct subject *subject, const struct table *table, size_t row) {
    return strcmp(subject->device, table_text(table, row, "device")) == 0 &&
           strcmp(subject->source, table_text(table, row, "source")) == 0;
}

static struct choice choose(const struct figure *figure, const struct subject *subject, const struct inputs *inputs) {
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

static void write_value(struct json_writer *writer, const struct figure *figure, const struct choice *choice) {
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

static void write_figure(struct json_writer *writer, const struct figure *figure, const struct subjects *subjects,
                         const struct inputs *inputs) {
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

static enum status add_subject(struct subjects *subjects, const struct table *table, size_t row, struct error *error) {
    for (size_t i = 0; i < subjects->count; i++) {
        if (is_of(&subjects->subjects[i], table, row)) {
            return STATUS_OK;
        }
    }
    struct subject *grown = realloc(subjects->subjects, (subjects->count + 1) * sizeof *grown);
    if (!grown) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    subjects->subjects = grown;
    subjects->subjects[subjects->count++] = (struct subject){
        table_text(table, row, "device"), table_text(table, row, "source"), table_text(table, row, "part"),
        table_text(table, row, "backend"), table_text(table, row, "arch")};
    return STATUS_OK;
}

static enum status find_subjects(struct subjects *subjects, const struct inputs *inputs, struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < inputs->count; i++) {
        const struct table *table = &inputs->tables[i];
        for (size_t row = 0; row < table->row_count && status == STATUS_OK; row++) {
            status = add_subject(subjects, table, row, error);
        }
    }
    return status;
}

enum status headline_write(struct json_writer *writer, const struct inputs *inputs, struct error *error) {
    struct subjects subjects = {0};
    enum status status = find_subjects(&subjects, inputs, error);
    json_begin_array(writer, "devices");
    for (size_t i = 0; i < subjects.count; i++) {
        json_begin_object(writer, NULL);
        json_write_text(writer, "device", subjects.subjects[i].device);
        json_write_text(writer, "source", subjects.subjects[i].source);
        json_write_text(writer, "part", subjects.subjects[i].part);
        char *machine =
            machine_name(subjects.subjects[i].backend, subjects.subjects[i].device, subjects.subjects[i].arch);
        json_write_text(writer, "machine", machine);
        json_write_text(writer, "backend", subjects.subjects[i].backend);
        free(machine);
        json_end(writer);
    }
    json_end(writer);
    json_begin_array(writer, "headline");
    for (size_t i = 0; i < sizeof figures / sizeof *figures && status == STATUS_OK; i++) {
        write_figure(writer, &figures[i], &subjects, inputs);
    }
    json_end(writer);
    free(subjects.subjects);
    return status;
}
