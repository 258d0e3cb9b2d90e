#include "smem/smem_pattern.h"

#include <stdio.h>

#include "model/cluster_memory.h"

uint32_t smem_element_index(const struct smem_pattern *p, uint32_t thread) {
    uint32_t warp = thread / p->lanes;
    uint32_t slot = thread % p->lanes / p->group;
    uint32_t slots = p->lanes / p->group;
    if (p->stride == 0) {
        return warp;
    }
    return slot * p->stride + warp % p->stride + warp / p->stride * slots * p->stride;
}

uint64_t smem_pattern_bytes(const struct smem_pattern *p) {
    uint64_t last = 0;
    for (uint32_t warp = 0; warp < p->warps; warp++) {
        uint64_t index = smem_element_index(p, warp * p->lanes + p->lanes - 1);
        last = index > last ? index : last;
    }
    return (last + 1) * p->width_bytes;
}

static struct request warp_request(const struct smem_pattern *p, uint32_t warp) {
    struct request request = {
        .operation = p->operation, .atomic = p->atomic, .path = p->path, .width_bytes = p->width_bytes};
    for (uint32_t lane = 0; lane < p->lanes; lane++) {
        request.active |= UINT64_C(1) << lane;
        request.address[lane] = (uint64_t)smem_element_index(p, warp * p->lanes + lane) * p->width_bytes;
    }
    return request;
}

struct smem_cost smem_pattern_cost(const struct gpu *gpu, const struct smem_pattern *p) {
    struct smem_cost sum = {.certainty = RULE_CERTAIN};
    if (!gpu) {
        return (struct smem_cost){0};
    }
    for (uint32_t warp = 0; warp < p->warps; warp++) {
        const struct request request = warp_request(p, warp);
        const bool own = p->path == PATH_OWN;
        const struct shared_cost cost = own ? shared_memory_cost(gpu, &request) : cluster_memory_cost(gpu, &request);
        sum.clocks += own ? cost.passes : cluster_memory_clocks(gpu, &request, p->cluster); // a pass takes a clock
        sum.passes += cost.passes;
        sum.conflicts += cost.conflicts;
        sum.unique_bytes += cost.unique_bytes;
        sum.certainty = cost.certainty > sum.certainty ? cost.certainty : sum.certainty;
    }
    sum.passes /= p->warps;
    sum.conflicts /= p->warps;
    sum.clocks /= p->warps;
    sum.unique_bytes /= p->warps;
    return sum;
}

enum status smem_check_width(const struct variant *variant, uint64_t width, struct error *error) {
    const struct smem_detail *detail = variant->detail;
    if ((width & (width - 1)) != 0) {
        return error_set(error, STATUS_USAGE, "--width %llu: give 1, 2, 4, 8 or 16", (unsigned long long)width);
    }
    const uint32_t least = detail->width_min ? detail->width_min : 1;
    const uint32_t most = detail->width_max ? detail->width_max : 16;
    if (width < least || width > most) {
        char range[32];
        const int length = snprintf(range, sizeof range, "%u", least);
        if (least < most) {
            snprintf(range + length, sizeof range - (size_t)length, " to %u", most);
        }
        return error_set(error, STATUS_USAGE, "--width %llu: %s takes %s bytes: give another width or --variant",
                         (unsigned long long)width, variant->name, range);
    }
    return STATUS_OK;
}
