#include "bench/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct {
    enum verdict verdict;
    const char *name;
} names[] = {
    {VERDICT_NOISY, "noisy"},           {VERDICT_DRIFTING, "drifting"},     {VERDICT_WAITED, "waited"},
    {VERDICT_THROTTLED, "throttled"},   {VERDICT_ABOVE_PEAK, "above-peak"}, {VERDICT_CACHE_RESIDENT, "cache-resident"},
    {VERDICT_UNVERIFIED, "unverified"},
};

unsigned verdicts_of_time(const struct statistics *time_ns, double noise_pct) {
    const bool narrow = statistics_interval_pct(time_ns) <= noise_pct; // not if there is no interval
    return (narrow ? 0u : VERDICT_NOISY) | (100 * fabs(time_ns->drift) > noise_pct ? VERDICT_DRIFTING : 0u);
}

void verdict_format(char to[ROW_TEXT], unsigned verdicts) {
    to[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (verdicts & names[i].verdict) {
            size_t used = strlen(to);
            snprintf(to + used, ROW_TEXT - used, "%s%s", used ? "+" : "", names[i].name);
        }
    }
    if (to[0] == '\0') {
        snprintf(to, ROW_TEXT, "ok");
    }
}
