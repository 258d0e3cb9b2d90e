#include "tools/compare/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/run_words.h"
#include "tools/compare/side.h"
#include "util/text.h"

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

// The rows of the groups that are left; NULL for the others.
static void list_left(const struct result **rows, const struct round *round, const struct side *side,
                      bool (*is_left)(const struct round *, size_t)) {
    for (size_t i = 0; i < side->count; i++) {
        rows[i] = is_left(round, i) ? first_row(side, i) : NULL;
    }
}

static enum status list_equal(struct row_table *table, const struct result *const *rows, size_t count, unsigned same,
                              struct error *error) {
    TRY(row_table_make(table, count, same, error));
    for (size_t i = 0; i < count; i++) {
        if (rows[i]) {
            row_table_add(table, rows[i], i);
        }
    }
    return STATUS_OK;
}

// Joins groups by these rows of theirs (NULL: none), which must be equal in `same` and occur once on both sides.
// Returns in *joined how many.
static enum status join_rows(struct round *round, const struct result *const *rows_a,
                             const struct result *const *rows_b, unsigned same, size_t *joined, struct error *error) {
    const size_t count_b = round->b->count;
    struct row_table in_a = {0}, in_b = {0};
    *joined = 0;
    enum status status = list_equal(&in_a, rows_a, round->a->count, same, error);
    if (status == STATUS_OK) {
        status = list_equal(&in_b, rows_b, count_b, same, error);
    }
    for (size_t i = 0; i < count_b && status == STATUS_OK; i++) {
        const struct row_entry *found = rows_b[i] ? row_table_find(&in_a, rows_b[i]) : NULL;
        if (found && found->count == 1 && row_table_find(&in_b, rows_b[i])->count == 1) {
            join_groups(round, found->first, i);
            (*joined)++;
        }
    }
    row_table_clear(&in_a);
    row_table_clear(&in_b);
    return status;
}

// Joins the groups left that are equal in `same` and occur once on both sides.
static enum status join_equal(struct round *round, unsigned same, struct error *error) {
    const struct result **rows = calloc(round->a->count + round->b->count + 1, sizeof *rows);
    if (!rows) {
        return error_set(error, STATUS_FAILED, "out of memory");
    }
    const struct result **rows_b = rows + round->a->count;
    size_t joined;
    list_left(rows, round, round->a, is_left_in_a);
    list_left(rows_b, round, round->b, is_left_in_b);
    const enum status status = join_rows(round, rows, rows_b, same, &joined, error);
    free(rows);
    return status;
}

// ---- Files of versions with other columns ----

enum {
    VERSIONS_MAX = 8 // of files on a side, by the key columns that they lack
};

struct versions {
    uint64_t unknown[VERSIONS_MAX];
    size_t count;
};

// A publication names what it says of a row, and rows that differ in it do not join.
static bool may_lack(const struct result *row) {
    return row->source != SOURCE_PUBLISHED;
}

static void find_versions(struct versions *versions, const struct side *side) {
    versions->count = 0;
    for (size_t i = 0; i < side->count; i++) {
        const struct result *row = first_row(side, i);
        bool found = !may_lack(row);
        for (size_t k = 0; k < versions->count && !found; k++) {
            found = versions->unknown[k] == row->unknown;
        }
        if (!found && versions->count < VERSIONS_MAX) {
            versions->unknown[versions->count++] = row->unknown;
        }
    }
}

// A round between files of two versions: rows with what both versions know of a run.
struct reduced {
    struct result *rows_a, *rows_b;
    const struct result **in_a, **in_b; // NULL: the group is of another version, or has joined
    struct texts texts;
};

static enum status reduce(struct result *reduced, const struct result **in, const struct side *side, uint64_t version,
                          uint64_t unknown, struct texts *texts, struct error *error) {
    for (size_t i = 0; i < side->count; i++) {
        char run[RUN_WORDS];
        if (!in[i] || in[i]->unknown != version || !may_lack(in[i])) {
            in[i] = NULL;
            continue;
        }
        reduced[i] = *in[i];
        reduced[i].sizes_at = run_words_known(run, in[i]->run, in[i]->sizes_at, unknown);
        reduced[i].run = texts_keep(texts, run, strlen(run));
        if (!reduced[i].run) {
            return error_set(error, STATUS_FAILED, "out of memory");
        }
        in[i] = &reduced[i];
    }
    return STATUS_OK;
}

static enum status join_versions(struct round *round, struct reduced *reduced, uint64_t a, uint64_t b, unsigned same,
                                 struct joined *joined, struct error *error) {
    size_t pairs = 0;
    list_left(reduced->in_a, round, round->a, is_left_in_a);
    list_left(reduced->in_b, round, round->b, is_left_in_b);
    TRY(reduce(reduced->rows_a, reduced->in_a, round->a, a, a | b, &reduced->texts, error));
    TRY(reduce(reduced->rows_b, reduced->in_b, round->b, b, a | b, &reduced->texts, error));
    TRY(join_rows(round, reduced->in_a, reduced->in_b, same, &pairs, error));
    joined->by_less += pairs;
    joined->unknown |= pairs > 0 ? a ^ b : 0;
    return STATUS_OK;
}

