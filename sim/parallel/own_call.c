#include "sim/parallel/own_call.h"

// The filter knows these calls by the place that they return to.
#if defined(__x86_64__)

__asm__(".text\n"
        ".globl sim_own_call\n"
        ".hidden sim_own_call\n"
        ".type sim_own_call, @function\n"
        "sim_own_call:\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsi\n"
        "    movq %rcx, %rdx\n"
        "    movq %r8, %r10\n"
        "    movq %r9, %r8\n"
        "    movq 8(%rsp), %r9\n"
        "    syscall\n"
        ".globl sim_own_call_returns\n"
        ".hidden sim_own_call_returns\n"
        "sim_own_call_returns:\n"
        "    ret\n"
        ".size sim_own_call, . - sim_own_call\n");

#elif defined(__aarch64__)

__asm__(".text\n"
        ".globl sim_own_call\n"
        ".hidden sim_own_call\n"
        ".type sim_own_call, %function\n"
        "sim_own_call:\n"
        "    mov x8, x0\n"
        "    mov x0, x1\n"
        "    mov x1, x2\n"
        "    mov x2, x3\n"
        "    mov x3, x4\n"
        "    mov x4, x5\n"
        "    mov x5, x6\n"
        "    svc #0\n"
        ".globl sim_own_call_returns\n"
        ".hidden sim_own_call_returns\n"
        "sim_own_call_returns:\n"
        "    ret\n"
        ".size sim_own_call, . - sim_own_call\n");

#else

#include <errno.h>
#include <unistd.h>

long sim_own_call(long number, long a, long b, long c, long d, long e, long f) {
    const long result = syscall(number, a, b, c, d, e, f);
    return result < 0 ? -errno : result;
}

#endif
