// Tells on standard error how much of a long launch is done.
#ifndef SIM_PROGRESS_H
#define SIM_PROGRESS_H

#include <stddef.h>

enum sim_progress_form {
    SIM_PROGRESS_NONE,
    SIM_PROGRESS_ON_TERMINAL, // behind what stands on the line, and removed in the end
    SIM_PROGRESS_IN_LINES     // after 1, 2, 4, ... seconds and later every minute
};

struct sim_progress {
    enum sim_progress_form form;
    const char *kernel;
    size_t done, total; // blocks
    double begun_s, next_s;
    const char *one_thread; // why the launch does not run on several; NULL: it does, or may yet
};

// The form that standard error and the variable BANKSHOT_SIM_PROGRESS allow: nothing if it is no terminal, unless the
// variable is "yes".
enum sim_progress_form sim_progress_form(void);

void sim_progress_begin(struct sim_progress *progress, enum sim_progress_form form, const char *kernel, size_t total);

// Call this now and then; it seldom writes.
void sim_progress_show(struct sim_progress *progress);

void sim_progress_end(struct sim_progress *progress);

#endif
