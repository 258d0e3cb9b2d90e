#include "sim/launch_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

// ---- Races on shared memory ----

enum {
    GRAIN_WIDE = 4
};

// Makes room for so many cells, and keeps what is in those that there are. False if there is no memory.
static bool make_cells(struct sim_race *race, size_t count) {
    if (count <= race->cell_count) {
        return true;
    }
    struct sim_cell *cells = aligned_alloc(_Alignof(struct sim_cell), count * sizeof *cells);
    if (!cells) {
        return false;
    }
    if (race->cells) {
        memcpy(cells, race->cells, race->cell_count * sizeof *cells);
    }
    memset(cells + race->cell_count, 0, (count - race->cell_count) * sizeof *cells);
    free(race->cells);
    race->cells = cells;
    race->cell_count = count;
    return true;
}

void sim_race_begin(struct sim_race *race, const struct sim_race_extent *extent) {
    race->in = *extent;
    race->grain = GRAIN_WIDE;
    sim_race_order_all(race);
    if (!make_cells(race, extent->bytes * extent->blocks / GRAIN_WIDE + 1)) {
        memory_end();
    }
}

void sim_race_destroy(struct sim_race *race) {
    free(race->cells);
    *race = (struct sim_race){0};
}

// Switches to a cell for each byte. Each starts as a copy of its word's cell.
static bool refine(struct sim_race *race) {
    const size_t bytes = race->in.bytes * race->in.blocks;
    if (!make_cells(race, bytes + GRAIN_WIDE)) {
        return false;
    }
    for (size_t i = bytes; i-- > 0;) { // from the end, so that no word's cell is overwritten before its bytes have it
        race->cells[i] = race->cells[i / GRAIN_WIDE];
    }
    race->grain = 1;
    return true;
}

static inline bool same_block(const struct sim_race *race, const struct sim_touch *a, const struct sim_touch *b) {
    return race->in.blocks == 1 || a->warp / race->in.warps == b->warp / race->in.warps;
}

// Whether no barrier lies between them.
static inline bool same_interval(const struct sim_race *race, const struct sim_touch *earlier,
                                 const struct sim_touch *now) {
    return same_block(race, earlier, now) ? earlier->interval == now->interval : earlier->interval >= race->since;
}

// Whether an earlier access and this one are unordered.
static inline bool meets(const struct sim_race *race, const struct sim_touch *earlier, const struct sim_touch *now) {
    if (earlier->interval < race->since || !same_interval(race, earlier, now)) {
        return false;
    }
    if (earlier->warp != now->warp) {
        return true;
    }
    return race->in.within_warps && earlier->barriers == now->barriers && earlier->request != now->request &&
           (earlier->lane != now->lane || earlier->several_lanes);
}

static bool same_turn(const struct sim_touch *earlier, const struct sim_touch *now) {
    return earlier->interval == now->interval && earlier->warp == now->warp && earlier->barriers == now->barriers;
}

// The earlier access that races with this one, or NULL. Neither two reads nor two atomics race.
static inline const struct sim_touch *find_race(const struct sim_race *race, const struct sim_cell *cell,
                                                enum sim_touch_kind kind, const struct sim_touch *now) {
    if (meets(race, &cell->write, now)) {
        return &cell->write;
    }
    if (kind != SIM_TOUCH_ATOMIC && meets(race, &cell->atomic, now)) {
        return &cell->atomic;
    }
    for (int i = 0; i < SIM_READS && kind != SIM_TOUCH_READ; i++) {
        if (meets(race, &cell->read[i], now)) {
            return &cell->read[i];
        }
    }
    return NULL;
}

static inline struct sim_touch *last_of(struct sim_cell *cell, enum sim_touch_kind kind) {
    return kind == SIM_TOUCH_READ ? &cell->read[0] : kind == SIM_TOUCH_WRITE ? &cell->write : &cell->atomic;
}

static inline void note(const struct sim_race *race, struct sim_cell *cell, enum sim_touch_kind kind,
                        const struct sim_touch *now) {
    struct sim_touch *last = last_of(cell, kind);
    if (kind == SIM_TOUCH_READ && last->warp != now->warp && same_interval(race, last, now)) {
        cell->read[same_block(race, last, now) ? 1 : 2] = *last;
    }
    bool several = same_turn(last, now) && (last->several_lanes || last->lane != now->lane);
    *last = *now;
    last->several_lanes = several;
}

