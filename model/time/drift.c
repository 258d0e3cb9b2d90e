// docs/simulator.md, Footprints, derives this.
#include "model/time/drift.h"

#include <math.h>
#include <stdlib.h>

#include "model/time/walk.h"
#include "util/error.h"

enum {
    HALVES = 2,
    TPC_UNITS = 2,
    START = 8 // the first 1 / START of the chunks is not timed
};

// Where a unit holds a block.
struct slot {
    uint64_t block;
    uint32_t round;
    double ready; // when the block can ask for its next chunk
};

struct port {
    struct slot *slots;
    uint32_t slot_count;
    uint32_t half;     // of the L2, near to the port
    struct slot *turn; // whose chunk is next
    double next, free; // when the port asks for it, and when it can
    double *returned;  // when its last loads were back, as many as may be under way
    uint64_t asked;    // loads
};

struct state {
    const struct drift *drift;
    struct port *ports;
    uint32_t port_count;
    struct slot *slots;
    double *returned;
    struct set_line *halves[HALVES];
    double far_free[HALVES], memory_free;
    uint64_t begun; // blocks
};

// ---- The L2 and memory ----

// When a line's own half has taken a store, which makes room for it by writing another line to memory.
static double store(struct state *state, uint32_t near, uint32_t home, uint64_t name, double asked) {
    const struct drift *drift = state->drift;
    struct set_line *line = set_line_find(state->halves[home], drift->sets, drift->ways, name);
    double back = asked + (home != near ? drift->far_latency : 0);
    if (line->name != name) {
        const double starts = fmax(back, state->memory_free);
        state->memory_free = starts + drift->memory;
        back = starts;
        *line = (struct set_line){.name = name};
    }
    line->used = asked;
    return back;
}

// When a load is back at the half near to the port, which keeps a copy of the other half's lines.
static double load(struct state *state, uint32_t near, uint64_t name, double asked) {
    const struct drift *drift = state->drift;
    const uint32_t home = (uint32_t)(line_hash(name) >> 63);
    if (drift->stores) {
        return store(state, near, home, name, asked);
    }
    struct set_line *copy = set_line_find(state->halves[near], drift->sets, drift->ways, name), *line = copy;
    if (copy->name == name) {
        copy->used = asked;
        return fmax(asked, copy->ready);
    }
    if (home != near) {
        line = set_line_find(state->halves[home], drift->sets, drift->ways, name);
    }
    double back = fmax(asked + drift->far_latency, line->ready);
    if (line->name != name) {
        const double starts = fmax(asked, state->memory_free);
        state->memory_free = starts + drift->memory;
        back = starts + drift->miss_latency - drift->hit_latency;
        *line = (struct set_line){.name = name, .ready = back};
    }
    line->used = asked;
    if (home != near) {
        back = fmax(back, state->far_free[near]) + drift->far;
        state->far_free[near] = back;
        *copy = (struct set_line){.name = name, .used = asked, .ready = back};
    }
    return back;
}

// ---- Ports ----

// A port serves the slot that has waited longest.
static void schedule(const struct state *state, struct port *port) {
    port->turn = port->slots;
    for (uint32_t i = 1; i < port->slot_count; i++) {
        port->turn = port->slots[i].ready < port->turn->ready ? &port->slots[i] : port->turn;
    }
    const uint64_t last = port->asked + state->drift->chunk_loads - 1;
    const double room = port->returned[last % state->drift->under_way];
    port->next = fmax(port->turn->ready, fmax(port->free, room));
}

static void begin_block(struct state *state, struct slot *slot, double now) {
    *slot = (struct slot){.block = state->begun++, .ready = now};
    if (slot->block >= state->drift->blocks) {
        slot->ready = INFINITY;
    }
}

static uint64_t chunk_of(const struct drift *drift, const struct slot *slot) {
    const uint64_t first = (slot->block / drift->group * drift->rounds + slot->round) * drift->group;
    return (first + (slot->block + slot->round) % drift->group) % drift->chunks;
}

