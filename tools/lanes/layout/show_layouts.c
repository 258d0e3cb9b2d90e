#include "tools/lanes/layout/show_layouts.h"

#include <inttypes.h>
#include <string.h>

#include "tools/lanes/grid.h"
#include "util/json_writer.h"
#include "util/text.h"

// ---- Names of layouts ----

// What Triton calls the same: it exchanges runs of `vec` elements within a row, by a phase that changes every
// `per_phase` rows and returns after max_phase phases.
struct triton_names {
    uint32_t vec, per_phase, max_phase;
};

void layout_name(const struct layout *layout, char name[LAYOUT_NAME]) {
    if (layout->bits) {
        snprintf(name, LAYOUT_NAME, "Swizzle<%u,%u,%d>", layout->bits, layout->base, layout->shift);
    } else if (layout->padding) {
        snprintf(name, LAYOUT_NAME, "padding %u", layout->padding);
    } else {
        snprintf(name, LAYOUT_NAME, "as it is");
    }
}

// The bits of the index that are a column's number; 32 if rows are no power of two.
static uint32_t column_bits(const struct tile *tile) {
    return tile->columns & (tile->columns - 1) ? 32 : (uint32_t)__builtin_ctz(tile->columns);
}

// False if Triton has no such swizzle: it swizzles columns by rows only.
static bool layout_triton_names(const struct layout *layout, struct triton_names *names) {
    const uint32_t columns = column_bits(&layout->tile), source = layout_source_bit(layout);
    if (!layout->bits || source < columns || layout_target_bit(layout) + layout->bits > columns) {
        return false;
    }
    *names = (struct triton_names){.vec = UINT32_C(1) << layout->base,
                                   .per_phase = UINT32_C(1) << (source - columns),
                                   .max_phase = UINT32_C(1) << layout->bits};
    return true;
}

// The bits of `from` that the mask takes after `down`, moved to `up`: "(row >> 2 & 7) << 3".
static void print_moved(char *text, size_t size, const char *from, uint32_t down, uint32_t mask, uint32_t up) {
    char shift[16] = "";
    if (down) {
        snprintf(shift, sizeof shift, " >> %u", down);
    }
    if (up) {
        snprintf(text, size, "((%s%s & %u) << %u)", from, shift, mask, up);
    } else {
        snprintf(text, size, "(%s%s & %u)", from, shift, mask);
    }
}

void layout_index(const struct layout *layout, char text[LAYOUT_INDEX]) {
    const uint32_t columns = layout->tile.columns, mask = (UINT32_C(1) << layout->bits) - 1;
    const uint32_t source = layout_source_bit(layout), target = layout_target_bit(layout);
    char plain[32], moved[64];
    struct triton_names names;
    if (!layout->bits) {
        snprintf(text, LAYOUT_INDEX, "row * %u + column", columns + layout->padding);
    } else if (layout_triton_names(layout, &names)) {
        print_moved(moved, sizeof moved, "row", source - column_bits(&layout->tile), mask, target);
        snprintf(text, LAYOUT_INDEX, "row * %u + (column ^ %s)", columns, moved);
    } else {
        snprintf(plain, sizeof plain, "(row * %u + column)", columns);
        print_moved(moved, sizeof moved, plain, source, mask, target);
        snprintf(text, LAYOUT_INDEX, "%s ^ %s", plain, moved);
    }
}

// ---- The answer ----

enum {
    GPUS_A_LINE = 5,
    LABEL_WIDTH = 29,
    GPU_WIDTH = 10
};

static uint64_t requests_of(const struct layout_case *one) {
    uint64_t count = 0;
    for (size_t i = 0; i < one->requests.count; i++) {
        count += one->requests.list[i].count;
    }
    return count;
}

// The layouts that meet the lower bound in this case.
static size_t count_free(const struct layout_search *search, size_t at) {
    size_t free = 0;
    for (size_t i = 0; i < search->tried_count; i++) {
        free += search->tried[i].passes[at] == search->least[at];
    }
    return free;
}

