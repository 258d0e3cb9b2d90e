#include "apsp/graph/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/cpu/host.h"
#include "util/file.h"
#include "util/threads.h"

// ---- Text ----

// Both formats have a head with the numbers of vertices and edges, then one line for each edge. Threads share the
// lines; the error names the first fault in the file.

enum {
    WORDS_MAX = 6
};

// Part of the file. The byte at `end` is a blank, a newline, or the NUL behind the file.
struct word {
    const char *begin, *end;
};

// The first words of a line.
struct line {
    const char *begin;
    struct word words[WORDS_MAX];
    size_t count;
};

// The lines behind the head, as the head describes them.
struct body {
    const char *begin;
    uint64_t vertices, lines;
    bool dimacs;    // lines are "a FROM TO WEIGHT" or comments
    bool pattern;   // lines have no weight, every edge weighs 1
    bool real;      // a weight may be written as 3.0
    bool symmetric; // a line stands for the edges in both directions
};

// The edges that one thread read, and the first fault that it found.
struct part {
    struct edge *edges;
    size_t count, capacity;
    uint64_t lines;
    const char *fault_at; // NULL: none
    char fault[96];
};

// Names the line of a fault: "PATH: line N: ...".
static enum status refuse_line(const struct graph_text *text, const char *at, const char *what, struct error *error) {
    uint64_t line = 1;
    for (const char *from = text->begin; from < at && (from = memchr(from, '\n', (size_t)(at - from))); from++) {
        line++;
    }
    return error_set(error, STATUS_USAGE, "%s: line %" PRIu64 ": %s", text->path, line, what);
}

static bool is_blank(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r';
}

// Reads the line at *at and moves *at to the next one.
static struct line read_line(const char **at, const char *end) {
    struct line line = {.begin = *at};
    const char *stop = memchr(*at, '\n', (size_t)(end - *at));
    *at = stop ? stop + 1 : end;
    stop = stop ? stop : end;
    for (const char *letter = line.begin; line.count < WORDS_MAX;) {
        while (letter < stop && is_blank(*letter)) {
            letter++;
        }
        if (letter == stop) {
            break;
        }
        line.words[line.count].begin = letter;
        while (letter < stop && !is_blank(*letter)) {
            letter++;
        }
        line.words[line.count++].end = letter;
    }
    return line;
}

static bool words_are_equal(struct word a, struct word b) {
    return a.end - a.begin == b.end - b.begin && memcmp(a.begin, b.begin, (size_t)(a.end - a.begin)) == 0;
}

static bool word_is(struct word word, const char *text) {
    return words_are_equal(word, (struct word){text, text + strlen(text)});
}

static bool word_is_in_any_case(struct word word, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(word.end - word.begin) == length && strncasecmp(word.begin, text, length) == 0;
}

// A number beyond int64 becomes the largest int64, which every range here excludes.
static bool parse_whole(struct word word, int64_t *number) {
    char *end;
    *number = strtoll(word.begin, &end, 10);
    return end == word.end;
}

static bool parse_weight(struct word word, bool real, int64_t *weight) {
    static const double FAR = 1e15; // above every weight; a double holds every whole number up to here
    char *end;
    if (parse_whole(word, weight)) {
        return true;
    }
    const double value = real ? strtod(word.begin, &end) : 0;
    if (!real || end != word.end || isnan(value)) {
        return false;
    }
    *weight = (int64_t)(value > FAR ? FAR : value < -FAR ? -FAR : value);
    return fabs(value) > FAR || (double)*weight == value;
}

static const char *parse_vertex(struct word word, uint64_t vertices, int32_t *vertex) {
    int64_t number;
    if (!parse_whole(word, &number)) {
        return "a vertex is a whole number";
    }
    if (number < 1 || (uint64_t)number > vertices) {
        return "a vertex out of range: vertices count from 1 to the head's number";
    }
    *vertex = (int32_t)(number - 1);
    return NULL;
}

// Returns NULL, or what is wrong with the line.
static const char *parse_edge(const struct line *line, const struct body *body, struct edge *edge) {
    const size_t first = body->dimacs ? 1 : 0;
    const size_t words = first + (body->pattern ? 2 : 3);
    int64_t weight = 1;
    if (body->dimacs && !word_is(line->words[0], "a")) {
        return "not a line of an edge: it must begin with a";
    }
    if (line->count != words) {
        return body->pattern ? "an edge has two numbers: row, column" : "an edge has three numbers: from, to, weight";
    }
    const char *wrong = parse_vertex(line->words[first], body->vertices, &edge->from);
    wrong = wrong ? wrong : parse_vertex(line->words[first + 1], body->vertices, &edge->to);
    if (wrong) {
        return wrong;
    }
    if (!body->pattern && !parse_weight(line->words[first + 2], body->real, &weight)) {
        return "a weight is a whole number: scale the weights";
    }
    if (weight < 0) {
        return "a negative weight: weights are 0 or more";
    }
    if (weight > INT32_MAX) {
        return "a weight above 2147483647: scale the weights";
    }
    edge->weight = (int32_t)weight;
    return NULL;
}

