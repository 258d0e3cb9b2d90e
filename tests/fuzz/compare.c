// A fuzzer of the CSV files that compare reads. Any bytes must be refused with one line or yield rows that can be
// compared.
//   make build/tests/fuzz_compare           the corpus once over, with any compiler: the program's arguments are files
//   make FUZZ=1 CC=clang build/tests/fuzz_compare && build/tests/fuzz_compare -max_total_time=120 CORPUS
//   tests/data/compare
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/mutate.h"
#include "tools/compare/judge.h"
#include "tools/compare/results.h"
#include "tools/compare/side.h"

// A file compared with itself has the same rows on both sides.
static void check(const struct results *results) {
    const struct result **rows = memory_zeros(results->count, sizeof *rows);
    struct joined joined;
    struct error error = {0};
    for (size_t i = 0; i < results->count; i++) {
        rows[i] = &results->rows[i];
    }
    struct side side = side_make(rows, results->count, SAME_ALL);
    if (join(&joined, &side, &side, false, &error) != STATUS_OK) {
        abort();
    }
    struct judgement judgement = judge(&joined, 0.01, 0.1);
    if (joined.count != results->count || judgement.outcomes[OUTCOME_SAME] != joined.count) {
        abort();
    }
    judgement_clear(&judgement);
    joined_clear(&joined);
    side_clear(&side);
    free(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/bankshot-fuzz.XXXXXX";
    struct results results = {0};
    struct error error = {0};
    const int file = mkstemp(path);
    if (file < 0 || write(file, data, size) != (ssize_t)size) {
        abort();
    }
    close(file);
    if (results_read(&results, path, &error) == STATUS_OK) {
        check(&results);
    } else if (error.text[0] == '\0' || strchr(error.text, '\n')) {
        abort(); // one line must say what is wrong
    }
    results_clear(&results);
    unlink(path);
    return 0;
}
