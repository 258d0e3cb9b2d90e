#include "apsp/mpi/report.h"

#include <math.h>
#include <stdio.h>

#include "apsp/mpi/shared_file.h"

// ---- The file of distances ----

// The layout of a rank's columns in a row of the file: blocks with gaps between them.
static MPI_Datatype columns_in_file(const struct ranks *ranks, const struct share *share) {
    const int sizes[2] = {(int)share->rows.block, (int)share->columns.vertices};
    const int dealt[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC};
    const int blocks[2] = {MPI_DISTRIBUTE_DFLT_DARG, (int)share->columns.block};
    const int parts[2] = {1, ranks->grid_columns};
    MPI_Datatype type;
    MPI_Type_create_darray(ranks->grid_columns, ranks->at_column, 2, sizes, dealt, blocks, parts, MPI_ORDER_C,
                           MPI_INT32_T, &type);
    MPI_Type_commit(&type);
    return type;
}

// How many of the rank's columns or rows are vertices and not padding.
static uint32_t vertices_of(const struct cyclic *cyclic) {
    const uint32_t blocks = cyclic_blocks_of(cyclic, cyclic->part);
    return blocks ? (blocks - 1) * cyclic->block + cyclic_vertices_in(cyclic, cyclic->part, blocks - 1) : 0;
}

// Writes one block row of each grid row. All ranks write at once; a rank that has no more rows writes nothing.
static enum status write_block_row(const struct ranks *ranks, const struct share *share, struct shared_file *file,
                                   uint32_t index, MPI_Datatype columns, struct error *error) {
    const uint32_t first = index * share->rows.block, rows = vertices_of(&share->rows);
    const uint32_t left = rows > first ? rows - first : 0, count = left < share->rows.block ? left : share->rows.block;
    const uint32_t width = vertices_of(&share->columns);
    const MPI_Offset vertex = count ? cyclic_vertex_at(&share->rows, share->rows.part, first) : 0;
    const MPI_Offset offset = vertex * (MPI_Offset)share->columns.vertices * (MPI_Offset)sizeof *share->w;
    const int code = MPI_File_set_view(file->file, offset, MPI_INT32_T, columns, "native", MPI_INFO_NULL);
    TRY(ranks_agree(ranks, shared_file_check(file->path, "written", code, error), error));
    const int32_t *from = share->w + first * share->pitch;
    enum status status;
    if (count && width) {
        MPI_Datatype in_memory;
        MPI_Type_vector((int)count, (int)width, (int)share->pitch, MPI_INT32_T, &in_memory);
        MPI_Type_commit(&in_memory);
        status = shared_file_write(file, 0, from, 1, in_memory, error);
        MPI_Type_free(&in_memory);
    } else { // some MPIs cannot handle an empty type
        status = shared_file_write(file, 0, from, 0, MPI_INT32_T, error);
    }
    return ranks_agree(ranks, status, error);
}

enum status distances_write(const struct ranks *ranks, const struct share *share, const char *path,
                            struct error *error) {
    struct shared_file file;
    enum status status = STATUS_OK;
    TRY(shared_file_create(&file, ranks, path, error));
    MPI_Datatype columns = columns_in_file(ranks, share);
    for (uint32_t i = 0; i < cyclic_blocks_of(&share->rows, 0) && status == STATUS_OK; i++) {
        status = write_block_row(ranks, share, &file, i, columns, error);
    }
    MPI_Type_free(&columns);
    return shared_file_finish(&file, ranks, status, error);
}

// The rate of bare add-min instructions is measured on CPUs alone.
TABLE(of_cpus, COLUMN(device), COLUMN(variant), COLUMN(kernel), COLUMN(vertices), COLUMN(tile), COLUMN(time_ns_median),
      COLUMN(interval_pct), COLUMN(gop_s), COLUMN(peak_gop_s), COLUMN(verdict));
TABLE(of_gpus, COLUMN(device), COLUMN(variant), COLUMN(kernel), COLUMN(vertices), COLUMN(tile), COLUMN(time_ns_median),
      COLUMN(interval_pct), COLUMN(gop_s), COLUMN(verdict));

