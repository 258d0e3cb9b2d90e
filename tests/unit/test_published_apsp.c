// The published counters of blocked Floyd-Warshall (results/published/), which the model must reproduce from lists of
// the instructions that the kernels must have executed. One test per row. docs/model.md says what the lists imply.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/shared_memory.h"
#include "tests/unit/published.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum {
    ROWS_MAX = 32,
    ACCESSES_MAX = 6,
    VERTICES = 5000 // "about": what matters is the number of tiles, which the file's invocations confirm
};

// A tile of distances is shared by a block; a thread owns the elements (y, x) with x = threadIdx.x + i * blockDim.x and
// y = threadIdx.y + j * blockDim.y. An update is element(y, x) = min(element(y, x), a(y, k) + b(k, x)).
enum place {
    ELEMENT,  // (y, x)
    ROW_K,    // (y, k) and, where wider than 4 bytes, the k after it
    K_COLUMN, // (k, x)
};

// For which of a thread's elements an instruction is executed.
enum reuse {
    PER_ELEMENT,
    PER_ROW,    // once for the elements that share the tile's first index: a register serves them all
    PER_COLUMN, // once for those that share the second
    PER_STORE,  // as PER_ROW, and again after a store that may have changed what the register holds
};

enum times {
    ONCE,
    TWICE,
    EVERY_K,
    EVERY_4_K,
};

struct access {
    enum operation operation;
    uint32_t width;
    enum place place;
    enum reuse reuse;
    enum times times;
};

// The work of one kind of block, and the number of such blocks in a launch for a graph of `tiles` tiles per side.
enum blocks {
    NONE,
    ONE,    // the pivot tile
    ROW,    // the rest of the pivot's row, or of its column
    BOTH,   // the rest of its row and of its column
    OTHERS, // neither in its row nor in its column
};

struct block_kind {
    enum blocks blocks;
    struct access accesses[ACCESSES_MAX];
};

struct kernel {
    const char *gpu, *name;
    struct block_kind kinds[2];
};

#define FILL(times)                                                                                                    \
    { OPERATION_STORE, 4, ELEMENT, PER_ELEMENT, times }
#define UPDATE                                                                                                         \
    { OPERATION_STORE, 4, ELEMENT, PER_ELEMENT, EVERY_K }
#define LOAD(place, reuse, times)                                                                                      \
    { OPERATION_LOAD, 4, place, reuse, times }

static const struct kernel kernels[] = {
    {"gtx1080",
     "phase1",
     {{ONE,
       {FILL(ONCE), LOAD(ELEMENT, PER_ELEMENT, EVERY_K), LOAD(ROW_K, PER_ELEMENT, EVERY_K),
        LOAD(K_COLUMN, PER_ELEMENT, EVERY_K), UPDATE}}}},
    {"mi210",
     "phase1",
     {{ONE,
       {FILL(ONCE), LOAD(ELEMENT, PER_ELEMENT, EVERY_K), LOAD(ROW_K, PER_STORE, EVERY_K),
        LOAD(K_COLUMN, PER_ELEMENT, EVERY_K), UPDATE}}}},
    // In the pivot's row a is the pivot tile and b the block's own, in its column the other way round.
    {"gtx1080",
     "phase2",
     {{ROW,
       {FILL(TWICE), LOAD(ELEMENT, PER_ELEMENT, ONCE), LOAD(ROW_K, PER_ROW, EVERY_K),
        LOAD(K_COLUMN, PER_ELEMENT, EVERY_K), UPDATE}},
      {ROW,
       {FILL(TWICE), LOAD(ELEMENT, PER_ELEMENT, ONCE), LOAD(ROW_K, PER_ELEMENT, EVERY_K),
        LOAD(K_COLUMN, PER_COLUMN, EVERY_K), UPDATE}}}},
    {"mi210",
     "phase2",
     {{BOTH,
       {FILL(TWICE), LOAD(ELEMENT, PER_ELEMENT, ONCE), LOAD(ROW_K, PER_ELEMENT, EVERY_K),
        LOAD(K_COLUMN, PER_ELEMENT, EVERY_K), UPDATE}}}},
    // Two tiles to read from; the elements stay in registers.
    {"any",
     "phase3",
     {{OTHERS, {FILL(TWICE), {OPERATION_LOAD, 16, ROW_K, PER_ROW, EVERY_4_K}, LOAD(K_COLUMN, PER_COLUMN, EVERY_K)}}}},
};

