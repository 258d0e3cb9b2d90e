#include "gmem/gmem_layout.h"

#include "model/global_memory.h"

enum {
    CACHE_MULTIPLE = 4,     // of the most that caches may hold
    CPU_CACHE_MULTIPLE = 8, // of a CPU's usual share, because its last level keeps a part of what streams through it
    CPU_CACHE_BYTES = 32 << 20, // of a usual last level, to which a smaller share that was measured may grow
    CPU_LINE_BYTES = 64,
    MEMORY_SHARE = 4, // the default takes at most 1 / MEMORY_SHARE of the memory
    SECTOR_BYTES = 32,
    THREAD_BYTES = 64,
    // With 64 an H200 writes 1 % slower, and copies 2 to 5 %, because reads and writes alternate less finely.
    WRITING_THREAD_BYTES = 16,
    ITEMS_MAX = 16,
    WARPS_SAMPLED = 64, // alignments repeat after this many warps at the latest
};

static const double LAUNCH_NS = 5000; // start, ramp and end of a launch on an H200
static const double FIXED_SHARE = 0.0025;

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static uint64_t round_down(uint64_t value, uint64_t unit) {
    return value < unit ? larger(value, 1) : value / unit * unit;
}

static uint32_t streams(const struct gmem_layout *layout) {
    return layout->kernel->reads + layout->kernel->writes;
}

static uint64_t index_bytes(const struct gmem_layout *layout) {
    return layout->kernel->indexed ? streams(layout) * sizeof(uint32_t) : 0;
}

// Bytes that the memory moves for one element at least: a sector where elements lie further apart.
static uint64_t moved_bytes(const struct gmem_layout *layout) {
    return streams(layout) * smaller(layout->width_bytes * layout->stride, SECTOR_BYTES) + index_bytes(layout);
}

// Bytes that one element takes up in all buffers.
static uint64_t element_bytes(const struct gmem_layout *layout) {
    return streams(layout) * layout->width_bytes * layout->stride + index_bytes(layout);
}

// Bytes of several last-level caches: of what a CPU's are likely to hold, and of the most that caches may hold.
static uint64_t bytes_above_cache(const struct device_info *info) {
    const uint64_t most = device_cache_bytes_max(info);
    const uint64_t usual = larger(info->last_level_cache_bytes, smaller(most, CPU_CACHE_BYTES));
    return device_is_cpu(info) ? larger(CPU_CACHE_MULTIPLE * usual, CACHE_MULTIPLE * most) : CACHE_MULTIPLE * most;
}

// Elements that take so many bytes; a CPU's caches hold lines.
static uint64_t elements_above_cache(const struct device_info *info, const struct gmem_layout *layout) {
    const uint64_t held =
        device_is_cpu(info) ? smaller(layout->width_bytes * layout->stride, CPU_LINE_BYTES) : layout->width_bytes;
    return bytes_above_cache(info) / (streams(layout) * held);
}

uint64_t gmem_default_elements(const struct device_info *info, const struct gmem_layout *layout,
                               uint64_t footprint_max) {
    const uint64_t whole_blocks = 16384; // of any width, at any usual block size
    const uint64_t above_cache = elements_above_cache(info, layout) + whole_blocks;
    const uint64_t enough = (uint64_t)(info->peak_gb_s * LAUNCH_NS / FIXED_SHARE) / moved_bytes(layout);
    const uint64_t limit = smaller(info->memory_bytes / MEMORY_SHARE, footprint_max) / element_bytes(layout);
    const uint64_t possible = device_free_bytes(info) / 2 / element_bytes(layout);
    return round_down(smaller(larger(smaller(enough, limit), above_cache), possible), whole_blocks);
}