// Joins what is left of files with different columns by the columns that both have, if these tell the rows apart.
static enum status join_less(struct round *round, unsigned same, struct joined *joined, struct error *error) {
    struct versions in_a, in_b;
    struct reduced reduced = {calloc(round->a->count + 1, sizeof *reduced.rows_a),
                              calloc(round->b->count + 1, sizeof *reduced.rows_b),
                              calloc(round->a->count + 1, sizeof *reduced.in_a),
                              calloc(round->b->count + 1, sizeof *reduced.in_b),
                              {0}};
    const bool allocated = reduced.rows_a && reduced.rows_b && reduced.in_a && reduced.in_b;
    enum status status = allocated ? STATUS_OK : error_set(error, STATUS_FAILED, "out of memory");
    find_versions(&in_a, round->a);
    find_versions(&in_b, round->b);
    for (size_t i = 0; i < in_a.count * in_b.count && status == STATUS_OK; i++) {
        const uint64_t a = in_a.unknown[i / in_b.count], b = in_b.unknown[i % in_b.count];
        if (a != b) {
            status = join_versions(round, &reduced, a, b, same, joined, error);
        }
    }
    free(reduced.rows_a);
    free(reduced.rows_b);
    free(reduced.in_a);
    free(reduced.in_b);
    texts_clear(&reduced.texts);
    return status;
}

// ---- Curves ----

struct curve_point {
    const struct result *row; // with a curve
    size_t group;             // the caller's number for it
    const struct curve_point *partner;
};

static const double reach = 1.05; // the largest ratio of two footprints that join

static int compare_curves(const struct result *a, const struct result *b, bool across) {
    int order = strcmp(a->variant, b->variant);
    if (order == 0) {
        order = strcmp(a->curve, b->curve);
    }
    return order == 0 && !across ? strcmp(a->device, b->device) : order;
}

static int compare_points(const struct curve_point *a, const struct curve_point *b, bool across) {
    const int order = compare_curves(a->row, b->row, across);
    return order != 0 ? order : (a->row->footprint > b->row->footprint) - (a->row->footprint < b->row->footprint);
}

static int compare_points_across(const void *a, const void *b) {
    return compare_points(a, b, true);
}

static int compare_points_within(const void *a, const void *b) {
    return compare_points(a, b, false);
}

static double distance(const struct curve_point *a, const struct curve_point *b) {
    return fabs(log(a->row->footprint / b->row->footprint));
}

// The nearest of the sorted points on the point's own curve, or NULL.
static const struct curve_point *find_nearest(const struct curve_point *points, size_t count,
                                              const struct curve_point *point, bool across) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_points(&points[middle], point, across) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct curve_point *nearest = NULL;
    for (size_t i = low > 0 ? low - 1 : 0; i < count && i <= low; i++) {
        const bool same_curve = compare_curves(points[i].row, point->row, across) == 0;
        if (same_curve && (!nearest || distance(&points[i], point) < distance(nearest, point))) {
            nearest = &points[i];
        }
    }
    return nearest;
}

// Sorts both sides' points, and sets the partner of each point of b to the point of a that is nearest, if it is on the
// same curve, within 5 %, and has no nearer point in b; otherwise to NULL. With `across` the device may differ.
static void curves_pair(struct curve_point *a, size_t a_count, struct curve_point *b, size_t b_count, bool across) {
    qsort(a, a_count, sizeof *a, across ? compare_points_across : compare_points_within);
    qsort(b, b_count, sizeof *b, across ? compare_points_across : compare_points_within);
    for (size_t i = 0; i < b_count; i++) {
        const struct curve_point *nearest = find_nearest(a, a_count, &b[i], across);
        const bool joins =
            nearest && distance(nearest, &b[i]) <= log(reach) && find_nearest(b, b_count, nearest, across) == &b[i];
        b[i].partner = joins ? nearest : NULL;
    }
}

// ---- Rounds ----

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

static enum status find_partners(struct round *round, bool across, struct joined *joined, struct error *error) {
    static const unsigned within[] = {SAME_ALL, SAME_DEVICE | SAME_RUN | SAME_SIZES};
    static const unsigned between[] = {SAME_RUN | SAME_SOURCE | SAME_SIZES, SAME_RUN | SAME_SIZES,
                                       SAME_RUN | SAME_SOURCE, SAME_RUN};
    const unsigned *steps = across ? between : within;
    const size_t step_count = across ? sizeof between / sizeof *between : sizeof within / sizeof *within;
    for (size_t i = 0; i < step_count; i++) {
        TRY(join_equal(round, steps[i], error));
    }
    for (size_t i = 0; i < step_count; i++) {
        TRY(join_less(round, steps[i], joined, error));
    }
    return join_curves(round, across, error);
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
        status = find_partners(&round, across, joined, error);
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
    TRY(find_devices(&in_a, a, error));
    TRY(find_devices(&in_b, b, error));
    for (size_t i = 0; i < in_a.count * in_b.count; i++) {
        round.device_a = in_a.names[i / in_b.count];
        round.device_b = in_b.names[i % in_b.count];
        TRY(join_round(joined, progress, &round, true, error));
    }
    return STATUS_OK;
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
