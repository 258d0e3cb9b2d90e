#include "tools/compare/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"
#include "bench/row.h"
#include "model/gpu_find.h"
#include "model/gpus.h"
#include "tools/compare/side.h"
#include "util/csv.h"
#include "util/error.h"

// ---- Files ----

enum {
    PUBLISHED_RULES_MAX = 12,
    NUMBER_TEXT = 32
};

// A file of which rows are read.
struct file {
    struct csv_reader reader;
    uint64_t unknown;                               // key columns that it lacks, as in struct result
    const struct published_table *published;        // by which its rows are read as bankshot's; NULL: they are
    char numbers[PUBLISHED_RULES_MAX][NUMBER_TEXT]; // that its rules compute of the present row
};

// ---- Published tables ----

// Tables of figures that others published (results/published/README.md), as rows of bankshot.

// How a column of bankshot follows from the table's: a text that all rows share, or a column's own text, or a column
// times a factor, and over another column if there is one.
struct rule {
    const char *column, *text, *from;
    double factor; // 0: the text as it is
    const char *over;
};

struct published_table {
    const char *name;  // of the file
    const char *first; // what its rows' first field begins with; others are of another device
    struct rule rules[PUBLISHED_RULES_MAX];
};

#define TEXT(COLUMN, CONTENT)                                                                                          \
    { .column = (COLUMN), .text = (CONTENT) }
#define COPY(COLUMN)                                                                                                   \
    { .column = (COLUMN), .from = (COLUMN) }
#define SCALED(COLUMN, FROM, FACTOR)                                                                                   \
    { .column = (COLUMN), .from = (FROM), .factor = (FACTOR) }
#define RATIO(COLUMN, FROM, OVER, FACTOR)                                                                              \
    { .column = (COLUMN), .from = (FROM), .over = (OVER), .factor = (FACTOR) }

// A column stands here only if the publication says it, and rows that differ in a column do not join.
static const struct published_table tables[] = {
    {"latency.csv",
     "",
     {TEXT("probe", "levels"), TEXT("variant", "latency"), COPY("device"), TEXT("op", "load"),
      SCALED("footprint_bytes", "footprint_kib", 1024), COPY("clock_mhz"),
      RATIO("latency_ns", "cycles_median", "clock_mhz", 1e3)}},
    {"working-set.csv",
     "",
     {TEXT("probe", "levels"), TEXT("variant", "unit-bandwidth"), COPY("device"), TEXT("op", "read"),
      SCALED("footprint_bytes", "footprint_kib_per_unit", 1024), COPY("bandwidth_gb_s")}},
    {"l2-bandwidth.csv",
     "",
     {TEXT("probe", "levels"), TEXT("variant", "bandwidth-follow"), COPY("device"), TEXT("op", "read"),
      SCALED("footprint_bytes", "footprint_kib", 1024), COPY("bandwidth_gb_s")}},
    {"reduce-rtx3080.csv",
     "global-",
     {TEXT("probe", "reduce"), COPY("variant"), TEXT("device", "NVIDIA GeForce RTX 3080"), TEXT("kernel", "all"),
      TEXT("op", "read"), TEXT("type", "int32"), TEXT("width_bytes", "4"), TEXT("block", "512"), TEXT("devices", "1"),
      TEXT("elements", "16777216"), SCALED("time_ns_median", "time_ms", 1e6)}},
    {"reduce-mi.csv",
     "",
     {TEXT("probe", "reduce"), COPY("variant"), TEXT("device", "unnamed AMD Instinct"),
      SCALED("time_ns_median", "time_ns", 1)}},
    {"stride-copy.csv",
     "",
     {TEXT("probe", "gmem"), TEXT("variant", "stride-copy"), TEXT("device", "unnamed NVIDIA GPU"), COPY("op"),
      COPY("width_bytes"), COPY("stride"), COPY("bandwidth_gb_s")}},
    {"shared-stride.csv",
     "",
     {TEXT("probe", "smem"), TEXT("variant", "course"), TEXT("device", "unnamed NVIDIA GPU"), COPY("op"),
      COPY("width_bytes"), COPY("stride"), COPY("bandwidth_gb_s")}},
};

