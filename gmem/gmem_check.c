#include "gmem/gmem_check.h"

#include <stdlib.h>

#include "gmem/gmem_check_device.h"
#include "gmem/gmem_check_sink.h"

static const uint64_t PIECE_BYTES = UINT64_C(4) << 20;

// Recomputes the bytes from first to end of the destination on the host, one piece after another.
static enum status check_on_host(struct bench_device *b, const struct gmem_result *result, uint64_t first, uint64_t end,
                                 bool *right, struct error *error) {
    uint64_t start = result->destination + result->layout.offset * result->layout.width_bytes;
    uint8_t *piece = malloc(PIECE_BYTES);
    if (!piece) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    enum status status = STATUS_OK;
    for (uint64_t at = first; at < end && *right && status == STATUS_OK; at += PIECE_BYTES) {
        uint64_t count = end - at < PIECE_BYTES ? end - at : PIECE_BYTES;
        status = device_copy_to_host(b->device, piece, start + at, count, error);
        *right = status == STATUS_OK && gmem_wrong_bytes(result, piece, at, count) == 0;
    }
    free(piece);
    return status;
}

// Checks the elements of each simulated block, and the gaps between them.
static enum status check_blocks(struct bench_device *b, const struct gmem_result *result, bool *right,
                                struct error *error) {
    const uint64_t step = result->layout.stride * result->layout.width_bytes;
    struct gmem_result of_block;
    enum status status = STATUS_OK;
    for (uint64_t i = 0, block; device_next_block(b->device, result->grid, i, &block) && status == STATUS_OK; i++) {
        if (gmem_block_result(result, block, &of_block)) {
            const uint64_t end = (of_block.elements_run - 1) * step + result->layout.width_bytes;
            status = check_on_host(b, &of_block, of_block.elements_first * step, end, right, error);
        }
    }
    return status;
}

enum status gmem_check(struct bench_device *b, const struct gmem_result *result, bool *right, struct error *error) {
    const struct gmem_layout *layout = &result->layout;
    *right = true;
    if (layout->kernel->writes == 0) {
        return gmem_check_sink(b, result, right, error);
    }
    uint64_t span = ((result->elements_run - 1) * layout->stride + 1) * layout->width_bytes;
    if (b->device->info.simulated_blocks) {
        return check_blocks(b, result, right, error);
    }
    if (!layout->kernel->check || !device_is_real_gpu(&b->device->info)) {
        return check_on_host(b, result, 0, span, right, error);
    }
    enum status status = gmem_check_destination_on_device(b, result, span, right, error);
    uint64_t piece = PIECE_BYTES / layout->width_bytes * layout->width_bytes;
    if (status == STATUS_OK && *right) {
        status = check_on_host(b, result, 0, span < piece ? span : piece, right, error);
    }
    if (status == STATUS_OK && *right && span > piece) {
        status = check_on_host(b, result, span - piece, span, right, error);
    }
    return status;
}
