#include "sim/compile/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_space(const char *text) {
    return text + strspn(text, " \t\r\n");
}

// The text after the word if the text begins with it, else NULL.
static const char *after_word(const char *text, const char *word) {
    size_t length = strlen(word);
    return !strncmp(text, word, length) && !(is_word(word[length - 1]) && is_word(text[length])) ? text + length : NULL;
}

const char *sim_text_opaque_end(const char *text) {
    if (text[0] == '/' && text[1] == '*') {
        const char *end = strstr(text + 2, "*/");
        return end ? end + 2 : text + strlen(text);
    }
    const bool comment = text[0] == '/' && text[1] == '/';
    if (!comment && *text != '"' && *text != '\'') {
        return text;
    }
    const char *end = text + 1;
    while (*end && *end != '\n' && (comment || *end != *text)) {
        end += *end == '\\' && end[1] ? 2 : 1;
    }
    return *end == *text && !comment ? end + 1 : end;
}

static void blank(char *begin, const char *end) {
    for (; begin < end; begin++) {
        if (*begin != '\n') {
            *begin = ' ';
        }
    }
}

static char *closing_brace(char *text) {
    int depth = 0;
    while (*text) {
        const char *behind = sim_text_opaque_end(text);
        if (behind != text) {
            text += behind - text;
            continue;
        }
        depth += (*text == '{') - (*text == '}');
        if (depth < 0) {
            return text;
        }
        text++;
    }
    return NULL;
}

// Blanks `extern "C"` and the braces of `extern "C" { ... }`.
static bool blank_linkage(char *text) {
    const char *behind = after_word(skip_space(text + strlen("extern")), "\"C\"");
    if (!behind) {
        return false;
    }
    const char *brace = skip_space(behind);
    if (*brace == '{') {
        char *close = closing_brace(text + (brace + 1 - text));
        if (close) {
            *close = ' ';
        }
        behind = brace + 1;
    }
    blank(text, behind);
    return true;
}

// `extern __shared__ T name[]`: blanks __shared__ and returns the text after "[]", where the label belongs.
static const char *dynamic_array(char *text) {
    char *word = text + strlen("extern");
    word += skip_space(word) - word;
    const char *behind = after_word(word, "__shared__");
    if (!behind) {
        return NULL;
    }
    blank(word, behind);
    const char *open = behind + strcspn(behind, "[;");
    const char *close = *open == '[' ? skip_space(open + 1) : open;
    return *close == ']' ? close + 1 : NULL;
}

// The end of a directive: at a // comment, or at the first newline outside of a /* */ comment.
static const char *directive_end(const char *text) {
    while (*text && *text != '\n' && strncmp(text, "//", 2) != 0) {
        const char *behind = sim_text_opaque_end(text);
        text = behind != text ? behind : text + 1;
    }
    return text;
}

// Turns `#pragma unroll` into gcc's own; clang accepts CUDA's. gcc expands no macros in a pragma, but it does in the
// arguments of SIM_UNROLL.
static const char *rewrite_pragma(FILE *out, const char *text) {
    const char *word = after_word(text + 1 + strspn(text + 1, " \t"), "pragma");
    word = word ? after_word(word + strspn(word, " \t"), "unroll") : NULL;
    if (!word) {
        return text;
    }
    const char *end = directive_end(word);
    fprintf(out, "SIM_UNROLL(%.*s)", (int)(end - word), word);
    return end;
}

// Skips space and the ends of a macro's lines.
static const char *skip_gap(const char *text) {
    return text + strspn(text, " \t\\\n");
}

// The same for `_Pragma("unroll")`, which a macro needs. Line ends within it move behind it.
static const char *rewrite_operator(FILE *out, const char *text) {
    const char *open = after_word(text, "_Pragma");
    const char *quote = open && *skip_gap(open) == '(' ? skip_gap(skip_gap(open) + 1) : NULL;
    const char *word = quote && *quote == '"' ? after_word(skip_gap(quote + 1), "unroll") : NULL;
    if (!word) {
        return text;
    }
    const char *end = word + strcspn(word, "\"\n"), *close = *end == '"' ? skip_gap(end + 1) : end;
    if (*close != ')') {
        return text;
    }
    fprintf(out, "SIM_UNROLL(%.*s)", end > word ? (int)(end - word) : 1, end > word ? word : "8");
    for (const char *gap = open; gap < close; gap++) {
        if (*gap == '\n') {
            fputs(gap[-1] == '\\' ? "\\\n" : "\n", out);
        }
    }
    return close + 1;
}

