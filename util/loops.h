// Requests that a loop makes of gcc and clang.
#ifndef UTIL_LOOPS_H
#define UTIL_LOOPS_H

#define LOOP_PRAGMA(text) _Pragma(#text)

// Before a loop: unrolls it by this factor.
#ifdef __clang__
#define UNROLL(turns) LOOP_PRAGMA(unroll turns)
#else
#define UNROLL(turns) LOOP_PRAGMA(GCC unroll turns)
#endif

// Before a function: each caller gets a copy, in which constant arguments are constants.
#define ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
