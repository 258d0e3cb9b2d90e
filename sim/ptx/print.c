// printf and assert of kernels that were translated from PTX.
#include <stdio.h>
#include <string.h>

#include "sim/lane.h"
#include "sim/ptx/kernel/hooks.h"

enum {
    DIRECTIVE = 64, // characters of %-10.3lld and the like
    NUMBER = 16     // characters of a * in one
};

// The next argument; arguments are stored one after another, each aligned to its size.
ON_ANY_STACK static uint64_t next_argument(uint64_t *at, uint32_t bytes) {
    uint64_t value = 0;
    *at = (*at + bytes - 1) / bytes * bytes;
    memcpy(&value, (const void *)(uintptr_t)*at, bytes);
    *at += bytes;
    return value;
}

// Prints one argument; text is the directive, whose last character is the conversion.
ON_ANY_STACK static void print_argument(char *text, uint64_t *at) {
    const size_t length = strlen(text);
    const char conversion = text[length - 1];
    const bool wide = strpbrk(text, "lzjt") != NULL;
    if (strchr("eEfFgGaA", conversion)) {
        const uint64_t bits = next_argument(at, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        printf(text, value);
    } else if (conversion == 's') {
        const uint64_t string = next_argument(at, 8);
        printf(text, string ? (const char *)(uintptr_t)string : "(null)");
    } else if (conversion == 'p') {
        printf(text, (void *)(uintptr_t)next_argument(at, 8));
    } else if (strchr("diouxXc", conversion) && wide) {
        printf(text, next_argument(at, 8));
    } else if (strchr("diouxXc", conversion)) {
        printf(text, (uint32_t)next_argument(at, 4));
    } else {
        fputs(text, stdout);
    }
}

// Copies a directive, with the next argument in the place of each *. Returns its length in the format.
ON_ANY_STACK static size_t copy_directive(const char *at, char text[DIRECTIVE], uint64_t *arguments) {
    static const char flags[] = "-+ #0123456789.hlzjt*";
    size_t length = 1, used = 1;
    text[0] = '%';
    for (; at[length] && strchr(flags, at[length]) && used < DIRECTIVE - NUMBER; length++) {
        if (at[length] == '*') {
            used += (size_t)snprintf(text + used, NUMBER, "%d", (int32_t)next_argument(arguments, 4));
        } else {
            text[used++] = at[length];
        }
    }
    text[used] = at[length];
    text[used + (at[length] != '\0')] = '\0';
    return length + (at[length] != '\0');
}

ON_ANY_STACK int32_t sim_ptx_print(uint64_t format, uint64_t arguments) {
    int32_t count = 0;
    for (const char *at = (const char *)(uintptr_t)format; *at;) {
        const size_t plain = strcspn(at, "%");
        fwrite(at, 1, plain, stdout);
        at += plain;
        if (!*at) {
            break;
        }
        if (at[1] == '%') {
            putchar('%');
            at += 2;
            continue;
        }
        char text[DIRECTIVE];
        at += copy_directive(at, text, &arguments);
        print_argument(text, &arguments);
        count++;
    }
    return count;
}

ON_ANY_STACK void sim_ptx_assert_fail(uint64_t message, uint64_t file, uint32_t line, uint64_t function,
                                      const char *site, uint32_t depth) {
    (void)file, (void)line, (void)function; // the site gives the line
    sim_turn.current->trap = (const char *)(uintptr_t)message;
    sim_turn.current->asserts = true;
    for (;;) {
        sim_take_step_at(SIM_TRAP, (uintptr_t)site, depth);
    }
}
