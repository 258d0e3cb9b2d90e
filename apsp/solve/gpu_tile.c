#include "apsp/solve/gpu_tile.h"

#include "apsp/solve/gpu.h"

static uint64_t rounded_up(uint64_t count, uint64_t unit) {
    return (count + unit - 1) / unit;
}

// What a solution costs, but for a factor: updates of the padded matrix, by the device with the most tiles, and loads
// and stores of the result.
static double cost_of(uint64_t vertices, uint64_t rows, uint64_t columns, uint32_t tile) {
    enum {
        PIVOTS_OF_A_STORE = 6 // as many pivots take as long as loading and storing the result
    };
    const uint64_t tiles = rounded_up(vertices, tile), most = rounded_up(tiles, rows) * rounded_up(tiles, columns);
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
