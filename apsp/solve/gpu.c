#include "apsp/solve/gpu.h"

#include "util/embed.h"
#include "util/whole.h"

// What a solution costs, but for a factor: updates of the padded matrix, by the device with the most tiles, and loads
// and stores of the result.
static double cost_of(uint64_t vertices, uint64_t rows, uint64_t columns, uint32_t tile) {
    enum {
        PIVOTS_OF_A_STORE = 6 // as many pivots take as long as loading and storing the result
    };
    const uint64_t tiles = divide_up(vertices, tile), most = divide_up(tiles, rows) * divide_up(tiles, columns);
    return (double)tiles * tile * (double)most * tile * tile * (1 + (double)PIVOTS_OF_A_STORE / tile);
}

// Whether a round's rest takes longer than the next pivot's kernels, which run beside it. A tile of 512 needs twice the
// updates that one of 256 needs, 16 bits take half as long for each as 32 bits, and devices share them. On an H200,
// with 32 bits, 256 is faster than 128 at 6144 vertices but not at 4096, and 512 than 256 at 8192 but not at 6144; with
// 16 bits these are 8192 and 6144, and 12288 and 10240 (results/h200/apsp-tiles.csv). Two H200s with 8192 vertices need
// 256, with 12288 they need 512 (results/h200-x2/multi-device-tiles.csv).
static bool hides_pivots(uint64_t vertices, uint32_t bits, uint64_t devices, uint32_t tile) {
    const double least = 5300; // with 32 bits, a tile of 256 and one device
    const double updates = (double)vertices * (double)vertices * bits / 32 / (double)devices;
    return updates >= least * least * tile / 256;
}

// A larger tile saves loads and stores, but takes more padding.
uint32_t apsp_gpu_tile(const struct device_info *info, uint64_t vertices, uint32_t bits, uint64_t rows,
                       uint64_t columns) {
    uint32_t best = APSP_REGISTER_TILE;
    for (uint32_t tile = 2 * best; tile <= APSP_WIDE_TILE_MAX && apsp_may_be_wide(info); tile *= 2) {
        const bool cheaper = cost_of(vertices, rows, columns, tile) < cost_of(vertices, rows, columns, best);
        best = cheaper && hides_pivots(vertices, bits, rows * columns, tile) ? tile : best;
    }
    return best;
}

KERNEL_SOURCE(global_source, apsp_global_cu, "apsp/kernels/global.cu");
KERNEL_SOURCE(shared_source, apsp_shared_cu, "apsp/kernels/shared.cu");
KERNEL_SOURCE(registers_source, apsp_register_tiled_cu, "apsp/kernels/register_tiled.cu");
KERNEL_SOURCE(matrix_source, apsp_matrix_cu, "apsp/kernels/matrix.cu");
KERNEL_SOURCE(product_source, apsp_tile_product_cu, "apsp/kernels/tile_product.cu");
KERNEL_SOURCE(round_source, apsp_whole_round_cu, "apsp/kernels/whole_round.cu");
KERNEL_SOURCE(panel_source, apsp_panel_cu, "apsp/kernels/panel.cu");
KERNEL_SOURCE(hops_source, apsp_next_hops_cu, "apsp/kernels/next_hops.cu");
EMBED_FILE(apsp_matrix_h, "apsp/kernels/matrix.h");
EMBED_FILE(apsp_register_block_h, "apsp/kernels/register_block.h");

static const struct kernel_source *const sources[] = {
    [APSP_GLOBAL] = &global_source, [APSP_SHARED] = &shared_source, [APSP_REGISTERS] = &registers_source};

static const struct kernel_header headers[] = {
    {"apsp/kernels/matrix.h", apsp_matrix_h},
    {"apsp/kernels/register_block.h", apsp_register_block_h},
    {NULL, NULL},
};

// The kernel of a step, and its source if it does not depend on the settings.
static const struct {
    const char *entry;
    const struct kernel_source *source;
} steps[APSP_STEPS] = {
    [APSP_CLEAR] = {"clear", &matrix_source},
    [APSP_SCATTER] = {"scatter", &matrix_source},
    [APSP_PAD] = {"pad", &matrix_source},
    [APSP_PREPARE] = {"prepare", &round_source}, // by the kernel of APSP_ROUND
    [APSP_PHASE1] = {"phase1", NULL},
    [APSP_PHASE2] = {"phase2", NULL},
    [APSP_PHASE3] = {"phase3", NULL},
    [APSP_PHASE3_CROSS] = {"phase3_cross", NULL},
    [APSP_ROUND] = {"whole_round", &round_source},
    [APSP_UNPAD] = {"unpad", &matrix_source},
    [APSP_NEXT_HOPS] = {"next_hops", &hops_source},
    [APSP_ZERO_HOPS] = {"zero_hops", &hops_source},
    [APSP_PRODUCT] = {"tile_product", &product_source},
    [APSP_TRANSPOSE] = {"transpose", &product_source},
    [APSP_COPY_PANEL] = {"copy_panel", &panel_source},
};

const char *apsp_step_name(enum apsp_step step) {
    return steps[step].entry;
}