// How many of the best have so many passes more than the lower bound of all cases.
static size_t count_as_good(const struct layout_search *search, uint64_t excess) {
    size_t count = 0;
    while (count < search->tried_count && search->tried[count].excess == excess) {
        count++;
    }
    return count;
}

// ---- For people ----

// What a request of a case takes of the values, or how many layouts meet its lower bound if there are none.
static void print_cell(FILE *file, const struct layout_search *search, const uint64_t *values, size_t at) {
    if (values) {
        fprintf(file, "%*.2f", GPU_WIDTH, (double)values[at] / (double)requests_of(&search->cases[at]));
    } else {
        fprintf(file, "%*zu", GPU_WIDTH, count_free(search, at));
    }
}

// A row for each access and a column for each GPU, of which a line holds only some.
static void print_table(FILE *file, const struct layout_search *search, const uint64_t *values) {
    for (size_t first = 0; first < search->gpu_count; first += GPUS_A_LINE) {
        const size_t rest = search->gpu_count - first, end = first + (rest < GPUS_A_LINE ? rest : GPUS_A_LINE);
        fprintf(file, "%*s", LABEL_WIDTH, "");
        for (size_t gpu = first; gpu < end; gpu++) {
            fprintf(file, "%*s", GPU_WIDTH, search->cases[gpu].gpu->name);
        }
        fputc('\n', file);
        for (size_t access = 0; access < search->access_count; access++) {
            fprintf(file, "  %-*.*s", LABEL_WIDTH - 2, LABEL_WIDTH - 2, search->cases[access * search->gpu_count].name);
            for (size_t gpu = first; gpu < end; gpu++) {
                const size_t at = access * search->gpu_count + gpu;
                if (search->cases[at].requests.count) {
                    print_cell(file, search, values, at);
                } else {
                    fprintf(file, "%*s", GPU_WIDTH, "-");
                }
            }
            fputc('\n', file);
        }
    }
}

static void print_layout(FILE *file, const struct layout_search *search, const struct layout_tried *tried) {
    char name[LAYOUT_NAME], index[LAYOUT_INDEX];
    struct triton_names triton;
    const struct layout *layout = &tried->layout;
    layout_name(layout, name);
    layout_index(layout, index);
    fprintf(file, "\n%s: %s, %u bytes added, aligned to %u\n", name,
            tried->excess ? "bank conflicts" : "free of bank conflicts",
            layout_bytes(layout) - tile_bytes(&layout->tile), layout_alignment(layout));
    if (layout_triton_names(layout, &triton)) {
        fprintf(file, "  Triton: vec %u, perPhase %u, maxPhase %u\n", triton.vec, triton.per_phase, triton.max_phase);
    }
    fprintf(file, "  index = %s;\n", index);
    print_table(file, search, tried->passes);
}

// The best layout of each family, in the order of their merit.
static void print_best(FILE *file, const struct layout_search *search) {
    enum family {
        AS_IT_IS,
        PADDING,
        SWIZZLE,
        FAMILIES
    };
    bool shown[FAMILIES] = {false};
    for (size_t i = 0; i < search->tried_count; i++) {
        const struct layout_tried *tried = &search->tried[i];
        const enum family family = tried->layout.bits ? SWIZZLE : tried->layout.padding ? PADDING : AS_IT_IS;
        if (!shown[family]) {
            shown[family] = true;
            print_layout(file, search, tried);
        }
    }
}

static void print_sentence(FILE *file, const char *text) {
    fputc('\n', file);
    wrap_text(file, text, 0, 0);
    fputc('\n', file);
}

static bool has_copies_past_l1(const struct layout_search *search) {
    bool has = false;
    for (size_t i = 0; i < layout_case_count(search); i++) {
        has = has || (search->cases[i].copy == COPY_PAST_L1 && search->cases[i].requests.count);
    }
    return has;
}