// A row of either file.
struct row {
    char name[96];
    const struct gpu *gpu;
    const struct kernel *kernel;
    uint32_t tile, block_x, block_y;
    bool by_column; // x counts rows of the tile in memory, not columns
    uint64_t load_conflicts, store_conflicts;
    double efficiency_pct; // 0: not published
};

struct counts {
    uint64_t load_conflicts, store_conflicts, unique_bytes, passes;
};

// The words of one warp's request.
static struct request make_request(const struct row *row, const struct access *access, uint32_t warp, uint32_t x_step,
                                   uint32_t y_step, uint32_t k) {
    struct request request = {.operation = access->operation, .width_bytes = access->width};
    for (uint32_t lane = 0; lane < row->gpu->warp_width; lane++) {
        uint32_t thread = warp * row->gpu->warp_width + lane;
        uint32_t x = thread % row->block_x + x_step * row->block_x;
        uint32_t y = thread / row->block_x + y_step * row->block_y;
        // The tile's first and second index in the order of the source.
        uint32_t first = row->by_column ? x : y, second = row->by_column ? y : x;
        first = access->place == K_COLUMN ? k : first;
        second = access->place == ROW_K ? k : second;
        request.active |= UINT64_C(1) << lane;
        request.address[lane] = (uint64_t)(first * row->tile + second) * 4;
    }
    return request;
}

static void count_request(const struct row *row, const struct request *request, uint32_t repeats,
                          struct counts *counts) {
    struct shared_cost cost = shared_memory_cost(row->gpu, request);
    counts->passes += (uint64_t)repeats * cost.passes;
    counts->unique_bytes += (uint64_t)repeats * cost.unique_bytes;
    *(request->operation == OPERATION_LOAD ? &counts->load_conflicts : &counts->store_conflicts) +=
        (uint64_t)repeats * cost.conflicts;
}

// Whether a register still holds the value that an instruction would load for the thread's element (first_step,
// second_step), counted in block sizes, from the element before it.
static bool in_register(enum reuse reuse, uint32_t first_step, uint32_t second_step, uint32_t second_block,
                        uint32_t k) {
    switch (reuse) {
    case PER_ROW:
        return second_step > 0;
    case PER_COLUMN:
        return first_step > 0;
    case PER_STORE: // the store before went to a second index of (second_step - 1) * second_block at least
        return second_step > 0 && k < (second_step - 1) * second_block;
    case PER_ELEMENT:
        break;
    }
    return false;
}

static void count_access(const struct row *row, const struct access *access, struct counts *counts) {
    uint32_t x_steps = row->tile / row->block_x, y_steps = row->tile / row->block_y;
    uint32_t k_step = access->times == EVERY_K ? 1 : access->times == EVERY_4_K ? 4 : row->tile;
    uint32_t warps = row->block_x * row->block_y / row->gpu->warp_width;
    for (uint32_t warp = 0; warp < warps; warp++) {
        for (uint32_t x = 0; x < x_steps; x++) {
            for (uint32_t y = 0; y < y_steps; y++) {
                for (uint32_t k = 0; k < row->tile; k += k_step) {
                    uint32_t first = row->by_column ? x : y, second = row->by_column ? y : x;
                    if (in_register(access->reuse, first, second, row->by_column ? row->block_y : row->block_x, k)) {
                        continue;
                    }
                    struct request request = make_request(row, access, warp, x, y, k);
                    count_request(row, &request, access->times == TWICE ? 2 : 1, counts);
                }
            }
        }
    }
}

static uint64_t block_count(enum blocks blocks, uint32_t tile) {
    uint64_t others = (VERTICES + tile - 1) / tile - 1;
    const uint64_t counts[] = {[NONE] = 0, [ONE] = 1, [ROW] = others, [BOTH] = 2 * others, [OTHERS] = others * others};
    return counts[blocks];
}