static bool lacks(const struct csv_reader *reader, const char *column) {
    return csv_reader_column(reader, column) == SIZE_MAX;
}

static bool has_columns(const struct published_table *table, const struct csv_reader *reader) {
    bool has = true;
    for (const struct rule *rule = table->rules; rule->column && has; rule++) {
        has = !(rule->from && lacks(reader, rule->from)) && !(rule->over && lacks(reader, rule->over));
    }
    return has;
}

// The published table of the file's name and columns; NULL if there is none.
static const struct published_table *published_find(const struct csv_reader *reader) {
    const char *path = reader->path, *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (strcmp(tables[i].name, name) == 0 && has_columns(&tables[i], reader)) {
            return &tables[i];
        }
    }
    return NULL;
}

static enum status read_published_number(const struct csv_reader *reader, const char *column, double *number,
                                         struct error *error) {
    const char *text = csv_reader_text(reader, column);
    char *end;
    *number = strtod(text, &end);
    if (end == text || *end || !isfinite(*number) || *number <= 0) {
        return error_set(error, STATUS_USAGE, "%s:%llu: '%.40s' is not a number above 0: restore the table",
                         reader->path, (unsigned long long)reader->line, text);
    }
    return STATUS_OK;
}

// Computes a number of the present row; its text is empty if the column that it follows from is.
static enum status compute_number(char text[NUMBER_TEXT], const struct rule *rule, const struct csv_reader *reader,
                                  struct error *error) {
    double number = 0, divisor = 1;
    *text = '\0';
    if (!*csv_reader_text(reader, rule->from)) {
        return STATUS_OK;
    }
    TRY(read_published_number(reader, rule->from, &number, error));
    if (rule->over) {
        TRY(read_published_number(reader, rule->over, &divisor, error));
    }
    const double value = number * rule->factor / divisor;
    snprintf(text, NUMBER_TEXT, value >= 1e5 ? "%.0f" : "%.6g", value);
    return STATUS_OK;
}

static enum status compute_numbers(struct file *file, struct error *error) {
    const struct rule *rules = file->published->rules;
    for (size_t i = 0; rules[i].column; i++) {
        TRY(rules[i].factor > 0 ? compute_number(file->numbers[i], &rules[i], &file->reader, error) : STATUS_OK);
    }
    return STATUS_OK;
}

// What the present row says in a column of bankshot; NULL if the table does not say it.
static const char *published_field(const struct file *file, const char *column) {
    const struct rule *rule = file->published->rules;
    while (rule->column && strcmp(rule->column, column) != 0) {
        rule++;
    }
    return strcmp(column, "source") == 0 ? "published"
           : rule->factor > 0            ? file->numbers[rule - file->published->rules]
           : rule->from                  ? csv_reader_text(&file->reader, rule->from)
                                         : rule->text;
}

// ---- Bankshot's rows ----

// Empty where the file has no such column.
static const char *field(const struct file *file, const char *column) {
    const char *text = file->published ? published_field(file, column) : csv_reader_text(&file->reader, column);
    return text ? text : "";
}

// Reads the next row; of a published table the next one of its device.
static enum status next_row(struct file *file, bool *found, struct error *error) {
    const char *first = file->published ? file->published->first : "";
    do {
        TRY(csv_reader_next(&file->reader, found, error));
    } while (*found && strncmp(csv_reader_field(&file->reader, 0), first, strlen(first)) != 0);
    return *found && file->published ? compute_numbers(file, error) : STATUS_OK;
}

enum {
    RUN_TEXT = 1024
};

static const double WAITED_MAX_PCT = 2;
static const double SAMPLES_LEAST = 3;

// NaN if the field is empty or missing.
static enum status read_number(const struct file *file, const char *column, double *number, struct error *error) {
    return csv_reader_number(&file->reader, field(file, column), column, row_column_is_signed(column), number, error);
}