static void print_proof(FILE *file, const struct layout_search *search) {
    const uint64_t excess = search->tried->excess;
    const size_t good = count_as_good(search, excess);
    char text[512];
    if (!excess) {
        snprintf(
            text, sizeof text,
            "Proof: no layout of any kind takes fewer passes. Each group of lanes that is served together takes as "
            "many as its distinct bytes need%s. %zu of the %zu layouts %s so.",
            has_copies_past_l1(search) ? ", and a copy as many as the lines that it reads" : "", good, search->space,
            good == 1 ? "does" : "do");
        print_sentence(file, text);
        return;
    }
    snprintf(text, sizeof text,
             "Proof: none of the %zu layouts is free of bank conflicts for every access on every GPU. All were tried, "
             "%zu of them impossible, because they tear a lane's bytes apart or do not fit. The best takes %" PRIu64
             " passes more than the lower bound, as %zu layout%s.",
             search->space, search->space - search->tried_count, excess, good, good == 1 ? " does" : "s do");
    print_sentence(file, text);
    fputs("\nlower bound of the passes of a request in any layout\n", file);
    print_table(file, search, search->least);
    fputs("\nlayouts that meet the bound\n", file);
    print_table(file, search, NULL);
}

void layouts_print(FILE *file, const struct layout_search *search) {
    const struct tile *tile = &search->tile;
    fprintf(file, "tile of %u x %u elements of %u bytes: %u paddings and %zu swizzles tried\n", tile->rows,
            tile->columns, tile->element_bytes, tile->columns + 1, search->space - tile->columns - 1);
    fputs("passes of a request by layout, access and GPU\n", file);
    print_best(file, search);
    print_proof(file, search);
}

// ---- JSON ----

static void json_counts(struct json_writer *writer, const char *key, const struct layout_search *search,
                        const uint64_t *values) {
    json_begin_array(writer, key);
    for (size_t i = 0; i < layout_case_count(search); i++) {
        json_write_count(writer, NULL, values[i]);
    }
    json_end(writer);
}

static void json_layout(struct json_writer *writer, const struct layout_search *search,
                        const struct layout_tried *tried) {
    char name[LAYOUT_NAME], index[LAYOUT_INDEX];
    struct triton_names triton;
    const struct layout *layout = &tried->layout;
    layout_name(layout, name);
    layout_index(layout, index);
    json_begin_object(writer, NULL);
    json_write_text(writer, "name", name);
    json_write_count(writer, "padding", layout->padding);
    if (layout_triton_names(layout, &triton)) {
        json_write_count(writer, "vec", triton.vec);
        json_write_count(writer, "per_phase", triton.per_phase);
        json_write_count(writer, "max_phase", triton.max_phase);
    }
    json_write_count(writer, "bytes", layout_bytes(layout));
    json_write_count(writer, "alignment", layout_alignment(layout));
    json_write_text(writer, "index", index);
    json_write_bool(writer, "free", tried->excess == 0);
    json_counts(writer, "passes", search, tried->passes);
    json_end(writer);
}

static void json_cases(struct json_writer *writer, const struct layout_search *search) {
    json_begin_array(writer, "cases");
    for (size_t i = 0; i < layout_case_count(search); i++) {
        const struct layout_case *one = &search->cases[i];
        json_begin_object(writer, NULL);
        json_write_text(writer, "access", one->name);
        json_write_text(writer, "gpu", one->gpu->name);
        json_write_text(writer, "op", one->copy ? "copy" : operation_name(one->operation));
        json_write_count(writer, "width_bytes", one->bytes);
        json_write_count(writer, "requests", requests_of(one));
        json_write_count(writer, "least", search->least[i]);
        json_write_count(writer, "free", count_free(search, i));
        json_end(writer);
    }
    json_end(writer);
}

void layouts_write_json(FILE *file, const void *context) {
    const struct layout_search *search = context;
    struct json_writer writer = json_writer(file);
    json_begin_object(&writer, NULL);
    json_write_count(&writer, "rows", search->tile.rows);
    json_write_count(&writer, "columns", search->tile.columns);
    json_write_count(&writer, "element_bytes", search->tile.element_bytes);
    json_write_count(&writer, "space", search->space);
    json_write_count(&writer, "free", count_as_good(search, 0));
    json_cases(&writer, search);
    json_begin_array(&writer, "layouts");
    for (size_t i = 0; i < search->tried_count; i++) {
        json_layout(&writer, search, &search->tried[i]);
    }
    json_end(&writer);
    json_end(&writer);
}
