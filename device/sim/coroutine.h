// Coroutines: functions that give up the processor in the middle and go on there later.
#ifndef DEVICE_SIM_COROUTINE_H
#define DEVICE_SIM_COROUTINE_H

#include "util/error.h"

// The portable way asks the system at each switch, which takes some hundred times as long.
#if !defined(__x86_64__) && !defined(__aarch64__) && !defined(COROUTINE_PORTABLE)
#define COROUTINE_PORTABLE
#endif

#ifdef COROUTINE_PORTABLE
#include <ucontext.h>
#endif

enum {
    COROUTINE_STACK_BYTES = 256 * 1024
};

// One that was never prepared stands for the thread that switches first: it needs no stack.
struct coroutine {
    void *stack_pointer;          // while it rests
    char *stack_low, *stack_high; // its stack; what lies below cannot be touched
    char *stack_top;              // where its frames begin
#ifdef COROUTINE_PORTABLE
    ucontext_t context;
#endif
};

// Code that runs on a coroutine's stack, or between two: no sanitizer may look at its frames, for they are dropped
// when a coroutine is abandoned.
#define ON_ANY_STACK __attribute__((no_sanitize("address", "undefined")))

// Gives it a stack. number staggers the stacks' tops, so that coroutines that run in turn do not share cache sets.
enum status coroutine_create(struct coroutine *coroutine, unsigned number, struct error *error);
void coroutine_destroy(struct coroutine *coroutine);

// The next switch to it calls entry, which must not return. What it did before is forgotten.
void coroutine_prepare(struct coroutine *coroutine, void (*entry)(void));

void coroutine_switch(struct coroutine *from, struct coroutine *to);

#endif
