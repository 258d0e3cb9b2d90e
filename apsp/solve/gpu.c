#include "apsp/solve/gpu.h"

#include <inttypes.h>
#include <string.h>

#include "util/embed.h"

EMBED_FILE(apsp_global_cu, "apsp/kernels/global.cu");
EMBED_FILE(apsp_shared_cu, "apsp/kernels/shared.cu");
EMBED_FILE(apsp_register_tiled_cu, "apsp/kernels/register_tiled.cu");
EMBED_FILE(apsp_matrix_cu, "apsp/kernels/matrix.cu");

enum {
    POISON = 0xA5,
    COPY_BLOCK = 256,
    ARGUMENTS_MAX = 6
};

static const struct kernel_source matrix_source = {"apsp/kernels/matrix.cu", apsp_matrix_cu};
static const struct kernel_source sources[] = {
    [APSP_GLOBAL] = {"apsp/kernels/global.cu", apsp_global_cu},
    [APSP_SHARED] = {"apsp/kernels/shared.cu", apsp_shared_cu},
    [APSP_REGISTERS] = {"apsp/kernels/register_tiled.cu", apsp_register_tiled_cu},
};

static const char *const step_names[] = {"clear",  "scatter", "pad",          "phase1",
                                         "phase2", "phase3",  "phase3_cross", "unpad"};

const char *apsp_step_name(enum apsp_step step) {
    return step_names[step];
}

static bool in_registers(const struct apsp_gpu *gpu) {
    return gpu->detail->kind == APSP_REGISTERS;
}

// Whether a kernel's shape is its own: only the bits of a distance are asked for.
static bool has_own_shape(const struct apsp_gpu *gpu, enum apsp_step step) {
    return apsp_step_is_of_matrix(step) || in_registers(gpu);
}

bool apsp_step_is_of_matrix(enum apsp_step step) {
    return step <= APSP_PAD || step == APSP_UNPAD;
}

uint64_t apsp_gpu_matrix_bytes(const struct apsp_gpu *gpu) {
    return (uint64_t)gpu->vertices * gpu->vertices * sizeof(int32_t);
}

uint32_t apsp_gpu_from_pitch(const struct apsp_gpu *gpu) {
    return gpu->ways.by_rows ? gpu->pitch : gpu->vertices;
}

bool apsp_gpu_has_kernel(const struct apsp_gpu *gpu, enum apsp_step step) {
    switch (step) {
    case APSP_CLEAR:
        return gpu->ways.by_rows || gpu->ways.from_edges;
    case APSP_SCATTER:
        return gpu->ways.from_edges;
    case APSP_PAD:
    case APSP_UNPAD:
        return !gpu->ways.by_rows;
    case APSP_PHASE3_CROSS:
        return in_registers(gpu);
    default:
        return true;
    }
}

static uint64_t padded_bytes(const struct apsp_gpu *gpu) {
    return (uint64_t)gpu->pitch * gpu->pitch * gpu->bits / 8;
}

// ---- Steps ----

// A launch: its kernel, its blocks, and what tells the kernel which they are.
struct piece {
    enum apsp_step step;
    struct dimensions grid;
    // Of register_tiled.cu only:
    uint32_t tile;   // phase 3: the tile whose rows and columns are done alone, or left out
    uint32_t in_row; // so many blocks have rows of the cross, the others columns
    uint32_t first;  // the first row of tiles
};

// register_tiled.cu's parts are as wide as a tile is high, in words, or half as wide.
static uint32_t parts_of_row(const struct apsp_gpu *gpu) {
    return gpu->pitch * gpu->bits / 32 / APSP_REGISTER_TILE;
}

// Phase 2: two halves of every part of the pivot's rows, and of every tile of its columns.
static struct piece cross(const struct apsp_gpu *gpu) {
    const uint32_t in_row = 2 * parts_of_row(gpu);
    return (struct piece){
        .step = APSP_PHASE2,
        .grid = {in_row + 2 * gpu->tile_count, 1, 1},
        .in_row = in_row,
        .first = gpu->first_tile,
    };
}

// Phase 3 of the next pivot's rows and columns in quarters of parts: a tile has four, or two where it is half a part.
static struct piece next_cross(const struct apsp_gpu *gpu, uint32_t next, bool with_rows) {
    const uint32_t in_row = with_rows ? 4 * parts_of_row(gpu) : 0;
    return (struct piece){
        .step = APSP_PHASE3_CROSS,
        .grid = {in_row + gpu->tile_count * gpu->bits / 8, 1, 1},
        .tile = next,
        .in_row = in_row,
        .first = gpu->first_tile,
    };
}