static const struct variant variants[] = {
    {.name = "cpu-tiled", .kind = &(const struct variant_kind){.table = of_cpus}},
    {.name = "register-tiled", .kind = &(const struct variant_kind){.table = of_gpus}},
};
static const struct probe probe = {.name = "apsp-mpi", PROBE_LIST(variants, variant_count)};

enum status report_open(struct report *report, const struct ranks *ranks, struct device *device,
                        const struct output_paths *paths, struct error *error) {
    const bool on_cpu = device_is_cpu(&device->info);
    report->ranks = ranks;
    report->bench_device = (struct bench_device){
        .device = device,
        .launch_overhead_ns = NAN,
        .flush_probe_ratio = NAN,
    };
    report->run = (struct run){
        .probe = &probe,
        .bench_device = &report->bench_device,
        .settings = &report->settings,
        .variant = &variants[on_cpu ? 0 : 1],
    };
    const struct table table = table_of_run(&report->run);
    enum status status = STATUS_OK;
    if (ranks->rank == 0) {
        status = output_open(&report->output, paths, error);
        output_section(&report->output, &table);
    }
    return ranks_agree(ranks, status, error);
}

static void write_grid(struct report *report) {
    char text[128];
    const struct ranks *ranks = report->ranks;
    snprintf(text, sizeof text, "%d %s as %d x %d, %d of them on the first node", ranks->count,
             ranks->count == 1 ? "rank" : "ranks", ranks->grid_rows, ranks->grid_columns, ranks->node_count);
    output_metadata(&report->output, "ranks", text);
}

static void write_library(struct report *report) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    output_metadata(&report->output, "MPI", text);
}

void report_start(struct report *report, const char *panels, int argc, char **argv) {
    if (report->ranks->rank == 0) {
        struct output *output = &report->output;
        metadata_write_program(output, &probe, argc, argv);
        metadata_write_device(output, &report->bench_device);
        write_grid(report);
        write_library(report);
        output_metadata(output, "panels by", panels);
    }
}

void report_close(struct report *report) {
    output_close(&report->output, false, NULL); // a run that ends well has rows
}

static struct row row_of(const struct report *report, const char *kernel) {
    struct row row = run_row(&report->run);
    snprintf(row.kernel, sizeof row.kernel, "%s", kernel);
    snprintf(row.grid, sizeof row.grid, "%dx%d", report->ranks->grid_rows, report->ranks->grid_columns);
    row.peak_gb_s = NAN; // this program compares updates with their peak, not bytes
    row.vertices = report->vertices;
    row.edges = report->edges;
    row.tile = report->block;
    row.devices = (uint64_t)report->ranks->count;
    return row;
}

static enum status emit(struct report *report, const struct row *row, struct error *error) {
    enum status status = report->ranks->rank == 0 ? output_row(&report->output, row, error) : STATUS_OK;
    return ranks_agree(report->ranks, status, error);
}

enum status report_time(struct report *report, const char *kernel, double time_ns, double bytes, bool bandwidth,
                        struct error *error) {
    if (isnan(time_ns) || report->bench_device.device->info.predicted) {
        return STATUS_OK; // the host's times have no meaning among predictions
    }
    struct row row = row_of(report, kernel);
    double longest_ns;
    MPI_Allreduce(&time_ns, &longest_ns, 1, MPI_DOUBLE, MPI_MAX, report->ranks->world);
    row_set_single_time(&row, longest_ns);
    row.useful_bytes = bytes;
    row.bandwidth_gb_s = bandwidth ? bytes / row.time_ns_median : NAN;
    return emit(report, &row, error);
}

enum status report_all(struct report *report, const struct measurement *measurement, double peak_gop_s,
                       struct error *error) {
    struct row row = row_of(report, "all");
    const double n = (double)report->vertices;
    row.width_bytes = sizeof(int32_t);
    row.ops = n * n * n;
    row.peak_gop_s = peak_gop_s;
    row_finish(&row, &report->run, measurement, NAN); // which compares the rate with its peak
    return emit(report, &row, error);
}