static bool is_comment(const struct line *line, const struct body *body) {
    return line->count == 0 || (body->dimacs ? word_is(line->words[0], "c") : *line->words[0].begin == '%');
}

static const char *append(struct part *part, struct edge edge) {
    if (part->count == part->capacity) {
        const size_t capacity = part->capacity ? 2 * part->capacity : 1024;
        struct edge *grown = realloc(part->edges, capacity * sizeof *grown);
        if (!grown) {
            return "out of memory: use a smaller graph";
        }
        part->edges = grown;
        part->capacity = capacity;
    }
    part->edges[part->count++] = edge;
    return NULL;
}

static const char *append_edges(struct part *part, const struct body *body, struct edge edge) {
    const char *wrong = append(part, edge);
    if (!wrong && body->symmetric && edge.from != edge.to) {
        wrong = append(part, (struct edge){edge.to, edge.from, edge.weight});
    }
    return wrong;
}

static void parse_part(const char *at, const char *end, const struct body *body, struct part *part) {
    while (at < end) {
        const struct line line = read_line(&at, end);
        struct edge edge;
        if (is_comment(&line, body)) {
            continue;
        }
        const char *wrong = parse_edge(&line, body, &edge);
        wrong = wrong ? wrong : append_edges(part, body, edge);
        if (wrong) {
            part->fault_at = line.begin;
            snprintf(part->fault, sizeof part->fault, "%s", wrong);
            return;
        }
        part->lines++;
    }
}

// The beginning of one of `parts` parts of the text, moved to the beginning of a line.
static const char *part_begin(const char *begin, const char *end, size_t index, size_t parts) {
    if (index == 0 || index == parts) {
        return index == 0 ? begin : end;
    }
    const char *at = begin + (size_t)(end - begin) / parts * index;
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return stop ? stop + 1 : end;
}

static enum status check_lines(const struct graph_text *text, const struct body *body, uint64_t lines,
                               struct error *error) {
    char what[96];
    if (lines == body->lines) {
        return STATUS_OK;
    }
    snprintf(what, sizeof what, "the file ends after %" PRIu64 " edges, its head promises %" PRIu64 ": it is damaged",
             lines, body->lines);
    return refuse_line(text, text->end, what, error);
}

// Joins the edges of all parts into one list.
static enum status join(const struct graph_text *text, struct part *parts, size_t count, struct graph *graph,
                        struct error *error) {
    uint64_t edges = 0;
    for (size_t i = 0; i < count; i++) {
        edges += parts[i].count;
    }
    struct edge *all = malloc((edges + 1) * sizeof *all);
    if (!all) {
        return error_set(error, STATUS_FAILED, "%s: out of memory: use a smaller graph", text->path);
    }
    graph->edges = graph->memory = all;
    graph->memory_bytes = (edges + 1) * sizeof *all;
    graph->edge_count = edges;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].count > 0) {
            memcpy(all, parts[i].edges, parts[i].count * sizeof *all);
        }
        all += parts[i].count;
    }
    return STATUS_OK;
}

static enum status finish(const struct graph_text *text, const struct body *body, struct part *parts, size_t count,
                          struct graph *graph, struct error *error) {
    uint64_t lines = 0;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].fault_at) {
            return refuse_line(text, parts[i].fault_at, parts[i].fault, error);
        }
        lines += parts[i].lines;
    }
    TRY(check_lines(text, body, lines, error));
    return join(text, parts, count, graph, error);
}

static enum status parse_body(const struct graph_text *text, const struct body *body, struct graph *graph,
                              struct error *error) {
    enum {
        PARALLEL_BYTES = 1 << 16
    };
    const size_t count = text->end - body->begin < PARALLEL_BYTES ? 1 : (size_t)omp_get_max_threads();
    struct part *parts = memory_zeros(count, sizeof *parts);
#pragma omp parallel for schedule(static) num_threads(count)
    for (size_t i = 0; i < count; i++) {
        parse_part(part_begin(body->begin, text->end, i, count), part_begin(body->begin, text->end, i + 1, count), body,
                   &parts[i]);
    }
    graph->vertices = (uint32_t)body->vertices;
    enum status status = finish(text, body, parts, count, graph, error);
    for (size_t i = 0; i < count; i++) {
        free(parts[i].edges);
    }
    free(parts);
    return status;
}

