#include "util/help.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"
#include "util/version.h"

enum {
    OPTION_COLUMN = 25, // where the meaning of an option or a term begins
    HEAD_MAX = 128
};

// "-v, --variant A[,B]"
static void write_head(char head[HEAD_MAX], const struct option_row *row) {
    char letter[8] = "";
    if (row->short_name) {
        snprintf(letter, sizeof letter, "-%c, ", row->short_name);
    }
    snprintf(head, HEAD_MAX, "%s%s%s%s%s", letter, row->name[0] ? "--" : "", row->name,
             row->name[0] && row->argument ? " " : "", row->argument ? row->argument : "");
}

typedef void write_option(const struct option_row *row);

static void for_each_option(const struct help *help, write_option *write) {
    for (size_t i = 0; i < help->table_count; i++) {
        for (size_t k = 0; k < help->tables[i].count; k++) {
            if (help->tables[i].rows[k].help) {
                write(&help->tables[i].rows[k]);
            }
        }
    }
}

// ---- For people ----

static void print_option(const struct option_row *row) {
    char head[HEAD_MAX];
    write_head(head, row);
    const int column = 2 + (int)strlen(head);
    if (column >= OPTION_COLUMN) {
        printf("  %s\n%*s", head, OPTION_COLUMN, "");
    } else {
        printf("  %-*s", OPTION_COLUMN - 2, head);
    }
    wrap_text(stdout, row->help, OPTION_COLUMN, OPTION_COLUMN);
    printf("\n");
}

static void print_paragraphs(const char *text) {
    if (text) {
        printf("\n");
        wrap_text(stdout, text, 0, 0);
        printf("\n");
    }
}

static void print_text(const struct help *help) {
    const char *name = program_name(help->program);
    printf("%s: %s\n\n", name, help->summary);
    const char *lead = "Usage:";
    for (const char *line = help->synopsis; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        printf("%s %s %.*s\n", lead, name, (int)strcspn(line, "\n"), line);
        lead = "      ";
    }
    printf("\n");
    for_each_option(help, print_option);
    print_paragraphs(help->values);
    print_paragraphs(help->description);
    if (help->term_count > 0) {
        printf("\n%s:\n", help->terms_title);
    }
    for (size_t i = 0; i < help->term_count; i++) {
        printf("  %-*s ", OPTION_COLUMN - 3, help->terms[i].name);
        wrap_text(stdout, help->terms[i].meaning, OPTION_COLUMN, OPTION_COLUMN);
        printf("\n");
    }
    if (help->exit_status) {
        char text[512];
        snprintf(text, sizeof text, "Exit status: %s", help->exit_status);
        print_paragraphs(text);
    }
}

// ---- As a manual page ----

// A dash is an ASCII dash, so that options can be copied, and a line that begins with a dot is no request.
static void print_roff(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const bool begins = i == 0 || text[i - 1] == '\n';
        printf("%s%s", begins && (text[i] == '.' || text[i] == '\'') ? "\\&" : "", text[i] == '-' ? "\\" : "");
        fputs(text[i] == '\\' ? "\\e" : (char[2]){text[i], '\0'}, stdout);
    }
    printf("\n");
}

static void print_roff_paragraphs(const char *text) {
    const char *request = "";
    for (; text && *text; text += strcspn(text, "\n"), text += *text == '\n') {
        printf("%s", request);
        print_roff(text, strcspn(text, "\n"));
        request = ".PP\n";
    }
}

static void print_roff_term(const char *name, const char *meaning) {
    printf(".TP\n.B ");
    print_roff(name, strlen(name));
    print_roff(meaning, strlen(meaning));
}

static void print_roff_option(const struct option_row *row) {
    char head[HEAD_MAX];
    write_head(head, row);
    print_roff_term(head, row->help);
}

static void print_upper(const char *format, const char *text) {
    char upper[HEAD_MAX];
    snprintf(upper, sizeof upper, "%s", text);
    for (char *at = upper; *at; at++) {
        *at = (char)toupper((unsigned char)*at);
    }
    printf(format, upper);
}

static void print_manual(const struct help *help) {
    char name[HEAD_MAX];
    snprintf(name, sizeof name, "bankshot-%s", help->program);
    print_upper(".TH %s 1", name);
    printf(" \"\" \"bankshot %s\" \"bankshot manual\"\n", version_text);
    printf(".SH NAME\n%s \\- ", name);
    print_roff(help->summary, strlen(help->summary));
    const char *request = ".SH SYNOPSIS\n";
    for (const char *line = help->synopsis; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        printf("%s.B %s\n", request, name);
        print_roff(line, strcspn(line, "\n"));
        request = ".br\n";
    }
    printf(".SH DESCRIPTION\n");
    if (help->description) {
        print_roff_paragraphs(help->description);
    } else {
        printf("%c%s.\n", toupper((unsigned char)help->summary[0]), help->summary + 1);
    }
    printf(".SH OPTIONS\n");
    for_each_option(help, print_roff_option);
    printf("%s", help->values ? ".PP\n" : "");
    print_roff_paragraphs(help->values);
    if (help->term_count > 0) {
        print_upper(".SH %s\n", help->terms_title);
    }
    for (size_t i = 0; i < help->term_count; i++) {
        print_roff_term(help->terms[i].name, help->terms[i].meaning);
    }
    printf(".SH EXIT STATUS\n");
    print_roff_paragraphs(help->exit_status ? help->exit_status : "0 done, 1 failed, 2 usage, 3 no such device.");
}

// ---- For completion ----

static void print_completion(const struct option_row *row) {
    const char *kind = row->kind == OPTION_FLAG                                  ? "flag"
                       : row->kind == OPTION_CHOICE                              ? "choice"
                       : row->kind == OPTION_OPERANDS                            ? "operands"
                       : row->kind == OPTION_INPUT || row->kind == OPTION_OUTPUT ? "file"
                                                                                 : "value";
    const char letter[2] = {row->short_name, '\0'};
    printf("%s\t%s\t%s\t%s\t%s\n", row->name, letter, kind, row->kind == OPTION_CHOICE ? row->choices : "", row->help);
}

void help_print(const struct help *help) {
    const char *form = getenv("BANKSHOT_HELP");
    if (form && strcmp(form, "manual") == 0) {
        print_manual(help);
    } else if (form && strcmp(form, "options") == 0) {
        for_each_option(help, print_completion);
    } else if (form && strcmp(form, "summary") == 0) {
        printf("%s\n", help->summary);
    } else {
        print_text(help);
    }
}

bool help_answers(const struct help *help, bool wants_help, bool wants_version) {
    if (wants_help) {
        help_print(help);
    } else if (wants_version) {
        printf("bankshot %s %s\n", help->program, version_text);
    }
    return wants_help || wants_version;
}