// Whether nothing touched the cell since the last barrier of all. A single block's other reads are no later than its
// last one.
static inline bool is_untouched(const struct sim_race *race, const struct sim_cell *cell) {
    const uint32_t since = race->since;
    return cell->write.interval < since && cell->atomic.interval < since && cell->read[0].interval < since &&
           (race->in.blocks == 1 || (cell->read[1].interval < since && cell->read[2].interval < since));
}

static inline struct sim_cell *cell_of(const struct sim_race *race, uint32_t rank, uint64_t address, uint32_t shift) {
    const uint64_t window = race->in.blocks == 1 ? 0 : (rank + (address >> SIM_WINDOW_SHIFT)) % race->in.blocks,
                   place = address & ((UINT64_C(1) << SIM_WINDOW_SHIFT) - 1);
    return &race->cells[(window * race->in.bytes + place) >> shift];
}

// Whether an earlier access to one of the cells races with this one. *other is one of another warp, if there is one.
static bool touch_cells(const struct sim_race *race, struct sim_cell *cell, uint32_t count, enum sim_touch_kind kind,
                        const struct sim_touch *touch, struct sim_touch *other) {
    bool races = false;
    for (; count; count--, cell++) {
        const struct sim_touch *found = find_race(race, cell, kind, touch);
        if (found && (!races || found->warp != touch->warp)) {
            *other = *found;
            races = true;
        }
        note(race, cell, kind, touch);
    }
    return races;
}

// Whether each lane's access is whole cells. AMD's need not be aligned.
static bool is_whole(const struct sim_race *race, const struct request *request) {
    uint64_t all = request->width_bytes;
    for (uint64_t left = request->active; left; left &= left - 1) {
        all |= request->address[__builtin_ctzll(left)];
    }
    return all % race->grain == 0;
}

bool sim_race_touch(struct sim_race *race, const struct request *request, uint32_t rank, enum sim_touch_kind kind,
                    struct sim_touch *touch, struct sim_touch *other) {
    if (race->allowed || (race->grain > 1 && !is_whole(race, request) && !refine(race))) {
        return false;
    }
    const uint32_t shift = race->grain == 1 ? 0 : 2, count = request->width_bytes >> shift;
    bool races = false;
    uint8_t racing_lane = 0;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        struct sim_cell *cell = cell_of(race, rank, request->address[lane], shift);
        struct sim_touch found;
        touch->lane = (uint8_t)lane;
        if (count == 1 && is_untouched(race, cell)) {
            *last_of(cell, kind) = *touch;
        } else if (touch_cells(race, cell, count, kind, touch, &found) && (!races || found.warp != touch->warp)) {
            *other = found;
            racing_lane = touch->lane;
            races = true;
            if (found.warp != touch->warp) {
                break;
            }
        }
    }
    touch->lane = racing_lane;
    return races;
}

// ---- The blocks that stand for others ----

enum {
    // Of neighbouring blocks for each kind, because neighbours share sectors and rows of memory.
    RUN_LEAST = 4,
    RUNS = 4 // at most, spread over the grid
};

static int by_kind(const void *left, const void *right) {
    const struct sim_kind *a = left, *b = right;
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return (a->block > b->block) - (a->block < b->block);
}

static size_t without_repeats(struct sim_kind *looked, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || looked[kept - 1].block != looked[i].block) {
            looked[kept++] = looked[i];
        }
    }
    return kept;
}

static enum status make_room(struct sim_sample *sample, size_t blocks, size_t strata, struct error *error) {
    *sample = (struct sim_sample){.blocks = malloc((blocks + 1) * sizeof *sample->blocks),
                                  .strata = malloc((strata + 1) * sizeof *sample->strata)};
    if (sample->blocks && sample->strata) {
        return STATUS_OK;
    }
    sim_sample_destroy(sample);
    return error_set(error, STATUS_FAILED, "no memory for the numbers of the blocks: simulate fewer (--sim-blocks)");
}

static size_t kind_end(const struct sim_kind *looked, size_t count, size_t first) {
    size_t end = first;
    while (end < count && looked[end].kind == looked[first].kind) {
        end++;
    }
    return end;
}

