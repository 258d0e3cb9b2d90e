#include "report/page.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/row.h"
#include "bench/rows/explain.h"
#include "report/captions.h"
#include "report/headline.h"
#include "report/parts.h"
#include "util/json_writer.h"

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

static void write_field(struct json_writer *writer, const struct table *table, size_t row, size_t column,
                        const char *key) {
    const char *text = table_field(table, row, column);
    if (*text && table->numbers[column]) {
        json_write_number(writer, key, text);
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

// Columns that differ from row to row are written for each row, others once. Empty ones are left out.
static void write_group(struct json_writer *writer, const struct group *group, bool *differs) {
    const struct table *table = group->table;
    json_begin_object(writer, NULL);
    json_begin_object(writer, "same");
    for (size_t i = 0; i < table->column_count; i++) {
        differs[i] = !is_same_in_group(group, i);
        if (!differs[i] && *table_field(table, group->first, i)) {
            write_field(writer, table, group->first, i, table->columns[i]);
        }
    }
    json_end(writer);
    json_begin_array(writer, "columns");
    for (size_t i = 0; i < table->column_count; i++) {
        if (differs[i]) {
            json_write_text(writer, NULL, table->columns[i]);
        }
    }
    json_end(writer);
    json_begin_array(writer, "rows");
    for (size_t row = group->first; row < group->end; row++) {
        json_begin_array(writer, NULL);
        for (size_t i = 0; i < table->column_count; i++) {
            if (differs[i]) {
                write_field(writer, table, row, i, NULL);
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

static void write_table(struct json_writer *writer, const struct table *table, bool *differs) {
    json_begin_object(writer, NULL);
    json_write_text(writer, "path", table->path);
    json_write_text(writer, "probe", table_probe(table));
    write_remarks(writer, table);
    json_begin_array(writer, "groups");
    for (size_t row = 0; row < table->row_count;) {
        const struct group group = group_from(table, row);
        write_group(writer, &group, differs);
        row = group.end;
    }
    json_end(writer);
    json_end(writer);
}

static enum status write_tables(struct json_writer *writer, const struct inputs *inputs, struct error *error) {
    json_begin_array(writer, "tables");
    for (size_t i = 0; i < inputs->count; i++) {
        bool *differs = calloc(inputs->tables[i].column_count, sizeof *differs);
        if (!differs) {
            return error_set(error, STATUS_FAILED, "out of memory");
        }
        write_table(writer, &inputs->tables[i], differs);
        free(differs);
    }
    json_end(writer);
    return STATUS_OK;
}

// ---- Columns and charts ----

enum origin {
    ORIGIN_ROW, // measured or predicted, as the row says
    ORIGIN_MODEL,
    ORIGIN_COUNTED, // by the vendor's counters
    ORIGINS
};

static const char *const origins[ORIGINS] = {"", "predicted", "counted"};

// The simulator counts for measured rows, too.
static enum origin origin_of(const char *column) {
    static const char *const by_model[] = {
#define TEXT(name)
#define COUNT(name)
#define REAL(name, format)
#define COUNTER(name, format, scope, value) #name,
#include "bench/columns.h"
        "sector_bytes", "bound_ns",           "bound_by",         "predicted_ns", "prediction_error_pct",
        "model",        "sampling_error_pct", "degree_predicted", "certainty",
    };
    for (size_t i = 0; i < sizeof by_model / sizeof *by_model; i++) {
        if (strcmp(column, by_model[i]) == 0) {
            return ORIGIN_MODEL;
        }
    }
    return strncmp(column, "counted_", strlen("counted_")) == 0 || strcmp(column, "counters") == 0 ? ORIGIN_COUNTED
                                                                                                   : ORIGIN_ROW;
}

static void write_columns(struct json_writer *writer) {
    json_begin_object(writer, "columns");
    for (size_t i = 0; i < row_column_count(); i++) {
        char *meaning = explain_meaning(i);
        json_begin_object(writer, row_column_name(i));
        json_write_text(writer, "unit", row_column_unit(i));
        json_write_text(writer, "origin", origins[origin_of(row_column_name(i))]);
        json_write_text(writer, "meaning", meaning);
        json_write_bool(writer, "number", row_column_type(i) != COLUMN_TEXT);
        json_end(writer);
        free(meaning);
    }
    json_end(writer);
}

// The names in the list of probes, one in each line that is no comment.
static enum status write_probes(struct json_writer *writer, struct error *error) {
    char *list = part_text("scripts/probes"), *rest = NULL;
    if (!list) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    json_begin_array(writer, "probes");
    for (char *line = strtok_r(list, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        line[strcspn(line, " ")] = '\0';
        if (*line != '#') {
            json_write_text(writer, NULL, line);
        }
    }
    json_end(writer);
    free(list);
    return STATUS_OK;
}

static void write_chart(struct json_writer *writer, const struct part *chart, const char *readme) {
    static const char FOLDER[] = "plots/", END[] = ".gp";
    const size_t folder = strlen(FOLDER);
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int)(chart->path_length - folder - strlen(END)), chart->path + folder);
    char *caption = caption_of(readme, name), *heading = caption_heading(readme, name);
    if (caption) {
        json_begin_object(writer, NULL);
        json_write_text(writer, "name", name);
        json_write_text(writer, "heading", heading);
        json_write_text(writer, "caption", caption);
        json_write_count(writer, "place", caption_place(readme, name));
        json_end(writer);
    }
    free(caption);
    free(heading);
}

static enum status write_charts(struct json_writer *writer, struct error *error) {
    char *readme = part_text("plots/README.md");
    if (!readme) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    struct part chart = {0};
    json_begin_array(writer, "charts");
    while (part_next(&chart, "plots/", ".gp")) {
        write_chart(writer, &chart, readme);
    }
    json_end(writer);
    free(readme);
    return STATUS_OK;
}

// Published curves stand behind some charts, which name their tables.
static bool is_named(const struct part *table, const struct pictures *pictures) {
    char name[128];
    const char *file = memrchr(table->path, '/', table->path_length);
    const size_t length = table->path_length - (size_t)(file + 1 - table->path);
    snprintf(name, sizeof name, "\"published_table\":\"%.*s\"", (int)length, file + 1);
    bool found = false;
    for (size_t i = 0; i < pictures->count && !found; i++) {
        found = strstr(pictures->texts[i], name) != NULL;
    }
    return found;
}

static enum status write_published(struct json_writer *writer, const struct pictures *pictures, struct error *error) {
    static const char FOLDER[] = "results/published/";
    struct part table = {0};
    enum status status = STATUS_OK;
    json_begin_object(writer, "published");
    while (status == STATUS_OK && part_next(&table, FOLDER, ".csv")) {
        if (is_named(&table, pictures)) {
            char *path = strndup(table.path, table.path_length), *text = strndup(table.text, table.length);
            if (path && text) {
                json_write_text(writer, path + strlen(FOLDER), text);
            } else {
                status = error_set(error, STATUS_FAILED, "out of memory");
            }
            free(path);
            free(text);
        }
    }
    json_end(writer);
    return status;
}

// ---- The document ----

// JSON within HTML: a '<' could end the element that holds it, and stands only in strings.
static void write_for_html(FILE *file, const char *json) {
    for (; *json; json++) {
        if (*json == '<') {
            fputs("\\u003c", file);
        } else {
            fputc(*json, file);
        }
    }
}

static enum status write_data(FILE *file, const struct page *page, struct error *error) {
    char *text = NULL, date[32];
    size_t length = 0;
    const time_t now = time(NULL);
    struct tm utc;
    FILE *memory = open_memstream(&text, &length);
    if (!memory) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    struct json_writer writer = json_writer(memory);
    json_begin_object(&writer, NULL);
    json_write_text(&writer, "title", page->title);
    json_write_text(&writer, "version", BANKSHOT_VERSION);
    json_write_text(&writer, "date", date);
    enum status status = headline_write(&writer, page->inputs, error);
    write_columns(&writer);
    if (status == STATUS_OK) {
        status = write_probes(&writer, error);
    }
    if (status == STATUS_OK) {
        status = write_charts(&writer, error);
    }
    if (status == STATUS_OK) {
        status = write_published(&writer, page->pictures, error);
    }
    if (status == STATUS_OK) {
        status = write_tables(&writer, page->inputs, error);
    }
    json_end(&writer);
    if (fclose(memory) != 0 && status == STATUS_OK) {
        status = error_set(error, STATUS_FAILED, "out of memory");
    }
    if (status == STATUS_OK) {
        write_for_html(file, text);
    }
    free(text);
    return status;
}

// Of each line that awk wrote, those that are JSON.
static void write_pictures(FILE *file, const struct pictures *pictures) {
    const char *separator = "[";
    for (size_t i = 0; i < pictures->count; i++) {
        for (char *line = strtok(pictures->texts[i], "\n"); line; line = strtok(NULL, "\n")) {
            if (*line == '{') {
                fputs(separator, file);
                write_for_html(file, line);
                separator = ",\n";
            }
        }
    }
    fputs(*separator == '[' ? "[]" : "]", file);
}

static void write_text(FILE *file, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        default:
            fputc(*text, file);
            break;
        }
    }
}

static void write_parts(FILE *file, const char *end) {
    struct part part = {0};
    while (part_next(&part, "report/", end)) {
        fwrite(part.text, 1, part.length, file);
    }
}

// Writes what stands for a mark of report/page.html.
static enum status write_mark(FILE *file, const char *mark, const struct page *page, struct error *error) {
    enum status status = STATUS_OK;
    if (strncmp(mark, "title", 5) == 0) {
        write_text(file, *page->title ? page->title : "bankshot report");
    } else if (strncmp(mark, "style", 5) == 0) {
        write_parts(file, ".css");
    } else if (strncmp(mark, "script", 6) == 0) {
        write_parts(file, ".js");
    } else if (strncmp(mark, "data", 4) == 0) {
        status = write_data(file, page, error);
    } else {
        write_pictures(file, page->pictures);
    }
    return status;
}

enum status page_write(FILE *file, const struct page *page, struct error *error) {
    struct part html = {0};
    enum status status = STATUS_OK;
    part_next(&html, "report/", ".html");
    for (const char *at = html.text, *end = html.text + html.length; at < end && status == STATUS_OK;) {
        const char *mark = memmem(at, (size_t)(end - at), "{{", 2);
        fwrite(at, 1, (size_t)((mark ? mark : end) - at), file);
        at = mark ? strstr(mark, "}}") + 2 : end;
        if (mark) {
            status = write_mark(file, mark + 2, page, error);
        }
    }
    return status;
}
