#include "bench/plan_thin.h"

#include <math.h>
#include <string.h>

#include "bench/plan_cost.h"
#include "bench/points.h"

enum {
    LONG_SWEEP = 256
};
// How much a value tells: the ends of a sweep and powers of two more than the values between.
static const double WEIGHT_END = 8, WEIGHT_POWER = 4, WEIGHT_OTHER = 1;
static const double WEIGHT_STEP = 0.1; // a value that a coarser sweep would have as well tells a little more

struct candidate {
    struct planned *planned;
    size_t parameter, index;
    double gain; // seconds saved over weight
};

static double weight(const struct sweep *sweep, size_t index) {
    const uint64_t value = sweep->values[index];
    if (index == 0 || index == sweep->count - 1) {
        return WEIGHT_END;
    }
    const double kind = (value & (value - 1)) == 0 ? WEIGHT_POWER : WEIGHT_OTHER;
    return kind * (1 + WEIGHT_STEP * __builtin_ctzll(index));
}

// A sweep that the user gave stays whole unless the user also gave a budget.
static void consider(struct planned *planned, size_t parameter, bool given, struct candidate *best) {
    const struct run *run = planned->run;
    const struct sweep *sweep = &run->sweeps[parameter];
    if (sweep->count < 2 || run->defaulted[parameter] == given) {
        return;
    }
    const size_t headline = plan_headline_index(planned, parameter);
    for (size_t i = 0; i < sweep->count; i++) {
        const double gain = planned->share_s[parameter][i] / weight(sweep, i);
        if (i != headline && gain > best->gain) {
            *best = (struct candidate){planned, parameter, i, gain};
        }
    }
}

static struct candidate find_candidate(const struct plan *plan, size_t first, bool given) {
    struct candidate best = {0};
    for (size_t i = first; i < plan->count; i++) {
        for (size_t k = 0; k < plan->planned[i].run->probe->parameter_count; k++) {
            consider(&plan->planned[i], k, given, &best);
        }
    }
    return best;
}

// A long sweep loses every second value at once, because choosing values one by one would take longer than measuring
// them.
static void halve(struct sweep *sweep, size_t headline) {
    size_t kept = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        if (i % 2 == 0 || i == headline || i == sweep->count - 1) {
            sweep->values[kept++] = sweep->values[i];
        }
    }
    sweep->count = kept;
}

static void leave_out(const struct plan *plan, const struct candidate *candidate) {
    struct sweep *sweep = &candidate->planned->run->sweeps[candidate->parameter];
    uint64_t *at = &sweep->values[candidate->index];
    if (sweep->count > LONG_SWEEP) {
        halve(sweep, plan_headline_index(candidate->planned, candidate->parameter));
    } else {
        sweep->count--;
        memmove(at, at + 1, (sweep->count - candidate->index) * sizeof *at);
    }
    plan_sum(plan, candidate->planned);
}

static double need_s(const struct plan *plan, size_t first) {
    double sum = 0;
    for (size_t i = first; i < plan->count; i++) {
        sum += plan_run_s(plan, &plan->planned[i], 0);
    }
    return sum;
}

static void restore(const struct plan *plan, struct planned *planned) {
    for (size_t k = 0; k < planned->run->probe->parameter_count; k++) {
        struct sweep *sweep = &planned->run->sweeps[k];
        if (planned->whole[k].count > 0) {
            memcpy(sweep->values, planned->whole[k].values, planned->whole[k].count * sizeof *sweep->values);
            sweep->count = planned->whole[k].count;
        }
    }
    plan_sum(plan, planned);
}

void plan_thin(struct plan *plan, size_t first, double left_s) {
    for (size_t i = first; i < plan->count; i++) {
        restore(plan, &plan->planned[i]);
    }
    double need = need_s(plan, first);
    bool given = false;
    while (need > left_s) {
        const struct candidate candidate = find_candidate(plan, first, given);
        if (candidate.planned) {
            need -= plan_run_s(plan, candidate.planned, 0);
            leave_out(plan, &candidate);
            need += plan_run_s(plan, candidate.planned, 0);
        } else if (!given && plan->settings->budget_given) {
            given = true;
        } else {
            return;
        }
    }
}