// The number of blocks to run of a kind with `members` blocks. One is enough if they return at once.
static size_t share(uint64_t wanted, size_t members, size_t looked, bool idle) {
    double part = (double)wanted * (double)members / (double)looked;
    size_t taken = idle ? 1 : (size_t)(part + 0.5);
    taken += taken == 0;
    return taken < members ? taken : members;
}

// The first of `length` members near `first` that are neighbours, if there are such.
static size_t align_run(const struct sim_kind *members, size_t begin, size_t first, size_t length) {
    size_t aligned = first;
    while (aligned > begin && members[aligned].block - members[aligned - 1].block == 1) {
        aligned--;
    }
    const bool together = members[first + length - 1].block - members[first].block == length - 1;
    return together ? first : aligned;
}

// Takes evenly spread runs of neighbouring blocks.
static void take_spread(struct sim_sample *sample, const struct sim_kind *members, size_t count, size_t taken) {
    const size_t wanted = taken / RUN_LEAST, runs = wanted < 1 ? 1 : wanted < RUNS ? wanted : RUNS;
    for (size_t run = 0; run < runs; run++) {
        size_t begin = run * count / runs, end = (run + 1) * count / runs;
        size_t length = (run + 1) * taken / runs - run * taken / runs;
        size_t first = begin + (end - begin > length ? (end - begin - length) / 2 : 0);
        first = align_run(members, begin, first, length);
        for (size_t i = 0; i < length; i++) {
            sample->blocks[sample->block_count++] = members[first + i].block;
        }
    }
}

enum status sim_sample_take(struct sim_sample *sample, uint64_t grid_blocks, uint64_t wanted, struct sim_kind *looked,
                            size_t looked_count, struct error *error) {
    qsort(looked, looked_count, sizeof *looked, by_kind);
    looked_count = without_repeats(looked, looked_count);
    enum status status = make_room(sample, looked_count, looked_count, error);
    for (size_t first = 0, end; status == STATUS_OK && first < looked_count; first = end) {
        end = kind_end(looked, looked_count, first);
        struct sim_stratum *stratum = &sample->strata[sample->stratum_count++];
        *stratum =
            (struct sim_stratum){.first = sample->block_count,
                                 .idle = looked[first].kind == 0,
                                 .grid_blocks = (double)grid_blocks * (double)(end - first) / (double)looked_count};
        take_spread(sample, looked + first, end - first, share(wanted, end - first, looked_count, stratum->idle));
        stratum->count = sample->block_count - stratum->first;
    }
    sample->is_part = sample->block_count < grid_blocks;
    return status;
}

enum status sim_sample_all(struct sim_sample *sample, uint64_t grid_blocks, struct error *error) {
    TRY(make_room(sample, grid_blocks, 1, error));
    for (uint64_t block = 0; block < grid_blocks; block++) {
        sample->blocks[sample->block_count++] = block;
    }
    sample->strata[sample->stratum_count++] =
        (struct sim_stratum){.count = grid_blocks, .grid_blocks = (double)grid_blocks};
    return STATUS_OK;
}

// make_room has left room for it.
void sim_sample_add_last(struct sim_sample *sample, uint64_t grid_blocks) {
    if (sample->is_part) {
        sample->strata[sample->stratum_count - 1].grid_blocks -= 1;
        sample->strata[sample->stratum_count++] =
            (struct sim_stratum){.first = sample->block_count, .count = 1, .grid_blocks = 1, .is_last = true};
        sample->blocks[sample->block_count++] = grid_blocks - 1;
    }
}

double sim_sample_scale(const struct sim_sample *sample) {
    double of_grid = 0, run = 0;
    for (size_t i = 0; i < sample->stratum_count; i++) {
        of_grid += sample->strata[i].idle ? 0 : sample->strata[i].grid_blocks;
        run += sample->strata[i].idle ? 0 : (double)sample->strata[i].count;
    }
    return run > 0 ? of_grid / run : 1;
}

void sim_sample_destroy(struct sim_sample *sample) {
    free(sample->blocks);
    free(sample->strata);
    free(sample->cluster_blocks);
    *sample = (struct sim_sample){0};
}

