// What several unit tests assert. Include it after cmocka.h.
#ifndef TESTS_UNIT_ASSERTIONS_H
#define TESTS_UNIT_ASSERTIONS_H

#include <math.h>
#include <string.h>

#include "util/error.h"

static inline void assert_contains(const char *text, const char *part) {
    if (!text || !strstr(text, part)) {
        fail_msg("\"%s\" is not in \"%s\"", part, text ? text : "(nothing)");
    }
}

static inline void assert_ok(enum status status, const struct error *error) {
    if (status != STATUS_OK) {
        fail_msg("status %d: %s\n%s", (int)status, error->text, error->log ? error->log : "");
    }
}

// A value that is no number fails, too.
static inline void assert_within(double found, double expected, double percent) {
    if (!(fabs(found / expected - 1) * 100 <= percent)) {
        fail_msg("%g is not within %g %% of %g", found, percent, expected);
    }
}

#endif
