// Matrices that a warp's lanes load and store as fragments, for kernels that were translated from PTX: wmma.
// PTX leaves open which elements a lane holds. Here they are those of mma's fragments, by which sm_80 and later GPUs
// compute wmma, so that the requests are theirs, too (ptxas 13.0, sm_90).
#ifndef SIM_PTX_KERNEL_FRAGMENT_H
#define SIM_PTX_KERNEL_FRAGMENT_H

#include "sim/ptx/kernel/matrix.h"

// A matrix in tiles of eight lines. In each, four lanes hold `per_lane` neighbouring elements of a line. Lines are A's
// rows, B's columns, and the rows of a sum, or its columns where it has eight rows.
struct fragment_shape {
    uint32_t bytes, per_lane, lines, tiles;
    bool across; // in memory an element's neighbour is of the next line
};

struct fragment {
    struct fragment_shape shape;
    uint64_t at;
    uint32_t stride; // elements
    bool loads;      // from memory, or else stores there
    union {
        uint32_t words[8];
        uint64_t longs[2];
        unsigned char bytes[32];
    };
};

PTX_INLINE uint64_t fragment_place(const struct fragment *fragment, uint32_t line, uint32_t n) {
    const uint64_t stride = fragment->stride;
    return fragment->at + (fragment->shape.across ? n * stride + line : line * stride + n) * fragment->shape.bytes;
}

PTX_INLINE uint64_t tile_place(const struct fragment *fragment, uint32_t tile, uint32_t line, uint32_t n) {
    const struct fragment_shape *shape = &fragment->shape;
    const uint32_t tiles_of_lines = shape->lines / 8;
    return fragment_place(fragment, tile % tiles_of_lines * 8 + line, tile / tiles_of_lines * 4 * shape->per_lane + n);
}

PTX_INLINE uint64_t element_place(const struct fragment *fragment, uint32_t lane, uint32_t tile, uint32_t i) {
    return tile_place(fragment, tile, lane / 4, lane % 4 * fragment->shape.per_lane + i);
}

// Elements of 16 bits are accessed as they lie in memory, and transposed in registers where need be.
PTX_INLINE bool moves_whole_words(const struct fragment_shape *shape) {
    return !shape->across || shape->bytes == 2;
}

PTX_INLINE uint32_t fragment_requests(const struct fragment_shape *shape) {
    return shape->tiles * (moves_whole_words(shape) ? 1 : shape->per_lane);
}

PTX_INLINE uint32_t fragment_width(const struct fragment_shape *shape) {
    return shape->bytes * (moves_whole_words(shape) ? shape->per_lane : 1);
}

// What a lane accesses in the n-th request.
PTX_INLINE uint64_t fragment_request(const struct fragment *fragment, uint32_t n) {
    const struct fragment_shape *shape = &fragment->shape;
    const uint32_t lane = sim_ptx_special(SIM_PTX_LANEID);
    if (!moves_whole_words(shape)) {
        return element_place(fragment, lane, n / shape->per_lane, n % shape->per_lane);
    }
    return shape->across ? tile_place(fragment, n, lane % 4 * 2, lane / 4) : element_place(fragment, lane, n, 0);
}

// ldmatrix loads several tiles at once, of each a run of 16 bytes by each of eight lanes.
PTX_INLINE uint32_t fragment_tiles_at_once(const struct fragment_shape *shape) {
    const uint32_t most = shape->bytes == 2 ? 4 : 2;
    return shape->tiles < most ? shape->tiles : most;
}

PTX_INLINE uint64_t fragment_run(const struct fragment *fragment, uint32_t n) {
    const uint32_t lane = sim_ptx_special(SIM_PTX_LANEID);
    const uint32_t tile = n * fragment_tiles_at_once(&fragment->shape) + lane / 8;
    return fragment->shape.across ? tile_place(fragment, tile, 0, lane % 8) : tile_place(fragment, tile, lane % 8, 0);
}

PTX_FUNCTION void meet_move_fragments(const struct sim_ptx_meeting *meeting) {
    PTX_EACH_LANE(lane, meeting) {
        struct fragment *mine = meeting->lane[lane];
        const struct fragment_shape *shape = &mine->shape;
        for (uint32_t i = 0; i < shape->tiles * shape->per_lane; i++) {
            const uint64_t place = element_place(mine, (uint32_t)lane, i / shape->per_lane, i % shape->per_lane);
            const uint64_t own = (uint64_t)(uintptr_t)(mine->bytes + i * shape->bytes);
            copy_bytes(mine->loads ? own : place, mine->loads ? place : own, shape->bytes);
        }
    }
}

#endif
