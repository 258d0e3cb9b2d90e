#include "sim/time/work_log.h"

#include <stdio.h>
#include <stdlib.h>

// A file that cannot be written lacks records, which its reader finds.
static void append(enum work_record_kind kind, const void *record, size_t bytes, const void *more, size_t more_bytes) {
    const char *name = getenv("BANKSHOT_SIM_WORK");
    FILE *file = name ? fopen(name, "ab") : NULL;
    if (file) {
        fwrite(&kind, sizeof kind, 1, file);
        fwrite(record, bytes, 1, file);
        fwrite(more, 1, more_bytes, file);
        fclose(file);
    }
}

void sim_work_log_launch(const struct launch_record *launch) {
    append(WORK_OF_LAUNCH, launch, sizeof *launch, launch->work.intervals,
           launch->work.interval_count * sizeof *launch->work.intervals);
}

void sim_work_log_span(const struct span_record *span) {
    append(WORK_OF_SPAN, span, sizeof *span, NULL, 0);
}
