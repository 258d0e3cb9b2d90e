#include "sim/coroutine.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum {
    GUARD_BYTES = 64 * 1024 // the guard size that compilers for aarch64 assume when they probe a large frame
};

enum status coroutine_create(struct coroutine *coroutine, unsigned number, struct error *error) {
    char *low = mmap(NULL, GUARD_BYTES + COROUTINE_STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (low == MAP_FAILED || mprotect(low, GUARD_BYTES, PROT_NONE) != 0) {
        return error_set(error, STATUS_FAILED, "no memory for a lane's stack: %s", strerror(errno));
    }
    coroutine->stack_low = low + GUARD_BYTES;
    coroutine->stack_high = coroutine->stack_low + COROUTINE_STACK_BYTES;
    coroutine->stack_top = coroutine->stack_high - number % 16 * 256;
    return STATUS_OK;
}

// coroutine_switch saves the callee-saved registers on the stack that it leaves and restores them from the other stack.
// It jumps instead of returning, because the processor would predict a return to the caller on the old stack.
#if defined(__x86_64__) && !defined(COROUTINE_PORTABLE)

__asm__(".text\n"
        ".globl coroutine_switch\n"
        ".type coroutine_switch, @function\n"
        "coroutine_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmp *%rcx\n"
        ".size coroutine_switch, . - coroutine_switch\n");

void coroutine_prepare(struct coroutine *coroutine, void (*entry)(void)) {
    uint64_t *top = (uint64_t *)(void *)coroutine->stack_top;
    top[-1] = 0; // entry never returns
    top[-2] = (uint64_t)(uintptr_t)entry;
    coroutine->stack_pointer = memset(top - 8, 0, 6 * sizeof *top);
}

#elif defined(__aarch64__) && !defined(COROUTINE_PORTABLE)

__asm__(".text\n"
        ".globl coroutine_switch\n"
        ".type coroutine_switch, %function\n"
        "coroutine_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    ldr x9, [x1]\n"
        "    mov sp, x9\n"
        "    ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    br x30\n"
        ".size coroutine_switch, . - coroutine_switch\n");

void coroutine_prepare(struct coroutine *coroutine, void (*entry)(void)) {
    uint64_t *frame = (uint64_t *)(void *)(coroutine->stack_top - 160);
    memset(frame, 0, 160);
    frame[11] = (uint64_t)(uintptr_t)entry; // x30
    coroutine->stack_pointer = frame;
}

#else

void coroutine_switch(struct coroutine *from, struct coroutine *to) {
    swapcontext(&from->context, &to->context);
}

void coroutine_prepare(struct coroutine *coroutine, void (*entry)(void)) {
    getcontext(&coroutine->context);
    coroutine->context.uc_stack.ss_sp = coroutine->stack_low;
    coroutine->context.uc_stack.ss_size = (size_t)(coroutine->stack_top - coroutine->stack_low);
    coroutine->context.uc_link = NULL;
    makecontext(&coroutine->context, entry, 0);
}

#endif
