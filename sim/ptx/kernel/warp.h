// Joint operations of a warp's lanes, for kernels that were translated from PTX: shuffles, votes, matches, sums.
// PTX ISA: "shfl.sync", "vote.sync", "match.sync", "redux.sync".
#ifndef SIM_PTX_KERNEL_WARP_H
#define SIM_PTX_KERNEL_WARP_H

#include "sim/ptx/kernel/hooks.h"
#include "sim/ptx/kernel/numbers.h"

#define PTX_EACH_LANE(lane, meeting)                                                                                   \
    for (uint64_t left_ = (meeting)->active, lane; left_ && (lane = (uint64_t)__builtin_ctzll(left_), true);           \
         left_ &= left_ - 1)

struct exchange {
    uint64_t value, result;
    uint32_t operand, bounds, kind, mask;
    bool inside;
};

// The lanes that a lane's mask names, of those that are there. Groups of lanes with other masks may be there, too.
PTX_INLINE uint64_t members_of(const struct sim_ptx_meeting *meeting, const struct exchange *mine) {
    return meeting->active & mine->mask;
}

enum shuffle {
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_BFLY,
    SHUFFLE_IDX
};

PTX_INLINE uint32_t shuffle_source(uint32_t lane, const struct exchange *mine, bool *inside) {
    const uint32_t operand = mine->operand & 31, segment = mine->bounds >> 8 & 31;
    const uint32_t first = lane & segment, last = first | (mine->bounds & 31 & ~segment);
    uint32_t source = first | (operand & ~segment);
    source = mine->kind == SHUFFLE_UP     ? lane - operand
             : mine->kind == SHUFFLE_DOWN ? lane + operand
             : mine->kind == SHUFFLE_BFLY ? lane ^ operand
                                          : source;
    *inside = mine->kind == SHUFFLE_UP ? (int32_t)source >= (int32_t)last : source <= last;
    return *inside ? source : lane;
}

PTX_FUNCTION void meet_shuffle(const struct sim_ptx_meeting *meeting) {
    PTX_EACH_LANE(lane, meeting) {
        struct exchange *mine = meeting->lane[lane];
        const uint32_t source = shuffle_source((uint32_t)lane, mine, &mine->inside);
        const bool there = meeting->active >> source & 1;
        mine->result = there ? ((const struct exchange *)meeting->lane[source])->value : 0;
    }
}

enum vote {
    VOTE_ALL,
    VOTE_ANY,
    VOTE_UNI,
    VOTE_BALLOT
};

PTX_FUNCTION void meet_vote(const struct sim_ptx_meeting *meeting) {
    uint64_t yes = 0;
    PTX_EACH_LANE(lane, meeting) {
        yes |= (uint64_t)(((const struct exchange *)meeting->lane[lane])->value != 0) << lane;
    }
    PTX_EACH_LANE(lane, meeting) {
        struct exchange *mine = meeting->lane[lane];
        const uint64_t members = members_of(meeting, mine), own = yes & members;
        mine->result = mine->kind == VOTE_ALL   ? own == members
                       : mine->kind == VOTE_ANY ? own != 0
                       : mine->kind == VOTE_UNI ? own == 0 || own == members
                                                : own;
    }
}

// Finds the lanes with the same value, and whether all lanes have it (inside). match.all, which is kind 1, gives no
// lanes unless all have it.
PTX_FUNCTION void meet_match(const struct sim_ptx_meeting *meeting) {
    PTX_EACH_LANE(lane, meeting) {
        struct exchange *mine = meeting->lane[lane];
        uint64_t same = 0;
        PTX_EACH_LANE(other, meeting) {
            same |= (uint64_t)(((const struct exchange *)meeting->lane[other])->value == mine->value) << other;
        }
        same &= members_of(meeting, mine);
        mine->inside = same == members_of(meeting, mine);
        mine->result = mine->kind && !mine->inside ? 0 : same;
    }
}

enum reduction {
    REDUCE_ADD,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR,
    REDUCE_MIN_U32,
    REDUCE_MAX_U32,
    REDUCE_MIN_S32,
    REDUCE_MAX_S32
};

PTX_INLINE uint32_t reduced(enum reduction kind, uint32_t a, uint32_t b) {
    switch (kind) {
    case REDUCE_ADD:
        return a + b;
    case REDUCE_AND:
        return a & b;
    case REDUCE_OR:
        return a | b;
    case REDUCE_XOR:
        return a ^ b;
    case REDUCE_MIN_U32:
        return a < b ? a : b;
    case REDUCE_MAX_U32:
        return a > b ? a : b;
    case REDUCE_MIN_S32:
        return (int32_t)a < (int32_t)b ? a : b;
    case REDUCE_MAX_S32:
        return (int32_t)a > (int32_t)b ? a : b;
    }
    return 0;
}

PTX_FUNCTION void meet_reduce(const struct sim_ptx_meeting *meeting) {
    PTX_EACH_LANE(lane, meeting) {
        struct exchange *mine = meeting->lane[lane];
        bool begun = false;
        PTX_EACH_LANE(other, meeting) {
            const uint32_t value = (uint32_t)((const struct exchange *)meeting->lane[other])->value;
            if (members_of(meeting, mine) >> other & 1) {
                mine->result = begun ? reduced((enum reduction)mine->kind, (uint32_t)mine->result, value) : value;
                begun = true;
            }
        }
    }
}

PTX_FUNCTION void meet_active(const struct sim_ptx_meeting *meeting) {
    PTX_EACH_LANE(lane, meeting) {
        struct exchange *mine = meeting->lane[lane];
        mine->result = members_of(meeting, mine);
    }
}

#endif