// Removes `static` from a kernel, because the library would not export it.
static void blank_static(char *text, bool kernel) {
    const char *behind = after_word(text, "static");
    if (!behind) {
        return;
    }
    for (const char *word = skip_space(behind); !kernel && is_word(*word); word = skip_space(word)) {
        kernel = after_word(word, "__global__") != NULL;
        while (is_word(*word)) {
            word++;
        }
    }
    if (kernel) {
        blank(text, behind);
    }
}

static void rewrite(FILE *out, char *text, bool gcc) {
    bool kernel = false; // whether __global__ stood before the current body
    for (char *word = text; *word;) {
        const char *behind = gcc && *word == '#' ? rewrite_pragma(out, word) : word, *label = NULL;
        if (gcc && *word == '_' && (word == text || !is_word(word[-1]))) {
            behind = rewrite_operator(out, word);
        }
        if (behind != word) {
            word += behind - word;
            continue;
        }
        behind = sim_text_opaque_end(word);
        if (behind == word && is_word(*word) && (word == text || !is_word(word[-1]))) {
            kernel |= after_word(word, "__global__") != NULL;
            blank_static(word, kernel);
            if (after_word(word, "extern") && !blank_linkage(word)) {
                label = dynamic_array(word);
            }
        }
        kernel &= *word != '{' && *word != ';';
        if (behind == word) {
            behind = label ? label : word + 1;
        }
        fwrite(word, 1, (size_t)(behind - word), out);
        if (label) {
            fputs(" __asm__(\"sim_dynamic_shared\")", out);
        }
        word += behind - word;
    }
}

// Tells the simulator the addresses of the module's memory.
static const char tail[] = "\n#line 1 \"simulator\"\n"
                           "unsigned char sim_dynamic_shared[%u] __attribute__((used, aligned(256), "
                           "section(\"bankshot_dynamic\")));\n"
                           "extern char __start_bankshot_shared[], __stop_bankshot_shared[];\n"
                           "extern char __start_bankshot_sites[], __stop_bankshot_sites[];\n"
                           "__attribute__((visibility(\"default\"))) void *const sim_module_shared[] = {\n"
                           "    __start_bankshot_shared, __stop_bankshot_shared, sim_dynamic_shared, "
                           "sim_dynamic_shared + sizeof sim_dynamic_shared, __start_bankshot_sites, "
                           "__stop_bankshot_sites};\n";
static const char byte_order_mark[] = "\xef\xbb\xbf";

void sim_text_line(FILE *out, unsigned line, const char *file_name) {
    fprintf(out, "#line %u \"", line);
    for (; *file_name; file_name++) {
        fprintf(out, "%s%c", strchr("\"\\", *file_name) ? "\\" : "", *file_name);
    }
    fputs("\"\n", out);
}

// Writes what stands for a %; returns the text behind it.
static const char *write_argument(FILE *out, const char *at, va_list *arguments) {
    const bool is_wide = at[1] == 'l';
    if (at[1] == 's') {
        fputs(va_arg(*arguments, const char *), out);
    } else if (at[1] == 'u') {
        fprintf(out, "%" PRIu32, va_arg(*arguments, uint32_t));
    } else if (at[1] == 'd') {
        fprintf(out, "%d", va_arg(*arguments, int));
    } else if (is_wide) {
        fprintf(out, at[2] == 'd' ? "%" PRId64 : "%" PRIu64, va_arg(*arguments, uint64_t));
    } else {
        fputc(at[1], out); // %%
    }
    return at + 2 + is_wide;
}

void sim_text_write(FILE *out, const char *format, va_list *arguments, sim_template_word *word, void *writer) {
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "$%");
        fwrite(at, 1, plain, out);
        at += plain;
        at = *at == '$' ? word(writer, at, arguments) : *at ? write_argument(out, at, arguments) : at;
    }
}

char *sim_source_text(const char *file_name, const char *text, uint32_t dynamic_bytes, bool gcc) {
    char *copy = memory_copy(text);
    struct written result;
    FILE *out = memory_stream(&result);
    const size_t mark = strlen(byte_order_mark);
    sim_text_line(out, 1, file_name);
    rewrite(out, strncmp(copy, byte_order_mark, mark) ? copy : copy + mark, gcc);
    fprintf(out, tail, dynamic_bytes);
    free(copy);
    return memory_stream_end(&result);
}
