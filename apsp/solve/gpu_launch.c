#include "apsp/solve/gpu_launch.h"

// ---- A thread's instructions and registers ----

// What a GPU's compiler makes of a kernel, as far as the simulator cannot find out by itself.

enum {
    REGISTERS_MOST = 128 // of a thread of register_tiled.cu: its launch bounds are 256 threads and two blocks
};

// Whether the kernel tests for each element whether the tile has it.
static bool tile_is_uneven(const struct apsp_settings *settings) {
    return settings->kernels == APSP_SHARED &&
           (settings->tile % settings->block.x || settings->tile % settings->block.y);
}

// The rows of a tile in which a thread of global.cu or shared.cu has elements, and the elements of each row.
struct elements {
    double rows, in_row;
};

static struct elements elements_of_thread(const struct apsp_settings *settings) {
    if (settings->linear) {
        return (struct elements){1, (double)settings->tile * settings->tile / settings->block.x};
    }
    return (struct elements){(settings->tile + settings->block.y - 1) / settings->block.y,
                             (settings->tile + settings->block.x - 1) / settings->block.x};
}

// Phases 1 and 2 of global.cu: what NVRTC 13.0 makes for sm_90 of a step, of a row of elements and of each element,
// without its four accesses.
static double instructions_in_steps(const struct apsp_settings *settings) {
    const struct elements own = elements_of_thread(settings);
    return settings->tile * (14 + own.rows * (22 + 16 * own.in_row));
}

// Instructions of a thread that has its distances in registers: an addition and a minimum for each update. A compiler
// for the host, which keeps distances in memory, would count far more. A test of each element takes about six more.
static double apsp_gpu_thread_instructions(const struct apsp_gpu *gpu, enum apsp_step step) {
    const struct apsp_settings *settings = &gpu->settings;
    const double tile = settings->tile, threads = settings->block.x * settings->block.y;
    const bool registers = gpu->settings.kernels == APSP_REGISTERS, tests = tile_is_uneven(settings);
    const double share = registers && step == APSP_PHASE2 ? 0.5 : registers && step == APSP_PHASE3_CROSS ? 0.25 : 1;
    const double updates = tile * tile * tile / threads * share;
    if (apsp_step_is_outside_rounds(step) || (settings->kernels == APSP_GLOBAL && step == APSP_PHASE3)) {
        return 0;
    }
    return settings->kernels == APSP_GLOBAL ? instructions_in_steps(settings) : (tests ? 8 : 2) * updates;
}

// Registers of a thread. register_tiled.cu's bounds leave 128. shared.cu needs about 24 and those of its elements, 1.7
// each where it loads ahead: NVRTC 13.0 gives 28 to 66 for sm_90.
static uint32_t apsp_gpu_thread_registers(const struct apsp_gpu *gpu, enum apsp_step step) {
    const struct elements own = elements_of_thread(&gpu->settings);
    const double of_element = gpu->settings.unroll > 1 ? 1.7 : 1;
    return apsp_step_is_outside_rounds(step)         ? 0
           : gpu->settings.kernels == APSP_REGISTERS ? (uint32_t)REGISTERS_MOST
           : gpu->settings.kernels == APSP_SHARED    ? (uint32_t)(24 + of_element * own.rows * own.in_row)
                                                     : 0;
}

enum {
    COPY_BLOCK = 256,
    COPY_ITEMS = 4, // elements of a thread of pad and unpad
    ARGUMENTS_MAX = 9
};

static bool uses_registers(const struct apsp_gpu *gpu) {
    return gpu->settings.kernels == APSP_REGISTERS;
}

// One launch. The last three members are arguments of register_tiled.cu only.
struct piece {
    enum apsp_step step;
    struct dimensions grid;
    uint32_t tile;   // phase 3: the tile whose row and column are updated alone, or left out
    uint32_t in_row; // this many blocks update rows of the cross, the others columns
    uint32_t first;  // the first row of tiles
};

// A part of register_tiled.cu is 128 words wide: a tile's width in 32 bits, two tiles' in 16.
static uint32_t parts_of_row(const struct apsp_gpu *gpu) {
    return gpu->tiles * gpu->settings.tile * gpu->settings.bits / 32 / APSP_REGISTER_TILE;
}

