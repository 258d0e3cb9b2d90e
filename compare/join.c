#include "compare/join.h"

#include <stdlib.h>
#include <string.h>

#include "compare/curves.h"
#include "compare/row_table.h"

enum {
    UNJOINED = -1,
    DEVICES_MAX = 64
};

// One round of joining: all groups of both sides, or those of two devices.
struct round {
    const struct side *a, *b;
    const char *device_a, *device_b; // NULL: of all devices
    long *partners;                  // of the groups of b: numbers of groups of a
    bool *taken;                     // which groups of a have a partner
};

static const struct result *first_row(const struct side *side, size_t group) {
    return side->groups[group].rows[0];
}

static bool is_of(const struct side *side, size_t group, const char *device) {
    return !device || strcmp(first_row(side, group)->device, device) == 0;
}

static bool is_left_in_a(const struct round *round, size_t group) {
    return !round->taken[group] && is_of(round->a, group, round->device_a);
}

static bool is_left_in_b(const struct round *round, size_t group) {
    return round->partners[group] == UNJOINED && is_of(round->b, group, round->device_b);
}

static void join_groups(struct round *round, size_t a, size_t b) {
    round->partners[b] = (long)a;
    round->taken[a] = true;
}

// Joins the groups left that are equal in `same` and occur once on both sides.
static enum status join_equal(struct round *round, unsigned same, struct error *error) {
    const struct side *a = round->a, *b = round->b;
    struct row_table in_a = {0}, in_b = {0};
    enum status status = row_table_make(&in_a, a->count, same, error);
    if (status == STATUS_OK) {
        status = row_table_make(&in_b, b->count, same, error);
    }
    for (size_t i = 0; i < a->count && status == STATUS_OK; i++) {
        if (is_left_in_a(round, i)) {
            row_table_add(&in_a, first_row(a, i), i);
        }
    }
    for (size_t i = 0; i < b->count && status == STATUS_OK; i++) {
        if (is_left_in_b(round, i)) {
            row_table_add(&in_b, first_row(b, i), i);
        }
    }
    for (size_t i = 0; i < b->count && status == STATUS_OK; i++) {
        const struct row_entry *found = row_table_find(&in_a, first_row(b, i));
        if (is_left_in_b(round, i) && found->count == 1 && row_table_find(&in_b, first_row(b, i))->count == 1) {
            join_groups(round, found->first, i);
        }
    }
    row_table_clear(&in_a);
    row_table_clear(&in_b);
    return status;
}

static size_t collect_points(struct curve_point *points, const struct round *round, const struct side *side,
                             bool (*is_left)(const struct round *, size_t)) {
    size_t count = 0;
    for (size_t i = 0; i < side->count; i++) {
        if (first_row(side, i)->curve && first_row(side, i)->occurrence == 0 && is_left(round, i)) {
            points[count++] = (struct curve_point){first_row(side, i), i, NULL};
        }
    }
    return count;
}

// Joins points of curves. Those of one device must have the same footprints, unless one of the two was published.
static enum status join_curves(struct round *round, bool across, struct error *error) {
    struct curve_point *a = calloc(round->a->count + 1, sizeof *a), *b = calloc(round->b->count + 1, sizeof *b);
    enum status status = a && b ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    if (status == STATUS_OK) {
        const size_t a_count = collect_points(a, round, round->a, is_left_in_a);
        const size_t b_count = collect_points(b, round, round->b, is_left_in_b);
        curves_pair(a, a_count, b, b_count, across);
        for (size_t i = 0; i < b_count; i++) {
            const struct curve_point *partner = b[i].partner;
            if (partner &&
                (across || (partner->row->source == SOURCE_PUBLISHED) != (b[i].row->source == SOURCE_PUBLISHED))) {
                join_groups(round, partner->group, b[i].group);
            }
        }
    }
    free(a);
    free(b);
    return status;
}

static enum status find_partners(struct round *round, bool across, struct error *error) {
    static const unsigned within[] = {SAME_ALL, SAME_DEVICE | SAME_RUN | SAME_SIZES};
    static const unsigned between[] = {SAME_RUN | SAME_SOURCE | SAME_SIZES, SAME_RUN | SAME_SIZES,
                                       SAME_RUN | SAME_SOURCE, SAME_RUN};
    const unsigned *steps = across ? between : within;
    const size_t step_count = across ? sizeof between / sizeof *between : sizeof within / sizeof *within;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < step_count && status == STATUS_OK; i++) {
        status = join_equal(round, steps[i], error);
    }
    return status == STATUS_OK ? join_curves(round, across, error) : status;
}

