#include "tools/lanes/access.h"

#include <string.h>

double line_requests(const struct launch_counts *counts) {
    return counts->global_load.requests + counts->global_store.requests + counts->shared_load.requests +
           counts->shared_store.requests;
}

static double l1_cycles_of(const struct memory_counts *counts) {
    return counts->lines > counts->sectors / 2 ? counts->lines : counts->sectors / 2;
}

struct line_work launch_line_work(const struct kernel_report *report) {
    const struct launch_counts *counts = &report->counts;
    const struct memory_traffic *memory = &counts->memory;
    const double memory_bytes = memory->load_bytes + memory->fill_bytes + memory->write_bytes;
    return (struct line_work){.instructions = counts->weighed_instructions,
                              .barriers = counts->barriers,
                              .global_loads = counts->global_load.requests,
                              .shared_loads = counts->shared_load.requests,
                              .sectors = counts->global_load.sectors + counts->global_store.sectors,
                              .memory_sectors = memory_bytes / report->gpu->sector_bytes,
                              .l1_cycles = l1_cycles_of(&counts->global_load) + l1_cycles_of(&counts->global_store),
                              .passes = counts->kept_passes,
                              .atomics = counts->atomics};
}

static struct line_work work_of(const struct kernel_report *report, const struct access *access) {
    const struct launch_counts *line = &access->line->counts;
    const struct memory_counts *counts = access->counts;
    const struct line_work launch = launch_line_work(report);
    const bool global = access->space == SPACE_GLOBAL, loads = access->operation == OPERATION_LOAD;
    const double part = counts->requests / line_requests(line);
    const double passes = line->shared_load.passes + line->shared_store.passes;
    return (struct line_work){.instructions = line->weighed_instructions * part,
                              .barriers = line->barriers * part,
                              .global_loads = global && loads ? counts->requests : 0,
                              .shared_loads = !global && loads ? counts->requests : 0,
                              .sectors = counts->sectors,
                              .memory_sectors =
                                  launch.sectors > 0 ? counts->sectors / launch.sectors * launch.memory_sectors : 0,
                              .l1_cycles = global ? l1_cycles_of(counts) : 0,
                              .passes = global || passes <= 0 ? 0 : line->kept_passes * counts->passes / passes,
                              .atomics = global && !loads ? line->atomics : 0};
}

void line_accesses(const struct kernel_report *report, const struct sim_line *line,
                   struct access accesses[LINE_KINDS]) {
    const struct memory_counts *const counts[LINE_KINDS] = {&line->counts.global_load, &line->counts.global_store,
                                                            &line->counts.shared_load, &line->counts.shared_store};
    const struct line_work launch = launch_line_work(report);
    for (size_t i = 0; i < LINE_KINDS; i++) {
        struct access *access = &accesses[i];
        *access = (struct access){.line = line,
                                  .space = i < 2 ? SPACE_GLOBAL : SPACE_SHARED,
                                  .operation = i % 2 ? OPERATION_STORE : OPERATION_LOAD,
                                  .counts = counts[i],
                                  .costliest = &line->costliest[i]};
        if (counts[i]->requests > 0) {
            access->work = work_of(report, access);
            access->share = time_share(report->gpu, report->counts.part_ns, &access->work, &launch);
        }
    }
}

double line_share(const struct kernel_report *report, const struct sim_line *line) {
    if (line_requests(&line->counts) > 0) {
        return 0;
    }
    const struct line_work launch = launch_line_work(report);
    const struct line_work work = {.instructions = line->counts.weighed_instructions,
                                   .barriers = line->counts.barriers};
    return time_share(report->gpu, report->counts.part_ns, &work, &launch);
}

const char *access_name(const struct access *access) {
    return access->costliest->atomic ? "atomic" : operation_name(access->operation);
}

double access_active_lanes(const struct access *access) {
    return access->counts->requests > 0 ? access->counts->lanes / access->counts->requests : 0;
}

double line_active_lanes(const struct sim_line *line) {
    return line->counts.instructions > 0 ? line->counts.lane_steps / line->counts.instructions : 0;
}

const struct sim_line *line_find(const struct kernel_report *report, const char *path, uint32_t number) {
    for (size_t i = 0; i < report->line_count; i++) {
        if (report->lines[i].number == number && strcmp(report->lines[i].file, path) == 0) {
            return &report->lines[i];
        }
    }
    return NULL;
}
