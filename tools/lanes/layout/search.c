#include "tools/lanes/layout/search.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model/copy_memory.h"
#include "model/shared_memory.h"

// ---- Layouts that cost the same ----

// Groups the requests of an access whose passes are the same whatever the padding, or whatever the swizzle, so that one
// of each group stands for all of it.

// What the requests of a class have in common.
struct key {
    uint64_t active;
    uint32_t row, column;           // of the first lane's place, as far as it matters
    uint64_t place[WARP_WIDTH_MAX]; // of each lane, seen from the first
    uint64_t from[WARP_WIDTH_MAX];  // of a copy
    size_t request;                 // not compared
};

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    return b ? common_divisor(b, a % b) : a;
}

// Whatever the length of rows, first lanes whose rows and columns differ by multiples of `unit` elements have addresses
// that differ by a multiple of the period.
static void key_of_paddings(struct key *key, const struct tile_request *request, const struct tile *tile,
                            uint32_t period) {
    const uint32_t unit = period / common_divisor(period, tile->element_bytes);
    const uint32_t first = request->index[__builtin_ctzll(request->active)];
    const uint32_t row = first / tile->columns, column = first % tile->columns;
    key->row = row % unit;
    key->column = column % unit;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left), index = request->index[lane];
        key->place[lane] = (uint64_t)(index / tile->columns - row) << 32 | (index % tile->columns - column);
    }
}

static void key_of_swizzles(struct key *key, const struct tile_request *request, bool linear) {
    const uint32_t first = linear ? request->index[__builtin_ctzll(request->active)] : 0;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        key->place[lane] = request->index[lane] ^ first;
    }
}

// Copies cost the same where their sources differ by whole lines.
static void key_of_sources(struct key *key, const struct tile_request *request) {
    const uint64_t line = request->from[__builtin_ctzll(request->active)] / COPY_LINE_BYTES * COPY_LINE_BYTES;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        key->from[lane] = request->from[lane] - line;
    }
}

static int by_key(const void *left, const void *right) {
    return memcmp(left, right, offsetof(struct key, request));
}

// A request for each run of equal keys. Frees the keys.
static struct tile_requests merge(const struct tile_requests *requests, struct key *keys) {
    struct tile_requests classes = {0};
    qsort(keys, requests->count, sizeof *keys, by_key);
    for (size_t i = 0; i < requests->count; i++) {
        const struct tile_request *request = &requests->list[keys[i].request];
        if (i && by_key(&keys[i - 1], &keys[i]) == 0) {
            classes.list[classes.count - 1].count += request->count;
        } else {
            tile_requests_add(&classes, request);
        }
    }
    free(keys);
    return classes;
}

// Keys without places.
static struct key *begin_keys(const struct tile_requests *requests) {
    struct key *keys = memory_zeros(requests->count, sizeof *keys);
    for (size_t i = 0; i < requests->count; i++) {
        keys[i].active = requests->list[i].active;
        key_of_sources(&keys[i], &requests->list[i]);
        keys[i].request = i;
    }
    return keys;
}

// A request for each class, whose count is the sum of the class's. Rows of another length move all addresses of a
// request by the same number of bytes as those of the others in its class, up to a multiple of the period
// (shared_memory.h).
static struct tile_requests classes_of_paddings(const struct tile_requests *requests, const struct tile *tile,
                                                uint32_t period) {
    struct key *keys = begin_keys(requests);
    for (size_t i = 0; i < requests->count; i++) {
        key_of_paddings(&keys[i], &requests->list[i], tile, period);
    }
    return merge(requests, keys);
}

// The same for swizzles, which are linear over xor: where two requests' elements differ by a constant that is xor-ed to
// all of them, so do their places, and such a constant only permutes the banks. linear: so do the addresses, as
// elements and lanes take powers of two of bytes and are aligned. If not, only equal requests are a class.
static struct tile_requests classes_of_swizzles(const struct tile_requests *requests, bool linear) {
    struct key *keys = begin_keys(requests);
    for (size_t i = 0; i < requests->count; i++) {
        key_of_swizzles(&keys[i], &requests->list[i], linear);
    }
    return merge(requests, keys);
}

// ---- Cases ----

// What decides whether a layout keeps the bytes of each lane together and aligned.
struct pieces {
    uint32_t elements, alignment; // of a lane's bytes; alignment in bytes
    bool aligned;                 // in the tile as it is: their elements' numbers are multiples of `elements`
    bool in_rows;                 // none goes on in the next row, and all begin at an aligned column
    bool in_first_row;            // all of them
};

// A case with the classes of its requests.
struct prepared {
    const struct layout_case *given;
    struct pieces pieces;
    struct tile_requests paddings, swizzles; // classes
};

// ---- Layouts that are possible ----

