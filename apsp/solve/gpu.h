// A solution on one GPU: its settings, its matrices and its kernels.
#ifndef APSP_SOLVE_GPU_H
#define APSP_SOLVE_GPU_H

#include "apsp/graph/graph.h"
#include "apsp/solve/next_hops.h"
#include "device/device.h"

// The tile of a solution with register_tiled.cu if the user names none.

// A distance has this many bits. The matrix is divided between a grid of this many rows and columns of devices.
uint32_t apsp_gpu_tile(const struct device_info *info, uint64_t vertices, uint32_t bits, uint64_t rows,
                       uint64_t columns);

enum {
    APSP_FAR16 = 0x7fff, // in 16 bits this stands for every distance from here up

    // register_tiled.cu: rows of a tile and threads of a block. GPUs that share a solution own whole tiles.
    APSP_REGISTER_TILE = 128,
    APSP_SMALL_TILE_MAX = 64,           // of whole_round.cu, which has a round in one launch, by tiles of 32 or 64
    APSP_WIDE_TILE_MAX = 512,           // the largest multiple of it that a round can have
    APSP_WIDE_SHARED_BYTES = 64 * 1024, // of shared memory of a block of tile_product.cu
    APSP_REGISTER_THREADS = 256
};

// Which kernels run the rounds.
enum apsp_kernels {
    APSP_GLOBAL,   // global.cu
    APSP_SHARED,   // shared.cu
    APSP_REGISTERS // register_tiled.cu
};

enum apsp_step {
    APSP_CLEAR,        // makes the matrix of a graph without edges
    APSP_SCATTER,      // adds the edges
    APSP_PAD,          // brings the input into the kernels' layout
    APSP_PREPARE,      // with small tiles: phases 1 and 2 of the first round
    APSP_PHASE1,       // the pivot tile
    APSP_PHASE2,       // the pivot's row and column
    APSP_PHASE3,       // all other tiles
    APSP_PHASE3_CROSS, // register_tiled.cu: phase 3 of only one tile's row and column
    APSP_ROUND,        // with small tiles: phase 3, and phases 1 and 2 of the next round
    APSP_UNPAD,        // brings the result back into the input's layout
    APSP_NEXT_HOPS,    // finds the vertices of paths by edges with a weight
    APSP_ZERO_HOPS,    // and one pass by edges of weight 0
    APSP_PRODUCT,      // with wide tiles (gpu_wide.h) the phases consist of these, too
    APSP_TRANSPOSE,
    APSP_COPY_PANEL,
    APSP_STEPS
};

// How the matrix is copied to the GPU and back.
struct apsp_transfer {
    bool pinned;        // the host's matrices are pinned
    bool strip_by_copy; // the copies leave the padding out, row by row; otherwise kernels do
    bool from_edges;    // the edges are copied, and the GPU makes the matrix of them
};

struct apsp_settings {
    enum apsp_kernels kernels;
    uint32_t bits;                   // of a distance on the GPU: 16 or 32
    uint32_t max_weight;             // with 16 bits, of the graph's edges
    uint32_t tile;                   // rows and columns: the pivots of a round
    struct dimensions block;         // threads
    bool linear, bounded, by_column; // constants of the kernels: global.cu explains them
    uint32_t unroll;                 // shared.cu
    struct apsp_transfer transfer;
    bool look_ahead;                    // register_tiled.cu: prepare the next pivot during the rest of a round
    bool peer;                          // several GPUs send rows to each other, not through the host
    const struct apsp_hop_edges *paths; // next hops are found by these edges, on one GPU; NULL: they are not wanted
};

// The tile and the block of register_tiled.cu, with look-ahead.
struct apsp_settings apsp_register_settings(uint32_t bits);

// Whether a round has more pivots than a tile of register_tiled.cu.
static inline bool apsp_is_wide(const struct apsp_settings *settings) {
    return settings->kernels == APSP_REGISTERS && settings->tile > APSP_REGISTER_TILE;
}

