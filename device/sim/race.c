#include "device/sim/race.h"

#include <stdlib.h>

enum {
    GRAIN_WIDE = 4
};

enum status sim_race_begin(struct sim_race *race, size_t bytes, bool within_warps, struct error *error) {
    race->within_warps = within_warps;
    race->interval++;
    if (race->cells && race->bytes >= bytes) {
        return STATUS_OK;
    }
    free(race->cells);
    race->bytes = bytes;
    race->grain = GRAIN_WIDE;
    race->cells = calloc(bytes / GRAIN_WIDE + 1, sizeof *race->cells);
    return race->cells ? STATUS_OK : error_set(error, STATUS_FAILED, "no memory to look for races");
}

void sim_race_destroy(struct sim_race *race) {
    free(race->cells);
    *race = (struct sim_race){0};
}

// Switches to a cell for each byte. Each starts as a copy of its word's cell.
static bool refine(struct sim_race *race) {
    struct sim_cell *cells = calloc(race->bytes + GRAIN_WIDE, sizeof *cells);
    if (!cells) {
        return false;
    }
    for (size_t i = 0; i < race->bytes; i++) {
        cells[i] = race->cells[i / GRAIN_WIDE];
    }
    free(race->cells);
    race->cells = cells;
    race->grain = 1;
    return true;
}

// Whether an earlier access and this one are unordered.
static bool meets(const struct sim_race *race, const struct sim_touch *earlier, const struct sim_touch *now) {
    if (earlier->interval != now->interval) {
        return false;
    }
    if (earlier->warp != now->warp) {
        return true;
    }
    return race->within_warps && earlier->barriers == now->barriers && earlier->request != now->request &&
           (earlier->lane != now->lane || earlier->several_lanes);
}

static bool same_interval(const struct sim_touch *earlier, const struct sim_touch *now) {
    return earlier->interval == now->interval && earlier->warp == now->warp && earlier->barriers == now->barriers;
}

// The earlier access that races with this one, or NULL. Two reads do not race, nor do two atomics.
static const struct sim_touch *find_race(const struct sim_race *race, const struct sim_cell *cell,
                                         enum sim_touch_kind kind, const struct sim_touch *now) {
    if (meets(race, &cell->write, now)) {
        return &cell->write;
    }
    if (kind != SIM_TOUCH_ATOMIC && meets(race, &cell->atomic, now)) {
        return &cell->atomic;
    }
    for (int i = 0; i < 2 && kind != SIM_TOUCH_READ; i++) {
        if (meets(race, &cell->read[i], now)) {
            return &cell->read[i];
        }
    }
    return NULL;
}

static void note(struct sim_cell *cell, enum sim_touch_kind kind, const struct sim_touch *now) {
    struct sim_touch *last = kind == SIM_TOUCH_READ    ? &cell->read[0]
                             : kind == SIM_TOUCH_WRITE ? &cell->write
                                                       : &cell->atomic;
    if (kind == SIM_TOUCH_READ && last->interval == now->interval && last->warp != now->warp) {
        cell->read[1] = *last;
    }
    bool several = same_interval(last, now) && (last->several_lanes || last->lane != now->lane);
    *last = *now;
    last->several_lanes = several;
}

const struct sim_touch *sim_race_touch(struct sim_race *race, size_t offset, uint32_t width, enum sim_touch_kind kind,
                                       const struct sim_touch *touch) {
    if (width < race->grain && !refine(race)) {
        return NULL;
    }
    struct sim_cell *cell = &race->cells[offset / race->grain];
    for (uint32_t left = width; left; left -= race->grain, cell++) {
        const struct sim_touch *other = find_race(race, cell, kind, touch);
        if (other) {
            return other;
        }
        note(cell, kind, touch);
    }
    return NULL;
}
