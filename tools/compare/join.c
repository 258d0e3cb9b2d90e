#include "tools/compare/join.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/side.h"
#include "util/error.h"
#include "util/text.h"

enum {
    DEVICES_MAX = 64
};

// A side, of which a round joins all groups, or those of one device.
struct end {
    const struct side *side;
    const char *device; // NULL: of all devices
    size_t *joined_in;  // the latest round in which a group had a partner; 0: none
    bool *lone;         // which groups are of a variant that the other side lacks
};

struct round {
    size_t number; // counted from 1
    struct end a, b;
    struct joined *joined;
};

static const struct result *first_row(const struct side *side, size_t group) {
    return side->groups[group].rows[0];
}

static void join_groups(struct round *round, size_t a, size_t b) {
    round->a.joined_in[a] = round->b.joined_in[b] = round->number;
    round->joined->pairs[round->joined->count++] = (struct pair){&round->a.side->groups[a], &round->b.side->groups[b]};
}

// A publication names what it says of a row, and rows that differ in it do not join.
static bool may_lack(const struct result *row) {
    return row->source != SOURCE_PUBLISHED;
}

// Whether the group of this end is of the round and has no partner in it. With `version`, only one whose file lacks
// these key columns.
static bool is_left(const struct round *round, const struct end *end, size_t group, const uint64_t *version) {
    const struct result *row = first_row(end->side, group);
    return end->joined_in[group] != round->number && !end->lone[group] &&
           (!end->device || strcmp(row->device, end->device) == 0) &&
           (!version || (row->unknown == *version && may_lack(row)));
}

// Groups that are left whose rows have one number: how many there are, and which is the last.
struct equal {
    size_t count, last;
};

static struct equal *count_equal(const struct round *round, const struct end *end, const uint64_t *version,
                                 unsigned same, uint64_t unknown, struct names *numbers, size_t numbers_max) {
    struct equal *equal = memory_zeros(numbers_max, sizeof *equal);
    for (size_t i = 0; i < end->side->count; i++) {
        if (is_left(round, end, i, version)) {
            const size_t number = row_number(numbers, first_row(end->side, i), same, unknown);
            equal[number].count++;
            equal[number].last = i;
        }
    }
    return equal;
}

// Joins the groups that are left whose rows are equal in `same` and occur once on both sides. With `versions`, one of
// each side, only by the key columns that both have. Returns how many.
static size_t join_left(struct round *round, unsigned same, const uint64_t versions[2]) {
    const size_t numbers_max = round->a.side->count + round->b.side->count;
    const uint64_t *of_a = versions, *of_b = versions ? versions + 1 : NULL, unknown = versions ? *of_a | *of_b : 0;
    struct names numbers = {0};
    struct equal *in_a = count_equal(round, &round->a, of_a, same, unknown, &numbers, numbers_max);
    const size_t numbers_of_a = numbers.count;
    struct equal *in_b =
        numbers_of_a ? count_equal(round, &round->b, of_b, same, unknown, &numbers, numbers_max) : NULL;
    size_t joined = 0;
    for (size_t i = 0; i < numbers_of_a; i++) {
        if (in_a[i].count == 1 && in_b[i].count == 1) {
            join_groups(round, in_a[i].last, in_b[i].last);
            joined++;
        }
    }
    names_clear(&numbers);
    free(in_a);
    free(in_b);
    return joined;
}

// ---- Files of versions with other columns ----

enum {
    VERSIONS_MAX = 8 // of files on a side, by the key columns that they lack
};

struct versions {
    uint64_t unknown[VERSIONS_MAX];
    size_t count;
};

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

// Joins what is left of files with different columns by the columns that both have, if these tell the rows apart.
static void join_less(struct round *round, unsigned same) {
    struct versions in_a, in_b;
    find_versions(&in_a, round->a.side);
    find_versions(&in_b, round->b.side);
    for (size_t i = 0; i < in_a.count * in_b.count; i++) {
        const uint64_t versions[] = {in_a.unknown[i / in_b.count], in_b.unknown[i % in_b.count]};
        if (versions[0] != versions[1]) {
            const size_t pairs = join_left(round, same, versions);
            round->joined->by_less += pairs;
            round->joined->unknown |= pairs > 0 ? versions[0] ^ versions[1] : 0;
        }
    }
}

