#include "tools/lanes/annotate.h"

#include <string.h>

#include "model/global_memory.h"
#include "model/shared_memory.h"
#include "tools/lanes/access.h"
#include "util/csv.h"
#include "util/json_writer.h"

static void print_cost(FILE *file, const struct gpu *gpu, const struct access *access) {
    const struct memory_counts *counts = access->counts;
    fprintf(file, "    %-10s %s %-6s %11.0f %6.1f ", gpu->name, space_name(access->space), access_name(access),
            counts->requests, access_active_lanes(access));
    if (access->space == SPACE_SHARED) {
        fprintf(file, "%8.2f %9s %10.0f %5.1f %%%s\n", counts->passes / counts->requests, "", counts->conflicts,
                100 * access->share, counts->conflicts > 0 ? " !" : "");
    } else {
        fprintf(file, "%8s %9.2f %10s %5.1f %%\n", "", counts->sectors / counts->requests, "", 100 * access->share);
    }
}

// Branches and barriers, where they take some time.
static void print_other(FILE *file, const struct kernel_report *report, const struct sim_line *line) {
    const double share = line_share(report, line);
    if (share >= 0.01) {
        fprintf(file, "    %-10s %-24s %6.1f %29s %5.1f %%\n", report->gpu->name, "no access", line_active_lanes(line),
                "", 100 * share);
    }
}

static void print_costs(FILE *file, const char *path, uint32_t number, const struct kernel_report *reports,
                        size_t count) {
    for (size_t kind = 0; kind < LINE_KINDS; kind++) {
        for (size_t i = 0; i < count; i++) {
            const struct sim_line *line = line_find(&reports[i], path, number);
            struct access accesses[LINE_KINDS];
            if (!line) {
                continue;
            }
            line_accesses(&reports[i], line, accesses);
            if (accesses[kind].counts->requests > 0) {
                print_cost(file, reports[i].gpu, &accesses[kind]);
            } else if (kind == 0) {
                print_other(file, &reports[i], line);
            }
        }
    }
}

static void print_total(FILE *file, const struct kernel_report *report) {
    const struct launch_counts *counts = &report->counts;
    fprintf(file, "%-10s %.0f warps, %.0f bank conflicts, %.0f bytes read from memory, %.0f written\n",
            report->gpu->name, counts->warps, counts->shared_load.conflicts + counts->shared_store.conflicts,
            counts->device_read_bytes, counts->device_write_bytes);
    if (counts->scratch_instructions > 0) {
        fprintf(file, "%-10s %.0f loads and stores of private memory, where registers are spilled\n", "",
                counts->scratch_instructions);
    }
    fprintf(file, "%-10s lower bound: %.3g us\n", "", counts->bound.ns / 1000);
    fprintf(file, "%-10s predicted: %.3g us, bound by %s\n", "", counts->predicted_ns / 1000,
            counts->predicted_by ? counts->predicted_by : "nothing");
}

void annotate_source(FILE *file, const char *path, const char *text, const struct kernel_report *reports,
                     size_t count) {
    fprintf(file, "%-28s %11s %6s %8s %9s %10s %7s\n", "line", "requests", "lanes", "passes", "sectors", "conflicts",
            "time");
    fprintf(file, "%-28s %11s %6s %8s %9s %10s %7s\n\n", "", "", "each", "each", "each", "total", "share");
    uint32_t number = 1;
    for (const char *line = text; *line; number++) {
        size_t length = strcspn(line, "\n");
        fprintf(file, "%4u  %.*s\n", number, (int)length, line);
        print_costs(file, path, number, reports, count);
        line += length + (line[length] == '\n');
    }
    fputc('\n', file);
    for (size_t i = 0; i < count; i++) {
        print_total(file, &reports[i]);
    }
}

