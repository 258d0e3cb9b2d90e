#include "levels/chase.h"

#include <math.h>
#include <stdlib.h>

#include "levels/levels_cpu.h"

enum {
    RECORD_WORDS = 3, // cycles, ticks, end
    RECORD_BYTES = CHASE_RECORDS * RECORD_WORDS * 8,
    FILL_BLOCK = 256,
    STEPS_MIN = 1 << 15,        // steps of a launch at least, so that a timer's tick is short against it
    STEPS_MAX = 1 << 17,        // a launch follows the whole of a chain up to this length
    L1_ELEMENTS_MAX = 1 << 14,  // a longer chain does not fit into any L1
    LARGE_WARM_STEPS = 1 << 16, // warm-up steps for a chain that no cache holds
    SIM_LARGE_STEPS = 1 << 14,  // the same for a simulated chain
    SIM_LAUNCHES = 2,           // of a simulated trial: one is verified, one predicts
    WARM_ROUNDS_MAX = 8,
    USUAL_WARM_ROUNDS = 3,
    LARGE_CHAIN = 2,      // in last-level caches: the part that the fill left in the cache is visited last
    CHECKED_STORES = 128, // at most
};
static const double WARM_SPREAD = 0.02;
static const double CPU_TICKS_MHZ = 1000; // the native kernel's ticks are nanoseconds

KERNEL_SOURCE(source, levels_cu, "levels/levels.cu");
KERNEL_SOURCE(constant_source, levels_constant_cu, "levels/constant.cu");

const struct chase_kernel chase_of_loads = {"chase", levels_cpu_chase, CHASE_MEMORY};

static struct device *device_of(const struct chase *chase) {
    return chase->bench_device->device;
}

enum status chase_build(struct device *device, const char *entry, native_kernel *native, struct kernel **kernel,
                        struct error *error) {
    const struct kernel_request request = {
        .source = &source, .entry = entry, .native = native, KERNEL_CONSTANTS({"WIDTH", 8}, {"UNROLL", CHASE_UNROLL})};
    return device_build(device, &request, kernel, error);
}

// The chain is part of the kernel's code, so each chain needs a build.
static enum status build_constant(struct chase *chase, struct error *error) {
    const struct chain *chain = &chase->chain;
    int64_t count = 1;
    while ((uint64_t)count < chain->elements) {
        count *= 2;
    }
    const struct kernel_request request = {.source = &constant_source,
                                           .entry = chase->kernel.entry,
                                           KERNEL_CONSTANTS({"COUNT", count}, {"ELEMENTS", (int64_t)chain->elements},
                                                            {"LINE", (int64_t)chain->line_bytes},
                                                            {"STEP", (int64_t)chain->step}, {"UNROLL", CHASE_UNROLL})};
    device_discard(device_of(chase), chase->follow);
    chase->follow = NULL;
    return device_build(device_of(chase), &request, &chase->follow, error);
}

enum status chase_open(struct chase *chase, struct bench_device *bench_device, const struct chase_kernel *kernel,
                       enum memory_kind memory, uint64_t bytes, struct error *error) {
    *chase = (struct chase){.bench_device = bench_device, .kernel = *kernel, .memory_bytes = bytes};
    struct device *device = device_of(chase);
    if (kernel->kind != CHASE_CONSTANT) {
        TRY(chase_build(device, kernel->entry, kernel->native, &chase->follow, error));
    }
    TRY(device_allocate(device, sizeof(uint64_t), &chase->cursor, error));
    TRY(device_allocate(device, RECORD_BYTES, &chase->records, error));
    TRY(chase_poison(chase, error));
    if (kernel->kind == CHASE_MEMORY) {
        TRY(chase_build(device, "fill_chain", levels_cpu_fill_chain, &chase->fill, error));
    }
    if (kernel->kind == CHASE_MEMORY || kernel->kind == CHASE_STORES) {
        TRY(device_allocate_kind(device, memory, bytes, &chase->memory, &chase->host_memory, error));
    }
    return STATUS_OK;
}

bool chase_is_open(const struct chase *chase) {
    return chase->bench_device != NULL;
}

void chase_close(struct chase *chase) {
    if (!chase_is_open(chase)) {
        return;
    }
    struct device *device = device_of(chase);
    device_discard(device, chase->fill);
    device_discard(device, chase->follow);
    device_release_kind(device, chase->memory, chase->host_memory);
    device_release(device, chase->cursor);
    device_release(device, chase->records);
    *chase = (struct chase){0};
}

