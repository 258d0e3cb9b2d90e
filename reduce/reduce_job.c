#include "reduce/reduce_job.h"

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/whole.h"

// ---- The vendors' libraries ----

static const struct plugin {
    const char *backend, *name, *compiler;
} plugins[] = {
    [BACKEND_CUDA] = {"cuda", "CUB", "nvcc"},
    [BACKEND_HIP] = {"hip", "hipCUB", "hipcc"},
};

// The program's folder, where make puts the plug-in, and the folder where make install does.
static const char *const folders[] = {"", "../lib/bankshot/"};

// The path of the plug-in, or of its compiler's log (".log"); false if there is no such file.
static bool find_file(const struct plugin *plugin, const char *suffix, char path[2 * PATH_MAX]) {
    char program[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    program[slash ? slash - program + 1 : 0] = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, 2 * PATH_MAX, "%s%sreduce-library-%s%s", program, folders[i], plugin->backend, suffix);
        if (access(path, F_OK) == 0) {
            return true;
        }
    }
    return false;
}

static enum status load(const struct plugin *plugin, const char *path, struct reduce_library *library,
                        struct error *error) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *version = handle ? dlsym(handle, "bankshot_library_version") : NULL;
    void *sum = version ? dlsym(handle, "bankshot_library_sum") : NULL;
    if (!sum) {
        return error_set(error, STATUS_NO_DEVICE, "no %s: %s", plugin->name, dlerror());
    }
    library->name = plugin->name;
    memcpy(&library->version, &version, sizeof version);
    memcpy(&library->sum, &sum, sizeof sum);
    return STATUS_OK;
}

static enum status open_plugin(const struct plugin *plugin, struct reduce_library *library, struct error *error) {
    char path[2 * PATH_MAX];
    if (find_file(plugin, ".so", path)) {
        return load(plugin, path, library, error);
    }
    return find_file(plugin, ".log", path)
               ? error_set(error, STATUS_NO_DEVICE, "no %s: see %s", plugin->name, path)
               : error_set(error, STATUS_NO_DEVICE, "no %s: build with %s", plugin->name, plugin->compiler);
}

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

// A library finds no device if its toolkit is newer than the driver.
static enum status check(const struct reduce_library *library, const char *reason, enum status status,
                         struct error *error) {
    return reason ? error_set(error, status, "%s: %s: use a toolkit no newer than the driver", library->name, reason)
                  : STATUS_OK;
}

enum status reduce_library_open(enum backend_kind backend, struct reduce_library *library, struct error *error) {
    TRY(open_plugin(&plugins[backend], library, error));
    size_t bytes = 0;
    return check(library, library->sum(REDUCE_INT32, NULL, NULL, 1, NULL, &bytes, NULL), STATUS_NO_DEVICE, error);
}

// Sums on the device's default stream and does not wait.
static enum status sum_by_library(const struct reduce_job *job, struct error *error) {
    const struct reduce_buffers *buffers = &job->buffers;
    size_t scratch_bytes = buffers->sums_bytes[0];
    const char *reason =
        job->library.sum((int)job->type, pointer(buffers->input), pointer(buffers->sums[1]), job->plan.pass[0].elements,
                         pointer(buffers->sums[0]), &scratch_bytes, device_native_stream(run_device(job->run)));
    return check(&job->library, reason, STATUS_FAILED, error);
}

static int describe(const struct plugin *plugin, char *text, size_t size) {
    struct error error = {0};
    struct reduce_library library;
    if (open_plugin(plugin, &library, &error) != STATUS_OK) {
        return snprintf(text, size, "%s", error.text);
    }
    const int version = library.version();
    return snprintf(text, size, "%s %d.%d.%d", library.name, version / 100000, version / 100 % 1000, version % 100);
}

void reduce_library_describe(char *text, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < sizeof plugins / sizeof *plugins && used + 2 < size; i++) {
        used += i > 0 ? (size_t)snprintf(text + used, size - used, "; ") : 0;
        used += (size_t)describe(&plugins[i], text + used, size - used);
    }
}

// ---- Blocks that run: all, or some on the simulator ----

// Iterates over the simulated blocks of the first launch, because each launch makes its own choice of blocks.
static bool reduce_next_block(const struct reduce_job *job, uint64_t i, uint64_t *block) {
    return device_next_block(run_device(job->run), job->plan.pass[0].grid, i, block);
}

static bool reduce_is_partial(const struct reduce_job *job) {
    return job->first_count > 0;
}