static struct piece rows(const struct apsp_gpu *gpu, uint32_t spared, uint32_t first, uint32_t count) {
    return (struct piece){
        .step = APSP_PHASE3,
        .grid = {parts_of_row(gpu), count, 1},
        .tile = spared,
        .first = first,
    };
}

static uint64_t elements(const struct apsp_gpu *gpu, enum apsp_step step) {
    const uint64_t side = step == APSP_PAD ? gpu->pitch : step == APSP_CLEAR ? apsp_gpu_from_pitch(gpu) : gpu->vertices;
    return step == APSP_SCATTER ? gpu->edge_count : side * side;
}

static struct piece whole(const struct apsp_gpu *gpu, enum apsp_step step, uint32_t pivot) {
    const uint32_t others = gpu->tiles - 1;
    struct piece piece = {.step = step, .grid = {1, 1, 1}};
    switch (step) {
    case APSP_PHASE1:
        break;
    case APSP_PHASE2:
        if (in_registers(gpu)) {
            return cross(gpu);
        }
        piece.grid.x = 2 * others;
        break;
    case APSP_PHASE3:
        if (in_registers(gpu)) {
            return rows(gpu, pivot, gpu->first_tile, gpu->tile_count);
        }
        piece.grid =
            gpu->detail->linear ? (struct dimensions){others * others, 1, 1} : (struct dimensions){others, others, 1};
        break;
    default:
        piece.grid.x = (uint32_t)((elements(gpu, step) + COPY_BLOCK - 1) / COPY_BLOCK);
    }
    return piece;
}

struct dimensions apsp_gpu_grid(const struct apsp_gpu *gpu, enum apsp_step step) {
    return whole(gpu, step, 0).grid;
}

// The kernels' parameters, in the order that each has them.
static size_t set_arguments(const struct apsp_gpu *gpu, const struct piece *piece, uint32_t pivot,
                            struct argument *at) {
    const struct argument *first = at;
    const enum apsp_step step = piece->step;
    const bool pad = step == APSP_PAD;
    switch (step) {
    case APSP_CLEAR:
    case APSP_SCATTER:
        *at++ = argument_pointer(gpu->from);
        *at++ = argument_u32(apsp_gpu_from_pitch(gpu));
        *at++ = step == APSP_CLEAR ? argument_u32(apsp_gpu_from_pitch(gpu)) : argument_pointer(gpu->edges);
        if (step == APSP_SCATTER) {
            *at++ = argument_u64(gpu->edge_count);
        }
        break;
    case APSP_PAD:
    case APSP_UNPAD:
        *at++ = argument_pointer(pad ? gpu->w : gpu->to);
        *at++ = argument_pointer(pad ? gpu->from : gpu->w);
        *at++ = argument_u32(gpu->pitch);
        *at++ = pad ? argument_u32(gpu->pitch) : argument_u32(gpu->vertices);
        *at++ = pad ? argument_u32(gpu->vertices) : argument_pointer(gpu->most);
        break;
    default:
        *at++ = argument_pointer(gpu->w);
        *at++ = argument_u32(gpu->pitch * gpu->bits / 32);
        *at++ = argument_u32(pivot);
        if (gpu->detail->kind == APSP_GLOBAL) {
            *at++ = argument_u32(gpu->vertices);
        }
        if (in_registers(gpu) && (step == APSP_PHASE3 || step == APSP_PHASE3_CROSS)) {
            *at++ = argument_u32(piece->tile);
        }
        if (in_registers(gpu) && (step == APSP_PHASE2 || step == APSP_PHASE3_CROSS)) {
            *at++ = argument_u32(piece->in_row);
        }
        if (in_registers(gpu) && step != APSP_PHASE1) {
            *at++ = argument_u32(piece->first);
        }
    }
    return (size_t)(at - first);
}

static uint32_t shared_bytes(const struct apsp_gpu *gpu, enum apsp_step step) {
    const uint32_t tiles = has_own_shape(gpu, step) ? 0 : step == APSP_PHASE1 ? 1 : 2;
    return gpu->detail->kind == APSP_GLOBAL ? 0 : tiles * gpu->shape.tile * gpu->shape.tile * (uint32_t)sizeof(int32_t);
}

struct dimensions apsp_gpu_block(const struct apsp_gpu *gpu, enum apsp_step step) {
    return apsp_step_is_of_matrix(step) ? (struct dimensions){COPY_BLOCK, 1, 1} : gpu->shape.block;
}