// Whether the row is a point of a curve over footprints, such as those of latency and latency-atomic.
static bool is_curve(const char *probe, const char *variant) {
    static const char *const curves[] = {"latency", "bandwidth", "unit-bandwidth"};
    bool found = false;
    for (size_t i = 0; i < sizeof curves / sizeof *curves && strcmp(probe, "levels") == 0; i++) {
        const size_t length = strlen(curves[i]);
        found =
            found || (strncmp(variant, curves[i], length) == 0 && (variant[length] == '\0' || variant[length] == '-'));
    }
    return found;
}

// Whether the row's value of this column follows from others: elements from a curve's footprint, other footprints from
// the elements.
static bool is_implied(const struct file *file, const char *column) {
    const bool is_elements = strcmp(column, "elements") == 0;
    if (!is_elements && strcmp(column, "footprint_bytes") != 0) {
        return false;
    }
    const bool by_footprint = is_curve(field(file, "probe"), field(file, "variant"));
    return is_elements ? by_footprint && *field(file, "footprint_bytes") : !by_footprint && *field(file, "elements");
}

// The words "column=value" of the columns of a kind. Those of the column `parameters` are such words already.
static size_t add_words(char run[RUN_TEXT], size_t length, bool sizes, const struct file *file) {
    for (size_t key = 0; key < key_column_count; key++) {
        const char *name = key_columns[key].name;
        const bool named_apart = strcmp(name, "probe") == 0 || strcmp(name, "variant") == 0;
        const bool is_asked = (key_columns[key].kind == KEY_SIZE) == sizes && !named_apart;
        const char *text = is_asked ? field(file, name) : "";
        if (*text && length < RUN_TEXT && !is_implied(file, name)) {
            const bool is_words = strcmp(name, "parameters") == 0;
            length += (size_t)snprintf(run + length, RUN_TEXT - length, "%s%s%s%s", length ? " " : "",
                                       is_words ? "" : name, is_words ? "" : "=", text);
        }
    }
    return length;
}

static size_t describe_run(char run[RUN_TEXT], size_t *sizes_at, const struct file *file) {
    run[0] = '\0';
    *sizes_at = add_words(run, 0, false, file);
    return add_words(run, *sizes_at, true, file);
}

// Takes the text of the row before if it is the same.
static const char *keep_once(struct texts *texts, const char *text, const char *before) {
    return before && strcmp(before, text) == 0 ? before : texts_copy(texts, text);
}

// The model's name of the part. Files of a version without the column take it from the device's name.
static const char *identify(const struct file *file) {
    const char *part = field(file, "part"), *device = field(file, "device");
    const struct gpu *gpu = *part ? NULL : gpu_match(device, field(file, "arch"), 0);
    return *part ? part : gpu ? gpu->name : device;
}

static enum source read_source(const char *name) {
    enum source source = SOURCES - 1;
    while (source > 0 && strcmp(source_name(source), name) != 0) {
        source--;
    }
    return source;
}

// Widths, steps and blocks of a curve's points are the probe's choice for its device. The operation and the pages are
// not.
static enum status read_curve(struct result *result, const struct file *file, const struct result *before,
                              struct texts *texts, struct error *error) {
    static const double LINE_MAX = 256; // bytes; longer steps leave most of the footprint out
    char curve[RUN_TEXT];
    double width = 0, stride = 0;
    TRY(read_number(file, "footprint_bytes", &result->footprint, error));
    TRY(read_number(file, "width_bytes", &width, error));
    TRY(read_number(file, "stride", &stride, error));
    result->curve = NULL;
    if (result->footprint > 0 && !(width * stride > LINE_MAX) && is_curve(result->probe, result->variant)) {
        snprintf(curve, sizeof curve, "%s %s", field(file, "op"), field(file, "page_bytes"));
        result->curve = keep_once(texts, curve, before->curve);
    }
    return STATUS_OK;
}

