// A solution on one GPU: its matrices, its kernels, and its steps. What is measured, and how several GPUs share a
// solution, is others' business.
#ifndef APSP_SOLVE_GPU_H
#define APSP_SOLVE_GPU_H

#include "apsp/apsp.h"

enum apsp_step {
    APSP_CLEAR, // the matrix of no edges
    APSP_SCATTER,
    APSP_PAD, // the input into the kernels' layout
    APSP_PHASE1,
    APSP_PHASE2,
    APSP_PHASE3,
    APSP_PHASE3_CROSS, // register_tiled.cu: of one tile's rows and columns
    APSP_UNPAD,        // and back
    APSP_STEPS
};

// How the matrix comes onto the device and off it: --host-memory, --strip, --initialise.
struct apsp_ways {
    bool pinned;     // the host's matrices are
    bool by_rows;    // copies leave the padding out, not kernels
    bool from_edges; // edges are copied, and the matrix is made of them on the device
};

struct apsp_gpu {
    struct device *device;
    const struct apsp_detail *detail;
    struct apsp_ways ways;
    struct apsp_shape shape;
    uint32_t bits;                   // of a distance on the device
    uint32_t vertices, pitch;        // pitch: vertices and what they are padded with
    uint32_t tiles;                  // in a row of the padded matrix
    uint32_t rounds;                 // that a solution has
    uint32_t first_tile, tile_count; // the rows of tiles that are its own, where several devices share a solution
    uint64_t from, w, to, most;      // device addresses: matrix.cu says what they hold; no `to` where copies strip
    uint64_t edges, edge_count;      // an address; of edges that the matrix is made of on the device
    struct kernel *kernels[APSP_STEPS];
};

enum {
    APSP_FAR16 = 0x7fff
};

const char *apsp_step_name(enum apsp_step step);
// Whether it is one of matrix.cu, before or after the rounds.
bool apsp_step_is_of_matrix(enum apsp_step step);
// Whether the ways leave it to a kernel: where copies leave the padding out, padding is a copy and unpadding nothing.
bool apsp_gpu_has_kernel(const struct apsp_gpu *gpu, enum apsp_step step);

// As the options say, and as distances of so many bits can.
struct apsp_ways apsp_ways(const struct apsp_input *input, uint32_t bits);

// Of this graph, with distances of so many bits; nothing is allocated yet, and all rows are its own.
struct apsp_gpu apsp_gpu_make(struct device *device, const struct point *point, const struct apsp_input *input,
                              struct apsp_ways ways, uint32_t bits);

// One step's kernel, for those who lay out memory themselves.
enum status apsp_gpu_build(struct apsp_gpu *gpu, enum apsp_step step, struct error *error);
// All kernels that the ways need, and memory. Release it also where this fails.
enum status apsp_gpu_prepare(struct apsp_gpu *gpu, struct error *error);
void apsp_gpu_release(struct apsp_gpu *gpu);

// The edges or their matrix, from the host.
enum status apsp_gpu_copy_in(struct apsp_gpu *gpu, const struct apsp_input *input, struct error *error);
// The matrix of what was copied, unless it was the matrix. Returns when it is there.
enum status apsp_gpu_initialise(struct apsp_gpu *gpu, struct error *error);
// Its own rows, to their place in a matrix of vertices^2 words on the host.
enum status apsp_gpu_copy_out(struct apsp_gpu *gpu, int32_t *distances, struct error *error);
// Overwrites what a run before left.
enum status apsp_gpu_poison(struct apsp_gpu *gpu, struct error *error);

// A step, as far as it is this device's: phases 2 and 3 update its own rows, and the pivot's row.
struct dimensions apsp_gpu_grid(const struct apsp_gpu *gpu, enum apsp_step step);
struct dimensions apsp_gpu_block(const struct apsp_gpu *gpu, enum apsp_step step);
enum status apsp_gpu_launch(struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step, uint32_t pivot,
                            struct error *error);

// Pieces of register_tiled.cu's third phase: what the next pivot needs, its columns in the device's own rows and, if
// they are its own too, its rows; all that is left then; some rows of tiles.
enum status apsp_gpu_launch_next(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, bool with_rows,
                                 struct error *error);
enum status apsp_gpu_launch_rest(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error);
enum status apsp_gpu_launch_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, uint32_t first,
                                 uint32_t count, struct error *error);

// Of `from`, in words.
uint32_t apsp_gpu_from_pitch(const struct apsp_gpu *gpu);
// Bytes that a phase's kernels ask for in a solution, read and written, by their sources.
struct apsp_traffic {
    double global_bytes, shared_bytes;
};
struct apsp_traffic apsp_gpu_traffic(const struct apsp_gpu *gpu, enum apsp_step step);

// Min-plus updates of a phase in a solution, by all that share it; NaN: the step has none.
double apsp_gpu_updates(const struct apsp_gpu *gpu, enum apsp_step step);
// How many updates a second, in 10^9, the part's arithmetic allows at this clock or the stated one, whichever is
// higher; NaN: the part is none that the model knows.
double apsp_gpu_peak_gop_s(const struct apsp_gpu *gpu, double clock_mhz);
// How long arithmetic takes at least for a phase's launch; NaN where either is.
double apsp_gpu_least_ns(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot);

uint64_t apsp_gpu_matrix_bytes(const struct apsp_gpu *gpu);

#endif