struct apsp_settings apsp_register_settings(uint32_t bits) {
    return (struct apsp_settings){
        .kernels = APSP_REGISTERS,
        .bits = bits,
        .tile = APSP_REGISTER_TILE,
        .block = {APSP_REGISTER_THREADS, 1, 1},
        .look_ahead = true,
    };
}

// The blocks that prepare the next round decide how long a launch takes if all others end in two turns on the units
// that are left. A unit then runs one block at a time, and a block that prepares has 4 columns where those with 2 would
// take too many units. In larger graphs more blocks share a unit: two hinder each other less than three, but three hide
// each other's waits better. The bounds, also those of the tiles, are what an H200 measured
// (results/h200/apsp-shapes.csv).
struct apsp_small_shape apsp_small_shape(uint32_t vertices, uint32_t bits, uint32_t units) {
    const uint32_t part = APSP_SMALL_TILE_MAX; // rows and words of a block that finishes a round
    const double parts = (double)round_up(vertices, part * 32 / bits) / part;
    const double finish = parts * parts * bits / 32, turns = finish / units;
    const double prepare_2 = 4 * parts, prepare_4 = 2 * parts; // blocks, if each has so many columns
    const bool fits_2 = finish <= 2 * (units - prepare_2), fits_4 = finish <= 2 * (units - prepare_4);
    return (struct apsp_small_shape){
        .tile = turns >= 8.1 ? 0 : (turns >= 3.1 && turns < 5 ? APSP_SMALL_TILE_MAX : APSP_SMALL_TILE_MAX / 2),
        .columns = fits_2 || (!fits_4 && finish + prepare_2 < 2.5 * units) ? 2 : 4,
        .unit_blocks = fits_2 || fits_4 ? 1 : (turns < 4 ? 2 : 3),
    };
}

struct apsp_small_shape apsp_gpu_small_shape(const struct apsp_gpu *gpu) {
    return apsp_small_shape(gpu->vertices, gpu->settings.bits, gpu->device->info.compute_units);
}

uint32_t apsp_shared_bytes(uint32_t tile) {
    return 2 * tile * tile * (uint32_t)sizeof(int32_t);
}

bool apsp_step_is_outside_rounds(enum apsp_step step) {
    return step <= APSP_PREPARE || (step >= APSP_UNPAD && step <= APSP_ZERO_HOPS);
}

uint64_t apsp_gpu_matrix_bytes(const struct apsp_gpu *gpu) {
    return (uint64_t)gpu->vertices * gpu->vertices * sizeof(int32_t);
}

uint32_t apsp_gpu_from_pitch(const struct apsp_gpu *gpu) {
    return gpu->settings.transfer.strip_by_copy ? gpu->pitch : gpu->vertices;
}

bool apsp_gpu_has_kernel(const struct apsp_gpu *gpu, enum apsp_step step) {
    switch (step) {
    case APSP_CLEAR:
        return gpu->settings.transfer.strip_by_copy || gpu->settings.transfer.from_edges;
    case APSP_SCATTER:
        return gpu->settings.transfer.from_edges;
    case APSP_PAD:
    case APSP_UNPAD:
        return !gpu->settings.transfer.strip_by_copy;
    case APSP_PREPARE:
        return false;
    case APSP_PHASE1:
    case APSP_PHASE2:
    case APSP_PHASE3:
        return !apsp_is_small(&gpu->settings);
    case APSP_PHASE3_CROSS:
        return gpu->settings.kernels == APSP_REGISTERS && !apsp_is_small(&gpu->settings);
    case APSP_ROUND:
        return apsp_is_small(&gpu->settings);
    case APSP_NEXT_HOPS:
        return gpu->settings.paths;
    case APSP_ZERO_HOPS:
        return gpu->settings.paths && gpu->settings.paths->passes > 0;
    case APSP_PRODUCT:
    case APSP_TRANSPOSE:
    case APSP_COPY_PANEL:
        return apsp_is_wide(&gpu->settings);
    default:
        return true;
    }
}

uint64_t apsp_gpu_padded_bytes(const struct apsp_gpu *gpu) {
    return (uint64_t)gpu->pitch * gpu->pitch * gpu->settings.bits / 8;
}

struct apsp_gpu apsp_gpu_make(struct device *device, const struct graph *graph, const struct apsp_settings *settings) {
    const uint32_t tile = settings->tile, vertices = graph->vertices;
    // In 16 bits a part of register_tiled.cu has two of its tiles. Wide tiles have whole parts.
    const uint32_t part = apsp_is_small(settings) ? APSP_SMALL_TILE_MAX : tile;
    const uint32_t unit = apsp_is_wide(settings) ? tile : part * 32 / settings->bits;
    struct apsp_gpu gpu = {
        .device = device,
        .settings = *settings,
        .vertices = vertices,
        .pitch = settings->bounded ? vertices : (vertices + unit - 1) / unit * unit,
        .rounds = (vertices + tile - 1) / tile,
        .edge_count = graph->edge_count,
    };
    gpu.tiles = gpu.tile_count = (gpu.pitch + tile - 1) / tile;
    return gpu;
}

