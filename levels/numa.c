// numa: latency of memory from each node of the machine to each, idle and under load.
#include <inttypes.h>
#include <stdio.h>

#include "bench/row.h"
#include "device/cpu/cpu.h"
#include "levels/levels_detail.h"

enum {
    LEAST_KIB = 64 // of a footprint
};
static const double PAIRS_S = 4; // for the pairs of a small machine

static const struct levels_numa *numa_of(const struct run *run) {
    return ((const struct levels_detail *)run->variant->detail)->numa;
}

enum status levels_supports_numa(const struct levels_numa *numa, struct error *error) {
    TRY(cpu_several_nodes(error));
    return numa->pages != CPU_PAGES_HUGE || cpu_has_huge_pages()
               ? STATUS_OK
               : error_set(error, STATUS_NO_DEVICE,
                           "cpu: no page of 1 GiB is free: write their number to "
                           "/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages as root, or use --variant numa");
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    const uint64_t footprint = point->values[LEVELS_FOOTPRINT], most = device_free_bytes(run_info(run)) / 2;
    return footprint == 0 || (footprint >= (uint64_t)LEAST_KIB << 10 && footprint <= most)
               ? STATUS_OK
               : error_set(error, STATUS_USAGE, "--footprint %" PRIu64 ": give %d to %" PRIu64 " bytes, or 0",
                           footprint, LEAST_KIB << 10, most);
}

static void cost(const struct run *run, const struct point *point, struct point_cost *cost) {
    (void)run, (void)point;
    cost->prepare_s = PAIRS_S;
}

unsigned levels_place_row(const struct run *run, struct row *row) {
    const struct levels_session *session = run->session;
    if (!*session->from) {
        return VERDICT_OK;
    }
    snprintf(row->from, sizeof row->from, "%s", session->from);
    snprintf(row->to, sizeof row->to, "%s", session->to);
    return session->placement_is_real ? VERDICT_OK : VERDICT_UNVERIFIED;
}

static enum status measure_pair(struct run *run, const struct point *point, const struct cpu_node *threads,
                                const struct cpu_node *memory, struct error *error) {
    struct device *device = run_device(run);
    const struct levels_numa *numa = numa_of(run);
    struct levels_session *session = run->session;
    struct point pair = *point;
    if (pair.values[LEVELS_FOOTPRINT] == 0) {
        pair.values[LEVELS_FOOTPRINT] = cpu_node_footprint(&device->info, memory);
    }
    enum status status = cpu_place(device, threads, memory, numa->pages, error);
    if (status == STATUS_OK) {
        snprintf(session->from, sizeof session->from, "node %" PRIu32, threads->number);
        snprintf(session->to, sizeof session->to, "node %" PRIu32, memory->number);
        session->placement_is_real = cpu_placement_is_real(device);
        status = numa->pair->measure(run, &pair, error);
        numa->pair->finish(run);
        *session->from = *session->to = '\0';
    }
    cpu_unplace(device);
    return status;
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    const struct cpu_node *nodes;
    size_t count;
    TRY(cpu_nodes(run_device(run), &nodes, &count, error));
    for (size_t i = 0; i < count * count; i++) {
        const struct cpu_node *threads = &nodes[i / count], *memory = &nodes[i % count];
        if (threads->threads >= numa_of(run)->least_threads && memory->memory_bytes > 0) {
            TRY(measure_pair(run, point, threads, memory, error));
        }
    }
    return STATUS_OK;
}

TABLE(nodes, COLUMN(variant), COLUMN_WIDE(from, 8), COLUMN_WIDE(to, 8), COLUMN(traffic_pct), COLUMN(latency_ns),
      COLUMN(interval_pct), COLUMN(bandwidth_gb_s), COLUMN(verdict));

const struct variant_kind levels_nodes = {.table = nodes, .check = check, .cost = cost, .measure = measure_point};