// The numbers of a tile. The yardstick leaves out those after the last whole word of 16 bytes.
static uint64_t tile_elements(const struct reduce_job *job, uint64_t tile) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    uint64_t elements = pass->elements;
    if (job->detail->checksums && !reduce_on_cpu(job->run)) {
        elements -= elements % (16 / reduce_number_bytes(job));
    }
    const uint64_t first = tile * pass->tile;
    const uint64_t left = elements > first ? elements - first : 0;
    return left < pass->tile ? left : pass->tile;
}

uint64_t reduce_tile_count(const struct reduce_job *job) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    return pass->tile ? pass->elements / pass->tile + (pass->elements % pass->tile != 0) : 0;
}

// Adds the reference of the numbers that a block sums.
static void add_block_reference(const struct reduce_job *job, uint64_t block, struct reduce_reference *reference) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    for (uint64_t tile = block; tile < reduce_tile_count(job); tile += pass->grid) {
        const struct reduce_reference part =
            reduce_reference(job->type, tile * pass->tile, tile_elements(job, tile), job->run->settings->seed);
        reduce_reference_add(reference, &part);
    }
}

static struct reduce_reference blocks_reference(const struct reduce_job *job) {
    struct reduce_reference reference = {0};
    for (uint64_t i = 0, block; reduce_next_block(job, i, &block); i++) {
        add_block_reference(job, block, &reference);
    }
    return reference;
}

static uint64_t summed_elements(const struct reduce_job *job) {
    const uint64_t tiles = reduce_tile_count(job);
    return tiles ? (tiles - 1) * job->plan.pass[0].tile + tile_elements(job, tiles - 1) : 0;
}

static struct reduce_reference reference_of(const struct reduce_job *job) {
    return reduce_is_partial(job) ? blocks_reference(job)
                                  : reduce_reference_known(&reduce_session(job->run)->known, job->type,
                                                           summed_elements(job), job->run->settings->seed);
}

// ---- Whether the result is right ----

static double depth_of(const struct reduce_job *job, uint32_t launches) {
    return job->detail->library ? INFINITY // its order is unknown
                                : reduce_plan_depth(&job->plan, launches);
}

// Checks the sum of each block that ran. It must follow the first launch.
static enum status check_blocks(struct reduce_job *job, bool *right, struct error *error) {
    const uint64_t blocks = job->plan.pass[0].grid;
    uint8_t *sums = memory_zeros(blocks, reduce_number_bytes(job));
    enum status status =
        device_copy_to_host(run_device(job->run), sums, job->buffers.sums[0], blocks * reduce_number_bytes(job), error);
    *right = status == STATUS_OK;
    for (uint64_t i = 0, block; *right && reduce_next_block(job, i, &block); i++) {
        struct reduce_reference reference = {0};
        add_block_reference(job, block, &reference);
        *right = reduce_is_right(job->type, &reference, depth_of(job, 1), sums + block * reduce_number_bytes(job));
    }
    free(sums);
    return status;
}

static enum status check_checksums(struct reduce_job *job, bool *right, struct error *error) {
    uint32_t sums[REDUCE_CHECKSUMS];
    const size_t words = reduce_on_cpu(job->run) ? 1 : REDUCE_CHECKSUMS;
    TRY(device_copy_to_host(run_device(job->run), sums, job->buffers.sums[0], words * sizeof *sums, error));
    uint32_t checksum = reference_of(job).checksum;
    for (size_t i = 0; i < words; i++) {
        checksum ^= sums[i];
    }
    *right = checksum == 0;
    return STATUS_OK;
}

static enum status check_sum(struct reduce_job *job, bool *right, struct error *error) {
    const uint64_t address = job->buffers.sums[job->detail->result_apart ? 1 : (job->plan.pass_count - 1) % 2];
    uint64_t result = 0;
    TRY(device_copy_to_host(run_device(job->run), &result, address, reduce_number_bytes(job), error));
    const struct reduce_reference reference = reference_of(job);
    *right = reduce_is_right(job->type, &reference, depth_of(job, job->plan.pass_count), &result);
    return STATUS_OK;
}

// The ticket has the sum of the blocks that ran in its upper half and their number in its lower half.
static enum status check_count(struct reduce_job *job, bool *right, struct error *error) {
    uint64_t counted = 0;
    TRY(device_copy_to_host(run_device(job->run), &counted, job->buffers.ticket, sizeof counted, error));
    const struct reduce_reference reference = blocks_reference(job);
    const uint32_t sum = (uint32_t)(counted >> 32);
    *right = (uint32_t)counted == job->first_count && reduce_is_right(job->type, &reference, 0, &sum);
    return STATUS_OK;
}