static enum status launch_piece(struct apsp_gpu *gpu, struct stream *stream, struct piece piece, uint32_t pivot,
                                struct error *error) {
    struct argument arguments[ARGUMENTS_MAX];
    const struct launch launch = {
        .grid = piece.grid,
        .block = apsp_gpu_block(gpu, piece.step),
        .dynamic_shared_bytes = shared_bytes(gpu, piece.step),
        .arguments = arguments,
        .argument_count = set_arguments(gpu, &piece, pivot, arguments),
    };
    const bool empty = piece.grid.x == 0 || piece.grid.y == 0;
    return empty ? STATUS_OK : device_launch_in(gpu->device, stream, gpu->kernels[piece.step], &launch, error);
}

enum status apsp_gpu_launch(struct apsp_gpu *gpu, struct stream *stream, enum apsp_step step, uint32_t pivot,
                            struct error *error) {
    if (!apsp_gpu_has_kernel(gpu, step)) {
        return step == APSP_PAD ? device_copy_on_device(gpu->device, gpu->w, gpu->from, padded_bytes(gpu), error)
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

enum status apsp_gpu_launch_rows(struct apsp_gpu *gpu, struct stream *stream, uint32_t pivot, uint32_t first,
                                 uint32_t count, struct error *error) {
    return launch_piece(gpu, stream, rows(gpu, pivot, first, count), pivot, error);
}

// ---- Before and after ----

struct apsp_gpu apsp_gpu_make(struct device *device, const struct point *point, const struct apsp_input *input,
                              struct apsp_ways ways, uint32_t bits) {
    const uint32_t vertices = input->graph.vertices;
    struct apsp_gpu gpu = {
        .device = device,
        .detail = point->variant->detail,
        .ways = ways,
        .shape = apsp_shape(point),
        .bits = bits,
        .vertices = vertices,
        .edge_count = input->graph.edge_count,
    };
    const uint32_t unit = gpu.shape.tile * 32 / bits; // 16 bits: a part has two tiles
    gpu.pitch = gpu.detail->bounded ? vertices : (vertices + unit - 1) / unit * unit;
    gpu.tiles = (gpu.pitch + gpu.shape.tile - 1) / gpu.shape.tile;
    gpu.rounds = (vertices + gpu.shape.tile - 1) / gpu.shape.tile;
    gpu.tile_count = gpu.tiles;
    return gpu;
}

enum status apsp_gpu_build(struct apsp_gpu *gpu, enum apsp_step step, struct error *error) {
    const bool own = has_own_shape(gpu, step);
    const struct kernel_constant constants[] = {
        {"BITS", gpu->bits}, // all that kernels with a shape of their own want
        {"TILE", gpu->shape.tile},
        {"BLOCK_X", gpu->shape.block.x},
        {"BLOCK_Y", gpu->shape.block.y},
        {"LINEAR", gpu->detail->linear},
        {"BOUNDED", gpu->detail->bounded},
        {"BY_COLUMN", gpu->detail->by_column},
        {"UNROLL", gpu->detail->unroll},
    };
    const struct kernel_request request = {
        .source = apsp_step_is_of_matrix(step) ? &matrix_source : &sources[gpu->detail->kind],
        .entry = step_names[step],
        .constants = own ? constants : constants + 1,
        .constant_count = own ? 1 : sizeof constants / sizeof *constants - 1,
    };
    return device_build(gpu->device, &request, &gpu->kernels[step], error);
}

static enum status build(struct apsp_gpu *gpu, struct error *error) {
    enum status status = STATUS_OK;
    for (enum apsp_step step = 0; step < APSP_STEPS && status == STATUS_OK; step++) {
        status = apsp_gpu_has_kernel(gpu, step) ? apsp_gpu_build(gpu, step, error) : STATUS_OK;
    }
    return status;
}

static uint64_t from_bytes(const struct apsp_gpu *gpu) {
    const uint64_t pitch = apsp_gpu_from_pitch(gpu);
    return pitch * pitch * sizeof(int32_t);
}

enum status apsp_gpu_prepare(struct apsp_gpu *gpu, struct error *error) {
    struct device *device = gpu->device;
    const struct {
        uint64_t *address, bytes;
        bool wanted;
    } buffers[] = {
        {&gpu->from, from_bytes(gpu), true},
        {&gpu->w, padded_bytes(gpu), true},
        {&gpu->to, apsp_gpu_matrix_bytes(gpu), apsp_gpu_has_kernel(gpu, APSP_UNPAD)},
        {&gpu->most, sizeof(uint32_t), true},
        {&gpu->edges, gpu->edge_count * sizeof(struct edge), gpu->ways.from_edges},
    };
    enum status status = build(gpu, error);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers && status == STATUS_OK; i++) {
        if (buffers[i].wanted && buffers[i].bytes > 0) {
            status = device_allocate(device, buffers[i].bytes, buffers[i].address, error);
        }
    }
    return status;
}

void apsp_gpu_release(struct apsp_gpu *gpu) {
    const uint64_t addresses[] = {gpu->from, gpu->w, gpu->to, gpu->most, gpu->edges};
    for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        if (addresses[i]) {
            device_release(gpu->device, addresses[i]);
        }
    }
    for (size_t i = 0; i < APSP_STEPS; i++) {
        if (gpu->kernels[i]) {
            device_discard(gpu->device, gpu->kernels[i]);
        }
    }
}