// Phase 2: a block updates half a part of the pivot's row, or half a tile of its column.
static struct piece cross(const struct apsp_gpu *gpu) {
    const uint32_t in_row = 2 * parts_of_row(gpu);
    return (struct piece){
        .step = APSP_PHASE2,
        .grid = {in_row + 2 * gpu->tile_count, 1, 1},
        .in_row = in_row,
        .first = gpu->first_tile,
    };
}

// Phase 3 of the next pivot's row and column: a block updates a quarter of a part. A tile has four quarters, or two in
// 16 bits, where it is half a part.
static struct piece next_cross(const struct apsp_gpu *gpu, uint32_t next, bool with_rows) {
    const uint32_t in_row = with_rows ? 4 * parts_of_row(gpu) : 0;
    return (struct piece){
        .step = APSP_PHASE3_CROSS,
        .grid = {in_row + gpu->tile_count * gpu->settings.bits / 8, 1, 1},
        .tile = next,
        .in_row = in_row,
        .first = gpu->first_tile,
    };
}

static struct piece rows(const struct apsp_gpu *gpu, uint32_t skipped, uint32_t first, uint32_t count) {
    return (struct piece){
        .step = APSP_PHASE3,
        .grid = {parts_of_row(gpu), count, 1},
        .tile = skipped,
        .first = first,
    };
}

// Rows of a matrix of this many rows that the GPU owns.
static uint32_t own_rows(const struct apsp_gpu *gpu, uint32_t all) {
    const uint64_t first = (uint64_t)gpu->first_tile * gpu->settings.tile;
    const uint64_t end = first + (uint64_t)gpu->tile_count * gpu->settings.tile;
    return (uint32_t)(first >= all ? 0 : (end < all ? end : all) - first);
}

// Threads of kernels whose blocks have elements of one row each, and whose threads several.
static uint64_t threads_of_rows(uint64_t rows, uint32_t columns, uint32_t items) {
    const uint32_t of_block = items * COPY_BLOCK;
    return rows * ((columns + of_block - 1) / of_block) * COPY_BLOCK;
}

static uint64_t threads_of(const struct apsp_gpu *gpu, enum apsp_step step) {
    const uint64_t from_pitch = apsp_gpu_from_pitch(gpu);
    switch (step) {
    case APSP_CLEAR:
        return from_pitch * from_pitch;
    case APSP_SCATTER:
        return gpu->edge_count;
    case APSP_PAD:
        return threads_of_rows(own_rows(gpu, gpu->pitch), gpu->pitch, COPY_ITEMS);
    case APSP_NEXT_HOPS:
        return threads_of_rows(gpu->vertices, gpu->vertices, 1);
    case APSP_ZERO_HOPS:
        return threads_of_rows(gpu->settings.paths->zero_rows, gpu->vertices, 1);
    default:
        return threads_of_rows(own_rows(gpu, gpu->vertices), gpu->vertices, COPY_ITEMS);
    }
}

static struct piece whole(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    const uint32_t others = gpu->tiles - 1;
    struct piece piece = {.step = step, .grid = {1, 1, 1}};
    switch (step) {
    case APSP_PHASE1:
        break;
    case APSP_PHASE2:
        if (uses_registers(gpu)) {
            return cross(gpu);
        }
        piece.grid.x = 2 * others;
        break;
    case APSP_PHASE3:
        if (uses_registers(gpu)) {
            return rows(gpu, pivot, gpu->first_tile, gpu->tile_count);
        }
        piece.grid =
            gpu->settings.linear ? (struct dimensions){others * others, 1, 1} : (struct dimensions){others, others, 1};
        break;
    default:
        piece.grid.x = (uint32_t)((threads_of(gpu, step) + COPY_BLOCK - 1) / COPY_BLOCK);
    }
    return piece;
}

struct dimensions apsp_gpu_grid(const struct apsp_gpu *gpu, enum apsp_step step) {
    return whole(gpu, step, 0).grid;
}

// These set the arguments in the order of each kernel's parameters and return their end.

