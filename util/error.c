#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef __wasi__ // has neither such limits nor calls by number
#include <sys/resource.h>
#include <sys/syscall.h>
#endif
#include <unistd.h>

enum {
    STACK_BYTES_LEAST = 128 << 10,
    LOG_LINES = 12 // the first errors; the last line of the message stays in sight
};

#ifndef __wasi__
// Programs keep tens of KiB of arguments on the stack, and would end without a word before their first statement.
__attribute__((constructor)) static void refuse_small_stack(void) {
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < STACK_BYTES_LEAST) {
        fprintf(stderr, "%s: the stack is limited to %ju KiB: allow it %d KiB at least (ulimit -s)\n",
                program_invocation_short_name, (uintmax_t)stack.rlim_cur / 1024, STACK_BYTES_LEAST / 1024);
        _exit(STATUS_FAILED);
    }
}
#endif

// Whether a byte continues a character of UTF-8.
static bool is_continuation(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

// Copies the text without its middle, because what to do stands at the end.
static void copy_ends(struct error *error, const char *text, size_t length) {
    static const char GAP[] = "...";
    const size_t half = (sizeof error->text - sizeof GAP) / 2;
    size_t head = half, tail = length - half;
    while (head > 0 && is_continuation(text[head])) {
        head--;
    }
    while (tail < length && is_continuation(text[tail])) {
        tail++;
    }
    snprintf(error->text, sizeof error->text, "%.*s%s%s", (int)head, text, GAP, text + tail);
}

enum status error_set(struct error *error, enum status status, const char *format, ...) {
    if (error) {
        va_list arguments, again;
        char *whole;
        va_start(arguments, format);
        va_copy(again, arguments);
        const int length = vsnprintf(error->text, sizeof error->text, format, arguments);
        if (length >= (int)sizeof error->text && vasprintf(&whole, format, again) == length) {
            copy_ends(error, whole, (size_t)length);
            free(whole);
        }
        va_end(again);
        va_end(arguments);
    }
    return status;
}

void error_attach_log(struct error *error, const char *log) {
    if (!error || !log || !*log) {
        return;
    }
    free(error->log);
    error->log = strdup(log);
}

const char *program_name(const char *own) {
    static const char INSTALLED[] = "bankshot-";
    return strncmp(program_invocation_short_name, INSTALLED, sizeof INSTALLED - 1) == 0 ? program_invocation_short_name
                                                                                        : own;
}

// Names and files come from anywhere: a control character, which a terminal would obey, is shown by its number.
static void print_shown(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        const unsigned char next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
        if (c == 0xc2 && next >= 0x80 && next < 0xa0) { // the same of Unicode
            fprintf(stderr, "\\u%04x", next);
            i++;
        } else if ((c < ' ' && c != '\t') || c == 0x7f) {
            fprintf(stderr, "\\x%02x", c);
        } else {
            fputc(c, stderr);
        }
    }
}

static void print_log(const char *log) {
    const char *asked = getenv("BANKSHOT_WHOLE_LOG");
    const size_t shown = asked && strcmp(asked, "yes") == 0 ? SIZE_MAX : LOG_LINES;
    size_t lines = 0;
    while (*log) {
        const size_t length = strcspn(log, "\n");
        if (lines++ < shown) {
            print_shown(log, length);
            fputc('\n', stderr);
        }
        log += length + (log[length] == '\n');
    }
    if (lines > shown) {
        fprintf(stderr, "... and %zu more line%s, which BANKSHOT_WHOLE_LOG=yes shows\n", lines - shown,
                lines - shown == 1 ? "" : "s");
    }
}

void error_print(const char *program, const struct error *error) {
    if (error->log) {
        print_log(error->log);
    }
    fprintf(stderr, "%s: ", program_name(program));
    print_shown(error->text, strlen(error->text));
    fputc('\n', stderr);
}

void error_clear(struct error *error) {
    free(error->log);
    *error = (struct error){0};
}

// ---- Memory for what is small ----

enum {
    LEAST_ROOM = 8
};

static int silent_status; // 0: the program says why it ends

void memory_end_silently(int status) {
    silent_status = status;
}

void *memory_end(void) {
#ifndef __wasi__
    // A process that runs users' kernels is not allowed exit_group, which exit and _exit call. The loop has no second
    // turn.
    while (silent_status != 0) {
        syscall(SYS_exit, silent_status);
    }
#endif
    fprintf(stderr, "%s: out of memory: end other programs, or ask for less\n", program_invocation_short_name);
    exit(1);
}

static void *or_end(void *memory) {
    return memory ? memory : memory_end();
}

void *memory_zeros(size_t count, size_t size) {
    return or_end(calloc(count ? count : 1, size));
}

void *memory_room(void *array, size_t count, size_t size) {
    if (count > 0 && (count < LEAST_ROOM || (count & (count - 1)) != 0)) {
        return array;
    }
    const size_t room = count < LEAST_ROOM ? LEAST_ROOM : 2 * count;
    return or_end(room > SIZE_MAX / size ? NULL : realloc(array, room * size));
}

char *memory_text(const char *text, size_t length) {
    return or_end(strndup(text, length));
}

char *memory_copy(const char *text) {
    return or_end(strdup(text));
}

char *memory_format(const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return or_end(length < 0 ? NULL : text);
}

FILE *memory_stream(struct written *written) {
    return written->stream = or_end(open_memstream(&written->text, &written->length));
}

char *memory_stream_end(struct written *written) {
    const int fault = ferror(written->stream);
    if (fclose(written->stream) != 0 || fault) {
        memory_end();
    }
    written->stream = NULL;
    return written->text;
}
