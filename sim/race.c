#include "sim/race.h"

#include <stdlib.h>

enum {
    GRAIN_WIDE = 4
};

enum status sim_race_begin(struct sim_race *race, const struct sim_race_extent *extent, struct error *error) {
    const size_t room = extent->bytes * extent->blocks;
    race->within_warps = extent->within_warps;
    race->bytes = extent->bytes;
    race->blocks = extent->blocks;
    race->warps = extent->warps;
    sim_race_order_all(race);
    if (race->cells && race->room >= room) {
        return STATUS_OK;
    }
    free(race->cells);
    race->room = room;
    race->grain = GRAIN_WIDE;
    race->cells = calloc(room / GRAIN_WIDE + 1, sizeof *race->cells);
    return race->cells ? STATUS_OK : error_set(error, STATUS_FAILED, "no memory to look for races");
}

void sim_race_destroy(struct sim_race *race) {
    free(race->cells);
    *race = (struct sim_race){0};
}

// Switches to a cell for each byte. Each starts as a copy of its word's cell.
static bool refine(struct sim_race *race) {
    struct sim_cell *cells = calloc(race->room + GRAIN_WIDE, sizeof *cells);
    if (!cells) {
        return false;
    }
    for (size_t i = 0; i < race->room; i++) {
        cells[i] = race->cells[i / GRAIN_WIDE];
    }
    free(race->cells);
    race->cells = cells;
    race->grain = 1;
    return true;
}

static inline bool same_block(const struct sim_race *race, const struct sim_touch *a, const struct sim_touch *b) {
    return race->blocks == 1 || a->warp / race->warps == b->warp / race->warps;
}

// Whether no barrier lies between them.
static inline bool same_interval(const struct sim_race *race, const struct sim_touch *earlier,
                                 const struct sim_touch *now) {
    return same_block(race, earlier, now) ? earlier->interval == now->interval : earlier->interval >= race->since;
}

// Whether an earlier access and this one are unordered.
static bool meets(const struct sim_race *race, const struct sim_touch *earlier, const struct sim_touch *now) {
    if (!same_interval(race, earlier, now)) {
        return false;
    }
    if (earlier->warp != now->warp) {
        return true;
    }
    return race->within_warps && earlier->barriers == now->barriers && earlier->request != now->request &&
           (earlier->lane != now->lane || earlier->several_lanes);
}

static bool same_turn(const struct sim_touch *earlier, const struct sim_touch *now) {
    return earlier->interval == now->interval && earlier->warp == now->warp && earlier->barriers == now->barriers;
}

// The earlier access that races with this one, or NULL. Neither two reads nor two atomics race.
static const struct sim_touch *find_race(const struct sim_race *race, const struct sim_cell *cell,
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

static void note(const struct sim_race *race, struct sim_cell *cell, enum sim_touch_kind kind,
                 const struct sim_touch *now) {
    struct sim_touch *last = last_of(cell, kind);
    if (kind == SIM_TOUCH_READ && last->warp != now->warp && same_interval(race, last, now)) {
        cell->read[same_block(race, last, now) ? 1 : 2] = *last;
    }
    bool several = same_turn(last, now) && (last->several_lanes || last->lane != now->lane);
    *last = *now;
    last->several_lanes = several;
}

// Whether nothing touched the cell since the last barrier of all.
static inline bool is_untouched(const struct sim_cell *cell, uint32_t since) {
    return cell->write.interval < since && cell->atomic.interval < since && cell->read[0].interval < since &&
           cell->read[1].interval < since && cell->read[2].interval < since;
}

static inline struct sim_cell *cell_of(const struct sim_race *race, uint32_t rank, uint64_t address, uint32_t shift) {
    const uint64_t window = race->blocks == 1 ? 0 : (rank + (address >> SIM_WINDOW_SHIFT)) % race->blocks,
                   place = address & ((UINT64_C(1) << SIM_WINDOW_SHIFT) - 1);
    return &race->cells[(window * race->bytes + place) >> shift];
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

bool sim_race_touch(struct sim_race *race, const struct request *request, uint32_t rank, enum sim_touch_kind kind,
                    struct sim_touch *touch, struct sim_touch *other) {
    if (race->allowed || (request->width_bytes < race->grain && !refine(race))) {
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
        if (count == 1 && is_untouched(cell, race->since)) {
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