// The most edges that the parts and the joined list hold; a line has at least four bytes.
static uint64_t edges_in_memory(const struct graph_text *text, const struct body *body) {
    const uint64_t room = (uint64_t)(text->end - body->begin) / 4 + 1;
    return (body->symmetric ? UINT64_C(4) : UINT64_C(2)) * (body->lines < room ? body->lines : room);
}

// Takes the numbers of vertices and edges from the line at `at`.
static enum status set_sizes(const struct graph_text *text, const char *at, struct word vertices, struct word edges,
                             struct body *body, struct error *error) {
    int64_t n, m;
    if (!parse_whole(vertices, &n) || n <= 0 || n > INT32_MAX) {
        return refuse_line(text, at, "the number of vertices must be 1 to 2147483647: this is no graph", error);
    }
    if (!parse_whole(edges, &m) || m < 0) {
        return refuse_line(text, at, "the number of edges must be 0 or more: this is no graph", error);
    }
    body->vertices = (uint64_t)n;
    body->lines = (uint64_t)m;
    return graph_check_memory(text->path, body->vertices, edges_in_memory(text, body), text->matrices, error);
}

// Parses "%%MatrixMarket matrix coordinate FIELD SYMMETRY". Returns NULL, or what is wrong.
static const char *parse_banner(const struct line *line, struct body *body) {
    static const struct {
        const char *name;
        bool pattern, real;
    } fields[] = {{"integer", false, false}, {"real", false, true}, {"pattern", true, false}};
    size_t field = 0;
    if (line->count != 5 || !word_is_in_any_case(line->words[1], "matrix") ||
        !word_is_in_any_case(line->words[2], "coordinate")) {
        return "expected \"%%MatrixMarket matrix coordinate ...\": this is no sparse matrix";
    }
    while (field < 3 && !word_is_in_any_case(line->words[3], fields[field].name)) {
        field++;
    }
    if (field == 3) {
        return "the field must be integer, real or pattern: convert the matrix";
    }
    body->pattern = fields[field].pattern;
    body->real = fields[field].real;
    body->symmetric = word_is_in_any_case(line->words[4], "symmetric");
    if (!body->symmetric && !word_is_in_any_case(line->words[4], "general")) {
        return "the symmetry must be general or symmetric: convert the matrix";
    }
    return NULL;
}

static bool is_matrix_market(const struct graph_text *text) {
    static const char banner[] = "%%MatrixMarket";
    const size_t length = sizeof banner - 1;
    return (size_t)(text->end - text->begin) >= length && memcmp(text->begin, banner, length) == 0;
}

// Parses the line of numbers and the edges behind it.
static enum status parse_sizes_and_edges(const struct graph_text *text, struct body *body, struct graph *graph,
                                         struct error *error) {
    while (body->begin < text->end) {
        const struct line line = read_line(&body->begin, text->end);
        if (is_comment(&line, body)) {
            continue;
        }
        if (body->dimacs && (line.count != 4 || !word_is(line.words[0], "p") || !word_is(line.words[1], "sp"))) {
            return refuse_line(text, line.begin, "expected \"p sp VERTICES EDGES\": this is no DIMACS graph", error);
        }
        if (!body->dimacs && (line.count != 3 || !words_are_equal(line.words[0], line.words[1]))) {
            return refuse_line(text, line.begin,
                               "expected \"ROWS COLUMNS ENTRIES\", as many columns as rows: this is no graph", error);
        }
        const struct word *last = &line.words[line.count - 1];
        TRY(set_sizes(text, line.begin, last[-1], *last, body, error));
        return parse_body(text, body, graph, error);
    }
    return refuse_line(text, text->end,
                       body->dimacs ? "the file ends before \"p sp VERTICES EDGES\": this is no DIMACS graph"
                                    : "the file ends before \"ROWS COLUMNS ENTRIES\": this is no graph",
                       error);
}

// Parses the text and fills in the graph's vertices, edges and memory.
static enum status parse_text(const struct graph_text *text, struct graph *graph, struct error *error) {
    struct body body = {.begin = text->begin, .dimacs = !is_matrix_market(text)};
    if (!body.dimacs) {
        const struct line banner = read_line(&body.begin, text->end);
        const char *wrong = parse_banner(&banner, &body);
        if (wrong) {
            return refuse_line(text, text->begin, wrong, error);
        }
    }
    return parse_sizes_and_edges(text, &body, graph, error);
}

