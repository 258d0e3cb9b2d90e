// State that reduce keeps for a run of the program.
#ifndef REDUCE_REDUCE_SESSION_H
#define REDUCE_REDUCE_SESSION_H

#include "reduce/reduce_summary.h"

struct reduce_session {
    const char *type; // the value of --type
    struct reduce_summary summary;
    struct reduce_known known;
};

static inline struct reduce_session *reduce_session(const struct run *run) {
    return run->session;
}

#endif