// ---- Curves ----

struct curve_point {
    const struct result *row; // with a curve
    size_t group;
    const char *device; // empty across devices, of which a round has one on each side
};

static const double reach = 1.05; // the largest ratio of two footprints that join

static int compare_curves(const struct curve_point *a, const struct curve_point *b) {
    int order = strcmp(a->row->variant, b->row->variant);
    order = order ? order : strcmp(a->row->curve, b->row->curve);
    return order ? order : strcmp(a->device, b->device);
}

static int compare_points(const void *left, const void *right) {
    const struct curve_point *a = left, *b = right;
    const int order = compare_curves(a, b);
    return order ? order : (a->row->footprint > b->row->footprint) - (a->row->footprint < b->row->footprint);
}

static double distance(const struct curve_point *a, const struct curve_point *b) {
    return fabs(log(a->row->footprint / b->row->footprint));
}

// The nearest of the sorted points on the point's own curve, or NULL.
static const struct curve_point *find_nearest(const struct curve_point *points, size_t count,
                                              const struct curve_point *point) {
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_points(&points[middle], point) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const struct curve_point *nearest = NULL;
    for (size_t i = low > 0 ? low - 1 : 0; i < count && i <= low; i++) {
        const bool same_curve = compare_curves(&points[i], point) == 0;
        if (same_curve && (!nearest || distance(&points[i], point) < distance(nearest, point))) {
            nearest = &points[i];
        }
    }
    return nearest;
}

// The points that are left, sorted. Returns how many.
static size_t list_points(struct curve_point *points, const struct round *round, const struct end *end, bool across) {
    size_t count = 0;
    for (size_t i = 0; i < end->side->count; i++) {
        const struct result *row = first_row(end->side, i);
        if (is_left(round, end, i, NULL) && row->curve && row->occurrence == 0) {
            points[count++] = (struct curve_point){row, i, across ? "" : row->device};
        }
    }
    qsort(points, count, sizeof *points, compare_points);
    return count;
}

// Points of one device must have the same footprints, which have joined before, unless one of the two was published.
static bool may_differ(const struct result *a, const struct result *b, bool across) {
    return across || (a->source == SOURCE_PUBLISHED) != (b->source == SOURCE_PUBLISHED);
}

// Joins each point of b with the nearest of a, if it is on the same curve, within 5 %, and has no nearer point in b.
// With `across` the device differs.
static void join_curves(struct round *round, bool across) {
    struct curve_point *a = memory_zeros(round->a.side->count, sizeof *a);
    struct curve_point *b = memory_zeros(round->b.side->count, sizeof *b);
    const size_t a_count = list_points(a, round, &round->a, across), b_count = list_points(b, round, &round->b, across);
    for (size_t i = 0; i < b_count; i++) {
        const struct curve_point *nearest = find_nearest(a, a_count, &b[i]);
        if (nearest && distance(nearest, &b[i]) <= log(reach) && may_differ(nearest->row, b[i].row, across) &&
            find_nearest(b, b_count, nearest) == &b[i]) {
            join_groups(round, nearest->group, b[i].group);
        }
    }
    free(a);
    free(b);
}

// ---- Rounds ----

static void find_partners(struct round *round, bool across) {
    static const unsigned within[] = {SAME_ALL, SAME_DEVICE | SAME_RUN | SAME_SIZES};
    static const unsigned between[] = {SAME_RUN | SAME_SOURCE | SAME_SIZES, SAME_RUN | SAME_SIZES,
                                       SAME_RUN | SAME_SOURCE, SAME_RUN};
    const unsigned *steps = across ? between : within;
    const size_t step_count = across ? sizeof between / sizeof *between : sizeof within / sizeof *within;
    for (size_t i = 0; i < step_count; i++) {
        join_left(round, steps[i], NULL);
    }
    for (size_t i = 0; i < step_count; i++) {
        join_less(round, steps[i]);
    }
    join_curves(round, across);
}