// The fourth byte of a binary file is 0, because no memory holds the distances of 2^24 vertices.
bool graph_is_text(const struct graph_text *text) {
    const bool dimacs = !memchr(text->begin, '\0', sizeof(int32_t)) && (*text->begin == 'c' || *text->begin == 'p');
    return dimacs || is_matrix_market(text);
}

// ---- Binary files ----

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "graph files are little-endian and are used as they are");

enum status graph_check_head(const char *path, struct graph_head head, uint64_t bytes, struct error *error) {
    const uint64_t expected = sizeof head + (uint64_t)(uint32_t)head.edges * sizeof(struct edge);
    if (head.vertices <= 0) {
        return error_set(error, STATUS_USAGE, "%s: byte 0: %" PRId32 " vertices: at least 1 is needed", path,
                         head.vertices);
    }
    if (head.edges < 0) {
        return error_set(error, STATUS_USAGE, "%s: byte 4: %" PRId32 " edges: the number cannot be negative", path,
                         head.edges);
    }
    if (bytes != expected) {
        return error_set(error, STATUS_USAGE,
                         "%s: byte %" PRIu64 ": the file %s, %" PRId32 " edges end at byte %" PRIu64
                         ": it is damaged or no graph",
                         path, bytes < expected ? bytes : expected, bytes < expected ? "ends here" : "goes on",
                         head.edges, expected);
    }
    return STATUS_OK;
}

static bool edge_is_right(const struct edge *edge, uint32_t vertices) {
    return (uint32_t)edge->from < vertices && (uint32_t)edge->to < vertices && edge->weight >= 0;
}

static enum status refuse_edge(const char *path, uint32_t vertices, const struct edge *edge, uint64_t index,
                               struct error *error) {
    const uint64_t byte = sizeof(struct graph_head) + index * sizeof *edge;
    if (edge->weight < 0 && (uint32_t)edge->from < vertices && (uint32_t)edge->to < vertices) {
        return error_set(error, STATUS_USAGE,
                         "%s: byte %" PRIu64 ": edge %" PRIu64 " weighs %" PRId32 ": weights cannot be negative", path,
                         byte + 8, index, edge->weight);
    }
    const bool from = (uint32_t)edge->from >= vertices;
    return error_set(error, STATUS_USAGE,
                     "%s: byte %" PRIu64 ": edge %" PRIu64 " names vertex %" PRId32 ": vertices are 0 to %" PRIu32,
                     path, byte + (from ? 0 : 4), index, from ? edge->from : edge->to, vertices - 1);
}

enum status graph_check_edges(const char *path, uint32_t vertices, const struct edge *edges, uint64_t first,
                              uint64_t count, struct error *error) {
    uint64_t wrong = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : wrong)
    for (uint64_t i = 0; i < count; i++) {
        if (!edge_is_right(&edges[i], vertices)) {
            wrong = i < wrong ? i : wrong;
        }
    }
    return wrong == UINT64_MAX ? STATUS_OK : refuse_edge(path, vertices, &edges[wrong], first + wrong, error);
}

// ---- Reading ----

enum {
    READ_BYTES = 4 << 20, // a thread asks for so many bytes at once
    CUT_SHORT = -1
};

// Returns 0, an errno, or CUT_SHORT.
static int read_piece(int file, char *to, size_t count, off_t offset) {
    while (count > 0) {
        const ssize_t got = pread(file, to, count, offset);
        if (got <= 0 && !(got < 0 && errno == EINTR)) {
            return got < 0 ? errno : CUT_SHORT;
        }
        const size_t done = got > 0 ? (size_t)got : 0;
        to += done;
        count -= done;
        offset += (off_t)done;
    }
    return 0;
}

// All threads read, so that the disk has several requests at once.
static int read_pieces(int file, char *bytes, size_t size) {
    int fault = 0;
    bool cut = false;
#pragma omp parallel for schedule(dynamic) reduction(max : fault) reduction(|| : cut)
    for (size_t done = 0; done < size; done += READ_BYTES) {
        const size_t left = size - done;
        const int now = read_piece(file, bytes + done, left < READ_BYTES ? left : READ_BYTES, (off_t)done);
        cut = cut || now == CUT_SHORT;
        fault = now > fault ? now : fault;
    }
    return cut ? CUT_SHORT : fault;
}

