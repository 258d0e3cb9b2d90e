#include "model/gpu_find.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "util/text.h"

// ---- The device of a driver ----

// Drivers put the vendor's words before a name or leave them out, from version to version.
static const char *without_vendor(const char *name) {
    static const char *const words[] = {"NVIDIA ", "GeForce ", "Tesla ", "AMD ", "Radeon ", "Instinct "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strncasecmp(name, words[i], strlen(words[i])) == 0) {
            return without_vendor(name + strlen(words[i]));
        }
    }
    return name;
}

static bool alias_names(const char *alias, const char *name) {
    size_t length = strlen(name);
    for (const char *next; *alias; alias = next) {
        size_t part = strcspn(alias, "|");
        next = alias + part + (alias[part] == '|');
        if (part == length && strncasecmp(alias, name, length) == 0) {
            return true;
        }
    }
    return false;
}

// "gfx90a:sramecc+:xnack-" is a gfx90a; without an arch every row fits.
static bool arch_fits(const char *row, const char *arch) {
    if (!arch || !*arch) {
        return true;
    }
    size_t length = strcspn(arch, ":");
    return strlen(row) == length && strncmp(row, arch, length) == 0;
}

// Distinguishes parts of one name: an MI250X from an MI250, an RTX 3080 of 10 GB from one of 12, a GPU from a partition
// of it. HIP counts RDNA's compute units in pairs by default.
static bool units_fit(const struct gpu *gpu, uint32_t units) {
    bool pairs = gpu->vendor == VENDOR_AMD && gpu->warp_width == 32;
    return !units || units == gpu->compute_units || (pairs && 2 * units == gpu->compute_units);
}

const struct gpu *gpu_match(const char *device_name, const char *arch, uint32_t compute_units) {
    const char *name = without_vendor(device_name);
    for (size_t i = 0; i < gpu_row_count; i++) {
        if (alias_names(gpu_rows[i].alias, name) && arch_fits(gpu_rows[i].arch, arch) &&
            units_fit(&gpu_rows[i], compute_units)) {
            return &gpu_rows[i];
        }
    }
    return NULL;
}

// ---- The GPU that was probably meant ----

enum {
    LETTERS = 64
};

static void lower_case(const char *text, char lower[LETTERS]) {
    size_t length = 0;
    for (; text[length] && length + 1 < LETTERS; length++) {
        lower[length] = (char)tolower((unsigned char)text[length]);
    }
    lower[length] = '\0';
}

const char *gpu_suggest(const char *name) {
    char lower[LETTERS];
    lower_case(name, lower);
    struct suggestion suggestion = suggestion_for(lower, strlen(lower));
    for (size_t i = 0; i < gpu_row_count; i++) {
        suggestion_offer(&suggestion, gpu_rows[i].name);
    }
    return suggestion.nearest;
}

// ---- Architectures ----

// How a vendor's names of parts tell the architecture. '#' stands for a digit and '*' for anything at the end; the
// first row that fits counts, so that an a100 is not an a10.
static const struct family {
    const char *title, *arch; // of the first part of that architecture in the table
    const char *names;        // separated by '|'
} families[] = {
    {"Kepler", "sm_35", "k#*|gtx6*|gtx7*|sm_3*"},
    {"Pascal", "sm_61", "p#*|gtx9*|gtx10*|gtx1080*|titanx*|m4|m40|m60|sm_5*|sm_6*"},
    {"Volta", "sm_70", "v100*|titanv*|gv100*|sm_70|sm_72"},
    {"Turing", "sm_75", "t4*|t1000*|t600*|gtx16*|rtx20*|rtx3000|rtx4000|rtx5000|rtx6000|rtx8000|titanrtx|sm_75"},
    {"Ampere", "sm_80", "a100*|a30|a800*|sm_80"},
    {"Ampere (Jetson)", "sm_87", "orin*|jetson*|sm_87"},
    {"Ampere", "sm_86", "rtx30*|rtxa#*|a#*|ga10*|sm_86"},
    {"Ada", "sm_89", "rtx40*|rtx##00ada|rtx####ada|l#*|ad10*|sm_89"},
    {"Hopper", "sm_90", "h#*|gh*|sm_90*"},
    {"Blackwell", "sm_100", "b100*|b200*|gb200*|sm_100*"},
    {"Blackwell", "sm_103", "b300*|gb300*|sm_103*"},
    {"Blackwell", "sm_120", "rtx50*|rtxpro*|gb10*|sm_12*"},
    {"GCN 5", "gfx906", "mi6|mi25|mi50*|mi60*|vega*|radeonvii|gfx900|gfx906*"},
    {"CDNA 1", "gfx908", "mi100*|gfx908*"},
    {"CDNA 2", "gfx90a", "mi2##*|gfx90a*"},
    {"CDNA 3", "gfx942", "mi30#*|mi32#*|gfx94*"},
    {"CDNA 4", "gfx950", "mi35#*|gfx95*"},
    {"RDNA 2", "gfx1030", "rx6*|w6*|gfx103*"},
    {"RDNA 3.5", "gfx1151", "strix*|radeon8*|gfx115*"},
    {"RDNA 3", "gfx1100", "rx7*|w7*|gfx110*"},
    {"RDNA 4", "gfx1201", "rx9*|r97*|gfx12*"},
};

static bool fits(const char *pattern, size_t length, const char *name) {
    for (size_t i = 0; i < length; i++) {
        if (pattern[i] == '*') {
            return true;
        }
        if (pattern[i] == '#' ? !isdigit((unsigned char)name[i]) : pattern[i] != name[i]) {
            return false;
        }
    }
    return name[length] == '\0';
}

static bool any_fits(const char *patterns, const char *name) {
    while (*patterns) {
        const size_t length = strcspn(patterns, "|");
        if (fits(patterns, length, name)) {
            return true;
        }
        patterns += length + (patterns[length] == '|');
    }
    return false;
}

// Names are written with spaces or without, and after the vendor's words.
static void plain_name(const char *name, char plain[LETTERS]) {
    static const char *const words[] = {"nvidia", "geforce", "tesla", "amd", "instinct", "radeonrx"};
    char lower[LETTERS];
    size_t used = 0;
    lower_case(name, lower);
    for (const char *at = lower; *at; at++) {
        if (!strchr(" -", *at)) {
            plain[used++] = *at;
        }
    }
    plain[used] = '\0';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(plain, words[i], length) == 0) {
            const size_t kept = strcmp(words[i], "radeonrx") == 0 ? strlen("radeon") : length;
            memmove(plain, plain + kept, used - kept + 1);
            used -= kept;
        }
    }
}

static void list_parts(const struct family *family, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < gpu_row_count && used < size; i++) {
        const bool same = strcmp(gpu_rows[i].arch, family->arch) == 0 || any_fits(family->names, gpu_rows[i].arch);
        if (same) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", gpu_rows[i].name);
        }
    }
}

const char *gpu_suggest_family(const char *name, char *parts, size_t size) {
    char plain[LETTERS];
    plain_name(name, plain);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (any_fits(families[i].names, plain)) {
            list_parts(&families[i], parts, size);
            return families[i].title;
        }
    }
    return NULL;
}