enum status apsp_gpu_poison(struct apsp_gpu *gpu, struct error *error) {
    struct device *device = gpu->device;
    enum status status = device_fill(device, gpu->w, POISON, padded_bytes(gpu), error);
    if (gpu->to) {
        if (status == STATUS_OK) {
            status = device_fill(device, gpu->to, POISON, apsp_gpu_matrix_bytes(gpu), error);
        }
    }
    return status == STATUS_OK ? device_fill(device, gpu->most, 0, sizeof(uint32_t), error) : status;
}

// ---- What fits ----

struct apsp_shape apsp_shape(const struct point *point) {
    const struct apsp_detail *detail = point->variant->detail;
    const uint64_t block = point->values[APSP_BLOCK];
    if (detail->kind == APSP_REGISTERS) {
        return (struct apsp_shape){APSP_REGISTER_TILE, {APSP_REGISTER_THREADS, 1, 1}};
    }
    return (struct apsp_shape){(uint32_t)point->values[APSP_TILE], {(uint32_t)block, (uint32_t)(block >> 32), 1}};
}

static enum status check_shared(const struct device_info *info, const struct apsp_shape *shape, struct error *error) {
    enum {
        ELEMENTS_MAX = 64 // of a thread, in registers
    };
    const uint32_t bytes = 2 * shape->tile * shape->tile * (uint32_t)sizeof(int32_t);
    const uint32_t columns = (shape->tile + shape->block.x - 1) / shape->block.x;
    const uint32_t elements = columns * ((shape->tile + shape->block.y - 1) / shape->block.y);
    if (bytes > info->shared_bytes_per_block_max) {
        return error_set(error, STATUS_USAGE,
                         "--tile %" PRIu32 ": two tiles need %" PRIu32
                         " bytes of shared memory, a block of %s has %" PRIu32 ": give a smaller tile",
                         shape->tile, bytes, info->spec, info->shared_bytes_per_block_max);
    }
    if (elements > ELEMENTS_MAX) {
        return error_set(error, STATUS_USAGE,
                         "--tile %" PRIu32 " --block %" PRIu32 "x%" PRIu32 ": a thread would hold %" PRIu32
                         " elements, registers are for %d: give a larger block",
                         shape->tile, shape->block.x, shape->block.y, elements, ELEMENTS_MAX);
    }
    return STATUS_OK;
}

enum status apsp_check_shape(const struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = &run->bench_device->device->info;
    const struct apsp_detail *detail = point->variant->detail;
    const struct apsp_shape shape = apsp_shape(point);
    const uint64_t threads = (uint64_t)shape.block.x * shape.block.y;
    if (threads > info->max_block_threads) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": %" PRIu64 " threads, a block of %s has %" PRIu32
                         ": give a smaller block",
                         shape.block.x, shape.block.y, threads, info->spec, info->max_block_threads);
    }
    if (detail->kind == APSP_REGISTERS) {
        return STATUS_OK;
    }
    if (detail->linear && shape.block.y != 1) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": %s numbers its threads in one row: give N", shape.block.x,
                         shape.block.y, point->variant->name);
    }
    if (!detail->linear && (shape.block.x > shape.tile || shape.block.y > shape.tile)) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": larger than a tile of %" PRIu32 ": give a smaller block",
                         shape.block.x, shape.block.y, shape.tile);
    }
    return detail->kind != APSP_GLOBAL ? check_shared(info, &shape, error) : STATUS_OK;
}
