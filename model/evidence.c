#include "model/evidence.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

// The errors are those of docs/validation.md: `sh scripts/validate.sh` prints them. Of `levels` the worst variant's
// stands here.

#define H200_ROWS(probe) "results/h200/" probe ".csv"
#define H100_ROWS(probe) "results/h100/" probe ".csv; no figure was fitted on them"

#define STREAMS "read|write|copy|triad"

const struct checked_time checked_times[] = {
    {"h200", "gmem", EVIDENCE_MEASURED, 7.7, H200_ROWS("gmem"), NULL, NULL},
    {"h200", "smem", EVIDENCE_MEASURED, 3.5, H200_ROWS("smem"), NULL, NULL},
    {"h200", "smem", EVIDENCE_MEASURED, 4.7,
     H200_ROWS("smem-clusters") "; the rules were fitted on them and on an H100's", "remote-", NULL},
    {"h200", "levels", EVIDENCE_MEASURED, 6.5, H200_ROWS("levels"), NULL, NULL},
    {"h200", "levels", EVIDENCE_MEASURED, 10.2, H200_ROWS("levels-in-flight"), "in-flight", NULL},
    {"h200", "reduce", EVIDENCE_MEASURED, 10, H200_ROWS("reduce"), NULL, NULL},
    {"h200", "apsp", EVIDENCE_MEASURED, 11.8, H200_ROWS("apsp"), NULL, NULL},
    {"h100", "gmem", EVIDENCE_MEASURED, 14, H100_ROWS("gmem"), NULL, NULL},
    {"h100", "smem", EVIDENCE_MEASURED, 3.4, H100_ROWS("smem"), NULL, NULL},
    {"h100", "smem", EVIDENCE_MEASURED, 6.4,
     "results/h100/smem-clusters.csv; the rules were fitted on them and on an H200's", "remote-", NULL},
    {"h100", "levels", EVIDENCE_MEASURED, 27.2,
     "results/h100/levels.csv; rates of L2, what copies crowd and L1 beyond "
     "320 KiB were chosen after these rows were seen",
     NULL, NULL},
    {"h100", "levels", EVIDENCE_MEASURED, 11.3, H100_ROWS("levels-in-flight"), "in-flight", NULL},
    {"h100", "reduce", EVIDENCE_MEASURED, 21.3, H100_ROWS("reduce"), NULL, NULL},
    {"h100", "apsp", EVIDENCE_MEASURED, 11.8, H100_ROWS("apsp"), NULL, NULL},
    {"v100", "levels", EVIDENCE_PUBLISHED, 7.5, "latency.csv, working-set.csv", NULL, NULL},
    {"a100", "levels", EVIDENCE_PUBLISHED, 5.3, "latency.csv, l2-bandwidth.csv, working-set.csv", NULL, NULL},
    {"rtx3080", "reduce", EVIDENCE_PUBLISHED, 12.9, "reduce-rtx3080.csv", NULL, NULL},
    {"gtx1080", "apsp", EVIDENCE_PUBLISHED, 25, "apsp-gtx1080-time.csv", NULL, NULL},
    {"mi100", "gmem", EVIDENCE_PUBLISHED, 6.1, "amd/stream.csv: best rates, on which two of its rates are fitted", NULL,
     STREAMS},
    {"mi210", "gmem", EVIDENCE_PUBLISHED, 10.6, "amd/stream.csv, and amd/spatter-mi210.csv from stride 2 on", NULL,
     NULL},
    {"mi210", "levels", EVIDENCE_PUBLISHED, 8.8, "latency.csv, l2-bandwidth.csv", NULL, NULL},
    {"mi300x", "gmem", EVIDENCE_PUBLISHED, 5.4, "amd/stream.csv: best rates, on which two of its rates are fitted",
     NULL, STREAMS},
    {"mi300x", "levels", EVIDENCE_PUBLISHED, 13, "latency.csv", NULL, "latency"},
    {"mi300x", "levels", EVIDENCE_PUBLISHED, 32.1, "working-set.csv, on which the L3's rate is fitted", NULL,
     "bandwidth"},
    {"rx6900xt", "gmem", EVIDENCE_PUBLISHED, 8.5, "amd/stream.csv: best rates, on which two of its rates are fitted",
     NULL, STREAMS},
};

const size_t checked_time_count = sizeof checked_times / sizeof *checked_times;

const char *evidence_name(enum evidence evidence) {
    static const char *const names[] = {"measured", "published", "derived", "guess"};
    return names[evidence];
}