// Stratified sampling: the variance of a total is the sum of N^2 (1 - n / N) s^2 / n over the kinds.
double sim_sample_error_pct(const struct sim_sample *sample, const uint64_t *of_block) {
    double total = 0, variance = 0;
    for (size_t i = 0; i < sample->stratum_count; i++) {
        const struct sim_stratum *stratum = &sample->strata[i];
        double count = (double)stratum->count, sum = 0, squares = 0;
        for (size_t k = stratum->first; k < stratum->first + stratum->count; k++) {
            sum += (double)of_block[k];
        }
        for (size_t k = stratum->first; k < stratum->first + stratum->count; k++) {
            squares += ((double)of_block[k] - sum / count) * ((double)of_block[k] - sum / count);
        }
        total += sum / count * stratum->grid_blocks;
        if (stratum->grid_blocks <= count || stratum->idle) {
            continue;
        }
        if (stratum->count < 2) {
            return NAN;
        }
        variance += stratum->grid_blocks * (stratum->grid_blocks - count) * squares / (count - 1) / count;
    }
    return total > 0 ? 100 * sqrt(variance) / total : 0;
}

// ---- Atomics that compete ----

enum {
    SLOTS_AT_FIRST = 256,
    SLICES_MAX = 512
};

static struct sim_contended *find_address(const struct sim_contention *contention, uint64_t address) {
    size_t place = (size_t)(sim_scatter(address) >> 32);
    for (;; place++) {
        struct sim_contended *slot = &contention->slots[place & (contention->size - 1)];
        if (!slot->address || slot->address == address) {
            return slot;
        }
    }
}

static void grow(struct sim_contention *contention) {
    struct sim_contention larger = {.size = contention->size ? 2 * contention->size : SLOTS_AT_FIRST,
                                    .used = contention->used,
                                    .float_bytes = contention->float_bytes};
    larger.slots = memory_zeros(larger.size, sizeof *larger.slots);
    for (size_t i = 0; i < contention->size; i++) {
        if (contention->slots[i].address) {
            *find_address(&larger, contention->slots[i].address) = contention->slots[i];
        }
    }
    free(contention->slots);
    *contention = larger;
}

void sim_contention_add(struct sim_contention *contention, const struct sim_atomic *atomic) {
    if (2 * contention->used >= contention->size) {
        grow(contention);
    }
    struct sim_contended *slot = find_address(contention, atomic->address);
    if (!slot->address) {
        *slot = (struct sim_contended){.address = atomic->address, .block = atomic->block};
        contention->used++;
    }
    slot->turns++;
    slot->bytes += atomic->width_bytes;
    if (atomic->floating && atomic->width_bytes > contention->float_bytes) {
        contention->float_bytes = atomic->width_bytes;
    }
    slot->by_several_blocks |= slot->block != atomic->block;
}

double sim_contention_most(const struct sim_contention *contention, double scale) {
    double most = 0;
    for (size_t i = 0; i < contention->size; i++) {
        const struct sim_contended *slot = &contention->slots[i];
        const double turns = (double)slot->turns * (slot->by_several_blocks ? scale : 1);
        most = turns > most ? turns : most;
    }
    return most;
}

// What each slice has to do.
struct slices {
    double bytes[SLICES_MAX];
    uint64_t count;
};

static double *slice_of(struct slices *slices, uint64_t run) {
    return &slices->bytes[(sim_scatter(run) >> 32) % slices->count];
}

// Atomics on addresses that one block alone uses.
struct own_atomics {
    uint64_t first_address, last_address, first_block, last_block;
    double bytes;
};

static void widen(uint64_t *first, uint64_t *last, uint64_t value, bool is_first) {
    *first = is_first || value < *first ? value : *first;
    *last = is_first || value > *last ? value : *last;
}

static void add_own(struct own_atomics *own, const struct sim_contended *slot) {
    const bool is_first = own->bytes <= 0;
    widen(&own->first_address, &own->last_address, slot->address, is_first);
    widen(&own->first_block, &own->last_block, slot->block, is_first);
    own->bytes += (double)slot->bytes;
}

// The runs of addresses that the whole grid uses, if they go on from block to block as those of simulated blocks do.
static uint64_t own_runs(const struct own_atomics *own, uint64_t grid_blocks) {
    const uint64_t blocks = own->last_block - own->first_block;
    const double grids = blocks ? (double)(grid_blocks - 1) / (double)blocks : 1;
    return (uint64_t)((double)(own->last_address - own->first_address) * grids) / ATOMIC_RUN_BYTES + 1;
}