enum status apsp_gpu_build(struct apsp_gpu *gpu, enum apsp_step step, struct error *error) {
    const struct apsp_settings *settings = &gpu->settings;
    const uint32_t columns = apsp_gpu_small_shape(gpu).columns;
    const bool bits_only = steps[step].source || settings->kernels == APSP_REGISTERS;
    const struct kernel_constant registers[] = {
        {"BITS", settings->bits}, {"PIVOTS", settings->tile}, {"COLUMNS", columns}};
    const struct kernel_constant constants[] = {
        {"TILE", settings->tile},     {"BLOCK_X", settings->block.x}, {"BLOCK_Y", settings->block.y},
        {"LINEAR", settings->linear}, {"BOUNDED", settings->bounded}, {"BY_COLUMN", settings->by_column},
        {"UNROLL", settings->unroll},
    };
    const struct kernel_request request = {
        .source = steps[step].source ? steps[step].source : sources[settings->kernels],
        .entry = steps[step].entry,
        .constants = bits_only ? registers : constants,
        .constant_count = step == APSP_ROUND ? sizeof registers / sizeof *registers
                          : bits_only        ? 1
                                             : sizeof constants / sizeof *constants,
        .headers = headers,
    };
    return device_build(gpu->device, &request, &gpu->kernels[step], error);
}

enum status apsp_gpu_build_registers(struct device *device, const char *entry, struct kernel **kernel,
                                     struct error *error) {
    const struct kernel_request request = {
        .source = &registers_source, .entry = entry, KERNEL_CONSTANTS({"BITS", 32}), .headers = headers};
    return device_build(device, &request, kernel, error);
}

static enum status build(struct apsp_gpu *gpu, struct error *error) {
    for (enum apsp_step step = 0; step < APSP_STEPS; step++) {
        TRY(apsp_gpu_has_kernel(gpu, step) ? apsp_gpu_build(gpu, step, error) : STATUS_OK);
    }
    return STATUS_OK;
}

static uint64_t from_bytes(const struct apsp_gpu *gpu) {
    const uint64_t pitch = apsp_gpu_from_pitch(gpu);
    return pitch * pitch * sizeof(int32_t);
}

enum status apsp_gpu_prepare(struct apsp_gpu *gpu, struct error *error) {
    struct device *device = gpu->device;
    const struct apsp_hop_edges *paths = gpu->settings.paths;
    const bool wide = apsp_is_wide(&gpu->settings), panels = wide || apsp_is_small(&gpu->settings);
    const uint64_t tile = gpu->settings.tile, panel = tile * gpu->pitch;
    const struct {
        uint64_t *address, bytes;
        bool wanted;
    } buffers[] = {
        {&gpu->from, from_bytes(gpu), true},
        {&gpu->w, apsp_gpu_padded_bytes(gpu), true},
        {&gpu->to, apsp_gpu_matrix_bytes(gpu), apsp_gpu_has_kernel(gpu, APSP_UNPAD)},
        {&gpu->too_far, sizeof(uint32_t), true},
        {&gpu->edges, gpu->edge_count * sizeof(struct edge), gpu->settings.transfer.from_edges},
        {&gpu->left[0], panel * sizeof(uint32_t), panels},
        {&gpu->left[1], panel * sizeof(uint32_t), panels},
        {&gpu->right[0], panel * gpu->settings.bits / 8, panels},
        {&gpu->right[1], panel * gpu->settings.bits / 8, panels},
        {&gpu->closed[0], tile * tile * gpu->settings.bits / 8, wide},
        {&gpu->closed[1], tile * tile * gpu->settings.bits / 8, wide},
        {&gpu->next, apsp_gpu_matrix_bytes(gpu), paths},
        {&gpu->hop_edges, paths ? apsp_hop_layout(paths).words * sizeof(uint32_t) : 0, paths},
    };
    TRY(build(gpu, error));
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        if (buffers[i].wanted && buffers[i].bytes > 0) {
            TRY(device_allocate(device, buffers[i].bytes, buffers[i].address, error));
        }
    }
    return STATUS_OK;
}

void apsp_gpu_release(struct apsp_gpu *gpu) {
    DEVICE_RELEASE(gpu->device, gpu->from, gpu->w, gpu->to, gpu->too_far, gpu->edges, gpu->next, gpu->hop_edges,
                   gpu->left[0], gpu->left[1], gpu->right[0], gpu->right[1], gpu->closed[0], gpu->closed[1]);
    for (size_t i = 0; i < APSP_STEPS; i++) {
        device_discard(gpu->device, gpu->kernels[i]);
    }
}

enum status apsp_gpu_poison(struct apsp_gpu *gpu, struct error *error) {
    struct device *device = gpu->device;
    const uint64_t results[] = {gpu->to, gpu->next};
    TRY(device_poison(device, gpu->w, apsp_gpu_padded_bytes(gpu), error));
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        TRY(results[i] ? device_poison(device, results[i], apsp_gpu_matrix_bytes(gpu), error) : STATUS_OK);
    }
    return device_fill(device, gpu->too_far, 0, sizeof(uint32_t), error);
}