static enum reason distrust(const struct result *result, const char *verdict, const char *verified, double taken,
                            double waited_pct) {
    static const struct {
        const char *verdict;
        enum reason reason;
    } meanings[] = {{"unverified", REASON_UNVERIFIED},
                    {"throttled", REASON_THROTTLED},
                    {"above-peak", REASON_ABOVE_PEAK},
                    {"waited", REASON_WAITED}};
    if (strcmp(verified, "no") == 0) {
        return REASON_UNVERIFIED;
    }
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (strstr(verdict, meanings[i].verdict) &&
            !(result->source == SOURCE_PREDICTED && meanings[i].reason == REASON_UNVERIFIED)) {
            return meanings[i].reason;
        }
    }
    if (waited_pct > WAITED_MAX_PCT) {
        return REASON_WAITED;
    }
    if (result->source != SOURCE_MEASURED || result->samples >= SAMPLES_LEAST) {
        return REASON_NONE;
    }
    return taken >= SAMPLES_LEAST ? REASON_CORRELATED : REASON_SAMPLES;
}

static enum status read_figures(struct result *result, const struct file *file, struct error *error) {
    struct samples s;
    const struct {
        const char *column;
        double *number;
    } numbers[] = {{"samples", &s.taken},
                   {"time_ns_min", &s.shortest},
                   {"time_ns_p25", &s.lower},
                   {"time_ns_p75", &s.upper},
                   {"noise_pct", &s.noise_pct},
                   {"clock_mhz", &result->clock_mhz},
                   {"waited_pct", &s.waited_pct},
                   {"effective_samples", &s.effective},
                   {"time_ns_low", &s.low},
                   {"time_ns_high", &s.high},
                   {"modes_pct", &s.modes_pct},
                   {"drift_pct", &s.drift_pct},
                   {"expected_error_pct", &result->expected_error}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        TRY(read_number(file, numbers[i].column, numbers[i].number, error));
    }
    result->expected_error /= 100;
    for (size_t i = 0; i < FIGURES; i++) {
        TRY(read_number(file, figure_kinds[i].column, &result->figures[i], error));
        result->figures[i] = result->figures[i] > 0 ? result->figures[i] : NAN;
    }
    const char *verdict = field(file, "verdict");
    result_set_samples(result, &s);
    result->noisy = strstr(verdict, "noisy") != NULL;
    result->reason = distrust(result, verdict, field(file, "verified"), s.taken, s.waited_pct);
    if (result->reason == REASON_NONE && !(result->variance >= 0)) {
        result->reason = REASON_SAMPLES;
    }
    return STATUS_OK;
}

// Reads a row, whose texts go into texts. `before` is the row before it, which may lend it its texts.
static enum status result_read(struct result *result, const struct file *file, const struct result *before,
                               struct texts *texts, struct error *error) {
    char run[RUN_TEXT];
    if (describe_run(run, &result->sizes_at, file) >= RUN_TEXT) {
        return error_set(error, STATUS_USAGE, "%s:%llu: the row's texts are too long: run the probe again",
                         file->reader.path, (unsigned long long)file->reader.line);
    }
    result->probe = keep_once(texts, field(file, "probe"), before->probe);
    result->variant = keep_once(texts, field(file, "variant"), before->variant);
    result->device = keep_once(texts, identify(file), before->device);
    result->run = texts_copy(texts, run);
    result->unknown = file->unknown;
    result->source = read_source(field(file, "source"));
    result->on_cpu = strcmp(field(file, "backend"), "cpu") == 0;
    TRY(read_curve(result, file, before, texts, error));
    return read_figures(result, file, error);
}

static bool result_has_figure(const struct result *result) {
    bool found = false;
    for (size_t i = 0; i < FIGURES; i++) {
        found = found || !isnan(result->figures[i]);
    }
    return found;
}

enum {
    GPU_TEXT = 16
};

static enum status add(struct results *results, const struct file *file, struct error *error) {
    results->rows = memory_room(results->rows, results->count, sizeof *results->rows);
    struct result *result = &results->rows[results->count];
    const struct result *before = results->count ? result - 1 : &(struct result){0};
    TRY(result_read(result, file, before, &results->texts, error));
    results->count += result_has_figure(result);
    return STATUS_OK;
}