static struct pieces pieces_of(const struct layout_case *given, const struct tile *tile) {
    const uint32_t elements = given->bytes / tile->element_bytes, alignment = given->bytes == 12 ? 4 : given->bytes;
    struct pieces pieces = {elements, alignment, true, true, true};
    for (size_t i = 0; i < given->requests.count; i++) {
        const struct tile_request *request = &given->requests.list[i];
        for (uint64_t left = request->active; left; left &= left - 1) {
            const uint32_t index = request->index[__builtin_ctzll(left)], column = index % tile->columns;
            pieces.aligned = pieces.aligned && index % elements == 0;
            pieces.in_rows =
                pieces.in_rows && column + elements <= tile->columns && column * tile->element_bytes % alignment == 0;
            pieces.in_first_row = pieces.in_first_row && index < tile->columns;
        }
    }
    return pieces;
}

static bool is_power_of_two(uint32_t value) {
    return (value & (value - 1)) == 0;
}

// Whether the swizzle leaves the elements of every lane where they are, seen from the first of them.
static bool keeps_together(const struct layout *layout, const struct prepared *prepared) {
    const struct tile_requests *requests = &prepared->given->requests;
    const uint32_t element_bytes = layout->tile.element_bytes;
    for (size_t i = 0; i < requests->count; i++) {
        for (uint64_t left = requests->list[i].active; left; left &= left - 1) {
            const uint32_t index = requests->list[i].index[__builtin_ctzll(left)], place = layout_place(layout, index);
            for (uint32_t k = 1; k < prepared->pieces.elements; k++) {
                if (layout_place(layout, index + k) != place + k) {
                    return false;
                }
            }
            if (place * element_bytes % prepared->pieces.alignment) {
                return false;
            }
        }
    }
    return true;
}

static bool is_possible(const struct layout *layout, const struct prepared *prepared) {
    const struct pieces *pieces = &prepared->pieces;
    const struct tile *tile = &layout->tile;
    if (layout_bytes(layout) > prepared->given->gpu->shared_bytes_per_block) {
        return false;
    }
    if (layout->bits == 0) {
        const uint32_t row = (tile->columns + layout->padding) * tile->element_bytes;
        return (pieces->in_rows || !layout->padding) &&
               (pieces->in_first_row || row % pieces->alignment == 0 || (!layout->padding && pieces->aligned));
    }
    const uint32_t source = layout_source_bit(layout), target = layout_target_bit(layout);
    const uint32_t lowest = source < target ? source : target;
    if (is_power_of_two(pieces->elements) && pieces->aligned) {
        return UINT32_C(1) << lowest >= pieces->elements;
    }
    return keeps_together(layout, prepared);
}

// ---- Passes ----

// The request as a layout places its lanes, as a copy and as any other.
static struct request request_of(const struct layout *layout, const struct layout_case *given,
                                 const struct tile_request *class, struct copy *copy) {
    struct request request = {.operation = given->operation, .width_bytes = given->bytes, .active = class->active};
    *copy = (struct copy){.past_l1 = given->copy == COPY_PAST_L1, .width_bytes = given->bytes, .active = class->active};
    for (uint64_t left = class->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        request.address[lane] = (uint64_t)layout_place(layout, class->index[lane]) * layout->tile.element_bytes;
        copy->to[lane] = request.address[lane];
        copy->from[lane] = class->from[lane];
    }
    return request;
}

static uint64_t passes_of(const struct layout *layout, const struct prepared *prepared) {
    const struct layout_case *given = prepared->given;
    const struct tile_requests *classes = layout->bits ? &prepared->swizzles : &prepared->paddings;
    uint64_t passes = 0;
    for (size_t i = 0; i < classes->count; i++) {
        struct copy copy;
        const struct request request = request_of(layout, given, &classes->list[i], &copy);
        const struct shared_cost cost =
            given->copy ? copy_memory_cost(given->gpu, &copy) : shared_memory_cost(given->gpu, &request);
        passes += classes->list[i].count * cost.passes;
    }
    return passes;
}

static uint64_t least_of(const struct prepared *prepared, const struct tile *tile) {
    const struct layout_case *given = prepared->given;
    const struct layout as_it_is = {.tile = *tile};
    uint64_t least = 0;
    for (size_t i = 0; i < prepared->swizzles.count; i++) {
        const struct tile_request *class = &prepared->swizzles.list[i];
        struct copy copy;
        const struct request request = request_of(&as_it_is, given, class, &copy);
        least +=
            class->count * (given->copy ? copy_least_passes(&copy) : shared_memory_least_passes(given->gpu, &request));
    }
    return least;
}

// ---- The search ----

static void add_layout(struct layout **layouts, size_t *count, struct layout layout) {
    *layouts = memory_room(*layouts, *count, sizeof layout);
    (*layouts)[(*count)++] = layout;
}

// Every padding up to a row, and every swizzle; to be freed.
static struct layout *list_layouts(const struct tile *tile, size_t *count) {
    struct layout *layouts = NULL;
    uint32_t index_bits = 0;
    *count = 0;
    for (uint32_t padding = 0; padding <= tile->columns; padding++) {
        add_layout(&layouts, count, (struct layout){.tile = *tile, .padding = padding});
    }
    while (UINT32_C(1) << index_bits < tile->rows * tile->columns) {
        index_bits++;
    }
    for (uint32_t bits = 1; 2 * bits <= index_bits; bits++) {
        for (uint32_t shift = bits; shift + bits <= index_bits; shift++) {
            for (uint32_t base = 0; base + shift + bits <= index_bits; base++) {
                add_layout(&layouts, count, (struct layout){*tile, 0, bits, base, (int32_t)shift});
                add_layout(&layouts, count, (struct layout){*tile, 0, bits, base, -(int32_t)shift});
            }
        }
    }
    return layouts;
}

