// The requests of a file, which may have any pattern. Each is timed, and the model predicts the same addresses.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "smem/smem_job.h"
#include "util/random.h"

enum {
    UNROLL = 8 // accesses in flight, as in the other variants
};
static const uint32_t INACTIVE = UINT32_MAX; // as in smem.cu

const struct option_row smem_address_options[SMEM_ADDRESS_OPTIONS] = {
    {"addresses", 0, OPTION_INPUT, offsetof(struct smem_session, path), "FILE",
     "for the variant addresses: one request per line, one byte address per lane, . for an inactive lane; - is "
     "standard "
     "input",
     0, 0, "-"},
    {"op", 0, OPTION_CHOICE, offsetof(struct smem_session, operation), "load|store",
     "operation of the requests of --addresses (load)", 0, 0, "load|store"},
};

enum status smem_supports_addresses(const struct smem_session *session, const struct variant *variant,
                                    struct error *error) {
    const bool takes_file = variant->kind == &smem_addresses;
    if (takes_file && !session->path) {
        return error_set(error, STATUS_USAGE, "%s: no file of addresses is given: add --addresses FILE", variant->name);
    }
    if (!takes_file && (session->path || session->operation)) {
        return error_set(error, STATUS_USAGE, "%s: %s does not use it: give --variant addresses",
                         session->path ? "--addresses" : "--op", variant->name);
    }
    return STATUS_OK;
}

static struct smem_session *session_of(const struct run *run) {
    return run->session;
}

static enum operation operation_of(const struct run *run) {
    const char *name = session_of(run)->operation;
    return name && strcmp(name, "store") == 0 ? OPERATION_STORE : OPERATION_LOAD;
}

// ---- The requests of the file ----

typedef enum status visitor(const struct run *run, void *context, uint64_t line, const struct request *request,
                            struct error *error);

static enum status each_request(const struct run *run, uint32_t width_bytes, visitor *visit, void *context,
                                struct error *error) {
    struct address_reader *reader = NULL;
    struct request request = {.operation = operation_of(run), .width_bytes = width_bytes};
    struct smem_session *session = session_of(run);
    enum status status = session->text.bytes ? STATUS_OK : address_text_read(session->path, &session->text, error);
    THEN(status, address_reader_open_text(&session->text, &reader, error));
    for (bool end = false; status == STATUS_OK && !end;) {
        status = address_reader_next(reader, run_info(run)->warp_width, &request, &end, error);
        if (status == STATUS_OK && !end) {
            status = visit(run, context, address_reader_line(reader), &request, error);
        }
    }
    address_reader_close(reader);
    return status;
}

static bool is_active(const struct request *request, uint32_t lane) {
    return request->active >> lane & 1;
}

// Bytes of shared memory that the request needs.
static uint64_t shared_bytes(const struct request *request) {
    uint64_t bytes = 0;
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        if (is_active(request, lane) && request->address[lane] >= bytes) {
            bytes = request->address[lane] + request->width_bytes;
        }
    }
    return bytes;
}

static enum status check_request(const struct run *run, void *context, uint64_t line, const struct request *request,
                                 struct error *error) {
    (void)context;
    const struct device_info *info = run_info(run);
    const char *path = session_of(run)->text.path;
    if (request->active == 0) {
        return error_set(error, STATUS_USAGE, "%.200s:%llu: no lane is active: give at least one address", path,
                         (unsigned long long)line);
    }
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        if (is_active(request, lane) &&
            request->address[lane] > info->shared_bytes_per_block_max - request->width_bytes) {
            return error_set(error, STATUS_USAGE,
                             "%.200s:%llu: lane %u: %llu lies beyond the %u bytes of shared memory that a block of %s "
                             "has: give a smaller address",
                             path, (unsigned long long)line, lane, (unsigned long long)request->address[lane],
                             info->shared_bytes_per_block_max, info->spec);
        }
    }
    return STATUS_OK;
}

static enum status check(const struct run *run, const struct point *point, struct error *error) {
    TRY(smem_check_width(point->variant, point->values[SMEM_WIDTH], error));
    return each_request(run, (uint32_t)point->values[SMEM_WIDTH], check_request, NULL, error);
}

// ---- One kernel for all of them ----

struct table_job {
    struct smem_job base; // the first member, so that a pointer to it points to the table_job, too
    uint32_t offset[WARP_WIDTH_MAX];
    uint64_t offsets; // device address of the same
    uint64_t seed;
    struct smem_reference conflict_free;
};

static uint32_t expected_sum(const struct smem_job *base, uint64_t block, uint32_t thread) {
    const struct table_job *job = (const struct table_job *)base;
    (void)block;
    uint32_t offset = job->offset[thread % run_info(base->run)->warp_width];
    if (offset == INACTIVE) {
        return 0;
    }
    uint32_t one = smem_summand(mix64(job->seed + offset), base->pattern.width_bytes);
    return base->pattern.operation == OPERATION_LOAD ? base->rounds * base->unroll * one : one;
}

// The kernel and the column's name of an operation.
static const struct {
    const char *entry, *op;
} kernels[] = {[OPERATION_LOAD] = {"table_load", "load"}, [OPERATION_STORE] = {"table_store", "store"}};

