// docs/simulator.md, Footprints, derives this.
#include "model/walk.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "model/line_set.h"

enum {
    GENERATIONS = 16, // as many blocks as are resident at once, so many times; the first half is not timed
};

struct warp {
    uint64_t number;   // of all warps of the launch
    double next, back; // when it can issue its next load; when all loads of the batch are back
    uint32_t loaded;
};

// Where a unit holds a block.
struct slot {
    uint64_t block;
    uint32_t left; // warps that have not ended
    double end;    // of the last warp
};

struct unit {
    struct warp *turn; // of which it issues the next load
    double next, free; // when it does, and when it can
};

struct state {
    const struct walk *walk;
    struct set_line *lines;
    struct unit *units;
    struct slot *slots; // unit by unit
    struct warp *warps; // slot by slot
    double l2_free, memory_free;
    uint64_t blocks; // begun
};

// ---- The L2 and memory ----

// When a load that is issued at this time is back.
static double load(struct state *state, uint64_t name, double issued) {
    const struct walk *walk = state->walk;
    const double asked = fmax(issued + walk->hit_latency / 2, state->l2_free);
    struct set_line *line = set_line_find(state->lines, walk->sets, walk->ways, name);
    state->l2_free = asked + walk->hit;
    if (line->name != name) {
        const double starts = fmax(asked, state->memory_free);
        state->memory_free = starts + walk->miss;
        state->l2_free += walk->fill;
        *line = (struct set_line){.name = name, .ready = starts + walk->miss_latency - walk->hit_latency};
    }
    line->used = asked;
    return fmax(asked, line->ready) + walk->hit_latency / 2;
}

// ---- Units ----

// When the unit can issue its next load.
static double next_issue(const struct unit *unit, const struct warp *warps, uint32_t count) {
    double ready = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        ready = fmin(ready, warps[i].next);
    }
    return fmax(unit->free, ready);
}

// Of the warps that can issue a load the oldest one has its turn (LLVM's AMDGPUSetWavePriority.cpp).
static void schedule(struct state *state, uint32_t index) {
    const uint32_t count = state->walk->unit_blocks * state->walk->block_warps;
    struct warp *warps = state->warps + (uint64_t)index * count;
    struct unit *unit = &state->units[index];
    unit->next = next_issue(unit, warps, count);
    uint64_t oldest = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        if (warps[i].next <= unit->next && warps[i].number < oldest) {
            oldest = warps[i].number;
            unit->turn = &warps[i];
        }
    }
}

static void begin_block(struct state *state, uint64_t slot, double now) {
    const uint32_t warps = state->walk->block_warps;
    state->slots[slot] = (struct slot){.block = state->blocks++, .left = warps};
    for (uint32_t i = 0; i < warps; i++) {
        const uint64_t number = state->slots[slot].block * warps + i;
        state->warps[slot * warps + i] = (struct warp){.number = number, .next = now};
    }
}

static void end_warp(struct state *state, struct warp *warp, uint64_t slot) {
    struct slot *held = &state->slots[slot];
    held->end = fmax(held->end, warp->back);
    warp->next = INFINITY;
    if (--held->left == 0) {
        begin_block(state, slot, held->end + state->walk->block);
    }
}

static void step(struct state *state, uint32_t unit_index) {
    const struct walk *walk = state->walk;
    struct unit *unit = &state->units[unit_index];
    struct warp *warp = unit->turn;
    const uint64_t index = (uint64_t)(warp - state->warps), slot = index / walk->block_warps;
    const uint64_t path = state->slots[slot].block % walk->paths;
    const uint64_t name = (path * walk->loads + warp->loaded) * walk->block_warps + index % walk->block_warps + 1;
    warp->back = fmax(warp->back, load(state, name, unit->next));
    unit->free = unit->next + walk->issue;
    warp->loaded++;
    warp->next = warp->loaded % walk->batch == 0 ? warp->back : unit->free;
    if (warp->loaded == walk->loads) {
        end_warp(state, warp, slot);
    }
    schedule(state, unit_index);
}

static uint32_t next_unit(const struct state *state) {
    uint32_t next = 0;
    for (uint32_t unit = 1; unit < state->walk->units; unit++) {
        next = state->units[unit].next < state->units[next].next ? unit : next;
    }
    return next;
}

// ---- The launch ----

static double run(struct state *state) {
    const struct walk *walk = state->walk;
    const uint64_t resident = (uint64_t)walk->units * walk->unit_blocks;
    const uint64_t half = GENERATIONS / 2 * resident * walk->block_warps * walk->loads;
    double begin = 0, now = 0;
    for (uint64_t slot = 0; slot < resident; slot++) { // one block for each unit, then one more
        begin_block(state, slot % walk->units * walk->unit_blocks + slot / walk->units, 0);
    }
    for (uint32_t unit = 0; unit < walk->units; unit++) {
        schedule(state, unit);
    }
    for (uint64_t i = 0; i < 2 * half; i++) {
        const uint32_t unit = next_unit(state);
        now = state->units[unit].next;
        begin = i == half ? now : begin;
        step(state, unit);
    }
    return (now - begin) / (double)half;
}

double walk_clocks(const struct walk *walk) {
    const uint64_t slots = (uint64_t)walk->units * walk->unit_blocks;
    struct state state = {.walk = walk,
                          .lines = calloc((size_t)walk->sets * walk->ways, sizeof *state.lines),
                          .units = calloc(walk->units, sizeof *state.units),
                          .slots = calloc(slots, sizeof *state.slots),
                          .warps = calloc(slots * walk->block_warps, sizeof *state.warps)};
    const bool allocated = state.lines && state.units && state.slots && state.warps;
    const double clocks = allocated ? run(&state) : NAN;
    free(state.lines);
    free(state.units);
    free(state.slots);
    free(state.warps);
    return clocks;
}