// Whether a GPU can have larger tiles: two blocks of tile_product.cu must fit into a unit's shared memory.
static inline bool apsp_may_be_wide(const struct device_info *info) {
    return info->shared_bytes_per_block_max >= 2 * (uint32_t)APSP_WIDE_SHARED_BYTES;
}

// Whether a round is one launch (gpu_round.h).
static inline bool apsp_is_small(const struct apsp_settings *settings) {
    return settings->kernels == APSP_REGISTERS && settings->tile <= APSP_SMALL_TILE_MAX;
}

// How whole_round.cu solves a graph.
struct apsp_small_shape {
    uint32_t tile;        // PIVOTS, unless the tile is given; 0: register_tiled.cu is faster
    uint32_t columns;     // COLUMNS
    uint32_t unit_blocks; // blocks that a compute unit runs at once, 3 at most
};

// The fastest shape for this many vertices and compute units.
struct apsp_small_shape apsp_small_shape(uint32_t vertices, uint32_t bits, uint32_t units);

// Bytes of shared memory that a block of shared.cu needs in phases 2 and 3.
uint32_t apsp_shared_bytes(uint32_t tile);

struct apsp_gpu {
    struct device *device;
    struct apsp_settings settings;
    uint32_t vertices, pitch;        // pitch: vertices with their padding
    uint32_t tiles;                  // in a row of the padded matrix
    uint32_t rounds;                 // of a whole solution
    uint32_t first_tile, tile_count; // rows of tiles that this GPU owns
    uint64_t from, w, to, too_far;   // device addresses, as matrix.cu uses them; `to` is 0 if no kernel strips padding
    uint64_t edges, edge_count;      // device address, and number of edges
    uint64_t next, hop_edges;        // device addresses: next hops, and the edges that they are found by
    uint64_t left[2], right[2];      // device addresses: panels, for even and odd pivots,
    uint64_t closed[2];              // and closed tiles that GPUs send, row by row
    struct launch_counts *counts;    // where each launch adds what it counted; NULL: nowhere
    struct kernel *kernels[APSP_STEPS];
};

// The fastest shape for a solution of whole_round.cu.
struct apsp_small_shape apsp_gpu_small_shape(const struct apsp_gpu *gpu);

const char *apsp_step_name(enum apsp_step step);

// Whether the step comes before or after the rounds. Its kernels have a thread for each element.
bool apsp_step_is_outside_rounds(enum apsp_step step);

// Whether the settings use a kernel for the step. Where copies strip the padding, padding is a copy on the device and
// stripping is part of the copy to the host.
bool apsp_gpu_has_kernel(const struct apsp_gpu *gpu, enum apsp_step step);

// Lays out a solution in which this GPU owns all rows. Nothing is allocated yet.
struct apsp_gpu apsp_gpu_make(struct device *device, const struct graph *graph, const struct apsp_settings *settings);

// Builds the kernel of one step, for callers that allocate memory themselves.
enum status apsp_gpu_build(struct apsp_gpu *gpu, enum apsp_step step, struct error *error);

// Builds a kernel of register_tiled.cu for 32 bits that is no step of a solution.
enum status apsp_gpu_build_registers(struct device *device, const char *entry, struct kernel **kernel,
                                     struct error *error);

// Builds all kernels that the settings need and allocates memory. The GPU must be released even if this fails.
enum status apsp_gpu_prepare(struct apsp_gpu *gpu, struct error *error);
void apsp_gpu_release(struct apsp_gpu *gpu);

// Overwrites the result of an earlier run, so that it cannot pass for this run's.
enum status apsp_gpu_poison(struct apsp_gpu *gpu, struct error *error);

// Words from row to row of `from`.
uint32_t apsp_gpu_from_pitch(const struct apsp_gpu *gpu);

// Bytes of the matrix on the host, and of the padded matrix on the GPU.
uint64_t apsp_gpu_matrix_bytes(const struct apsp_gpu *gpu);
uint64_t apsp_gpu_padded_bytes(const struct apsp_gpu *gpu);

#endif