// Which groups have been joined in any round.
struct progress {
    bool *in_a, *in_b;
};

static enum status join_round(struct joined *joined, struct progress *progress, const struct round *devices,
                              bool across, struct error *error) {
    struct round round = *devices;
    round.partners = malloc((round.b->count + 1) * sizeof *round.partners);
    round.taken = calloc(round.a->count + 1, sizeof *round.taken);
    enum status status = round.partners && round.taken ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    if (status == STATUS_OK) {
        for (size_t i = 0; i < round.b->count; i++) {
            round.partners[i] = UNJOINED;
        }
        status = find_partners(&round, across, error);
    }
    for (size_t i = 0; i < round.b->count && status == STATUS_OK; i++) {
        if (round.partners[i] != UNJOINED) {
            joined->pairs[joined->count++] = (struct pair){&round.a->groups[round.partners[i]], &round.b->groups[i]};
            progress->in_a[round.partners[i]] = progress->in_b[i] = true;
        }
    }
    free(round.partners);
    free(round.taken);
    return status;
}

struct devices {
    const char *names[DEVICES_MAX];
    size_t count;
};

static bool has_device(const struct devices *devices, const char *name) {
    bool found = false;
    for (size_t i = 0; i < devices->count && !found; i++) {
        found = strcmp(devices->names[i], name) == 0;
    }
    return found;
}

static enum status find_devices(struct devices *devices, const struct side *side, struct error *error) {
    devices->count = 0;
    for (size_t i = 0; i < side->count; i++) {
        const char *name = first_row(side, i)->device;
        if (has_device(devices, name)) {
            continue;
        }
        if (devices->count == DEVICES_MAX) {
            return error_set(error, STATUS_USAGE, "more than %d devices on one side: name fewer files", DEVICES_MAX);
        }
        devices->names[devices->count++] = name;
    }
    return STATUS_OK;
}

static enum status join_rounds(struct joined *joined, struct progress *progress, const struct side *a,
                               const struct side *b, bool across, struct error *error) {
    struct round round = {.a = a, .b = b};
    struct devices in_a, in_b;
    if (!across) {
        return join_round(joined, progress, &round, false, error);
    }
    enum status status = find_devices(&in_a, a, error);
    if (status == STATUS_OK) {
        status = find_devices(&in_b, b, error);
    }
    for (size_t i = 0; status == STATUS_OK && i < in_a.count * in_b.count; i++) {
        round.device_a = in_a.names[i / in_b.count];
        round.device_b = in_b.names[i % in_b.count];
        status = join_round(joined, progress, &round, true, error);
    }
    return status;
}

static enum status list_only(struct side *only, const struct side *side, const bool *joined, struct error *error) {
    const struct result **rows = calloc(side->count + 1, sizeof *rows);
    size_t count = 0;
    if (!rows) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    for (size_t i = 0; i < side->count; i++) {
        if (!joined[i]) {
            rows[count++] = first_row(side, i);
        }
    }
    const enum status status = side_make(only, rows, count, SAME_KIND, error);
    free(rows);
    return status;
}

enum status join(struct joined *joined, const struct side *a, const struct side *b, bool across, struct error *error) {
    struct progress progress = {calloc(a->count + 1, sizeof(bool)), calloc(b->count + 1, sizeof(bool))};
    // One side has one device if rows join across devices, so each group of the other joins once at most.
    *joined = (struct joined){.pairs = calloc(a->count + b->count + 1, sizeof *joined->pairs)};
    enum status status = progress.in_a && progress.in_b && joined->pairs
                             ? join_rounds(joined, &progress, a, b, across, error)
                             : error_set(error, STATUS_FAILED, "out of memory");
    if (status == STATUS_OK) {
        status = list_only(&joined->only_a, a, progress.in_a, error);
    }
    if (status == STATUS_OK) {
        status = list_only(&joined->only_b, b, progress.in_b, error);
    }
    free(progress.in_a);
    free(progress.in_b);
    return status;
}

void joined_clear(struct joined *joined) {
    free(joined->pairs);
    side_clear(&joined->only_a);
    side_clear(&joined->only_b);
    *joined = (struct joined){0};
}