uint64_t chase_steps(const struct chase *chase) {
    return (uint64_t)chase->rounds * CHASE_UNROLL;
}

// ---- Launches ----

static uint32_t rounds_of(uint64_t steps) {
    return (uint32_t)((steps + CHASE_UNROLL - 1) / CHASE_UNROLL);
}

// A launch covers whole turns of a short chain, so that launches are alike.
static uint64_t steps_of_launch(const struct chain *chain) {
    if (chain->elements > STEPS_MAX) {
        return STEPS_MIN;
    }
    return (STEPS_MIN + chain->elements - 1) / chain->elements * chain->elements;
}

static void set_arguments(struct chase *chase) {
    const struct chain *chain = &chase->chain;
    const uint64_t record = chase->records + chase->launches % CHASE_RECORDS * RECORD_WORDS * sizeof(uint64_t);
    const bool shared = chase->kernel.kind == CHASE_SHARED;
    struct argument *at = chase->arguments;
    *at++ = argument_pointer(chase->cursor);
    *at++ = argument_pointer(record);
    *at++ = argument_u32(chase->warm_rounds);
    *at++ = argument_u32(chase->rounds);
    if (shared) {
        *at++ = argument_u64(chain->elements);
        *at++ = argument_u64(chain->page_elements);
        *at++ = argument_u32(chain_page_bits(chain));
        *at++ = argument_u64(chain->line_bytes);
        *at++ = argument_u64(chain->seed);
    } else if (chase->kernel.kind == CHASE_STORES) {
        *at++ = argument_u64(chase->memory);
        *at++ = argument_u64(chain->step * chain->line_bytes);
        *at++ = argument_u64(chain_bytes(chain));
    } else {
        *at++ = argument_u64(0);
    }
    chase->launch = (struct launch){
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .dynamic_shared_bytes = shared ? (uint32_t)((chain_bytes(chain) + 15) / 16 * 16) : 0,
        .arguments = chase->arguments,
        .argument_count = (size_t)(at - chase->arguments),
        .chained = true,
    };
}

enum status chase_enqueue(void *context, struct error *error) {
    struct chase *chase = context;
    struct device *device = device_of(chase);
    set_arguments(chase);
    chase->visited = (uint64_t)(chase->warm_rounds + chase->rounds) * CHASE_UNROLL +
                     (chase->kernel.kind == CHASE_SHARED ? 0 : chase->visited);
    chase->ends[chase->launches % CHASE_RECORDS] = chase->visited;
    chase->launches++;
    return device_launch(device, chase->follow, &chase->launch, error);
}

enum status chase_poison(void *context, struct error *error) {
    const struct chase *chase = context;
    return device_poison(device_of(chase), chase->records, RECORD_BYTES, error);
}

static double ticks_mhz(const struct chase *chase) {
    const struct device_info *info = &device_of(chase)->info;
    return device_is_cpu(info) ? CPU_TICKS_MHZ : info->time_counter_mhz;
}

// The address where a launch ends after `visits` visits, as the kernel records it.
static uint64_t end_of(const struct chase *chase, uint64_t visits) {
    return chase->memory + chain_offset(&chase->chain, visits);
}

static const struct chase_result no_result = {NAN, NAN, {NAN, NAN}, NAN, false};

// A device without a counter of time has a rate of 0.
static double finite_or_nan(double value) {
    return isfinite(value) ? value : NAN;
}

