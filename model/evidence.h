// How far a predicted time can be trusted: what was held against it, by part and probe.
#ifndef MODEL_EVIDENCE_H
#define MODEL_EVIDENCE_H

#include <stddef.h>

#include "model/gpus.h"

enum evidence {
    EVIDENCE_MEASURED,  // held against rows of this project on the part
    EVIDENCE_PUBLISHED, // held against what others measured on it
    EVIDENCE_DERIVED,   // the mechanisms were held against a related part, nothing against this probe on this part
    EVIDENCE_GUESS      // nothing was held against any part of its family
};

// "measured", "published", "derived", "guess".
const char *evidence_name(enum evidence evidence);

struct checked_time {
    const char *part, *probe;
    enum evidence evidence;
    double error_pct; // nine of ten rows were nearer; NaN: nothing was held against the prediction
    const char *against;
    const char
        *apart; // the check is of variants whose names begin so, and no other check covers them; NULL: of the others
    const char *only; // of these alone the check is, separated by '|'; NULL: of all
};

// What is known of the times of this probe's variant on this part.
struct checked_time checked_time(const struct gpu *gpu, const char *probe, const char *variant);

// The rows with a check. docs/validation.md begins with this list.
extern const struct checked_time checked_times[];
extern const size_t checked_time_count;

// ---- Where a figure of the table of GPUs comes from, and how surely it is known ----

// Copies what the row's source says of a figure into `text`, and returns how the figure is known. figure: its name in
// the source, alternatives separated by '|'. Without a word of it the text is empty and the figure a guess.
enum evidence gpu_origin(const struct gpu *gpu, const char *figure, char *text, size_t size);

#endif
