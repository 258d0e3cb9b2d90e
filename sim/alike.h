// Comparisons over the lanes of a warp, which usually do the same.
#ifndef SIM_ALIKE_H
#define SIM_ALIKE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Lanes without a gap between them.
struct sim_neighbours {
    uint32_t first, count;
};

// The group's first lanes up to a gap. False if there is one.
static inline bool sim_find_neighbours(uint64_t group, struct sim_neighbours *lanes) {
    const uint64_t rest = group >> __builtin_ctzll(group), gaps = ~rest;
    *lanes = (struct sim_neighbours){(uint32_t)__builtin_ctzll(group), gaps ? (uint32_t)__builtin_ctzll(gaps) : 64};
    return (rest & (rest + 1)) == 0;
}

static inline uint64_t sim_lanes_of(struct sim_neighbours lanes) {
    return UINT64_MAX >> (64 - lanes.count) << lanes.first;
}

// Whether the lanes' bytes in an array with one for each lane are the same.
static inline bool sim_bytes_alike(const uint8_t *bytes, struct sim_neighbours lanes) {
    const uint64_t alike = bytes[lanes.first] * UINT64_C(0x0101010101010101);
    uint64_t differ = 0, eight;
    uint32_t i = 0;
    for (bytes += lanes.first; i + sizeof eight <= lanes.count; i += (uint32_t)sizeof eight) {
        memcpy(&eight, bytes + i, sizeof eight);
        differ |= eight ^ alike;
    }
    for (; i < lanes.count; i++) {
        differ |= bytes[i] ^ (alike & 0xff);
    }
    return !differ;
}

// The same for words. Lanes have just stored them one by one; the processor would wait for the stores if it loaded
// several words at once.
static inline bool sim_words_alike(const uint64_t *words, struct sim_neighbours lanes) {
    const uint64_t own = words[lanes.first];
    uint64_t differ = 0;
    uint32_t i = 0;
    for (words += lanes.first; i + 4 <= lanes.count; i += 4) {
        differ |= (words[i] ^ own) | (words[i + 1] ^ own) | (words[i + 2] ^ own) | (words[i + 3] ^ own);
    }
    for (; i < lanes.count; i++) {
        differ |= words[i] ^ own;
    }
    return !differ;
}

#endif
