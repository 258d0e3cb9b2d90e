#include "sim/ptx/parse/entry_name.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

// What is left of an entry's name. The text ends in a zero, because tokens of a file do not.
struct mangled {
    const char *at;
};

static struct ptx_text text_until(const char *begin, const char *end) {
    while (begin < end && isspace((unsigned char)*begin)) {
        begin++;
    }
    while (end > begin && isspace((unsigned char)end[-1])) {
        end--;
    }
    return (struct ptx_text){begin, (size_t)(end - begin)};
}

// Reads "6matmul"; length 0 if there is no name.
static struct ptx_text read_name(struct mangled *mangled) {
    char *end = NULL;
    const unsigned long length = isdigit((unsigned char)*mangled->at) ? strtoul(mangled->at, &end, 10) : 0;
    if (!length || strnlen(end, length) < length) {
        return (struct ptx_text){mangled->at, 0};
    }
    mangled->at = end + length;
    return (struct ptx_text){end, length};
}

static bool same(struct ptx_text a, struct ptx_text b) {
    return a.length == b.length && !memcmp(a.at, b.at, a.length);
}

// The letter of a type that C++ has from the start; NULL for another type.
static const char *letter_of(struct ptx_text type) {
    static const char *const letters[][2] = {{"bool", "b"},
                                             {"char", "c"},
                                             {"signed char|int8_t", "a"},
                                             {"unsigned char|uint8_t", "h"},
                                             {"short|int16_t", "s"},
                                             {"unsigned short|uint16_t", "t"},
                                             {"int|int32_t", "i"},
                                             {"unsigned int|unsigned|uint32_t", "j"},
                                             {"long|int64_t", "l"},
                                             {"unsigned long|uint64_t|size_t", "m"},
                                             {"long long", "x"},
                                             {"unsigned long long", "y"},
                                             {"float", "f"},
                                             {"double", "d"}};
    char name[32];
    snprintf(name, sizeof name, "%.*s", type.length < sizeof name ? (int)type.length : 0, type.at);
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++) {
        if (list_place(letters[i][0], '|', name) >= 0) {
            return letters[i][1];
        }
    }
    return NULL;
}

static bool skip(struct mangled *mangled, const char *text) {
    const size_t length = strlen(text);
    const bool found = !strncmp(mangled->at, text, length);
    mangled->at += found ? length : 0;
    return found;
}

// Li64E, Lin1E (-1), Lb1E
static bool take_number(struct mangled *mangled, const char *digits, size_t length) {
    const bool negative = *digits == '-';
    if (!skip(mangled, "L") || !islower((unsigned char)*mangled->at)) {
        return false;
    }
    mangled->at++;
    if (skip(mangled, "n") != negative || strncmp(mangled->at, digits + negative, length - negative) != 0) {
        return false;
    }
    mangled->at += length - negative;
    return skip(mangled, "E");
}

// A class's name, or S0_, which stands for one that was named before.
static bool take_class(struct mangled *mangled, struct ptx_text name) {
    if (*mangled->at == 'S') {
        mangled->at += strcspn(mangled->at, "_");
        return skip(mangled, "_");
    }
    return same(read_name(mangled), ptx_text_is(name, "half") ? (struct ptx_text){"__half", 6} : name);
}

static bool take_argument(struct mangled *mangled, struct ptx_text argument) {
    const char *letter = letter_of(argument);
    const bool yes = ptx_text_is(argument, "true"), no = ptx_text_is(argument, "false");
    if (yes || no) {
        return skip(mangled, yes ? "Lb1E" : "Lb0E");
    }
    if (argument.length && (isdigit((unsigned char)*argument.at) || *argument.at == '-')) {
        return take_number(mangled, argument.at, strspn(argument.at, "-0123456789"));
    }
    return letter ? skip(mangled, letter) : take_class(mangled, argument);
}

// "float, 32>", after I
static bool take_arguments(struct mangled *mangled, const char *arguments) {
    const char *end = strrchr(arguments, '>');
    bool fits = end != NULL && skip(mangled, "I");
    for (const char *at = arguments; fits && at < end;) {
        const char *comma = at + strcspn(at, ",>");
        fits = take_argument(mangled, text_until(at, comma));
        at = comma + 1;
    }
    return fits;
}

// The last name of space::name.
static struct ptx_text own_name(const char *name, size_t length) {
    const char *end = name + length;
    for (const char *at = name; at + 1 < end; at++) {
        if (at[0] == ':' && at[1] == ':') {
            name = at + 2;
        }
    }
    return text_until(name, end);
}

// Takes a name with the spaces before it, behind _Z. Returns the last of them.
static struct ptx_text take_names(struct mangled *mangled) {
    skip(mangled, "N");
    skip(mangled, "L"); // static
    struct ptx_text last = read_name(mangled);
    for (struct ptx_text next; (next = read_name(mangled)).length;) {
        last = next;
    }
    return last;
}

struct ptx_text ptx_entry_name(const char *entry) {
    struct mangled mangled = {entry + 2};
    const struct ptx_text last = strncmp(entry, "_Z", 2) == 0 ? take_names(&mangled) : (struct ptx_text){entry, 0};
    return last.length ? last : (struct ptx_text){entry, strlen(entry)};
}

bool ptx_entry_is_called(struct ptx_text entry, const char *name) {
    char copy[4096];
    if (ptx_text_is(entry, name)) {
        return true;
    }
    if (entry.length >= sizeof copy || entry.length < 3 || memcmp(entry.at, "_Z", 2) != 0) {
        return false;
    }
    snprintf(copy, sizeof copy, "%.*s", (int)entry.length, entry.at);
    struct mangled mangled = {copy + 2};
    const struct ptx_text last = take_names(&mangled);
    const size_t length = strcspn(name, "<");
    return same(last, own_name(name, length)) && (!name[length] || take_arguments(&mangled, name + length + 1));
}

// Whether nothing follows but the number, as in _0, by which C++ tells variables of one name apart.
static bool is_last(const char *at, const char *end) {
    return at == end || (at < end && *at == '_' && at + strspn(at, "_0123456789") >= end);
}

struct ptx_text ptx_variable_name(struct ptx_text symbol) {
    const char *end = symbol.at + symbol.length;
    if (symbol.length < 3 || memcmp(symbol.at, "_ZZ", 3) != 0) {
        return symbol;
    }
    for (const char *at = symbol.at + 3; at + 1 < end; at++) {
        struct mangled rest = {at + 1};
        const struct ptx_text name = *at == 'E' ? read_name(&rest) : symbol;
        if (*at == 'E' && name.length && is_last(rest.at, end)) {
            return name;
        }
    }
    return symbol;
}