static struct argument *set_edge_arguments(const struct apsp_gpu *gpu, enum apsp_step step, struct argument *at) {
    const uint32_t pitch = apsp_gpu_from_pitch(gpu);
    *at++ = argument_pointer(gpu->from);
    *at++ = argument_u32(pitch);
    if (step == APSP_CLEAR) {
        *at++ = argument_u32(pitch); // as many rows
    } else {
        *at++ = argument_pointer(gpu->edges);
        *at++ = argument_u64(gpu->edge_count);
    }
    return at;
}

static struct argument *set_padding_arguments(const struct apsp_gpu *gpu, enum apsp_step step, struct argument *at) {
    const bool pad = step == APSP_PAD;
    *at++ = argument_pointer(pad ? gpu->w : gpu->to);
    *at++ = argument_pointer(pad ? gpu->from : gpu->w);
    *at++ = argument_u32(gpu->pitch);
    *at++ = argument_u32(gpu->first_tile * gpu->settings.tile);
    *at++ = argument_u32(own_rows(gpu, pad ? gpu->pitch : gpu->vertices));
    *at++ = argument_u32(gpu->vertices);
    if (!pad) {
        *at++ = argument_u32(APSP_FAR16 - gpu->settings.max_weight);
        *at++ = argument_pointer(gpu->too_far);
    }
    return at;
}

static struct argument *set_hop_arguments(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pass,
                                          struct argument *at) {
    const struct apsp_hop_layout layout = apsp_hop_layout(gpu->settings.paths);
    const bool zero = step == APSP_ZERO_HOPS;
    const size_t arrays[] = {layout.zero_rows, zero ? layout.zero_first : layout.first,
                             zero ? layout.zero_to : layout.edges};
    *at++ = argument_pointer(gpu->next);
    *at++ = argument_pointer(gpu->to ? gpu->to : gpu->w);
    *at++ = argument_u32(gpu->to ? gpu->vertices : gpu->pitch);
    *at++ = argument_u32(gpu->vertices);
    for (size_t i = zero ? 0 : 1; i < sizeof arrays / sizeof *arrays; i++) {
        *at++ = argument_pointer(gpu->hop_edges + arrays[i] * sizeof(uint32_t));
    }
    if (zero) {
        *at++ = argument_pointer(gpu->hop_edges + layout.found * sizeof(uint32_t));
        *at++ = argument_u32(pass);
    }
    return at;
}

static struct argument *set_phase_arguments(const struct apsp_gpu *gpu, const struct piece *piece, uint32_t pivot,
                                            struct argument *at) {
    const enum apsp_step step = piece->step;
    *at++ = argument_pointer(gpu->w);
    *at++ = argument_u32(gpu->pitch * gpu->settings.bits / 32);
    *at++ = argument_u32(pivot);
    if (gpu->settings.kernels == APSP_GLOBAL) {
        *at++ = argument_u32(gpu->vertices);
    }
    if (uses_registers(gpu) && (step == APSP_PHASE3 || step == APSP_PHASE3_CROSS)) {
        *at++ = argument_u32(piece->tile);
    }
    if (uses_registers(gpu) && (step == APSP_PHASE2 || step == APSP_PHASE3_CROSS)) {
        *at++ = argument_u32(piece->in_row);
    }
    if (uses_registers(gpu) && step != APSP_PHASE1) {
        *at++ = argument_u32(piece->first);
    }
    return at;
}

static struct argument *set_arguments(const struct apsp_gpu *gpu, const struct piece *piece, uint32_t pivot,
                                      struct argument *arguments) {
    switch (piece->step) {
    case APSP_CLEAR:
    case APSP_SCATTER:
        return set_edge_arguments(gpu, piece->step, arguments);
    case APSP_PAD:
    case APSP_UNPAD:
        return set_padding_arguments(gpu, piece->step, arguments);
    case APSP_NEXT_HOPS:
    case APSP_ZERO_HOPS:
        return set_hop_arguments(gpu, piece->step, pivot, arguments); // a pass is counted like a pivot
    default:
        return set_phase_arguments(gpu, piece, pivot, arguments);
    }
}

