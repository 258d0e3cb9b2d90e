#include "sim/wave.h"

#include <string.h>

#include "model/time/time_constants.h"
#include "sim/access.h"
#include "sim/amdgcn/kernel/wave_hooks.h"
#include "sim/lane.h"
#include "sim/program.h"
#include "sim/report.h"
#include "sim/step.h"

enum {
    SLICE_STEPS = 4096 // of a warp before the next gets its turn, because warps may wait for each other
};

// The running warp. One kernel at a time runs in this process.
static struct {
    struct sim_launch *launch;
    struct sim_warp *warp;
    enum status status; // of its last step
    uint32_t steps;     // of this turn
    bool looks;         // for its first step, which it does not make
    uintptr_t first;    // that step
} turn;

// ---- Running ----

// Takes the warp to where it stops.
static void resume(struct sim_launch *launch, struct sim_warp *warp) {
    turn.launch = launch;
    turn.warp = warp;
    turn.status = STATUS_OK;
    turn.steps = 0;
    sim_turn.pending = 1;
    sim_turn.lanes = warp->lanes;
    sim_hand_over(&sim_turn.scheduler);
}

enum status sim_run_wave(struct sim_launch *launch, struct sim_warp *warp) {
    resume(launch, warp);
    if (sim_turn.fault_signal) {
        return sim_report_signal(launch, warp);
    }
    if (turn.status == STATUS_OK && !(warp->live & 1)) {
        warp->live = 0;
        sim_lane_finish(&warp->lanes[0]);
    }
    return turn.status;
}

uintptr_t sim_wave_first_step(struct sim_launch *launch, struct sim_warp *warp) {
    turn.looks = true;
    turn.first = 0;
    resume(launch, warp);
    turn.looks = false;
    sim_turn.fault_signal = 0;
    return turn.first;
}

// ---- In the warp's coroutine ----

// Returns to sim_run_wave until the next turn.
ON_ANY_STACK static void stop(void) {
    sim_hand_over(turn.warp->lanes[0].coroutine);
}

ON_ANY_STACK __attribute__((noreturn)) static void stop_for_good(enum status status) {
    turn.status = status;
    for (;;) {
        stop();
    }
}

// The passes of products of matrices take a SIMD's turns, and their time in the path of their own warp, whatever the
// model says of an instruction of the host's compiler.
ON_ANY_STACK static void add_passes(struct sim_warp *warp, uint32_t passes) {
    const double turns = passes / time_constants.issue_share;
    const double in_turn = TIME_UNROLLED_ROUNDS * 4 * turns / time_constants.chained_cycles;
    warp->path.work.instructions += (uint32_t)(turns + 0.5);
    warp->path.in_turn += (uint32_t)(in_turn + 0.5);
}

// The simulator's own code is not the kernel's: a fault in it is not reported as one.
ON_ANY_STACK static struct sim_warp *enter(struct sim_wave *wave, const char *site) {
    struct sim_warp *warp = turn.warp;
    if (turn.looks && site) {
        turn.first = (uintptr_t)site;
        stop_for_good(STATUS_OK);
    }
    sim_turn.current = NULL;
    warp->path.work.instructions += wave->issued;
    warp->path.in_turn += wave->issued * TIME_UNROLLED_ROUNDS;
    warp->cycles += turn.launch->caches ? 0 : wave->issued;
    add_passes(warp, wave->passes);
    wave->issued = wave->passes = 0;
    return warp;
}

ON_ANY_STACK static void leave(enum status status) {
    sim_turn.current = &turn.warp->lanes[0];
    if (status != STATUS_OK) {
        stop_for_good(status);
    }
    if (++turn.steps >= SLICE_STEPS) {
        stop();
    }
}

static void set_step(struct sim_warp *warp, enum sim_step step, const char *site) {
    for (uint32_t lane = 0; lane < warp->count; lane++) {
        warp->key[lane] = (uintptr_t)site;
    }
    memset(warp->step, (int)step, warp->count);
}

// Loads; on the generations with waves of 64 lanes stores, too, which later ones count apart.
static void note_under_way(struct sim_warp *warp, bool shared) {
    if (warp->request.operation == OPERATION_LOAD || turn.launch->gpu->warp_width == 64) {
        warp->under_way[shared]++;
    }
}

static enum status make_access(struct sim_warp *warp, uint64_t active, const char *site) {
    struct sim_site *found = sim_sites_find(turn.launch->sites, (uintptr_t)site);
    const bool shared = sim_is_shared(warp->request.address[__builtin_ctzll(active)]);
    uint64_t cycles = 0;
    enum status status = sim_check_time(turn.launch, warp, active);
    THEN(status, sim_memory_step(turn.launch, warp, &active, found, &cycles));
    warp->cycles += cycles;
    note_under_way(warp, shared);
    return status;
}

ON_ANY_STACK void sim_wave_begin(struct sim_wave *wave) {
    const struct sim_warp *warp = turn.warp;
    const struct dimensions *block = &sim_turn.block, *size = &sim_turn.block_size;
    *wave = (struct sim_wave){.index = warp->index,
                              .threads = warp->count,
                              .first = warp->index * turn.launch->gpu->warp_width,
                              .block = {block->x, block->y, block->z},
                              .size = {size->x, size->y, size->z}};
}

