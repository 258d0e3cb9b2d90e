#include "sim/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

#include "sim/confine.h"
#include "sim/lane.h"

enum {
    HANDLER_STACK_BYTES = 64 * 1024
};

// Global, because signal handlers belong to the process.
static const int signals[] = {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGSYS, SIGALRM};
static struct sigaction before[sizeof signals / sizeof *signals];
static stack_t stack_before;
// The handler needs a separate stack, because a lane's stack may have overflowed.
static char handler_stack[HANDLER_STACK_BYTES];

// Where a lane was when a signal stopped it.
struct stop {
    uintptr_t pc, stack;
};

ON_ANY_STACK static struct stop stopped_at(const void *context) {
#if defined(__x86_64__)
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    return (struct stop){(uintptr_t)registers[REG_RIP], (uintptr_t)registers[REG_RSP]};
#elif defined(__aarch64__)
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
    return (struct stop){(uintptr_t)machine->pc, (uintptr_t)machine->sp};
#else
    (void)context;
    return (struct stop){0};
#endif
}

// A signal that is not a kernel's: the timer comes again, and the signal of a faulty instruction, which runs again, has
// its usual effect.
ON_ANY_STACK static void leave_simulator_alone(int signal_number, void *context) {
    if (signal_number == SIGSYS) {
        sim_deny_call(context);
    } else if (signal_number != SIGALRM) {
        sim_faults_release();
    }
}

ON_ANY_STACK static void stop_lane(int signal_number, siginfo_t *information, void *context) {
    struct sim_lane *lane = sim_turn.current;
    if (!lane) {
        leave_simulator_alone(signal_number, context);
        return;
    }
    const struct stop stop = stopped_at(context);
    sim_turn.fault_signal = signal_number;
    sim_turn.fault_call = signal_number == SIGSYS ? information->si_syscall : 0;
    sim_turn.fault_pc = stop.pc;
    sim_turn.fault_stack = stop.stack;
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
