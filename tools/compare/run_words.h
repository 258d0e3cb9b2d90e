// The words "column=value" that say what a row ran.
#ifndef TOOLS_COMPARE_RUN_WORDS_H
#define TOOLS_COMPARE_RUN_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    RUN_WORDS = 2048 // characters of such a text
};

// Copies the words of `from` that `other` has, or those that it lacks. `to` may be `from`.
void run_words_keep(char to[RUN_WORDS], const char *from, const char *other);
void run_words_drop(char to[RUN_WORDS], const char *from, const char *other);

// Copies the words of `from` but those of unknown key columns (bench/keys.h; bit N is number N). Returns where in `to`
// the words begin that stood from `sizes_at` on in `from`.
size_t run_words_known(char to[RUN_WORDS], const char *from, size_t sizes_at, uint64_t unknown);

// Writes what A and B ran, for people: "stride=2" if both did, "stride=2/3" if they differ, "stride=2/-" if A
// alone has the column. Sizes are written as options take them: "elements=64K".
void run_words_join(FILE *to, const char *a, const char *b);

#endif