ON_ANY_STACK void sim_wave_access(struct sim_wave *wave, const uint64_t *address, uint64_t active, uint32_t bytes,
                                  enum sim_wave_operation operation, const char *site) {
    static const enum sim_step steps[] = {SIM_LOAD, SIM_STORE, SIM_ATOMIC, SIM_ATOMIC};
    struct sim_warp *warp = enter(wave, site);
    set_step(warp, steps[operation], site);
    memcpy(warp->request.address, address, warp->count * sizeof *address);
    memset(warp->width, (int)bytes, warp->count);
    for (uint64_t left = operation >= SIM_WAVE_ATOMIC ? active : 0; left; left &= left - 1) {
        warp->lanes[__builtin_ctzll(left)].adds_floats = operation == SIM_WAVE_ATOMIC_FLOAT;
    }
    leave(make_access(warp, active, site));
}

ON_ANY_STACK void sim_wave_scalar_load(struct sim_wave *wave, uint64_t address, uint32_t bytes, const char *site) {
    struct sim_warp *warp = enter(wave, site);
    set_step(warp, SIM_LOAD, site);
    leave(sim_scalar_load(turn.launch, warp, address, bytes));
}

ON_ANY_STACK void sim_wave_pause(struct sim_wave *wave, const char *site) {
    struct sim_warp *warp = enter(wave, NULL);
    set_step(warp, SIM_PAUSE, site);
    leave(sim_check_time(turn.launch, warp, 1));
}

// The hardware counts a warp that has ended as one that has arrived, and lanes by their warp.
ON_ANY_STACK void sim_wave_barrier(struct sim_wave *wave, const char *site) {
    struct sim_warp *warp = enter(wave, site);
    struct sim_site *found = sim_sites_find(turn.launch->sites, (uintptr_t)site);
    set_step(warp, SIM_BLOCK_BARRIER, site);
    sim_wait_for_all(warp, true, true);
    found->counts.barriers++;
    warp->at_barrier = warp->live;
    warp->barrier_pc = (uintptr_t)site;
    warp->barriers_differ = false;
    sim_turn.current = &warp->lanes[0];
    stop();
}

ON_ANY_STACK void sim_wave_wait(struct sim_wave *wave, uint32_t vector, uint32_t shared) {
    struct sim_warp *warp = enter(wave, NULL);
    sim_wait_for_all(warp, warp->under_way[0] > vector, warp->under_way[1] > shared);
    sim_turn.current = &warp->lanes[0];
}

ON_ANY_STACK void sim_wave_exchange(struct sim_wave *wave) {
    enter(wave, NULL)->path.work.exchanges++;
    sim_turn.current = &turn.warp->lanes[0];
}

ON_ANY_STACK void sim_wave_trap(const char *words, uint32_t lane, const char *site) {
    set_step(turn.warp, SIM_TRAP, site);
    sim_turn.current = NULL;
    const enum status status = sim_report(turn.launch, turn.warp, lane, "%s", words);
    sim_turn.current = &turn.warp->lanes[0];
    stop_for_good(status);
}

ON_ANY_STACK uint64_t sim_wave_cycles(struct sim_wave *wave) {
    const uint64_t cycles = enter(wave, NULL)->cycles;
    sim_turn.current = &turn.warp->lanes[0];
    return cycles;
}

ON_ANY_STACK uint64_t sim_wave_nanoseconds(struct sim_wave *wave) {
    return (uint64_t)((double)sim_wave_cycles(wave) * sim_turn.nanoseconds_per_cycle);
}

// ---- Counts ----

void sim_wave_forget_counts(const struct sim_module *module) {
    for (int i = 0; i < 2; i++) {
        memset(module->runs[i], 0, module->program->segment_count * sizeof *module->runs[i]);
    }
}

void sim_wave_fold_counts(struct sim_launch *launch) {
    const struct sim_program *program = launch->module->program;
    uint64_t *runs = launch->module->runs[0], *lanes = launch->module->runs[1];
    for (uint32_t i = 0; i < program->segment_count; i++) {
        if (!runs[i]) {
            continue;
        }
        const struct sim_program_segment *segment = &program->segments[i];
        struct sim_site *site = sim_sites_find(launch->sites, launch->module->text.begin + 1 + segment->site);
        struct sim_site_counts *counts = &site->counts;
        const uint32_t *each = segment->counts;
        counts->instructions += runs[i] * each[COUNT_VECTOR];
        counts->lanes += lanes[i] * each[COUNT_VECTOR];
        counts->branches += runs[i] * each[COUNT_BRANCH];
        counts->vector += runs[i] * each[COUNT_VECTOR];
        counts->scalar += runs[i] * (each[COUNT_SCALAR] + each[COUNT_BRANCH]);
        counts->shared += runs[i] * each[COUNT_SHARED];
        counts->vector_memory += runs[i] * each[COUNT_VECTOR_MEMORY];
        counts->scalar_memory += runs[i] * each[COUNT_SCALAR_MEMORY];
        counts->scratch += runs[i] * each[COUNT_SCRATCH];
        runs[i] = lanes[i] = 0;
    }
}
