#include "tools/lanes/output.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum status text_file_open(const char *path, FILE **file, struct error *error) {
    *file = strcmp(path, "-") ? fopen(path, "w") : stdout;
    if (!*file) {
        return error_set(error, STATUS_USAGE, "%.200s: cannot be written: %s", path, strerror(errno));
    }
    return STATUS_OK;
}

enum status text_file_close(const char *path, FILE *file, struct error *error) {
    bool failed = fflush(file) != 0 || ferror(file);
    int reason = errno;
    if (file != stdout && fclose(file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (failed) {
        return error_set(error, STATUS_FAILED, "%.200s: not written completely: %s",
                         file == stdout ? "standard output" : path, strerror(reason));
    }
    return STATUS_OK;
}

static const char *certainty_meaning(const char *certainty) {
    if (strcmp(certainty, "open") == 0) {
        return "open, not confirmed on this part";
    }
    if (strcmp(certainty, "guess") == 0) {
        return "a guess, from a related part";
    }
    return certainty;
}

static const char *plural(uint32_t count) {
    return count == 1 ? "" : "s";
}

void panel_summary(const struct panel *panel, char lines[SUMMARY_LINES][SUMMARY_WIDTH]) {
    const struct cost *cost = &panel->cost;
    char used[16] = "-";
    if (!isnan(cost->efficiency_pct)) {
        snprintf(used, sizeof used, "%.1f %%", cost->efficiency_pct);
    }
    if (cost->space == SPACE_SHARED) {
        snprintf(lines[0], SUMMARY_WIDTH, "%u pass%s, %u bank conflict%s", cost->passes, cost->passes == 1 ? "" : "es",
                 cost->conflicts, plural(cost->conflicts));
        snprintf(lines[1], SUMMARY_WIDTH, "shared efficiency %s", used);
        snprintf(lines[2], SUMMARY_WIDTH, "rule: %s", certainty_meaning(cost->certainty));
        return;
    }
    snprintf(lines[0], SUMMARY_WIDTH, "%u sector%s of %u bytes, %u line%s", cost->sectors, plural(cost->sectors),
             cost->sector_bytes, cost->lines, plural(cost->lines));
    snprintf(lines[1], SUMMARY_WIDTH, "efficiency %s", used);
    snprintf(lines[2], SUMMARY_WIDTH, "%u distinct byte%s requested", cost->unique_bytes, plural(cost->unique_bytes));
}