enum status chase_read(struct chase *chase, struct chase_result *result, struct error *error) {
    struct device *device = device_of(chase);
    const uint64_t counted = chase->launches - chase->first_launch;
    const uint64_t count = counted < CHASE_RECORDS ? counted : CHASE_RECORDS;
    struct launch_records {
        uint64_t words[CHASE_RECORDS][RECORD_WORDS];
        double cycles[CHASE_RECORDS], ticks[CHASE_RECORDS];
    } *records = memory_zeros(1, sizeof *records);
    *result = no_result;
    const enum status status = device_copy_to_host(device, records->words, chase->records, RECORD_BYTES, error);
    result->right = status == STATUS_OK && count > 0;
    for (uint64_t i = 0; i < count && status == STATUS_OK; i++) {
        const uint64_t slot = (chase->launches - 1 - i) % CHASE_RECORDS;
        const uint64_t *record = records->words[slot];
        records->cycles[i] = (double)record[0];
        records->ticks[i] = (double)record[1];
        result->right &= record[2] == end_of(chase, chase->ends[slot]);
    }
    if (status == STATUS_OK && count > 0) {
        const double steps = (double)chase_steps(chase);
        const double tick_ns = 1e3 / ticks_mhz(chase) / steps;
        const struct statistics in_cycles = statistics_of(records->cycles, count);
        const struct statistics in_ticks = statistics_of(records->ticks, count);
        const struct statistics *best = in_cycles.median > 0 ? &in_cycles : &in_ticks;
        result->latency_cycles = in_cycles.median > 0 ? in_cycles.median / steps : NAN;
        result->latency_ns = finite_or_nan(in_ticks.median * tick_ns);
        result->fastest_ns[0] = finite_or_nan(records->ticks[0] * tick_ns); // statistics_of has sorted them
        result->fastest_ns[1] = finite_or_nan(records->ticks[count > 1] * tick_ns);
        result->spread = (best->upper_quartile - best->lower_quartile) / best->median;
    }
    free(records);
    return status;
}

// Checks elements evenly over the last turn, or back to the first visit.
enum status chase_check_stores(struct chase *chase, bool *right, struct error *error) {
    const uint64_t elements = chase->chain.elements;
    const uint64_t stored = chase->visited < elements ? chase->visited : elements;
    const uint64_t checked = stored < CHECKED_STORES ? stored : CHECKED_STORES;
    *right = true;
    for (uint64_t i = 0; i < checked; i++) {
        const uint64_t visit = chase->visited - 1 - stored / checked * i;
        uint64_t found = 0;
        TRY(device_copy_to_host(device_of(chase), &found, end_of(chase, visit), sizeof found, error));
        *right &= found == end_of(chase, visit + 1);
    }
    return STATUS_OK;
}

enum status chase_sample(struct chase *chase, uint32_t launches, struct chase_result *result, struct error *error) {
    chase->first_launch = chase->launches;
    for (uint32_t i = 0; i < launches; i++) {
        TRY(chase_enqueue(chase, error));
    }
    return chase_read(chase, result, error);
}

// ---- The chain ----

static bool is_large(const struct chain *chain, const struct device_info *info) {
    return chain_bytes(chain) > LARGE_CHAIN * info->last_level_cache_bytes;
}

// A simulated chase that no cache holds does not get further than this, so the rest of its chain is left out.
static uint64_t filled_elements(const struct chain *chain, const struct device_info *info) {
    const uint64_t most = WARM_ROUNDS_MAX * (uint64_t)SIM_LARGE_STEPS + SIM_LAUNCHES * (uint64_t)STEPS_MIN;
    return info->predicted && is_large(chain, info) && chain->elements > most ? most : chain->elements;
}

static enum status fill_by_kernel(struct chase *chase, uint64_t elements, struct error *error) {
    struct device *device = device_of(chase);
    const struct chain *chain = &chase->chain;
    const uint32_t threads = device_is_cpu(&device->info) ? 1 : FILL_BLOCK;
    const uint64_t units = device->info.compute_units ? device->info.compute_units : 1;
    const uint64_t most = threads > 1 ? 8 * units : units, blocks = (elements + threads - 1) / threads;
    const struct launch launch = {.grid = {(uint32_t)(blocks < most ? blocks : most), 1, 1},
                                  .block = {threads, 1, 1},
                                  LAUNCH_ARGUMENTS(argument_pointer(chase->memory), argument_u64(elements),
                                                   argument_u64(chain->page_elements),
                                                   argument_u32(chain_page_bits(chain)),
                                                   argument_u64(chain->line_bytes), argument_u64(chain->stagger_bytes),
                                                   argument_u64(chain->pair_bytes), argument_u64(chain->seed))};
    const uint64_t simulated = device->info.simulated_blocks;
    device_simulate_blocks(device, 0); // a chase cannot follow a chain that some blocks have filled
    const enum status status = device_launch(device, chase->fill, &launch, error);
    device_simulate_blocks(device, simulated);
    return status;
}