// Keeps the layout with the passes of all cases, if it is possible for each of them.
static void try_layout(struct layout_search *search, const struct layout *layout, const struct prepared *prepared,
                       size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!is_possible(layout, &prepared[i])) {
            return;
        }
    }
    struct layout_tried *tried = &search->tried[search->tried_count];
    *tried = (struct layout_tried){.layout = *layout, .passes = search->passes + search->tried_count * count};
    search->tried_count++;
    for (size_t i = 0; i < count; i++) {
        tried->passes[i] = passes_of(layout, &prepared[i]);
        tried->excess += tried->passes[i] - search->least[i];
    }
}

// Negative if the left value is smaller.
static int order(uint64_t left, uint64_t right) {
    return (left > right) - (left < right);
}

static int by_merit(const void *left, const void *right) {
    const struct layout_tried *a = left, *b = right;
    const struct layout *x = &a->layout, *y = &b->layout;
    const int orders[] = {
        order(a->excess, b->excess),
        order(layout_bytes(x), layout_bytes(y)),
        order(layout_alignment(y), layout_alignment(x)),
        order(x->bits, y->bits),
        order(x->shift < 0, y->shift < 0),
        order((uint64_t)abs(x->shift), (uint64_t)abs(y->shift)),
        order(y->base, x->base),
        order(x->padding, y->padding),
    };
    size_t i = 0;
    while (i + 1 < sizeof orders / sizeof *orders && orders[i] == 0) {
        i++;
    }
    return orders[i];
}

static struct prepared prepare(const struct layout_case *given, const struct tile *tile) {
    const struct request request = {.operation = given->operation, .width_bytes = given->bytes};
    const struct pieces pieces = pieces_of(given, tile);
    const uint32_t period = given->copy ? COPY_LINE_BYTES : shared_memory_period(given->gpu, &request);
    const bool linear =
        !given->copy && is_power_of_two(tile->element_bytes) && is_power_of_two(pieces.elements) && pieces.aligned;
    return (struct prepared){given, pieces, classes_of_paddings(&given->requests, tile, period),
                             classes_of_swizzles(&given->requests, linear)};
}

static enum status try_all(struct layout_search *search, const struct prepared *prepared, size_t count,
                           struct error *error) {
    struct layout *layouts = list_layouts(&search->tile, &search->space);
    search->tried = memory_zeros(search->space, sizeof *search->tried);
    search->passes = memory_zeros(search->space * count, sizeof *search->passes);
    search->least = memory_zeros(count, sizeof *search->least);
    for (size_t i = 0; i < count; i++) {
        search->least[i] = least_of(&prepared[i], &search->tile);
    }
    for (size_t i = 0; i < search->space; i++) {
        try_layout(search, &layouts[i], prepared, count);
    }
    free(layouts);
    if (!search->tried_count) {
        return error_set(error, STATUS_FAILED,
                         "no layout keeps the bytes of each lane together and aligned and fits into a block's shared "
                         "memory: give a smaller tile or fewer bytes a lane");
    }
    qsort(search->tried, search->tried_count, sizeof *search->tried, by_merit);
    return STATUS_OK;
}

size_t layout_case_count(const struct layout_search *search) {
    return search->access_count * search->gpu_count;
}

enum status layout_search(struct layout_search *search, struct error *error) {
    const size_t count = layout_case_count(search);
    struct prepared *prepared = memory_zeros(count, sizeof *prepared);
    for (size_t i = 0; i < count; i++) {
        prepared[i] = prepare(&search->cases[i], &search->tile);
    }
    const enum status status = try_all(search, prepared, count, error);
    for (size_t i = 0; i < count; i++) {
        free(prepared[i].paddings.list);
        free(prepared[i].swizzles.list);
    }
    free(prepared);
    return status;
}

enum status layout_search_typed(struct layout_search *search, const struct tile *tile, const char *const *accesses,
                                size_t access_count, const struct gpu *const *gpus, size_t gpu_count,
                                struct error *error) {
    *search = (struct layout_search){.tile = *tile, .access_count = access_count, .gpu_count = gpu_count};
    search->cases = memory_zeros(layout_case_count(search), sizeof *search->cases);
    for (size_t i = 0; i < access_count; i++) {
        TRY(tile_access_cases(&search->cases[i * gpu_count], accesses[i], tile, gpus, gpu_count, error));
    }
    return layout_search(search, error);
}

void layout_search_clear(struct layout_search *search) {
    for (size_t i = 0; i < layout_case_count(search) && search->cases; i++) {
        free(search->cases[i].requests.list);
    }
    free(search->cases);
    texts_clear(&search->names);
    free(search->tried);
    free(search->least);
    free(search->passes);
    *search = (struct layout_search){0};
}
