#include "model/gpu_origin.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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