// Checks the result, or as much of it as exists if only some blocks ran: their sum, the sum and the count so far, their
// sums after the only launch, or those after the first one, which were checked then.
static enum status check_result(void *context, bool *right, struct error *error) {
    struct reduce_job *job = context;
    const struct reduce_detail *detail = job->detail;
    if (detail->checksums) {
        return check_checksums(job, right, error);
    }
    if (!reduce_is_partial(job) || detail->zeroed) {
        return check_sum(job, right, error);
    }
    if (detail->one_launch) {
        return detail->counts_blocks ? check_blocks(job, right, error) : check_count(job, right, error);
    }
    *right = job->blocks_right;
    return STATUS_OK;
}

// ---- One launch ----

static struct launch reduce_launch(const struct reduce_job *job, uint32_t number,
                                   struct argument arguments[REDUCE_ARGUMENTS_MAX]) {
    const struct reduce_plan *plan = &job->plan;
    const struct reduce_buffers *buffers = &job->buffers;
    const struct argument all[REDUCE_ARGUMENTS_MAX] = {
        argument_pointer(number == 0 ? buffers->input : buffers->sums[(number - 1) % 2]),
        argument_pointer(job->detail->result_apart ? buffers->sums[1] : buffers->sums[number % 2]),
        argument_u64(plan->pass[number].elements),
        argument_pointer(buffers->ticket),
        argument_pointer(buffers->sums[0]),
    };
    memcpy(arguments, all, sizeof all);
    return (struct launch){
        .grid = {(uint32_t)plan->pass[number].grid, 1, 1},
        .block = {plan->block ? plan->block : 1, 1, 1},
        .dynamic_shared_bytes = reduce_plan_shared_bytes(plan, run_info(job->run)->warp_width),
        .arguments = arguments,
        .argument_count = 3 + job->detail->arguments_more,
        .finished = job->detail->counts_blocks ? buffers->ticket : 0,
    };
}

// ---- Buffers ----

static void reduce_buffers_release(struct reduce_job *job) {
    const struct reduce_buffers *buffers = &job->buffers;
    DEVICE_RELEASE(run_device(job->run), buffers->input, buffers->sums[0], buffers->sums[1], buffers->ticket);
}

static enum status size_sums(struct reduce_job *job, struct error *error) {
    const struct reduce_plan *plan = &job->plan;
    size_t *bytes = job->buffers.sums_bytes;
    bytes[0] = (plan->pass[0].grid + 1) * REDUCE_SLOT_BYTES;
    bytes[1] = (plan->pass_count > 1 ? plan->pass[1].grid : 1) * REDUCE_SLOT_BYTES;
    if (job->detail->checksums && !reduce_on_cpu(job->run)) {
        bytes[0] = REDUCE_CHECKSUMS * sizeof(uint32_t);
    }
    if (!job->detail->library) {
        return STATUS_OK;
    }
    const char *reason = job->library.sum((int)job->type, NULL, NULL, plan->pass[0].elements, NULL, &bytes[0], NULL);
    return check(&job->library, reason, STATUS_FAILED, error);
}

static enum status allocate(struct reduce_job *job, struct error *error) {
    struct reduce_buffers *buffers = &job->buffers;
    const size_t input_bytes = job->plan.pass[0].elements * reduce_number_bytes(job);
    TRY(size_sums(job, error));
    TRY(device_allocate(run_device(job->run), input_bytes + REDUCE_SLOT_BYTES, &buffers->input, error));
    for (int i = 0; i < 2; i++) {
        TRY(device_allocate(run_device(job->run), buffers->sums_bytes[i] + REDUCE_SLOT_BYTES, &buffers->sums[i],
                            error));
    }
    TRY(device_allocate(run_device(job->run), REDUCE_SLOT_BYTES, &buffers->ticket, error));
    return device_fill(run_device(job->run), buffers->ticket, 0, REDUCE_SLOT_BYTES, error);
}

// Checksums begin at 0, because blocks xor into them.
static enum status poison(void *context, struct error *error) {
    const struct reduce_job *job = context;
    for (int i = 0; i < 2; i++) {
        TRY(device_fill(run_device(job->run), job->buffers.sums[i], job->detail->checksums ? 0 : DEVICE_POISON,
                        job->buffers.sums_bytes[i] + REDUCE_SLOT_BYTES, error));
    }
    return STATUS_OK;
}

// ---- The numbers ----

// Writes the numbers from first to end. The first one begins a word, and the input has room for a whole last word.
static enum status fill(struct reduce_job *job, uint64_t first, uint64_t end, struct error *error) {
    const struct reduce_mask mask = reduce_mask(job->type);
    const uint64_t word = first * reduce_number_bytes(job) / sizeof word;
    const uint64_t bytes = round_up((end - first) * reduce_number_bytes(job), sizeof word);
    return bench_device_fill_masked(job->run->bench_device, job->buffers.input + word * sizeof word, bytes,
                                    job->run->settings->seed + word, mask.keep, mask.set, error);
}

