#include "sim/race.h"

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

// The earlier access that races with this one, or NULL. Neither two reads nor two atomics race.
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

static inline struct sim_touch *last_of(struct sim_cell *cell, enum sim_touch_kind kind) {
    return kind == SIM_TOUCH_READ ? &cell->read[0] : kind == SIM_TOUCH_WRITE ? &cell->write : &cell->atomic;
}

static void note(struct sim_cell *cell, enum sim_touch_kind kind, const struct sim_touch *now) {
    struct sim_touch *last = last_of(cell, kind);
    if (kind == SIM_TOUCH_READ && last->interval == now->interval && last->warp != now->warp) {
        cell->read[1] = *last;
    }
    bool several = same_interval(last, now) && (last->several_lanes || last->lane != now->lane);
    *last = *now;
    last->several_lanes = several;
}

// Whether nothing touched the cell since the block's last barrier.
static inline bool is_untouched(const struct sim_cell *cell, uint32_t interval) {
    return cell->write.interval != interval && cell->atomic.interval != interval &&
           cell->read[0].interval != interval && cell->read[1].interval != interval;
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
        note(cell, kind, touch);
    }
    return races;
}

bool sim_race_touch(struct sim_race *race, const struct request *request, enum sim_touch_kind kind,
                    struct sim_touch *touch, struct sim_touch *other) {
    if (race->allowed || (request->width_bytes < race->grain && !refine(race))) {
        return false;
    }
    const uint32_t shift = race->grain == 1 ? 0 : 2, count = request->width_bytes >> shift;
    bool races = false;
    uint8_t racing_lane = 0;
    for (uint64_t left = request->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        struct sim_cell *cell = &race->cells[request->address[lane] >> shift];
        struct sim_touch found;
        touch->lane = (uint8_t)lane;
        if (count == 1 && is_untouched(cell, touch->interval)) {
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
