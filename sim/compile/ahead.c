#include "sim/compile/ahead.h"

#include <string.h>

#include "sim/compile/assembly.h"

static struct text skip(struct text text, const char *characters) {
    while (text.length && strchr(characters, *text.begin)) {
        text.begin++;
        text.length--;
    }
    return text;
}

static struct text called_by(struct text line) {
    while (line.length && !strchr(" \t", *line.begin)) {
        line.begin++;
        line.length--;
    }
    line = skip(line, " \t*");
    return (struct text){line.begin, strcspn(line.begin, "@ \t\n")};
}

// __tls_get_addr finds C++'s variables in shared memory.
static bool is_hook(struct text name) {
    static const char *const hooks[] = {"__tsan_", "__sanitizer_cov_trace_pc", "sim_", "__tls_get_addr", NULL};
    return text_begins_with(name, hooks);
}

static bool is_defined(const char *assembly, struct text name) {
    for (const char *at = assembly; name.length && (at = memmem(at, strlen(at), name.begin, name.length)); at++) {
        if (at[name.length] == ':' && (at == assembly || at[-1] == '\n')) {
            return true;
        }
    }
    return false;
}

bool sim_may_run_ahead(const char *assembly) {
    for (const char *next = assembly; *next; next += *next == '\n') {
        const size_t length = strcspn(next, "\n");
        const struct text line = skip((struct text){next, length}, " \t");
        if (line_calls(line) && !is_hook(called_by(line)) && !is_defined(assembly, called_by(line))) {
            return false;
        }
        next += length;
    }
    return true;
}
