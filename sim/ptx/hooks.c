#include <stdio.h>
#include <string.h>

#include "sim/lane.h"
#include "sim/launch_state.h"
#include "sim/ptx/kernel/hooks.h"

// The functions that kernels translated from PTX call. A site takes the place of an instruction's address.

// The depth of calls takes the place of the stack's depth.
ON_ANY_STACK static void take_step(enum sim_step step, const char *site, uint32_t depth) {
    sim_take_step_at(step, (uintptr_t)site, depth);
}

ON_ANY_STACK void sim_ptx_access(uint64_t address, uint32_t bytes, enum sim_ptx_operation operation, const char *site,
                                 uint32_t depth) {
    static const enum sim_step steps[] = {
        [SIM_PTX_LOAD] = SIM_LOAD, [SIM_PTX_STORE] = SIM_STORE, [SIM_PTX_ATOMIC] = SIM_ATOMIC};
    struct sim_lane *lane = sim_turn.current;
    if (address - (uintptr_t)lane->coroutine->stack_low >= COROUTINE_STACK_BYTES) {
        lane->warp->request.address[lane->number] = address;
        lane->warp->width[lane->number] = (uint8_t)bytes;
        take_step(steps[operation], site, depth);
    }
}

ON_ANY_STACK void sim_ptx_copy(uint64_t from, uint64_t to, bool past_l1) {
    struct sim_lane *lane = sim_turn.current;
    struct sim_copying *copying = &lane->warp->copying;
    const uint64_t own = UINT64_C(1) << lane->number;
    copying->from[lane->number] = from;
    copying->to[lane->number] = to;
    copying->lanes |= own;
    copying->past_l1 = past_l1 ? copying->past_l1 | own : copying->past_l1 & ~own;
}

ON_ANY_STACK void sim_ptx_branch(const char *site, uint32_t depth) {
    take_step(SIM_BRANCH, site, depth);
}

ON_ANY_STACK void sim_ptx_jump(const char *site, uint32_t depth) {
    if (++sim_turn.current->pauses == SIM_BLOCKS_WITHOUT_STEP) {
        take_step(SIM_PAUSE, site, depth);
    }
}

ON_ANY_STACK uint32_t sim_ptx_block_barrier(uint32_t number, uint32_t threads, bool value, const char *site,
                                            uint32_t depth) {
    struct sim_lane *lane = sim_turn.current;
    lane->barrier = (struct sim_barrier){number, threads};
    lane->exchange.bits = value;
    sim_turn.names_barriers |= threads || value;
    take_step(SIM_BLOCK_BARRIER, site, depth);
    return (uint32_t)sim_turn.barrier_sum;
}

ON_ANY_STACK void sim_ptx_cluster_barrier(const char *site, uint32_t depth) {
    sim_ptx_block_barrier(SIM_CLUSTER_BARRIER, 0, 0, site, depth);
}

ON_ANY_STACK void sim_ptx_order(void) {
    sim_race_order_all(sim_turn.race);
}

ON_ANY_STACK void sim_ptx_warp_barrier(uint32_t mask, const char *site, uint32_t depth) {
    sim_turn.current->exchange.mask = mask;
    take_step(SIM_WARP_BARRIER, site, depth);
}

ON_ANY_STACK void sim_ptx_meet(sim_ptx_meet_function *meet, void *mine, uint32_t mask, bool counted, const char *site,
                               uint32_t depth) {
    struct sim_lane *lane = sim_turn.current;
    lane->exchange.mask = mask;
    lane->meet = meet;
    lane->brings = mine;
    lane->meets_for_access = counted;
    take_step(SIM_MEETING_STEP, site, depth);
}

// ---- Indices of a lane ----

ON_ANY_STACK static uint32_t axis(const struct dimensions *dimensions, uint32_t n) {
    return n == 0 ? dimensions->x : n == 1 ? dimensions->y : dimensions->z;
}

ON_ANY_STACK uint32_t sim_ptx_special(enum sim_ptx_special which) {
    const struct sim_lane *lane = sim_turn.current;
    const struct dimensions *const places[] = {&lane->thread, &sim_turn.block_size, &sim_turn.block,
                                               &sim_turn.grid_size}; // in the order of the enumeration
    const uint32_t number = (uint32_t)which;
    if (number < SIM_PTX_LANEID) {
        return axis(places[number / 3], number % 3);
    }
    return number == SIM_PTX_LANEID   ? lane->number
           : number == SIM_PTX_WARPID ? lane->warp->index
                                      : sim_turn.dynamic_shared_bytes;
}

ON_ANY_STACK bool sim_ptx_is_local(uint64_t address) {
    return address - (uintptr_t)sim_turn.current->coroutine->stack_low < COROUTINE_STACK_BYTES;
}

// ---- Ends ----

ON_ANY_STACK void sim_ptx_trap(const char *words, const char *site, uint32_t depth) {
    sim_turn.current->trap = words;
    for (;;) {
        take_step(SIM_TRAP, site, depth);
    }
}

ON_ANY_STACK void sim_ptx_exit(void) {
    sim_leave_kernel();
}

// ---- printf ----

// printf and assert of kernels that were translated from PTX.

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

ON_ANY_STACK void sim_ptx_assert_fail(uint64_t message, const char *site, uint32_t depth) {
    sim_turn.current->asserts = true;
    sim_ptx_trap((const char *)(uintptr_t)message, site, depth);
}
