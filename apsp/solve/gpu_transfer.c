#include "apsp/solve/gpu_transfer.h"

#include "apsp/solve/gpu_launch.h"

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