// Reads the file into memory and appends a NUL. The file is not mapped, because the process would die if another one
// cut the file short.
static enum status read_bytes(int file, size_t size, struct graph_text *text, struct error *error) {
    TRY(cpu_memory_check(text->path, (double)size, "use a smaller graph", error));
    char *bytes = malloc(size + 1);
    if (!bytes) {
        return error_set(error, STATUS_FAILED, "%s: out of memory: use a smaller graph", text->path);
    }
    const int fault = read_pieces(file, bytes, size);
    if (fault) {
        free(bytes);
        return error_set(error, STATUS_FAILED, "%s: cannot be read: %s", text->path,
                         fault == CUT_SHORT ? "it was cut short meanwhile" : strerror(fault));
    }
    bytes[size] = '\0';
    text->begin = bytes;
    text->end = bytes + size;
    return STATUS_OK;
}

static enum status open_file(int file, struct graph_text *text, struct error *error) {
    struct stat about;
    if (fstat(file, &about) || !S_ISREG(about.st_mode)) {
        return error_set(error, STATUS_USAGE, "%s: not a regular file: give a file", text->path);
    }
    if (about.st_size < (off_t)sizeof(struct graph_head)) {
        return error_set(error, STATUS_USAGE, "%s: byte %" PRId64 ": the file ends within its head: it is no graph",
                         text->path, (int64_t)about.st_size);
    }
    return read_bytes(file, (size_t)about.st_size, text, error);
}

// The graph keeps its edges in the memory that the file was read into.
static enum status parse_binary(const struct graph_text *text, struct graph *graph, struct error *error) {
    struct graph_head head;
    memcpy(&head, text->begin, sizeof head);
    TRY(graph_check_head(text->path, head, (uint64_t)(text->end - text->begin), error));
    TRY(graph_check_memory(text->path, (uint64_t)head.vertices, 0, text->matrices, error));
    *graph = (struct graph){
        .vertices = (uint32_t)head.vertices,
        .edge_count = (uint64_t)head.edges,
        .edges = (const void *)(text->begin + sizeof head),
    };
    return graph_check_edges(text->path, graph->vertices, graph->edges, 0, graph->edge_count, error);
}

static enum status read_file(struct graph_text text, struct graph *graph, struct error *error) {
    *graph = (struct graph){0};
    int file = open(text.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // so that open does not wait for a pipe's writer
    if (file < 0) {
        return error_set(error, STATUS_USAGE, "%s: cannot be read: %s", text.path, strerror(errno));
    }
    const enum status opened = open_file(file, &text, error);
    close(file);
    TRY(opened);
    const enum status status =
        graph_is_text(&text) ? parse_text(&text, graph, error) : parse_binary(&text, graph, error);
    void *bytes = (void *)(uintptr_t)text.begin;
    if (status == STATUS_OK && !graph->memory) {
        graph->memory = bytes;
        graph->memory_bytes = (size_t)(text.end - text.begin);
    } else {
        free(bytes);
    }
    return status;
}

enum status graph_read_edges(const char *path, struct graph *graph, struct error *error) {
    return read_file((struct graph_text){.path = path}, graph, error);
}

enum status graph_read(const char *path, struct graph *graph, struct error *error) {
    enum {
        MATRICES = 2 // input and result; a solver checks its own memory
    };
    return read_file((struct graph_text){.path = path, .matrices = MATRICES}, graph, error);
}

enum status graph_refuse_options(const char *path, struct error *error) {
    return error_set(error, STATUS_USAGE,
                     "--graph %s: the file says what graph it is: leave out --random, --vertices, --edges and "
                     "--max-weight",
                     path);
}

// ---- Writing ----

enum status graph_check_edge_count(const char *path, uint64_t edges, struct error *error) {
    if (edges > INT32_MAX) {
        return error_set(error, STATUS_USAGE, "%s: %" PRIu64 " edges, the format holds %" PRId32 ": use fewer edges",
                         path, edges, INT32_MAX);
    }
    return STATUS_OK;
}

enum status graph_save(const struct graph *graph, const char *path, struct error *error) {
    const struct graph_head head = {(int32_t)graph->vertices, (int32_t)graph->edge_count};
    const struct file_piece pieces[] = {
        {&head, sizeof head},
        {graph->edges, graph->edge_count * sizeof *graph->edges},
    };
    TRY(graph_check_edge_count(path, graph->edge_count, error));
    return file_write(path, pieces, 2, error);
}

enum status distances_save(const int32_t *distances, uint64_t vertices, const char *path, struct error *error) {
    const struct file_piece piece = {distances, vertices * vertices * sizeof *distances};
    return file_write(path, &piece, 1, error);
}