static uint32_t shared_bytes(const struct apsp_gpu *gpu, enum apsp_step step) {
    if (gpu->settings.kernels != APSP_SHARED || apsp_step_is_outside_rounds(step)) {
        return 0;
    }
    return apsp_shared_bytes(gpu->settings.tile) / (step == APSP_PHASE1 ? 2 : 1); // phase 1 needs one tile, not two
}

struct dimensions apsp_gpu_block(const struct apsp_gpu *gpu, enum apsp_step step) {
    return apsp_step_is_outside_rounds(step) ? (struct dimensions){COPY_BLOCK, 1, 1} : gpu->settings.block;
}

enum status apsp_gpu_enqueue(const struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step,
                             const struct launch *launch, struct error *error) {
    struct launch_counts counts;
    if (launch->grid.x == 0 || launch->grid.y == 0) {
        return STATUS_OK;
    }
    TRY(device_launch_in(gpu->device, stream, gpu->kernels[step], launch, error));
    if (gpu->counts) {
        TRY(device_counts(gpu->device, &counts, error));
        launch_counts_add(gpu->counts, &counts);
    }
    return STATUS_OK;
}

static enum status launch_piece(const struct apsp_gpu *gpu, struct stream *stream, struct piece piece, uint32_t pivot,
                                struct error *error) {
    struct argument arguments[ARGUMENTS_MAX];
    const struct launch launch = {
        .grid = piece.grid,
        .block = apsp_gpu_block(gpu, piece.step),
        .dynamic_shared_bytes = shared_bytes(gpu, piece.step),
        .thread_instructions = apsp_gpu_thread_instructions(gpu, piece.step),
        .thread_registers = apsp_gpu_thread_registers(gpu, piece.step),
        .arguments = arguments,
        .argument_count = (size_t)(set_arguments(gpu, &piece, pivot, arguments) - arguments),
    };
    return apsp_gpu_enqueue(gpu, stream, piece.step, &launch, error);
}

enum status apsp_gpu_launch(const struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step, uint32_t pivot,
                            struct error *error) {
    if (!apsp_gpu_has_kernel(gpu, step)) {
        return step == APSP_PAD
                   ? device_copy_on_device(gpu->device, gpu->w, gpu->from, apsp_gpu_padded_bytes(gpu), error)
                   : STATUS_OK;
    }
    return launch_piece(gpu, stream, whole(gpu, step, pivot), pivot, error);
}

enum status apsp_gpu_launch_next(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, bool with_rows,
                                 struct error *error) {
    return launch_piece(gpu, stream, next_cross(gpu, pivot + 1, with_rows), pivot, error);
}

enum status apsp_gpu_launch_rest(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, struct error *error) {
    return launch_piece(gpu, stream, rows(gpu, pivot + 1, gpu->first_tile, gpu->tile_count), pivot, error);
}

enum status apsp_gpu_launch_pivot_row(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot,
                                      struct error *error) {
    struct piece piece = cross(gpu);
    piece.grid.x = piece.in_row;
    return launch_piece(gpu, stream, piece, pivot, error);
}

enum status apsp_gpu_launch_pivot_column(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot,
                                         struct error *error) {
    struct piece piece = cross(gpu);
    piece.grid.x -= piece.in_row;
    piece.in_row = 0;
    return launch_piece(gpu, stream, piece, pivot, error);
}

enum status apsp_gpu_launch_close(const struct apsp_gpu *gpu, struct stream *stream, uint64_t at, uint32_t pivots,
                                  struct error *error) {
    const enum apsp_step last = pivots > APSP_REGISTER_TILE ? APSP_PHASE3 : APSP_PHASE1;
    struct apsp_gpu inner = *gpu;
    inner.w = at;
    inner.settings.tile = APSP_REGISTER_TILE;
    inner.tiles = inner.tile_count = pivots / APSP_REGISTER_TILE;
    inner.first_tile = 0;
    for (uint32_t pivot = 0; pivot < inner.tiles; pivot++) {
        for (enum apsp_step step = APSP_PHASE1; step <= last; step++) {
            TRY(apsp_gpu_launch(&inner, stream, step, pivot, error));
        }
    }
    return STATUS_OK;
}