// One launch of the kernel.
static struct counts count_kernel(const struct row *row) {
    struct counts sum = {0};
    for (size_t i = 0; i < LENGTH(row->kernel->kinds); i++) {
        const struct block_kind *kind = &row->kernel->kinds[i];
        uint64_t blocks = block_count(kind->blocks, row->tile);
        struct counts block = {0};
        for (size_t j = 0; j < ACCESSES_MAX && kind->accesses[j].width; j++) {
            count_access(row, &kind->accesses[j], &block);
        }
        sum.load_conflicts += blocks * block.load_conflicts;
        sum.store_conflicts += blocks * block.store_conflicts;
        sum.unique_bytes += blocks * block.unique_bytes;
        sum.passes += blocks * block.passes;
    }
    return sum;
}

static void gtx1080_row(void **state) {
    const struct row *row = *state;
    struct counts counts = count_kernel(row);
    assert_int_equal(counts.load_conflicts, row->load_conflicts);
    assert_int_equal(counts.store_conflicts, row->store_conflicts);
    double efficiency =
        100.0 * (double)counts.unique_bytes / ((double)shared_memory_pass_bytes(row->gpu) * (double)counts.passes);
    if (row->efficiency_pct > 0 && fabs(efficiency - row->efficiency_pct) > 0.00501) { // two digits are published
        fail_msg("efficiency %.4f, published %.2f", efficiency, row->efficiency_pct);
    }
}

static void mi210_row(void **state) {
    const struct row *row = *state;
    struct counts counts = count_kernel(row);
    assert_int_equal(counts.load_conflicts + counts.store_conflicts, row->load_conflicts);
}

static const struct kernel *find_kernel(const char *gpu, const char *name) {
    for (size_t i = 0; i < LENGTH(kernels); i++) {
        if (strcmp(kernels[i].name, name) == 0 &&
            (strcmp(kernels[i].gpu, gpu) == 0 || strcmp(kernels[i].gpu, "any") == 0)) {
            return &kernels[i];
        }
    }
    return NULL;
}

static bool set_block(struct row *row, const char *tile, const char *block) {
    row->tile = (uint32_t)strtoul(tile, NULL, 10);
    return row->tile > 0 && sscanf(block, "%ux%u", &row->block_x, &row->block_y) == 2;
}

// tile,block,layout,kernel,invocations,loads' conflicts,stores' conflicts,efficiency
static bool parse_gtx1080(char *fields[], size_t count, void *target) {
    struct row *row = target;
    if (count != 8 || !set_block(row, fields[0], fields[1])) {
        return false;
    }
    row->gpu = gpu_find("gtx1080");
    row->kernel = find_kernel("gtx1080", fields[3]);
    row->by_column = strcmp(fields[2], "column") == 0;
    row->load_conflicts = strtoull(fields[5], NULL, 10);
    row->store_conflicts = strtoull(fields[6], NULL, 10);
    row->efficiency_pct = strtod(fields[7], NULL);
    snprintf(row->name, sizeof row->name, "gtx1080 tile %s block %s by %s %s", fields[0], fields[1], fields[2],
             fields[3]);
    return row->kernel && (VERTICES + row->tile - 1) / row->tile == strtoul(fields[4], NULL, 10);
}

// tile,block,kernel,conflicts
static bool parse_mi210(char *fields[], size_t count, void *target) {
    struct row *row = target;
    if (count != 4 || !set_block(row, fields[0], fields[1])) {
        return false;
    }
    row->gpu = gpu_find("mi210");
    row->kernel = find_kernel("mi210", fields[2]);
    row->load_conflicts = strtoull(fields[3], NULL, 10); // loads and stores together
    snprintf(row->name, sizeof row->name, "mi210 tile %s block %s %s", fields[0], fields[1], fields[2]);
    return row->kernel != NULL;
}

int main(void) {
    static struct row rows[ROWS_MAX];
    struct CMUnitTest tests[ROWS_MAX];
    size_t nvidia =
        published_read("results/published/apsp-gtx1080-counters.csv", parse_gtx1080, rows, sizeof *rows, ROWS_MAX);
    size_t amd = published_read("results/published/apsp-mi210-counters.csv", parse_mi210, rows + nvidia, sizeof *rows,
                                ROWS_MAX - nvidia);
    size_t count = nvidia + amd;
    for (size_t i = 0; i < count; i++) {
        tests[i] = (struct CMUnitTest){rows[i].name, i < nvidia ? gtx1080_row : mi210_row, NULL, NULL, &rows[i]};
    }
    return _cmocka_run_group_tests("published", tests, count, NULL, NULL);
}
