#include "device/sim/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "device/sim/lane.h"

enum {
    HANDLER_STACK_BYTES = 64 * 1024
};

// Global, because signal handlers belong to the process.
static const int signals[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL};
static struct sigaction before[sizeof signals / sizeof *signals];
static stack_t stack_before;
// The handler needs a separate stack, because a lane's stack may have overflowed.
static char handler_stack[HANDLER_STACK_BYTES];

ON_ANY_STACK static uintptr_t program_counter(const void *context) {
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

ON_ANY_STACK static void stop_lane(int signal_number, siginfo_t *information, void *context) {
    (void)information;
    struct sim_lane *lane = sim_turn.current;
    if (!lane) { // the fault is not a kernel's: the instruction runs again, and the signal has its usual effect
        sim_faults_release();
        return;
    }
    sim_turn.fault_signal = signal_number;
    sim_turn.fault_pc = program_counter(context);
    sim_turn.fault_lane = lane->number;
    sim_turn.current = NULL;
    coroutine_switch(lane->coroutine, &sim_turn.scheduler);
}

void sim_faults_catch(void) {
    stack_t stack = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    sigaltstack(&stack, &stack_before);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_sigaction = stop_lane, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaction(signals[i], &action, &before[i]);
    }
}

void sim_faults_release(void) {
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], &before[i], NULL);
    }
    sigaltstack(&stack_before, NULL);
}
