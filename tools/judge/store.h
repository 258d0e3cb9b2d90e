// The times of millions of rows in little memory: they wait in a temporary file until their group is judged.
#ifndef TOOLS_JUDGE_STORE_H
#define TOOLS_JUDGE_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bench/keys.h"
#include "util/error.h"
#include "util/text.h"

// What one row of one GPU measured.
struct record {
    uint32_t group, gpu;
    double cost;      // the time, or that for a unit of a rate: the less, the faster
    uint64_t earlier; // 1: of the fleet that this one is compared with; wide, so that all bytes of a record are set
};
_Static_assert(sizeof(struct record) == 2 * sizeof(uint32_t) + sizeof(double) + sizeof(uint64_t),
               "records are written with all their bytes");

// Rows that ran the same on GPUs of one model.
struct group {
    const char *work;   // what was run: the rest of its key, which begins with the model
    char *name;         // of the row, for people; who adds the group sets it
    uint64_t count;     // of its records
    enum figure figure; // of its records
    double reference;   // cost of the reference's row; 0: it has none
};

struct store {
    FILE *file;
    struct group *groups;
    uint32_t count;
    struct names keys; // of the groups: the model, and what was run
};

// The figure as people know it, of its cost; and the other way round.
static inline double store_value(enum figure figure, double cost) {
    return figure_kinds[figure].less_is_faster ? cost : 1 / cost;
}

enum status store_open(struct store *store, struct error *error);
void store_close(struct store *store);

// The number of the key's group, which is added without a name if it is new. `work_at` is where the key's part begins
// that says what was run.
uint32_t store_group(struct store *store, const char *key, size_t work_at, enum figure figure);
enum status store_add(struct store *store, const struct record *record, struct error *error);

// Calls judge for each group with all of its records. The memory that this takes depends on the largest group.
typedef void group_judge(void *context, const struct group *group, const struct record *records, size_t count);
enum status store_judge(struct store *store, group_judge *judge, void *context, struct error *error);

#endif