// A simulated device gets the numbers of the blocks that will run, if not all do.
static enum status fill_numbers(struct reduce_job *job, struct error *error) {
    const struct reduce_pass *pass = &job->plan.pass[0];
    if (!reduce_is_partial(job)) {
        return fill(job, 0, pass->elements, error);
    }
    for (uint64_t i = 0, block; reduce_next_block(job, i, &block); i++) {
        for (uint64_t tile = block; tile < reduce_tile_count(job); tile += pass->grid) {
            TRY(fill(job, tile * pass->tile, smaller((tile + 1) * pass->tile, pass->elements), error));
        }
    }
    return STATUS_OK;
}

// Those of the first launch, because only its input is known before it runs.
static enum status choose_blocks(struct reduce_job *job, struct error *error) {
    struct device *device = run_device(job->run);
    if (!run_info(job->run)->predicted) {
        return STATUS_OK;
    }
    struct argument arguments[REDUCE_ARGUMENTS_MAX];
    const struct launch launch = reduce_launch(job, 0, arguments);
    size_t count = 0;
    TRY(device->operations->choose_blocks(device, job->kernel, &launch, error));
    job->first_count = device->operations->chosen_blocks(device, &count) ? count : 0;
    return STATUS_OK;
}

// Allocates what the plan needs, and writes the numbers.
static enum status reduce_buffers_prepare(struct reduce_job *job, struct error *error) {
    TRY(allocate(job, error));
    TRY(choose_blocks(job, error));
    return fill_numbers(job, error);
}

// ---- Launches ----

static enum status after_first(struct reduce_job *job, struct error *error) {
    if (device_counts_launches(run_device(job->run))) {
        TRY(device_counts(run_device(job->run), &job->counts, error));
    }
    if (reduce_is_partial(job) && !job->detail->one_launch) {
        TRY(check_blocks(job, &job->blocks_right, error));
    }
    return STATUS_OK;
}

static enum status enqueue(void *context, struct error *error) {
    struct reduce_job *job = context;
    if (job->detail->library) {
        return sum_by_library(job, error);
    }
    if (job->detail->zeroed) {
        TRY(device_fill(run_device(job->run), job->buffers.sums[1], 0, REDUCE_SLOT_BYTES, error));
    }
    for (uint32_t i = 0; i < job->launches; i++) {
        struct argument arguments[REDUCE_ARGUMENTS_MAX];
        const struct launch launch = reduce_launch(job, i, arguments);
        TRY(device_launch(run_device(job->run), job->kernel, &launch, error));
        if (i == 0 && job->watched) {
            TRY(after_first(job, error));
        }
    }
    return STATUS_OK;
}

static enum status build(struct reduce_job *job, struct error *error) {
    const struct kernel_request request = {
        .source = job->detail->source,
        .entry = job->detail->entry,
        KERNEL_CONSTANTS({"BITS", (int64_t)reduce_number_bytes(job) * 8},
                         {"FLOATING", reduce_type_is_floating(job->type)}, {"BLOCK", job->plan.block},
                         {"ITEMS", job->plan.items}, {"UNROLL", job->detail->unroll}, {"REDUX", job->detail->redux},
                         {"WIDTH", 16}),
        .native = job->detail->native,
    };
    return device_build(run_device(job->run), &request, &job->kernel, error);
}

static enum status prepare(struct reduce_job *job, struct error *error) {
    job->launches = job->plan.pass_count;
    TRY(job->detail->library ? reduce_library_open(run_info(job->run)->backend, &job->library, error)
                             : build(job, error));
    return reduce_buffers_prepare(job, error);
}

void reduce_job_release(struct reduce_job *job) {
    device_discard(run_device(job->run), job->kernel);
    reduce_buffers_release(job);
}

// ---- Times ----

// On the simulator one run yields result, counts and times.
enum status reduce_job_run(struct reduce_job *job, struct reduce_times *times, struct error *error) {
    const struct trial trial = {job, poison, enqueue, check_result};
    const struct work work = {enqueue, job};
    const bool predicted = run_info(job->run)->predicted;
    struct measurement first;
    job->watched = predicted;
    TRY(prepare(job, error));
    TRY(run_trial(job->run, &trial, &times->all, error));
    times->first_ns = predicted ? job->counts.predicted_ns : times->all.time_ns.median;
    if (job->plan.pass_count > 1 && !predicted && !job->run->settings->counting) {
        job->launches = 1;
        TRY(measure(job->run->bench_device, job->run->settings, &work, &first, error));
        times->first_ns = first.time_ns.median;
    }
    return STATUS_OK;
}