// Whether the model was held against a part with the same mechanisms: NVIDIA from Volta on, and CDNA.
static bool family_is_checked(const struct gpu *gpu) {
    return (gpu->vendor == VENDOR_NVIDIA || gpu->warp_width == 64) &&
           list_place("sm_35|sm_61|gfx906", '|', gpu->arch) < 0;
}

// What is checked apart on one part is covered by no other rows of another part.
static bool is_apart(const char *probe, const char *variant) {
    bool apart = false;
    for (size_t i = 0; i < checked_time_count; i++) {
        const char *own = checked_times[i].apart;
        apart |= own && strcmp(checked_times[i].probe, probe) == 0 && strncmp(variant, own, strlen(own)) == 0;
    }
    return apart;
}

static bool is_of(const struct checked_time *check, const char *probe, const char *variant) {
    const bool covered = !check->only || list_place(check->only, '|', variant) >= 0;
    return covered &&
           (check->apart ? strncmp(variant, check->apart, strlen(check->apart)) == 0 : !is_apart(probe, variant));
}

struct checked_time checked_time(const struct gpu *gpu, const char *probe, const char *variant) {
    const struct checked_time *found = NULL;
    for (size_t i = 0; i < checked_time_count; i++) {
        const struct checked_time *check = &checked_times[i];
        if (strcmp(check->part, gpu->name) == 0 && strcmp(check->probe, probe) == 0 && is_of(check, probe, variant)) {
            found = check;
        }
    }
    if (found) {
        return *found;
    }
    return (struct checked_time){.part = gpu->name,
                                 .probe = probe,
                                 .evidence = family_is_checked(gpu) ? EVIDENCE_DERIVED : EVIDENCE_GUESS,
                                 .error_pct = NAN,
                                 .against = "nothing"};
}

// ---- Where a figure of the table of GPUs comes from, and how surely it is known ----

// A source consists of statements, separated by "; " outside parentheses. Each names figures and their origin; the last
// one that names a figure is the one that its value follows.
static size_t statement_length(const char *text) {
    int depth = 0;
    size_t length = 0;
    for (; text[length]; length++) {
        depth += (text[length] == '(') - (text[length] == ')');
        if (depth == 0 && strncmp(text + length, "; ", 2) == 0) {
            break;
        }
    }
    return length;
}

static bool begins_item(const char *statement, size_t at) {
    static const char *const before[] = {": ", ", ", "and "};
    bool begins = at == 0;
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t length = strlen(before[i]);
        begins = begins || (at >= length && strncmp(statement + at - length, before[i], length) == 0);
    }
    return begins;
}

static bool ends_item(const char *rest, size_t length) {
    static const char *const after[] = {":", ",", ")", " (", " [", " and ", " of "};
    bool ends = length == 0;
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        ends = ends || (length >= strlen(after[i]) && strncmp(rest, after[i], strlen(after[i])) == 0);
    }
    return ends;
}

// Whether one item of the statement's lists begins with the name.
static bool lists(const char *statement, size_t length, const char *name, size_t name_length) {
    for (size_t at = 0; at + name_length <= length; at++) {
        if (strncmp(statement + at, name, name_length) == 0 && begins_item(statement, at) &&
            ends_item(statement + at + name_length, length - at - name_length)) {
            return true;
        }
    }
    return false;
}

static bool states(const char *statement, size_t length, const char *figure) {
    for (const char *name = figure; *name;) {
        const size_t name_length = strcspn(name, "|");
        if (lists(statement, length, name, name_length)) {
            return true;
        }
        name += name_length + (name[name_length] == '|');
    }
    return false;
}

// A statement ends with "[measured]", "[derived]" or "[guess]" unless it is published.
static enum evidence evidence_of(const char *statement, size_t length) {
    static const enum evidence marked[] = {EVIDENCE_MEASURED, EVIDENCE_DERIVED, EVIDENCE_GUESS};
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++) {
        char mark[16];
        const size_t mark_length = (size_t)snprintf(mark, sizeof mark, "[%s]", evidence_name(marked[i]));
        if (length >= mark_length && strncmp(statement + length - mark_length, mark, mark_length) == 0) {
            return marked[i];
        }
    }
    return EVIDENCE_PUBLISHED;
}

enum evidence gpu_origin(const struct gpu *gpu, const char *figure, char *text, size_t size) {
    enum evidence known = EVIDENCE_GUESS;
    size_t used = 0;
    text[0] = '\0';
    for (const char *at = gpu->source; *at;) {
        const size_t length = statement_length(at);
        if (states(at, length, figure) && used < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? "; " : "", (int)length, at);
            known = evidence_of(at, length);
        }
        at += length + (at[length] ? strlen("; ") : 0);
    }
    return known;
}
