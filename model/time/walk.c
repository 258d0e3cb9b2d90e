#include "model/time/walk.h"
#include "util/error.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// ---- Sets of lines, of which the least recently used one makes room ----

// A multiply-xorshift, as mix64 of util/random.h is. The figures of docs/validation.md are by this one: another hash
// moves those where chance decides.
uint64_t line_hash(uint64_t name) {
    name = (name ^ name >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    name = (name ^ name >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return name ^ name >> 32;
}

struct set_line *set_line_find(struct set_line *lines, uint32_t sets, uint32_t ways, uint64_t name) {
    struct set_line *set = lines + line_hash(name) % sets * ways;
    uint32_t found = ways, oldest = 0;
    for (uint32_t way = 0; way < ways; way++) { // without a branch, as which way it is cannot be guessed
        found = set[way].name == name ? way : found;
    }
    if (found < ways) {
        return &set[found];
    }
    double used = set[0].used;
    for (uint32_t way = 1; way < ways; way++) {
        const bool older = set[way].used < used;
        oldest = older ? way : oldest;
        used = older ? set[way].used : used;
    }
    return &set[oldest];
}

// docs/simulator.md, Footprints, derives this.

enum {
    GENERATIONS = 128, // as many blocks as are resident at once, so many times; the first half is not timed
};

struct warp {
    double ready; // when it can issue its next batch of loads
    uint32_t loaded;
};

// Where a unit holds a block.
struct slot {
    uint64_t block;
    uint32_t left; // warps that have not ended
};

struct unit {
    struct warp *turn; // whose batch it issues
    double next, free; // when it issues the next load, and when it can
    double *returned;  // when its last loads were back, as many as may be under way
    double back;       // of them the last
    uint64_t issued;   // loads
};

struct turn {
    double next; // of the unit
    struct unit *unit;
};

struct state {
    const struct walk *walk;
    struct set_line *lines;
    struct unit *units;
    struct turn *heap;  // the unit that issues a load next is first; after the last, a turn that never comes
    double *returned;   // unit by unit
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

// The batch that has waited longest has its turn.
static void schedule(struct state *state, struct unit *unit) {
    const uint32_t count = state->walk->unit_blocks * state->walk->block_warps;
    struct warp *warps = state->warps + (unit - state->units) * count;
    unit->turn = warps;
    for (uint32_t i = 1; i < count; i++) {
        unit->turn = warps[i].ready < unit->turn->ready ? &warps[i] : unit->turn;
    }
    unit->next = fmax(unit->free, unit->turn->ready);
}

// Its warps become ready within a clock, in any order.
static void begin_block(struct state *state, uint64_t slot, double now) {
    const uint32_t warps = state->walk->block_warps;
    state->slots[slot] = (struct slot){.block = state->blocks++, .left = warps};
    for (uint32_t i = 0; i < warps; i++) {
        const uint64_t number = state->slots[slot].block * warps + i;
        state->warps[slot * warps + i] = (struct warp){.ready = now + (double)line_hash(number) / (double)UINT64_MAX};
    }
}

// Loads come back in order, so the warp that ends last has the last ones.
static void end_warp(struct state *state, struct warp *warp, uint64_t slot) {
    const double back = warp->ready;
    warp->ready = INFINITY;
    if (--state->slots[slot].left == 0) {
        begin_block(state, slot, back + state->walk->block);
    }
}

// When the load that the unit issues now is back. Only so many may be under way.
static double issue(struct state *state, struct unit *unit, uint64_t name) {
    const struct walk *walk = state->walk;
    unit->back = fmax(load(state, name, unit->next), unit->back + walk->issue);
    unit->returned[unit->issued++ % walk->under_way] = unit->back;
    unit->free = fmax(unit->next + walk->issue, unit->returned[unit->issued % walk->under_way]);
    unit->next = unit->free;
    return unit->back;
}

static void step(struct state *state, struct unit *unit) {
    const struct walk *walk = state->walk;
    struct warp *warp = unit->turn;
    const uint64_t index = (uint64_t)(warp - state->warps), slot = index / walk->block_warps;
    const uint64_t path = state->slots[slot].block % walk->paths;
    const uint64_t name = (path * walk->loads + warp->loaded) * walk->block_warps + index % walk->block_warps + 1;
    const double back = issue(state, unit, name);
    warp->loaded++;
    if (warp->loaded % walk->batch == 0 || warp->loaded == walk->loads) {
        warp->ready = back;
        if (warp->loaded == walk->loads) {
            end_warp(state, warp, slot);
        }
        schedule(state, unit);
    }
}

// Moves the first unit of the heap to its place, which is by when it issues its next load.
static void reorder(struct state *state) {
    struct turn *heap = state->heap;
    const struct turn first = {heap[0].unit->next, heap[0].unit};
    const uint32_t units = state->walk->units;
    uint32_t at = 0;
    for (uint32_t below = 1; below < units; below = 2 * at + 1) {
        below += heap[below + 1].next < heap[below].next;
        if (heap[below].next >= first.next) {
            break;
        }
        heap[at] = heap[below];
        at = below;
    }
    heap[at] = first;
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
    for (uint32_t i = 0; i < walk->units; i++) {
        struct unit *unit = &state->units[i];
        unit->returned = state->returned + (uint64_t)i * walk->under_way;
        schedule(state, unit);
        state->heap[i] = (struct turn){unit->next, unit}; // in order, as all begin together
    }
    state->heap[walk->units].next = INFINITY;
    for (uint64_t i = 0; i < 2 * half; i++) {
        now = state->heap[0].next;
        begin = i == half ? now : begin;
        step(state, state->heap[0].unit);
        reorder(state);
    }
    return (now - begin) / (double)half;
}

static double simulate(const struct walk *walk) {
    const uint64_t slots = (uint64_t)walk->units * walk->unit_blocks;
    struct state state = {.walk = walk,
                          .lines = memory_zeros((size_t)walk->sets * walk->ways, sizeof *state.lines),
                          .units = memory_zeros(walk->units, sizeof *state.units),
                          .heap = memory_zeros((size_t)walk->units + 1, sizeof *state.heap),
                          .returned = memory_zeros((size_t)walk->units * walk->under_way, sizeof *state.returned),
                          .slots = memory_zeros(slots, sizeof *state.slots),
                          .warps = memory_zeros(slots * walk->block_warps, sizeof *state.warps)};
    const double clocks = run(&state);
    free(state.lines);
    free(state.units);
    free(state.heap);
    free(state.returned);
    free(state.slots);
    free(state.warps);
    return clocks;
}

double walk_clocks(const struct walk *walk, struct walked *last) {
    if (!last) {
        return simulate(walk);
    }
    if (memcmp(&last->walk, walk, sizeof *walk) != 0) {
        *last = (struct walked){*walk, simulate(walk)};
    }
    return last->clocks;
}