static void spread_own(struct slices *slices, const struct own_atomics *own, double scale, uint64_t grid_blocks) {
    enum {
        RUNS_A_SLICE = 16 // from this number on, every slice has about the same share
    };
    const uint64_t runs = own_runs(own, grid_blocks), most = RUNS_A_SLICE * slices->count;
    const uint64_t parts = runs < most ? runs : most, first_run = own->first_address / ATOMIC_RUN_BYTES;
    for (uint64_t i = 0; i < parts; i++) {
        *(runs < most ? slice_of(slices, first_run + i) : &slices->bytes[i % slices->count]) +=
            own->bytes * scale / (double)parts;
    }
}

double sim_contention_slice_bytes(const struct sim_contention *contention, const struct gpu *gpu, double scale,
                                  uint64_t grid_blocks) {
    const uint64_t count = gpu_l2_slices(gpu);
    struct slices slices = {.count = count < SLICES_MAX ? count : SLICES_MAX};
    struct own_atomics own = {0};
    double most = 0;
    for (size_t i = 0; i < contention->size; i++) {
        const struct sim_contended *slot = &contention->slots[i];
        const uint64_t run = slot->address / ATOMIC_RUN_BYTES;
        if (scale > 1 && slot->address && !slot->by_several_blocks) {
            add_own(&own, slot);
        } else {
            *slice_of(&slices, run) += (double)slot->bytes * scale;
        }
    }
    if (own.bytes > 0) {
        spread_own(&slices, &own, scale, grid_blocks);
    }
    for (uint64_t i = 0; i < slices.count; i++) {
        most = slices.bytes[i] > most ? slices.bytes[i] : most;
    }
    return most;
}

void sim_contention_destroy(struct sim_contention *contention) {
    free(contention->slots);
    *contention = (struct sim_contention){0};
}

// ---- Progress ----

// What a terminal does at these codes.
#define SAVE_PLACE "\0337"
#define RETURN_TO_PLACE "\0338"
#define NO_WRAP "\033[?7l"
#define WRAP "\033[?7h"
#define CLEAR_REST "\033[K"

static const double FIRST_S = 1, AGAIN_S = 0.2, LINES_S = 60;

enum sim_progress_form sim_progress_form(void) {
    const char *asked = getenv("BANKSHOT_SIM_PROGRESS");
    return isatty(STDERR_FILENO)                ? SIM_PROGRESS_ON_TERMINAL
           : asked && strcmp(asked, "yes") == 0 ? SIM_PROGRESS_IN_LINES
                                                : SIM_PROGRESS_NONE;
}

void sim_progress_begin(struct sim_progress *progress, enum sim_progress_form form, const char *kernel, size_t total) {
    *progress =
        (struct sim_progress){.form = form, .kernel = kernel, .total = total, .begun_s = clock_s(), .next_s = FIRST_S};
}

static void write_progress(const struct sim_progress *progress, double passed_s) {
    char left[32] = "";
    if (progress->done > 0) {
        const double block_s = passed_s / (double)progress->done;
        snprintf(left, sizeof left, ", %.0f s left", block_s * (double)(progress->total - progress->done));
    }
    const char *const before = progress->form == SIM_PROGRESS_IN_LINES ? "" : SAVE_PLACE NO_WRAP " ";
    const char *const after = progress->form == SIM_PROGRESS_IN_LINES ? "\n" : CLEAR_REST WRAP RETURN_TO_PLACE;
    fprintf(stderr, "%skernel %.40s: %zu of %zu blocks%s%s", before, progress->kernel, progress->done, progress->total,
            left, after);
    fflush(stderr);
}

void sim_progress_show(struct sim_progress *progress) {
    if (progress->form == SIM_PROGRESS_NONE) {
        return;
    }
    const double passed_s = clock_s() - progress->begun_s;
    if (passed_s < progress->next_s) {
        return;
    }
    write_progress(progress, passed_s);
    const double more_s = passed_s < LINES_S ? passed_s : LINES_S;
    progress->next_s = passed_s + (progress->form == SIM_PROGRESS_IN_LINES ? more_s : AGAIN_S);
}

void sim_progress_end(struct sim_progress *progress) {
    if (progress->form == SIM_PROGRESS_ON_TERMINAL && progress->next_s > FIRST_S) {
        fputs(CLEAR_REST, stderr);
        fflush(stderr);
    }
    progress->form = SIM_PROGRESS_NONE;
}
