#include "sim/time/held.h"

#include "model/shared_memory.h"
#include "sim/scatter.h"

enum {
    WIDEST = 16 // bytes of a lane in one load
};

static uint64_t mix(uint64_t sum, uint64_t value) {
    sum = sim_scatter(sum ^ value);
    return sum ^ sum >> 32;
}

// Names the lanes and their addresses without these low bits.
static uint64_t name_of(const struct sim_held *held, const struct request *request, uint64_t low_bits) {
    uint64_t name = mix(mix(held->since, request->active), request->width_bytes);
    for (uint64_t left = request->active; left; left &= left - 1) {
        name = mix(name, request->address[__builtin_ctzll(left)] & ~low_bits);
    }
    return name;
}

// Whether all lanes load the same piece of their 16 bytes.
static bool is_even(const struct request *request) {
    const uint64_t first = request->address[__builtin_ctzll(request->active)];
    for (uint64_t left = request->active; left; left &= left - 1) {
        if ((request->address[__builtin_ctzll(left)] - first) % WIDEST) {
            return false;
        }
    }
    return true;
}

// The passes of a load of the first `pieces` pieces of 4 bytes: 1, 2 or 4, because there is no load of 12 bytes.
static uint32_t passes_of(const struct gpu *gpu, const struct request *request, uint32_t pieces) {
    struct request wide = *request;
    wide.width_bytes = request->width_bytes;
    while (wide.width_bytes < pieces * request->width_bytes) {
        wide.width_bytes *= 2;
    }
    for (uint64_t left = wide.active; left; left &= left - 1) {
        wide.address[__builtin_ctzll(left)] &= ~(uint64_t)(WIDEST - 1);
    }
    return shared_memory_cost(gpu, &wide).passes;
}

struct sim_kept sim_held_load(struct sim_held *held, const struct gpu *gpu, const struct request *request,
                              uint32_t passes) {
    const uint64_t value = name_of(held, request, 0);
    uint64_t *slot = &held->value[value % HELD_VALUES];
    if (*slot == value) {
        return (struct sim_kept){0};
    }
    *slot = value;
    if (request->width_bytes >= WIDEST || request->width_bytes < 4 || !is_even(request)) {
        return (struct sim_kept){1, passes};
    }
    const uint64_t piece = name_of(held, request, WIDEST - 1), i = piece % HELD_VALUES;
    if (held->piece[i] != piece) {
        held->piece[i] = piece;
        held->pieces[i] = 1;
        held->passes[i] = (uint8_t)passes;
        return (struct sim_kept){1, passes};
    }
    const uint32_t wide = passes_of(gpu, request, ++held->pieces[i]), before = held->passes[i];
    held->passes[i] = (uint8_t)wide;
    return (struct sim_kept){0, wide > before ? wide - before : 0};
}
