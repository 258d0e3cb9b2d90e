#include "bench/parts_table.h"

#include "model/parts.h"
#include "util/csv.h"
#include "util/json_writer.h"
#include "util/text.h"
#include "util/whole.h"

enum {
    PARTS_BESIDE = 3,
    TITLE_WIDTH = 24,
    UNIT_WIDTH = 7,
    CELL_WIDTH = 15,
    MEANING_INDENT = 2,
    SOURCE_INDENT = 4
};

// "m", "p", "d", "g".
static char letter_of(const struct cell *cell) {
    return evidence_name(cell->known)[0];
}

// ---- For people ----

// A changed part stands above its column as its row's name and its place on the command line, which this explains.
static void write_changed(FILE *file, const struct parts *parts) {
    for (size_t i = 0; i < parts->count; i++) {
        if (parts->gpus[i]->base) {
            fprintf(file, "%s*%zu is %s\n", parts->gpus[i]->base->name, i + 1, parts->gpus[i]->name);
        }
    }
}

static void write_heading(FILE *file, const struct parts *parts) {
    fprintf(file, "%-*s", TITLE_WIDTH + UNIT_WIDTH, "");
    for (size_t i = 0; i < parts->count; i++) {
        const struct gpu *gpu = parts->gpus[i];
        char heading[32]; // a name of the table has at most ten letters
        if (gpu->base) {
            snprintf(heading, sizeof heading, "%.10s*%zu", gpu->base->name, i + 1);
        } else {
            snprintf(heading, sizeof heading, "%s", gpu->name);
        }
        fprintf(file, "%s%*s", i ? "  " : "", CELL_WIDTH - 1, heading);
    }
}

static void write_beside(FILE *file, const struct parts *parts) {
    write_changed(file, parts);
    write_heading(file, parts);
    for (size_t k = 0; k < fact_count; k++) {
        fprintf(file, "\n%-*s%-*s", TITLE_WIDTH, facts[k].title, UNIT_WIDTH, facts[k].unit);
        for (size_t i = 0; i < parts->count; i++) {
            struct cell cell;
            fact_cell(&facts[k], parts->gpus[i], &cell);
            fprintf(file, " %*s %c", CELL_WIDTH - 2, cell.text, letter_of(&cell));
        }
    }
    fputs("\n\n", file);
}

static void write_meanings(FILE *file, const struct parts *parts) {
    char text[MEANING_TEXT];
    for (size_t k = 0; k < fact_count; k++) {
        if (meaning_of(&facts[k], parts->gpus, parts->count, text)) {
            wrap_text(file, text, fprintf(file, "- "), MEANING_INDENT);
            fputc('\n', file);
        }
    }
}

void parts_write_table(FILE *file, const struct parts *parts) {
    for (size_t i = 0; i < parts->count; i += PARTS_BESIDE) {
        write_beside(file, &(struct parts){parts->gpus + i, NULL, smaller(parts->count - i, PARTS_BESIDE)});
    }
    fputs("m measured, p published, d derived, g guessed; --sources says from what\n", file);
    if (parts->count > 1) {
        fputs("\nWhat the differences mean for code:\n\n", file);
        write_meanings(file, parts);
    }
}

static void write_links(FILE *file, const char *source) {
    const char *links[LINKS_MAX];
    const size_t count = source_links(source, links);
    for (size_t i = 0; i < count; i++) {
        fprintf(file, "%*s%s\n", SOURCE_INDENT, "", links[i]);
    }
}

void parts_write_sources(FILE *file, const struct parts *parts) {
    for (size_t k = 0; k < fact_count; k++) {
        fprintf(file, "%s\n", facts[k].name);
        for (size_t i = 0; i < parts->count; i++) {
            struct cell cell;
            fact_cell(&facts[k], parts->gpus[i], &cell);
            const int column = fprintf(file, "  %s: %s%s%s, %s: ", parts->gpus[i]->name, cell.text,
                                       *facts[k].unit ? " " : "", facts[k].unit, evidence_name(cell.known));
            wrap_text(file, cell.source, column, SOURCE_INDENT);
            fputc('\n', file);
            write_links(file, cell.source);
        }
    }
}

// ---- For programs ----

// Spaces separate the links.
static void join_links(const char *source, char *text, size_t size) {
    const char *links[LINKS_MAX];
    const size_t count = source_links(source, links);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", links[i]);
    }
}

static void write_csv_row(FILE *file, const struct fact *fact, const struct gpu *gpu) {
    struct cell cell;
    fact_cell(fact, gpu, &cell);
    char links[CELL_SOURCE];
    join_links(cell.source, links, sizeof links);
    const char *const fields[] = {gpu->name,   fact->name, cell.text, fact->unit, evidence_name(cell.known),
                                  cell.source, links};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fputs(i ? "," : "", file);
        csv_write_field(file, fields[i]);
    }
    fputc('\n', file);
}

void parts_write_csv(FILE *file, const void *context) {
    const struct parts *parts = context;
    fputs("part,fact,value,unit,certainty,source,links\n", file);
    for (size_t k = 0; k < fact_count; k++) {
        for (size_t i = 0; i < parts->count; i++) {
            write_csv_row(file, &facts[k], parts->gpus[i]);
        }
    }
}

static void write_json_links(struct json_writer *writer, const char *source) {
    const char *links[LINKS_MAX];
    const size_t count = source_links(source, links);
    json_begin_array(writer, "links");
    for (size_t i = 0; i < count; i++) {
        json_write_text(writer, NULL, links[i]);
    }
    json_end(writer);
}

static void write_json_cell(struct json_writer *writer, const struct fact *fact, const struct gpu *gpu) {
    struct cell cell;
    fact_cell(fact, gpu, &cell);
    json_begin_object(writer, NULL);
    json_write_text(writer, "part", gpu->name);
    json_write_text(writer, "fact", fact->name);
    json_write_number(writer, "value", cell.text);
    json_write_text(writer, "unit", fact->unit);
    json_write_text(writer, "certainty", evidence_name(cell.known));
    json_write_text(writer, "source", cell.source);
    write_json_links(writer, cell.source);
    json_end(writer);
}

void parts_write_json(FILE *file, const void *context) {
    const struct parts *parts = context;
    char text[MEANING_TEXT];
    struct json_writer writer = json_writer(file);
    json_begin_object(&writer, NULL);
    json_begin_array(&writer, "facts");
    for (size_t k = 0; k < fact_count; k++) {
        for (size_t i = 0; i < parts->count; i++) {
            write_json_cell(&writer, &facts[k], parts->gpus[i]);
        }
    }
    json_end(&writer);
    json_begin_array(&writer, "meanings");
    for (size_t k = 0; k < fact_count; k++) {
        if (meaning_of(&facts[k], parts->gpus, parts->count, text)) {
            json_write_text(&writer, NULL, text);
        }
    }
    json_end(&writer);
    json_end(&writer);
}