static void csv_access(FILE *file, const struct kernel_report *report, const struct access *access) {
    const struct gpu *gpu = report->gpu;
    const struct memory_counts *counts = access->counts;
    fprintf(file, "%s,%u,%s,%s,%.0f,%.2f,", gpu->name, access->line->number, space_name(access->space),
            operation_name(access->operation), counts->requests, access_active_lanes(access));
    if (access->space == SPACE_SHARED) {
        fprintf(file, "%.0f,%.0f,,,,%.0f,", counts->passes, counts->conflicts, counts->unique_bytes);
        fprintf(file, "%.2f", 100 * counts->unique_bytes / (shared_memory_pass_bytes(gpu) * counts->passes));
    } else {
        const uint32_t sector_bytes = global_sector_bytes(gpu, access->operation);
        fprintf(file, ",,%u,%.0f,%.0f,,", sector_bytes, counts->sectors, counts->lines);
        fprintf(file, "%.2f", 100 * counts->lane_bytes / (sector_bytes * counts->sectors));
    }
    fprintf(file, ",%.2f,", 100 * access->share);
    csv_write_field(file, report->kernel);
    fputc(',', file);
    if (access->space == SPACE_GLOBAL) {
        fprintf(file, "%.0f", counts->l1_clocks);
    }
    fputc('\n', file);
}

void annotate_csv(FILE *file, const struct kernel_report *reports, size_t count) {
    fputs("gpu,line,space,op,requests,active_lanes,passes,bank_conflicts,sector_bytes,sectors,lines,unique_bytes,"
          "efficiency_pct,time_pct,kernel,l1_clocks\n",
          file);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < reports[i].line_count; j++) {
            struct access accesses[LINE_KINDS];
            line_accesses(&reports[i], &reports[i].lines[j], accesses);
            for (size_t kind = 0; kind < LINE_KINDS; kind++) {
                if (accesses[kind].counts->requests > 0) {
                    csv_access(file, &reports[i], &accesses[kind]);
                }
            }
        }
    }
}

static void json_access(struct json_writer *writer, const struct access *access) {
    const bool shared = access->space == SPACE_SHARED;
    const struct memory_counts *counts = access->counts;
    json_begin_object(writer, NULL);
    json_write_text(writer, "file", access->line->file);
    json_write_count(writer, "line", access->line->number);
    json_write_text(writer, "space", space_name(access->space));
    json_write_text(writer, "op", operation_name(access->operation));
    json_write_real(writer, "requests", counts->requests);
    json_write_real(writer, "active_lanes", access_active_lanes(access));
    json_write_real(writer, shared ? "passes" : "sectors", shared ? counts->passes : counts->sectors);
    json_write_real(writer, shared ? "bank_conflicts" : "lines", shared ? counts->conflicts : counts->lines);
    json_write_real(writer, "time_pct", 100 * access->share);
    json_end(writer);
}

static void json_report(struct json_writer *writer, const struct kernel_report *report) {
    const struct launch_counts *counts = &report->counts;
    json_begin_object(writer, NULL);
    json_write_text(writer, "gpu", report->gpu->name);
    json_write_text(writer, "kernel", report->kernel);
    json_write_real(writer, "warps", counts->warps);
    json_write_real(writer, "active_lanes_pct",
                    100 * counts->lane_steps / (counts->instructions * report->gpu->warp_width));
    json_write_real(writer, "branches", counts->branches / counts->warps);
    json_write_real(writer, "scratch_instructions", counts->scratch_instructions);
    json_write_real(writer, "bank_conflicts", counts->shared_load.conflicts + counts->shared_store.conflicts);
    json_write_real(writer, "device_read_bytes", counts->device_read_bytes);
    json_write_real(writer, "device_write_bytes", counts->device_write_bytes);
    json_write_real(writer, "bound_ns", counts->bound.ns);
    json_write_real(writer, "predicted_ns", counts->predicted_ns);
    json_write_text(writer, "predicted_by", counts->predicted_by);
    json_begin_array(writer, "lines");
    for (size_t i = 0; i < report->line_count; i++) {
        struct access accesses[LINE_KINDS];
        line_accesses(report, &report->lines[i], accesses);
        for (size_t kind = 0; kind < LINE_KINDS; kind++) {
            if (accesses[kind].counts->requests > 0) {
                json_access(writer, &accesses[kind]);
            }
        }
    }
    json_end(writer);
    json_end(writer);
}

void annotate_json(FILE *file, const char *path, const struct kernel_report *reports, size_t count) {
    struct json_writer writer = json_writer(file);
    json_begin_object(&writer, NULL);
    json_write_text(&writer, "kernel", path);
    json_begin_array(&writer, "gpus");
    for (size_t i = 0; i < count; i++) {
        json_report(&writer, &reports[i]);
    }
    json_end(&writer);
    json_end(&writer);
}
