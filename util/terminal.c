#include "util/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool terminal_has_colour(FILE *stream) {
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(refused && *refused) && terminal && strcmp(terminal, "dumb") != 0;
}