// Simulated threads that each store to another page take much longer than the host. The launch before makes the caches
// forget the chain before.
static enum status fill_from_host(struct chase *chase, uint64_t elements, struct error *error) {
    TRY(fill_by_kernel(chase, 1, error));
    for (uint64_t i = 0; i < elements; i++) {
        const uint64_t next = end_of(chase, i + 1 < elements ? i + 1 : 0);
        TRY(device_copy_to_device(device_of(chase), end_of(chase, i), &next, sizeof next, error));
    }
    return STATUS_OK;
}

static enum status fill_chain(struct chase *chase, struct error *error) {
    const uint64_t elements = filled_elements(&chase->chain, &device_of(chase)->info);
    const bool all = elements == chase->chain.elements;
    return all ? fill_by_kernel(chase, elements, error) : fill_from_host(chase, elements, error);
}

// Sets what the chase follows and where it begins.
static enum status make_chain(struct chase *chase, struct error *error) {
    struct device *device = device_of(chase);
    const uint64_t start = end_of(chase, 0);
    switch (chase->kernel.kind) {
    case CHASE_MEMORY:
        TRY(fill_chain(chase, error));
        break;
    case CHASE_CONSTANT:
        TRY(build_constant(chase, error));
        break;
    case CHASE_STORES:
        TRY(device_poison(device, chase->memory, chain_bytes(&chase->chain), error));
        break;
    case CHASE_SHARED:
        return STATUS_OK;
    }
    return device_copy_to_device(device, chase->cursor, &start, sizeof start, error);
}

// A simulated round need not be long against a tick of the timer.
static uint64_t warm_steps(const struct chain *chain, const struct device_info *info) {
    if (info->predicted) {
        return is_large(chain, info) && chain->elements > SIM_LARGE_STEPS ? SIM_LARGE_STEPS : chain->elements;
    }
    const uint64_t round = is_large(chain, info) ? LARGE_WARM_STEPS : chain->elements;
    return round > STEPS_MIN ? round : STEPS_MIN;
}

double chase_prepare_s(const struct device_info *info, const struct chain *chain) {
    static const struct costs {
        double cached_s, memory_s, write_s;
    } gpu = {300e-9, 700e-9, 0}, cpu = {10e-9, 120e-9, 30e-9}, sim = {250e-9, 250e-9, 60e-9};
    const struct costs *costs = info->predicted ? &sim : device_is_cpu(info) ? &cpu : &gpu;
    const bool cached = chain_bytes(chain) <= info->last_level_cache_bytes;
    return (double)USUAL_WARM_ROUNDS * (double)warm_steps(chain, info) * (cached ? costs->cached_s : costs->memory_s) +
           (double)filled_elements(chain, info) * costs->write_s;
}

// The time of a round, in cycles if the device counts them, otherwise in nanoseconds.
static enum status time_round(struct chase *chase, double *time, struct error *error) {
    struct chase_result result = no_result;
    const enum status status = chase_sample(chase, 1, &result, error);
    *time = isfinite(result.latency_cycles) ? result.latency_cycles : result.latency_ns;
    return status;
}

static enum status warm_up(struct chase *chase, bool *warm, struct error *error) {
    chase->warm_rounds = 0;
    chase->rounds = rounds_of(warm_steps(&chase->chain, &device_of(chase)->info));
    double before = NAN, time = NAN;
    enum status status = time_round(chase, &before, error);
    *warm = false;
    for (int i = 1; i < WARM_ROUNDS_MAX && status == STATUS_OK && !*warm; i++) {
        before = i == 1 ? before : time;
        status = time_round(chase, &time, error);
        *warm = i > 1 && fabs(time - before) <= WARM_SPREAD * before;
    }
    return status;
}

enum status chase_prepare(struct chase *chase, const struct chain *chain, bool *warm, struct error *error) {
    chase->chain = *chain;
    chase->visited = 0;
    chase->launches = 0; // so that a simulated point's records lie where those of any other do
    enum status status = make_chain(chase, error);
    THEN(status, warm_up(chase, warm, error));
    chase->warm_rounds =
        chain->elements <= L1_ELEMENTS_MAX && !device_is_cpu(&device_of(chase)->info) ? rounds_of(chain->elements) : 0;
    chase->rounds = rounds_of(steps_of_launch(chain));
    chase->first_launch = chase->launches;
    return status;
}
