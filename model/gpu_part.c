#include "model/gpu_part.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/gpu_find.h"
#include "util/error.h"
#include "util/options.h"

enum {
    PIECE = 64
};

#define SEPARATORS ",:"

static enum status no_gpu(const char *text, struct error *error) {
    char parts[128], like[192] = "", meant[64] = "";
    const char *family = gpu_suggest_family(text, parts, sizeof parts), *nearest = gpu_suggest(text);
    if (nearest) {
        snprintf(meant, sizeof meant, "did you mean %s? ", nearest);
    }
    if (family) {
        snprintf(like, sizeof like, "of its architecture (%s) there are %s; ", family, parts);
    }
    const char *changed = nearest ? nearest : family ? parts : "h200"; // of several parts the first
    return error_set(
        error, STATUS_USAGE,
        "%.60s: no such GPU: %s%s--list-gpus lists all; %.*s,units=100 changes figures of one; measure what "
        "is not known of yours (clocks, caches, latencies, rates) by levels --emit-gpu",
        text, meant, like, (int)strcspn(changed, ","), changed);
}

// ---- Figures that can be changed ----

struct change {
    struct gpu *gpu;
    const char *name, *text;
    struct error *error;
};

static enum status read_count(const struct change *change, uint64_t least, uint64_t most, uint64_t *value) {
    return parse_count(value, change->name, change->text, least, most, change->error);
}

// Without a cache behind it the L2 is the last-level cache.
static enum status change_l2(const struct change *change) {
    struct gpu *gpu = change->gpu;
    const bool is_last = gpu->last_level_cache_bytes == gpu->l2_bytes;
    TRY(read_count(change, 1 << 18, is_last ? UINT64_C(1) << 34 : gpu->last_level_cache_bytes, &gpu->l2_bytes));
    gpu->last_level_cache_bytes = is_last ? gpu->l2_bytes : gpu->last_level_cache_bytes;
    return STATUS_OK;
}

static enum status change_capacity(const struct change *change) {
    return read_count(change, 1 << 28, UINT64_C(1) << 42, &change->gpu->memory_bytes);
}

// What launches reach of it stays the same share, and channels follow from the rate (gpus.h).
static enum status change_memory(const struct change *change) {
    struct gpu *gpu = change->gpu;
    const double before = gpu->memory_gb_s;
    TRY(parse_real(&gpu->memory_gb_s, change->name, change->text, 1, 100000, change->error));
    gpu->read_gb_s *= gpu->memory_gb_s / before;
    gpu->write_gb_s *= gpu->memory_gb_s / before;
    gpu->memory_channels = 0;
    return STATUS_OK;
}

static const struct figure {
    const char *name;
    enum status (*change)(const struct change *change); // NULL: the number in the part, which is of 32 bits, alone
    size_t place;
    uint32_t least, most;
} figures[] = {{"units", NULL, offsetof(struct gpu, compute_units), 1, 4096},
               {"clock", NULL, offsetof(struct gpu, clock_mhz), 100, 10000},
               {"memory", change_memory, 0, 0, 0},
               {"capacity", change_capacity, 0, 0, 0},
               {"l2", change_l2, 0, 0, 0},
               {"l1", NULL, offsetof(struct gpu, l1_bytes), 4 << 10, 16 << 20},
               {"shared", NULL, offsetof(struct gpu, shared_bytes_per_block), 1 << 10, 1 << 20}};

static enum status change_alone(const struct figure *figure, const struct change *change) {
    uint64_t value;
    TRY(read_count(change, figure->least, figure->most, &value));
    *(uint32_t *)(void *)((char *)change->gpu + figure->place) = (uint32_t)value;
    return STATUS_OK;
}

static enum status change_figure(struct gpu *gpu, const char *piece, struct error *error) {
    const size_t length = strcspn(piece, "=");
    for (size_t i = 0; i < sizeof figures / sizeof *figures && piece[length]; i++) {
        const struct change change = {gpu, figures[i].name, piece + length + 1, error};
        if (strlen(figures[i].name) == length && strncmp(figures[i].name, piece, length) == 0) {
            return figures[i].change ? figures[i].change(&change) : change_alone(&figures[i], &change);
        }
    }
    return error_set(error, STATUS_USAGE,
                     "%s: no such figure of a GPU: give units=, clock= (MHz), memory= (GB/s), capacity=, l2=, l1= or "
                     "shared= (bytes)",
                     *piece ? piece : "nothing after a comma");
}

// ---- Names ----

// Whether a figure is changed twice: the pieces before `at` have its name, too.
static bool is_repeated(const char *changes, const char *at, size_t name_length) {
    for (const char *before = changes + 1; before < at; before += strcspn(before, SEPARATORS) + 1) {
        if (strncmp(before, at, name_length) == 0 && before[name_length] == '=') {
            return true;
        }
    }
    return false;
}

static enum status make_part(const struct gpu *base, const char *changes, struct gpu_part *part, struct error *error) {
    part->gpu = *base;
    part->gpu.name = part->name;
    part->gpu.title = part->title;
    part->gpu.alias = "";
    part->gpu.base = base;
    size_t used = (size_t)snprintf(part->name, sizeof part->name, "%s", base->name);
    for (const char *at = changes; *at;) {
        char piece[PIECE];
        const size_t length = strcspn(++at, SEPARATORS);
        snprintf(piece, sizeof piece, "%.*s", (int)(length < PIECE ? length : PIECE - 1), at);
        if (is_repeated(changes, at, strcspn(piece, "="))) {
            return error_set(error, STATUS_USAGE, "%s: this figure is given twice: give it once", piece);
        }
        TRY(change_figure(&part->gpu, piece, error));
        used += (size_t)snprintf(part->name + used, sizeof part->name - used, ":%s", piece);
        if (used >= sizeof part->name) {
            return error_set(error, STATUS_USAGE, "%.60s: too many figures: change fewer", changes);
        }
        at += length;
    }
    if (gpu_latency(base)) {
        part->latency = gpu_latency_changed(&part->gpu);
        part->gpu.latency = &part->latency;
    }
    snprintf(part->title, sizeof part->title, "%.64s with %s", base->title, part->name + strlen(base->name) + 1);
    return STATUS_OK;
}

enum status gpu_part_find(const char *text, const struct gpu **gpu, struct gpu_part **made, struct error *error) {
    char name[PIECE];
    const size_t length = strcspn(text, SEPARATORS);
    snprintf(name, sizeof name, "%.*s", (int)(length < PIECE ? length : PIECE - 1), text);
    *made = NULL;
    *gpu = gpu_find(name);
    if (!*gpu) {
        return no_gpu(name, error);
    }
    if (text[length] == '\0') {
        return STATUS_OK;
    }
    struct gpu_part *part = memory_zeros(1, sizeof *part);
    const enum status status = make_part(*gpu, text + length, part, error);
    if (status != STATUS_OK) {
        free(part);
        return status;
    }
    *made = part;
    *gpu = &part->gpu;
    return STATUS_OK;
}

static bool is_figure(const char *text) {
    const size_t length = strcspn(text, ",:=");
    return text[length] == '=';
}

size_t gpu_list_item(const char *list) {
    size_t length = strcspn(list, ",");
    while (list[length] == ',' && is_figure(list + length + 1)) {
        length += 1 + strcspn(list + length + 1, ",");
    }
    return length;
}