uint64_t gmem_buffer_bytes(const struct gmem_layout *layout) {
    uint64_t slots;
    uint64_t bytes;
    if (layout->slots > 0) {
        return layout->slots > UINT64_MAX / 64 ? 0 : layout->slots * layout->width_bytes;
    }
    if (__builtin_mul_overflow(layout->elements - 1, layout->stride, &slots) ||
        __builtin_add_overflow(slots, layout->offset + 1, &slots) ||
        __builtin_mul_overflow(slots, layout->width_bytes, &bytes) || bytes > UINT64_MAX / 4) {
        return 0;
    }
    return bytes;
}

uint64_t gmem_footprint_bytes(const struct gmem_layout *layout) {
    return gmem_buffer_bytes(layout) * streams(layout) + layout->indices * sizeof(uint32_t);
}

double gmem_useful_bytes(const struct gmem_layout *layout) {
    return (double)(layout->elements * layout->width_bytes) * (layout->kernel->updates ? 2 : streams(layout));
}

uint64_t gmem_sink_bytes(const struct gmem_layout *layout, const struct launch *launch, uint32_t warp_width) {
    const uint64_t warps = (uint64_t)launch->grid.x * launch->block.x / warp_width;
    if (layout->kernel->family) {
        return warps * (layout->kernel->fetches ? sizeof(uint64_t) : sizeof(uint32_t));
    }
    const uint64_t words = warp_width > 1 ? GMEM_CHECKSUMS : warps; // each thread of a CPU has its own
    return words * (layout->kernel->numbers ? sizeof(uint64_t) : sizeof(uint32_t));
}

const char *gmem_type_name(const struct gmem_layout *layout) {
    const bool narrow = layout->width_bytes == sizeof(float);
    if (layout->kernel->numbers || layout->kernel->floating) {
        return narrow ? "float32" : "float64";
    }
    return !layout->kernel->updates ? "" : narrow ? "int32" : "int64";
}

uint32_t gmem_items(const struct gmem_layout *layout) {
    const struct gmem_kernel *kernel = layout->kernel;
    const bool writes = kernel->writes > 0 && !layout->slots && !kernel->updates && !kernel->bulk;
    const uint64_t items = (writes ? WRITING_THREAD_BYTES : THREAD_BYTES) / layout->width_bytes;
    return (uint32_t)(items < ITEMS_MAX ? items : ITEMS_MAX);
}

static struct request warp_request(const struct gpu *gpu, const struct gmem_layout *layout, uint64_t warp) {
    struct request request = {.width_bytes = (uint32_t)layout->width_bytes};
    for (uint32_t lane = 0; lane < gpu->warp_width; lane++) {
        uint64_t element = warp * gpu->warp_width + lane;
        request.address[lane] = (layout->offset + element * layout->stride) * layout->width_bytes;
        request.active |= UINT64_C(1) << lane;
    }
    return request;
}

static struct memory_counts times(const struct memory_counts *stream, uint32_t streams) {
    return (struct memory_counts){
        .requests = stream->requests * streams,
        .lane_bytes = stream->lane_bytes * streams,
        .sectors = stream->sectors * streams,
        .lines = stream->lines * streams,
    };
}

struct launch_counts gmem_model_counts(const struct gpu *gpu, const struct gmem_layout *layout) {
    double sectors = 0;
    double lines = 0;
    for (uint64_t warp = 0; warp < WARPS_SAMPLED; warp++) {
        struct request request = warp_request(gpu, layout, warp);
        struct global_cost cost = global_memory_cost(gpu, &request);
        sectors += cost.sectors;
        lines += cost.lines;
    }
    const double requests = (double)((layout->elements + gpu->warp_width - 1) / gpu->warp_width);
    const struct memory_counts stream = {
        .requests = requests,
        .lane_bytes = (double)(layout->elements * layout->width_bytes),
        .sectors = sectors / (double)WARPS_SAMPLED * requests,
        .lines = lines / (double)WARPS_SAMPLED * requests,
    };
    return (struct launch_counts){.global_load = times(&stream, layout->kernel->reads),
                                  .global_store = times(&stream, layout->kernel->writes)};
}
