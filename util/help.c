#include "util/help.h"

#include <stdio.h>

#include "util/wrap.h"

void help_begin(const char *program, const char *summary, const char *operands, const struct option_table *tables,
                size_t count) {
    const char *name = program_name(program);
    printf("%s: %s\n\nUsage: %s [OPTION]...%s\n\n", name, summary, name, operands);
    options_help(tables, count);
}

void help_text(const char *text) {
    printf("\n");
    wrap_text(stdout, text, 0, 0);
    printf("\n");
}
