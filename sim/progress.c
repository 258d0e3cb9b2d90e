#include "sim/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/clock.h"

// What a terminal does at these codes.
#define SAVE_PLACE "\0337"
#define RETURN_TO_PLACE "\0338"
#define NO_WRAP "\033[?7l"
#define WRAP "\033[?7h"
#define CLEAR_REST "\033[K"

static const double FIRST_S = 1, AGAIN_S = 0.2, LINES_S = 60;

enum sim_progress_form sim_progress_form(void) {
    const char *asked = getenv("BANKSHOT_SIM_PROGRESS");
    return isatty(STDERR_FILENO)                ? SIM_PROGRESS_ON_TERMINAL
           : asked && strcmp(asked, "yes") == 0 ? SIM_PROGRESS_IN_LINES
                                                : SIM_PROGRESS_NONE;
}

void sim_progress_begin(struct sim_progress *progress, enum sim_progress_form form, const char *kernel, size_t total) {
    *progress =
        (struct sim_progress){.form = form, .kernel = kernel, .total = total, .begun_s = clock_s(), .next_s = FIRST_S};
}

static void write_progress(const struct sim_progress *progress, double passed_s) {
    char left[32] = "";
    if (progress->done > 0) {
        const double block_s = passed_s / (double)progress->done;
        snprintf(left, sizeof left, ", %.0f s left", block_s * (double)(progress->total - progress->done));
    }
    const char *const before = progress->form == SIM_PROGRESS_IN_LINES ? "" : SAVE_PLACE NO_WRAP " ";
    const char *const after = progress->form == SIM_PROGRESS_IN_LINES ? "\n" : CLEAR_REST WRAP RETURN_TO_PLACE;
    const char *const why = progress->one_thread;
    fprintf(stderr, "%skernel %.40s: %zu of %zu blocks%s%s%s%s", before, progress->kernel, progress->done,
            progress->total, left, why ? ", on one thread because " : "", why ? why : "", after);
    fflush(stderr);
}

void sim_progress_show(struct sim_progress *progress) {
    if (progress->form == SIM_PROGRESS_NONE) {
        return;
    }
    const double passed_s = clock_s() - progress->begun_s;
    if (passed_s < progress->next_s) {
        return;
    }
    write_progress(progress, passed_s);
    const double more_s = passed_s < LINES_S ? passed_s : LINES_S;
    progress->next_s = passed_s + (progress->form == SIM_PROGRESS_IN_LINES ? more_s : AGAIN_S);
}

void sim_progress_end(struct sim_progress *progress) {
    if (progress->form == SIM_PROGRESS_ON_TERMINAL && progress->next_s > FIRST_S) {
        fputs(CLEAR_REST, stderr);
        fflush(stderr);
    }
    progress->form = SIM_PROGRESS_NONE;
}