// What the lines "# key: value" say of one file.
struct head {
    char *date;         // of the results' first file
    char gpu[GPU_TEXT]; // the first, "cuda:1"; empty: none
    bool has_more;      // GPUs
};

// Takes the first date, and the GPU from a line "cuda:1 device: ...".
static void take_remark(void *context, const char *line) {
    static const char DATE[] = " date: ";
    struct head *head = context;
    char gpu[GPU_TEXT];
    if (strncmp(line, DATE, sizeof DATE - 1) == 0 && !*head->date) {
        snprintf(head->date, ABOUT_TEXT, "%s", line + sizeof DATE - 1);
    }
    int length = 0;
    const bool found = sscanf(line, " %15[a-z0-9:] device: %n", gpu, &length) == 1 && length > 0 &&
                       (strncmp(gpu, "cuda:", 5) == 0 || strncmp(gpu, "hip:", 4) == 0);
    if (found && !head->gpu[0]) {
        memcpy(head->gpu, gpu, sizeof gpu);
    } else if (found && strcmp(head->gpu, gpu) != 0) {
        head->has_more = true;
    }
}

static enum status read_rows(struct results *results, struct file *file, struct error *error) {
    bool found = true;
    while (found) {
        TRY(next_row(file, &found, error));
        if (found) {
            TRY(add(results, file, error));
        }
    }
    return STATUS_OK;
}

// Sets the GPU of a file's rows.
static void set_gpu(struct results *results, size_t first, const struct head *head) {
    const bool known = head->gpu[0] && !head->has_more;
    const char *gpu = known ? texts_copy(&results->texts, head->gpu) : NULL;
    for (size_t i = first; i < results->count; i++) {
        results->rows[i].gpu = gpu;
    }
}

// Finds out from the header, which was read, whose the file is and which key columns it lacks.
static void take_header(struct file *file, bool *foreign) {
    static const char *const needed[] = {"probe", "variant", "device", "verdict"};
    const struct csv_reader *reader = &file->reader;
    bool own = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        own = own && !lacks(reader, needed[i]);
    }
    file->published = own ? NULL : published_find(reader);
    *foreign = !own && !file->published;
    for (size_t key = 0; key < key_column_count; key++) {
        const char *name = key_columns[key].name;
        const bool unknown = file->published ? !published_field(file, name) : lacks(reader, name);
        file->unknown |= (uint64_t)unknown << key;
    }
}

static enum status read_table(struct results *results, struct file *file, bool *foreign, struct error *error) {
    struct head head = {.date = results->date};
    const size_t first = results->count;
    TRY(csv_reader_header(&file->reader, take_remark, &head, error));
    take_header(file, foreign);
    enum status status = *foreign ? error_set(error, STATUS_USAGE,
                                              "%s: it lacks bankshot's columns probe, variant, device and verdict: "
                                              "name a probe's CSV file",
                                              file->reader.path)
                                  : csv_reader_check_header(&file->reader, error);
    THEN(status, read_rows(results, file, error));
    if (status == STATUS_OK) {
        set_gpu(results, first, &head);
        rows_number(results->rows + first, results->count - first);
    }
    return status;
}

static enum status read_file(void *context, const char *path, bool *foreign, struct error *error) {
    struct results *results = context;
    struct file file = {0};
    *foreign = false;
    TRY(csv_reader_open(&file.reader, path, error));
    const enum status status = read_table(results, &file, foreign, error);
    csv_reader_close(&file.reader);
    return status;
}

enum status results_read(struct results *results, const char *path, struct error *error) {
    results->path = path;
    TRY(csv_files_read(path, read_file, results, &results->foreign, error));
    if (results->count == 0) {
        return error_set(error, STATUS_USAGE, "%s: there is no row in it to compare: run a probe with --csv first",
                         path);
    }
    return STATUS_OK;
}

void results_clear(struct results *results) {
    free(results->rows);
    texts_clear(&results->texts);
    *results = (struct results){0};
}
