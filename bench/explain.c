#include "bench/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/keys.h"
#include "bench/output.h"
#include "bench/row.h"
#include "util/embed.h"
#include "util/text.h"

EMBED_FILE(csv_columns_md, "docs/csv.md");

enum {
    INDENT = 4
};

// The line of the page's table whose first cell names the column; NULL if there is none.
static const char *find_line(const char *column) {
    char name[ROW_TEXT];
    const int length = snprintf(name, sizeof name, "`%s`", column);
    const char *line = strstr(csv_columns_md, "\n## Columns");
    while (line && (line = strstr(line, "\n| `"))) {
        line += strlen("\n| ");
        const char *found = strstr(line, name), *end = strstr(line, " | ");
        if (found && end && found + length <= end) {
            return line;
        }
    }
    return NULL;
}

// Copies text up to `end` without Markdown's marks: [text](link) becomes text, and backticks go.
static void copy_plain(char *to, const char *text, const char *end) {
    while (text < end) {
        const char *link = text[0] == ']' && text[1] == '(' ? strchr(text, ')') : NULL;
        if (link) {
            text = link + 1;
        } else if (*text == '`' || *text == '[') {
            text++;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

char *explain_meaning(size_t column) {
    const char *line = find_line(row_column_name(column));
    const char *meaning = line ? strstr(line, " | ") : NULL;
    const char *end = meaning ? strstr(meaning, " |\n") : NULL;
    if (!end) {
        return NULL;
    }
    char *plain = memory_zeros((size_t)(end - meaning) + 1, 1);
    copy_plain(plain, meaning + strlen(" | "), end);
    return plain;
}

static enum status print_meaning(size_t column, const char *name, struct error *error) {
    char *plain = explain_meaning(column);
    if (!plain) {
        return error_set(error, STATUS_FAILED, "%s: docs/csv.md says nothing of it: add a line", name);
    }
    const char *unit = row_column_unit(column);
    printf("%s%s%s%s\n%*s", row_column_name(column), unit ? " (" : "", unit ? unit : "", unit ? ")" : "", INDENT, "");
    wrap_text(stdout, plain, INDENT, INDENT);
    printf("\n");
    free(plain);
    return STATUS_OK;
}

static enum status print_keys(void) {
    for (size_t i = 0; i < key_column_count; i++) {
        puts(key_columns[i].name);
    }
    return STATUS_OK;
}

enum status explain_column(const char *name, struct error *error) {
    if (strcmp(name, "keys") == 0) {
        return print_keys();
    }
    size_t column = row_column_find(name);
    const bool all = strcmp(name, "all") == 0;
    bool found = false;
    for (size_t i = 0; i < ROW_COLUMN_COUNT; i++) {
        if (all || i == column || strcmp(table_heading((enum row_column)i), name) == 0) {
            TRY(print_meaning(i, name, error));
            found = true;
        }
    }
    return found ? STATUS_OK
                 : error_set(error, STATUS_USAGE, "--explain %.100s: there is no such column: see docs/csv.md", name);
}