static void step(struct state *state, struct port *port) {
    const struct drift *drift = state->drift;
    struct slot *slot = port->turn;
    const uint64_t first = chunk_of(drift, slot) * drift->chunk_loads + 1;
    double back = 0;
    port->free = port->next;
    for (uint32_t i = 0; i < drift->chunk_loads; i++) {
        const double returned = load(state, port->half, first + i, port->free + drift->hit_latency / 2);
        port->returned[port->asked++ % drift->under_way] = returned + drift->hit_latency / 2;
        port->free += drift->port;
        back = fmax(back, returned);
    }
    slot->ready = back + drift->hit_latency / 2;
    if (++slot->round == drift->rounds) {
        begin_block(state, slot, slot->ready + drift->block);
    }
    schedule(state, port);
}

// ---- The launch ----

static double run(struct state *state) {
    const struct drift *drift = state->drift;
    const uint64_t chunks = drift->blocks * drift->rounds, untimed = chunks / START;
    double begin = 0, now = 0;
    for (uint64_t i = 0; i < chunks; i++) {
        struct port *port = state->ports;
        for (uint32_t other = 1; other < state->port_count; other++) {
            port = state->ports[other].next < port->next ? &state->ports[other] : port;
        }
        now = port->next;
        begin = i == untimed ? now : begin;
        step(state, port);
    }
    return (now - begin) / (double)((chunks - untimed) * drift->chunk_loads);
}

static uint32_t gpcs_of(const struct unit_ports *ports) {
    uint32_t count = 0;
    while (count < GPCS_MAX && ports->gpc_tpcs[count] > 0) {
        count++;
    }
    return count;
}

// The TPCs of a GPC take its ports in turn.
static uint32_t port_units(const struct unit_ports *ports, uint32_t gpc, uint32_t port) {
    return (ports->gpc_tpcs[gpc] + ports->gpc_ports - 1 - port) / ports->gpc_ports * TPC_UNITS;
}

// Blocks begin in the first slot of each unit, then in the second.
static void begin_launch(struct state *state) {
    const struct drift *drift = state->drift;
    struct slot *slots = state->slots;
    for (uint32_t i = 0; i < state->port_count; i++) {
        const uint32_t gpc = i / drift->ports->gpc_ports;
        const uint32_t units = port_units(drift->ports, gpc, i % drift->ports->gpc_ports);
        state->ports[i] = (struct port){.slots = slots,
                                        .slot_count = units * drift->unit_blocks,
                                        .half = gpc % HALVES,
                                        .returned = state->returned + (uint64_t)i * drift->under_way};
        slots += state->ports[i].slot_count;
    }
    for (uint32_t turn = 0; turn < drift->unit_blocks; turn++) {
        for (uint32_t i = 0; i < state->port_count; i++) {
            const struct port *port = &state->ports[i];
            const uint32_t units = port->slot_count / drift->unit_blocks;
            for (uint32_t unit = 0; unit < units; unit++) {
                begin_block(state, &port->slots[turn * units + unit], 0);
            }
        }
    }
    for (uint32_t i = 0; i < state->port_count; i++) {
        schedule(state, &state->ports[i]);
    }
}

static uint32_t units_of(const struct unit_ports *ports) {
    uint32_t units = 0;
    for (uint32_t gpc = 0; gpc < gpcs_of(ports); gpc++) {
        units += ports->gpc_tpcs[gpc] * TPC_UNITS;
    }
    return units;
}

uint32_t drift_ports(const struct unit_ports *ports) {
    return gpcs_of(ports) * ports->gpc_ports;
}

double drift_clocks(const struct drift *drift) {
    const uint32_t ports = drift_ports(drift->ports);
    const size_t lines = (size_t)drift->sets * drift->ways;
    struct state state = {
        .drift = drift,
        .port_count = ports,
        .ports = memory_zeros(ports, sizeof *state.ports),
        .slots = memory_zeros((size_t)units_of(drift->ports) * drift->unit_blocks, sizeof *state.slots),
        .returned = memory_zeros((size_t)ports * drift->under_way, sizeof *state.returned),
        .halves = {memory_zeros(lines, sizeof **state.halves), memory_zeros(lines, sizeof **state.halves)}};
    begin_launch(&state);
    const double clocks = run(&state);
    free(state.ports);
    free(state.slots);
    free(state.returned);
    free(state.halves[0]);
    free(state.halves[1]);
    return clocks;
}
