// Coroutines: functions that can be suspended in the middle and resumed there later.
#ifndef SIM_COROUTINE_H
#define SIM_COROUTINE_H

#include "util/error.h"

// The portable switch makes system calls and is about a hundred times slower.
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(COROUTINE_PORTABLE)
#define COROUTINE_PORTABLE
#endif

#ifdef COROUTINE_PORTABLE
#include <ucontext.h>
#endif

enum {
    COROUTINE_STACK_BYTES = 256 * 1024
};

// A coroutine that was never prepared stands for the thread that makes the first switch. It needs no stack.
struct coroutine {
    void *stack_pointer;          // while it is suspended
    char *stack_low, *stack_high; // its stack; the pages below are protected
    char *stack_top;              // where its frames begin
#ifdef COROUTINE_PORTABLE
    ucontext_t context;
#endif
};

// Marks code that runs on a coroutine's stack or switches between stacks. Sanitizers must not track its frames, because
// abandoning a coroutine drops them.
#define ON_ANY_STACK __attribute__((no_sanitize("address", "undefined")))

// Allocates a stack, for good. `number` staggers the tops of the stacks, so that coroutines that run in turn use
// different cache sets.
enum status coroutine_create(struct coroutine *coroutine, unsigned number, struct error *error);

// Makes the next switch to the coroutine call entry, which must not return. Whatever it was doing is abandoned.
void coroutine_prepare(struct coroutine *coroutine, void (*entry)(void));

void coroutine_switch(struct coroutine *from, struct coroutine *to);

#endif