// ---- The matrix, onto the GPU and back ----

// Copies rows between the padded matrix at `device` and a matrix of vertices^2 words on the host.
static enum status copy_rows(struct apsp_gpu *gpu, uint64_t device, const int32_t *host, uint64_t count, bool to_host,
                             struct error *error) {
    const struct device_rows rows = {
        .device = device,
        .device_pitch = gpu->pitch * sizeof(int32_t),
        .host = (void *)(uintptr_t)host, // it is only read if rows go to the device
        .host_pitch = gpu->vertices * sizeof(int32_t),
        .row_bytes = gpu->vertices * sizeof(int32_t),
        .rows = count,
        .to_host = to_host,
    };
    return device_copy_rows(gpu->device, &rows, error);
}

static enum status copy_matrix_in(struct apsp_gpu *gpu, const struct graph *graph, const int32_t *distances,
                                  struct error *error) {
    struct device *device = gpu->device;
    if (gpu->settings.transfer.from_edges) {
        const size_t bytes = gpu->edge_count * sizeof *graph->edges;
        return bytes == 0 ? STATUS_OK : device_copy_to_device(device, gpu->edges, graph->edges, bytes, error);
    }
    if (!gpu->settings.transfer.strip_by_copy) {
        return device_copy_to_device(device, gpu->from, distances, apsp_gpu_matrix_bytes(gpu), error);
    }
    TRY(apsp_gpu_launch(gpu, NULL, APSP_CLEAR, 0, error));
    return copy_rows(gpu, gpu->from, distances, gpu->vertices, false, error);
}

enum status apsp_gpu_copy_in(struct apsp_gpu *gpu, const struct graph *graph, const int32_t *distances,
                             struct error *error) {
    const struct apsp_hop_edges *paths = gpu->settings.paths;
    TRY(copy_matrix_in(gpu, graph, distances, error));
    if (paths) {
        const size_t bytes = apsp_hop_layout(paths).words * sizeof(uint32_t);
        TRY(device_copy_to_device(gpu->device, gpu->hop_edges, paths->memory, bytes, error));
    }
    return STATUS_OK;
}

enum status apsp_gpu_take_found(struct apsp_gpu *gpu, bool *found, struct error *error) {
    const uint64_t address = gpu->hop_edges + apsp_hop_layout(gpu->settings.paths).found * sizeof(uint32_t);
    uint32_t word = 0;
    enum status status = device_synchronize(gpu->device, error);
    THEN(status, device_copy_to_host(gpu->device, &word, address, sizeof word, error));
    *found = word != 0;
    return status == STATUS_OK ? device_fill(gpu->device, address, 0, sizeof word, error) : status;
}

enum status apsp_gpu_copy_next(struct apsp_gpu *gpu, int32_t *next, struct error *error) {
    return device_copy_to_host(gpu->device, next, gpu->next, apsp_gpu_matrix_bytes(gpu), error);
}

enum status apsp_gpu_initialise(struct apsp_gpu *gpu, struct error *error) {
    if (!gpu->settings.transfer.from_edges) {
        return STATUS_OK;
    }
    TRY(apsp_gpu_launch(gpu, NULL, APSP_CLEAR, 0, error));
    TRY(apsp_gpu_launch(gpu, NULL, APSP_SCATTER, 0, error));
    return device_synchronize(gpu->device, error);
}

enum status apsp_gpu_copy_out(struct apsp_gpu *gpu, int32_t *distances, struct error *error) {
    const uint64_t n = gpu->vertices, tile = gpu->settings.tile, first = gpu->first_tile * tile;
    const uint64_t last = first + gpu->tile_count * tile, end = last < n ? last : n;
    if (first >= end) {
        return STATUS_OK;
    }
    if (gpu->settings.transfer.strip_by_copy) {
        return copy_rows(gpu, gpu->w + first * gpu->pitch * sizeof(int32_t), distances + first * n, end - first, true,
                         error);
    }
    return device_copy_to_host(gpu->device, distances + first * n, gpu->to + first * n * sizeof(int32_t),
                               (end - first) * n * sizeof(int32_t), error);
}
