#include "util/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

static size_t hash_of(const char *text) {
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    }
    return (size_t)(hash ^ hash >> 29);
}

// The slot of the text, or the empty one where it belongs.
static size_t find_slot(const struct names *names, const char *text) {
    size_t slot = hash_of(text) & (names->slot_count - 1);
    while (names->slots[slot] && strcmp(names->texts[names->slots[slot] - 1], text) != 0) {
        slot = (slot + 1) & (names->slot_count - 1);
    }
    return slot;
}

// Keeps half of the slots empty.
static void make_room(struct names *names) {
    if (2 * (names->count + 1) <= names->slot_count) {
        return;
    }
    free(names->slots);
    names->slot_count = names->slot_count ? 2 * names->slot_count : 64;
    names->slots = memory_zeros(names->slot_count, sizeof *names->slots);
    for (size_t i = 0; i < names->count; i++) {
        names->slots[find_slot(names, names->texts[i])] = i + 1;
    }
}

size_t names_number(struct names *names, const char *text) {
    make_room(names);
    const size_t slot = find_slot(names, text);
    if (!names->slots[slot]) {
        names->texts = memory_room(names->texts, names->count, sizeof *names->texts);
        names->texts[names->count++] = memory_text(text, strlen(text));
        names->slots[slot] = names->count;
    }
    return names->slots[slot] - 1;
}

size_t names_find(const struct names *names, const char *text) {
    const size_t number = names->slot_count > 0 ? names->slots[find_slot(names, text)] : 0;
    return number > 0 ? number - 1 : names->count;
}

void names_clear(struct names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->texts[i]);
    }
    free(names->texts);
    free(names->slots);
    *names = (struct names){0};
}