static int by_group_of_b(const void *left, const void *right) {
    const struct pair *x = left, *y = right;
    return (x->b > y->b) - (x->b < y->b);
}

static void join_round(struct round *round, bool across) {
    const size_t first = round->joined->count;
    round->number++;
    find_partners(round, across);
    qsort(round->joined->pairs + first, round->joined->count - first, sizeof *round->joined->pairs, by_group_of_b);
}

static enum status find_devices(struct names *devices, const struct side *side, struct error *error) {
    for (size_t i = 0; i < side->count; i++) {
        if (names_number(devices, first_row(side, i)->device) >= DEVICES_MAX) {
            return error_set(error, STATUS_USAGE, "more than %d devices on one side: name fewer files", DEVICES_MAX);
        }
    }
    return STATUS_OK;
}

static enum status join_across(struct round *round, struct error *error) {
    struct names in_a = {0}, in_b = {0};
    enum status status = find_devices(&in_a, round->a.side, error);
    THEN(status, find_devices(&in_b, round->b.side, error));
    for (size_t i = 0; i < in_a.count * in_b.count && status == STATUS_OK; i++) {
        round->a.device = in_a.texts[i / in_b.count];
        round->b.device = in_b.texts[i % in_b.count];
        join_round(round, true);
    }
    names_clear(&in_a);
    names_clear(&in_b);
    return status;
}

static struct side list_only(const struct end *end) {
    const struct result **rows = memory_zeros(end->side->count, sizeof *rows);
    size_t count = 0;
    for (size_t i = 0; i < end->side->count; i++) {
        if (end->joined_in[i] == 0) {
            rows[count++] = first_row(end->side, i);
        }
    }
    const struct side only = side_make(rows, count, SAME_KIND);
    free(rows);
    return only;
}

// Finds the groups that can have no partner. Each device of the other side has a round with several steps, and each
// step puts a key together for every group that is left, so these would cost most where the other side is small.
static bool *find_lone(const struct side *side, const struct side *other) {
    struct names variants = {0};
    bool *lone = memory_zeros(side->count, sizeof *lone);
    for (size_t i = 0; i < other->count; i++) {
        row_number(&variants, first_row(other, i), 0, 0);
    }
    const size_t known = variants.count;
    for (size_t i = 0; i < side->count; i++) {
        lone[i] = row_number(&variants, first_row(side, i), 0, 0) >= known;
    }
    names_clear(&variants);
    return lone;
}

static struct end end_make(const struct side *side, const struct side *other) {
    return (struct end){
        .side = side, .joined_in = memory_zeros(side->count, sizeof(size_t)), .lone = find_lone(side, other)};
}

static void end_clear(struct end *end) {
    free(end->joined_in);
    free(end->lone);
}

enum status join(struct joined *joined, const struct side *a, const struct side *b, bool across, struct error *error) {
    struct round round = {0, end_make(a, b), end_make(b, a), joined};
    // One side has one device if rows join across devices, so each group of the other joins once at most.
    *joined = (struct joined){.pairs = memory_zeros(a->count + b->count, sizeof *joined->pairs)};
    enum status status = STATUS_OK;
    if (across) {
        status = join_across(&round, error);
    } else {
        join_round(&round, false);
    }
    if (status == STATUS_OK) {
        joined->only_a = list_only(&round.a);
        joined->only_b = list_only(&round.b);
    }
    end_clear(&round.a);
    end_clear(&round.b);
    return status;
}

void joined_clear(struct joined *joined) {
    free(joined->pairs);
    side_clear(&joined->only_a);
    side_clear(&joined->only_b);
    *joined = (struct joined){0};
}