// The simulator runs one warp with one access, because stores of several threads to one word would be a race.
static enum status prepare(struct table_job *job, struct run *run, const struct point *point, struct error *error) {
    const struct device_info *info = run_info(run);
    struct device *device = run_device(run);
    enum operation operation = operation_of(run);
    uint32_t warps = info->predicted ? 1 : info->max_block_threads / info->warp_width;
    *job = (struct table_job){
        .base = {
            .run = run,
            .detail = point->variant->detail,
            .entry = kernels[operation].entry,
            .pattern = {.operation = operation, .width_bytes = (uint32_t)point->values[SMEM_WIDTH], .warps = warps},
            .unroll = info->predicted ? 1 : UNROLL,
            .expected_sum = expected_sum}};
    job->base.launch = (struct launch){
        .grid = {info->compute_units, 1, 1}, .block = {warps * info->warp_width, 1, 1}, .argument_count = 5};
    TRY(smem_job_prepare(&job->base, error));
    return device_allocate(device, sizeof job->offset, &job->offsets, error);
}

static struct smem_cost cost_of(const struct run *run, const struct request *request) {
    if (!run_info(run)->gpu) {
        return (struct smem_cost){0};
    }
    struct shared_cost cost = shared_memory_cost(run_info(run)->gpu, request);
    return (struct smem_cost){.passes = cost.passes,
                              .clocks = cost.passes,
                              .conflicts = cost.conflicts,
                              .unique_bytes = cost.unique_bytes,
                              .certainty = cost.certainty};
}

// Points the kernel at a request. Each line stores different words, so that no line passes for another.
static enum status aim(struct table_job *job, uint64_t line, const struct request *request, struct error *error) {
    struct smem_job *base = &job->base;
    struct device *device = run_device(base->run);
    for (uint32_t lane = 0; lane < WARP_WIDTH_MAX; lane++) {
        job->offset[lane] = is_active(request, lane) ? (uint32_t)request->address[lane] : INACTIVE;
    }
    job->seed = base->run->settings->seed + (line << 32);
    base->pattern.lanes = (uint32_t)__builtin_popcountll(request->active);
    base->cost = cost_of(base->run, request);
    double passes = base->cost.passes > 0 ? base->cost.passes : base->pattern.lanes;
    base->rounds = device->info.predicted ? 1 : smem_rounds(base->unroll * passes * base->pattern.warps);
    base->launch.dynamic_shared_bytes = (uint32_t)((shared_bytes(request) + 15) / 16 * 16);
    base->arguments[SMEM_OWN_ARGUMENTS] = argument_pointer(job->offsets);
    base->arguments[SMEM_OWN_ARGUMENTS + 1] = argument_u32(base->rounds);
    base->arguments[SMEM_OWN_ARGUMENTS + 2] = argument_u64(job->seed);
    return device_copy_to_device(device, job->offsets, job->offset, sizeof job->offset, error);
}

// The reference: neighbouring lanes access neighbouring elements.
static enum status measure_conflict_free(struct table_job *job, struct error *error) {
    struct run *run = job->base.run;
    struct request request = {.operation = job->base.pattern.operation, .width_bytes = job->base.pattern.width_bytes};
    struct measurement measurement;
    for (uint32_t lane = 0; lane < run_info(run)->warp_width; lane++) {
        request.active |= UINT64_C(1) << lane;
        request.address[lane] = (uint64_t)lane * request.width_bytes;
    }
    job->conflict_free.passes = cost_of(run, &request).passes;
    if (run_info(run)->predicted) {
        return STATUS_OK;
    }
    TRY(aim(job, 0, &request, error));
    struct work work = smem_job_work(&job->base);
    const struct settings aside = measure_aside(run->settings);
    TRY(measure(run->bench_device, &aside, &work, &measurement, error));
    return smem_job_cycles_per_request(&job->base, &job->conflict_free.cost, error);
}

// ---- The rows ----

static enum status measure_request(const struct run *checked, void *context, uint64_t line,
                                   const struct request *request, struct error *error) {
    (void)checked;
    struct table_job *job = context;
    struct run *run = job->base.run;
    struct trial trial = smem_job_trial(&job->base);
    struct row row = run_row(run);
    struct measurement measurement;
    struct launch_counts counts;
    double cycles;
    TRY(aim(job, line, request, error));
    TRY(run_trial(run, &trial, &measurement, error));
    TRY(smem_job_cycles_per_request(&job->base, &cycles, error));
    TRY(smem_job_counts(&job->base, &counts, error));
    snprintf(row.op, sizeof row.op, "%s", kernels[request->operation].op);
    row.request_line = line;
    row.peak_gb_s = NAN; // no bank bounds one word for many lanes
    smem_job_describe(&job->base, &counts, &row);
    smem_job_set_cycles(&job->base, cycles, &row);
    smem_job_set_degree(&job->base, cycles, &job->conflict_free, &row);
    row_finish(&row, run, &measurement, smem_job_useful_bytes(&job->base));
    return run_emit(run, &row, error);
}

static enum status measure_point(struct run *run, const struct point *point, struct error *error) {
    struct table_job job;
    enum status status = prepare(&job, run, point, error);
    THEN(status, measure_conflict_free(&job, error));
    THEN(status, each_request(run, job.base.pattern.width_bytes, measure_request, &job, error));
    device_release(run_device(run), job.offsets);
    smem_job_release(&job.base);
    return status;
}

TABLE(addresses, COLUMN(device), COLUMN(op), COLUMN(width_bytes), COLUMN(request_line), COLUMN(passes_per_request),
      COLUMN(cycles_per_request), COLUMN_ON(ON_MEASURED, degree), COLUMN(degree_predicted), COLUMN(rule_certainty),
      COLUMN(verdict));

const struct variant_kind smem_addresses = {.table = addresses, .check = check, .measure = measure_point};
