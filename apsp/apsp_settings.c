#include "apsp/apsp_settings.h"

#include <inttypes.h>
#include <string.h>

#include "apsp/apsp_input.h"
#include "apsp/apsp_session.h"
#include "apsp/solve/gpu.h"
#include "apsp/solve/gpu_round.h"

static uint32_t default_tile(const struct run *run, const struct point *point, uint32_t bits) {
    const struct device_info *info = run_info(run);
    const bool shared = apsp_is_shared(point);
    const uint64_t devices = shared ? point->values[APSP_DEVICES] : 1;
    const uint32_t vertices = apsp_vertices(run, point);
    const struct apsp_small_shape shape = apsp_small_shape(vertices, bits, info->compute_units);
    const bool small = !shared && shape.tile > 0 &&
                       apsp_small_shared_bytes(shape.tile, shape.columns) <= info->shared_bytes_per_block_max;
    return small ? shape.tile : apsp_gpu_tile(info, vertices, bits, devices, 1);
}

struct apsp_settings apsp_settings_of(const struct run *run, const struct point *point, uint32_t bits) {
    struct apsp_settings settings = apsp_detail_of(point)->settings;
    const uint64_t block = point->values[APSP_BLOCK];
    const uint32_t tile = (uint32_t)point->values[APSP_TILE];
    if (settings.kernels == APSP_REGISTERS) {
        const uint32_t usual = settings.tile ? settings.tile : default_tile(run, point, bits);
        settings = apsp_register_settings(bits);
        settings.tile = tile ? tile : usual;
    } else {
        settings.tile = tile;
        settings.block = (struct dimensions){(uint32_t)block, (uint32_t)(block >> 32), 1};
    }
    settings.look_ahead = strcmp(apsp_options_of(run)->look_ahead, "yes") == 0;
    return settings;
}

struct apsp_transfer apsp_transfer_of(const struct run *run, const struct graph *graph, uint32_t bits) {
    const struct apsp_options *options = apsp_options_of(run);
    const double edge_bytes = (double)graph->edge_count * sizeof(struct edge);
    const double matrix_bytes = (double)graph->vertices * graph->vertices * sizeof(int32_t);
    const bool automatic = strcmp(options->initialise, "auto") == 0;
    return (struct apsp_transfer){
        .pinned = strcmp(options->host_memory, "pinned") == 0,
        .strip_by_copy = bits == 32 && strcmp(options->strip, "copy") == 0,
        .from_edges = automatic ? edge_bytes < matrix_bytes : strcmp(options->initialise, "device") == 0,
    };
}

static enum status check_shared(const struct device_info *info, const struct apsp_settings *settings,
                                struct error *error) {
    enum {
        ELEMENTS_MAX = 64 // of a thread, in registers
    };
    const uint32_t tile = settings->tile, bytes = apsp_shared_bytes(tile);
    const struct dimensions block = settings->block;
    const uint32_t elements = ((tile + block.x - 1) / block.x) * ((tile + block.y - 1) / block.y);
    if (bytes > info->shared_bytes_per_block_max) {
        return error_set(error, STATUS_USAGE,
                         "--tile %" PRIu32 ": two tiles need %" PRIu32
                         " bytes of shared memory, a block of %s has %" PRIu32 ": give a smaller tile",
                         tile, bytes, info->spec, info->shared_bytes_per_block_max);
    }
    if (elements > ELEMENTS_MAX) {
        return error_set(error, STATUS_USAGE,
                         "--tile %" PRIu32 " --block %" PRIu32 "x%" PRIu32 ": a thread would hold %" PRIu32
                         " elements, registers are for %d: give a larger block",
                         tile, block.x, block.y, elements, ELEMENTS_MAX);
    }
    return STATUS_OK;
}

static enum status check_tile(const struct apsp_settings *settings, const char *name, bool several,
                              struct error *error) {
    enum {
        OTHERS_MOST = 256 // of global.cu and shared.cu
    };
    const uint32_t tile = settings->tile, most = APSP_WIDE_TILE_MAX;
    const bool small = (tile == APSP_SMALL_TILE_MAX || tile == APSP_SMALL_TILE_MAX / 2) && !several;
    const bool known = small || tile == APSP_REGISTER_TILE || tile == 2 * APSP_REGISTER_TILE || tile == most;
    if (settings->kernels == APSP_REGISTERS && !known) {
        return error_set(error, STATUS_USAGE,
                         "--tile %" PRIu32 ": %s has tiles of %s128, 256 or 512: give one of these", tile, name,
                         several ? "" : "32, 64, ");
    }
    if (settings->kernels != APSP_REGISTERS && tile > OTHERS_MOST) {
        return error_set(error, STATUS_USAGE, "--tile %" PRIu32 ": %s has tiles of up to %d: give a smaller one", tile,
                         name, OTHERS_MOST);
    }
    return STATUS_OK;
}

// Tiles of other sizes than 128 need dynamic shared memory.
static enum status check_registers(const struct device_info *info, const struct apsp_settings *settings,
                                   uint32_t vertices, struct error *error) {
    const uint32_t columns = apsp_small_shape(vertices, settings->bits, info->compute_units).columns;
    const uint32_t bytes = apsp_is_small(settings)  ? apsp_small_shared_bytes(settings->tile, columns)
                           : apsp_is_wide(settings) ? APSP_WIDE_SHARED_BYTES
                                                    : 0;
    return bytes <= info->shared_bytes_per_block_max
               ? STATUS_OK
               : error_set(error, STATUS_USAGE,
                           "--tile %" PRIu32 " needs %" PRIu32 " bytes of shared memory, a block of %s has %" PRIu32
                           ": give a tile of 128",
                           settings->tile, bytes, info->spec, info->shared_bytes_per_block_max);
}

static enum status check_block(const struct device_info *info, const struct apsp_settings *settings, const char *name,
                               struct error *error) {
    const struct dimensions block = settings->block;
    const uint64_t threads = (uint64_t)block.x * block.y;
    if (threads > info->max_block_threads) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": %" PRIu64 " threads, a block of %s has %" PRIu32
                         ": give a smaller block",
                         block.x, block.y, threads, info->spec, info->max_block_threads);
    }
    if (settings->linear && block.y != 1) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": %s numbers its threads in one dimension: give N", block.x,
                         block.y, name);
    }
    if (!settings->linear && settings->kernels != APSP_REGISTERS &&
        (block.x > settings->tile || block.y > settings->tile)) {
        return error_set(error, STATUS_USAGE,
                         "--block %" PRIu32 "x%" PRIu32 ": larger than a tile of %" PRIu32 ": give a smaller block",
                         block.x, block.y, settings->tile);
    }
    return STATUS_OK;
}

enum status apsp_settings_check(const struct run *run, const struct point *point, uint32_t bits, struct error *error) {
    const struct device_info *info = run_info(run);
    const struct apsp_settings settings = apsp_settings_of(run, point, bits);
    TRY(check_tile(&settings, point->variant->name, apsp_is_shared(point), error));
    TRY(check_block(info, &settings, point->variant->name, error));
    if (settings.kernels == APSP_REGISTERS) {
        TRY(check_registers(info, &settings, apsp_vertices(run, point), error));
    }
    if (settings.kernels == APSP_SHARED) {
        TRY(check_shared(info, &settings, error));
    }
    return STATUS_OK;
}

uint64_t apsp_rounds(const struct run *run, const struct point *point) {
    const uint64_t tile = apsp_settings_of(run, point, apsp_detail_of(point)->settings.bits).tile;
    return (apsp_vertices(run, point) + tile - 1) / tile;
}
