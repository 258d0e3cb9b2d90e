// CUDA's atomics; each returns the old value.
#ifndef DEVICE_KERNEL_CXX_ATOMICS_H
#define DEVICE_KERNEL_CXX_ATOMICS_H

#define SIM_ATOMIC_NAMES(X)                                                                                            \
    X(add, atomicAdd)                                                                                                  \
    X(sub, atomicSub)                                                                                                  \
    X(min, atomicMin)                                                                                                  \
    X(max, atomicMax)                                                                                                  \
    X(exchange, atomicExch)                                                                                            \
    X(and, atomicAnd)                                                                                                  \
    X(or, atomicOr)                                                                                                    \
    X(xor, atomicXor)

// One overload of sim_NAME for each type that the simulator's functions know.
#define SIM_OVERLOAD_ATOMIC(operation, type, suffix, result)                                                           \
    SIM_INLINE type sim_overload_##operation(volatile type *p, type value) {                                           \
        return sim_atomic_##operation##_##suffix(p, value);                                                            \
    }
SIM_ATOMICS(SIM_OVERLOAD_ATOMIC)
#define SIM_OVERLOAD_CAS(unused, type, suffix, none)                                                                   \
    SIM_INLINE type sim_overload_cas(volatile type *p, type compare, type value) {                                     \
        return sim_atomic_cas_##suffix(p, compare, value);                                                             \
    }
SIM_ATOMIC_INTEGERS(SIM_OVERLOAD_CAS, , )

// The value has the pointer's type: atomicAdd(&counter, 1) on an unsigned counter.
template <class T> struct sim_same { typedef T type; };
template <class T> using sim_as = typename sim_same<T>::type;

#define SIM_DEFINE_SCOPED_ATOMIC(operation, name)                                                                      \
    template <class T> SIM_INLINE T name(T *p, sim_as<T> value) {                                                      \
        return sim_overload_##operation(p, value);                                                                     \
    }                                                                                                                  \
    template <class T> SIM_INLINE T name(volatile T *p, sim_as<T> value) {                                             \
        return sim_overload_##operation(p, value);                                                                     \
    }
#define SIM_DEFINE_ATOMIC(operation, name)                                                                             \
    SIM_DEFINE_SCOPED_ATOMIC(operation, name)                                                                          \
    SIM_DEFINE_SCOPED_ATOMIC(operation, name##_block)                                                                  \
    SIM_DEFINE_SCOPED_ATOMIC(operation, name##_system)
SIM_ATOMIC_NAMES(SIM_DEFINE_ATOMIC)

#define SIM_DEFINE_CAS(name)                                                                                           \
    template <class T> SIM_INLINE T name(T *p, sim_as<T> compare, sim_as<T> value) {                                   \
        return sim_overload_cas(p, compare, value);                                                                    \
    }
SIM_DEFINE_CAS(atomicCAS)
SIM_DEFINE_CAS(atomicCAS_block)
SIM_DEFINE_CAS(atomicCAS_system)

// An atomic of any type of 1 to 8 bytes. The step is taken by an atomic that changes nothing. Where the change
// branches, other lanes run before the result is stored, so that it may be that of an old value and is computed again.
template <class Bits, class T, class Change> SIM_INLINE T sim_atomic_change(T *p, Change change) {
    union {
        Bits bits;
        T value;
    } old, now;
    old.bits = __atomic_fetch_or((Bits *)p, (Bits)0, __ATOMIC_RELAXED);
    do {
        now.bits = 0;
        now.value = change(old.value);
    } while (!sim_replace_plainly(p, &old.bits, &now.bits, sizeof(Bits)));
    return old.value;
}

// Counts up to the limit, then from 0 again.
template <class T> SIM_INLINE T atomicInc(T *p, sim_as<T> limit) {
    return sim_atomic_change<T>(p, [limit](T old) { return old >= limit ? 0 : old + 1; });
}
// Counts down to 0, then from the limit again.
template <class T> SIM_INLINE T atomicDec(T *p, sim_as<T> limit) {
    return sim_atomic_change<T>(p, [limit](T old) { return old == 0 || old > limit ? limit : old - 1; });
}
#define atomicInc_block atomicInc
#define atomicInc_system atomicInc
#define atomicDec_block atomicDec
#define atomicDec_system atomicDec
#define unsafeAtomicAdd atomicAdd
#define safeAtomicAdd atomicAdd
#define atomicAddNoRet(p, value) ((void)atomicAdd(p, value))

SIM_INLINE unsigned short atomicCAS(unsigned short *p, unsigned short compare, unsigned short value) {
    return sim_atomic_change<uint16_t>(p, [=](unsigned short old) { return old == compare ? value : old; });
}

#endif
