// char1 to double4, dim3, and make_char1 to make_double4, with CUDA's sizes and alignments.
#ifndef DEVICE_KERNEL_CXX_VECTOR_TYPES_H
#define DEVICE_KERNEL_CXX_VECTOR_TYPES_H

// clang splits the copy of a struct into its members (gcc with -fno-tree-sra does not), but a GPU copies it by one
// instruction. There a type's own copy goes through a vector of the same size.
#ifdef __clang__
typedef uint32_t sim_copied_16 __attribute__((ext_vector_type(4), may_alias));
typedef uint64_t sim_copied_8 __attribute__((may_alias));
typedef uint32_t sim_copied_4 __attribute__((may_alias));
typedef uint16_t sim_copied_2 __attribute__((may_alias));
#define SIM_COPIED_WHOLE(name, bytes)                                                                                  \
    name() = default;                                                                                                  \
    __attribute__((always_inline)) name(const name &from) {                                                            \
        *(sim_copied_##bytes *)this = *(const sim_copied_##bytes *)&from;                                              \
    }                                                                                                                  \
    __attribute__((always_inline)) name &operator=(const name &from) {                                                 \
        *(sim_copied_##bytes *)this = *(const sim_copied_##bytes *)&from;                                              \
        return *this;                                                                                                  \
    }
#define SIM_CONSTRUCTORS2(name, type, bytes)                                                                           \
    SIM_COPIED_WHOLE(name, bytes)                                                                                      \
    constexpr name(type x, type y = 0) : x(x), y(y) {}
#define SIM_CONSTRUCTORS4(name, type, bytes)                                                                           \
    SIM_COPIED_WHOLE(name, bytes)                                                                                      \
    constexpr name(type x, type y = 0, type z = 0, type w = 0) : x(x), y(y), z(z), w(w) {}
#else
#define SIM_CONSTRUCTORS2(name, type, bytes)
#define SIM_CONSTRUCTORS4(name, type, bytes)
#endif

#define SIM_VECTOR1(type, name)                                                                                        \
    struct name {                                                                                                      \
        type x;                                                                                                        \
    };                                                                                                                 \
    constexpr name make_##name(type x) {                                                                               \
        return {x};                                                                                                    \
    }
#define SIM_VECTOR2(type, name, bytes)                                                                                 \
    struct alignas(bytes) name {                                                                                       \
        type x, y;                                                                                                     \
        SIM_CONSTRUCTORS2(name, type, bytes)                                                                           \
    };                                                                                                                 \
    constexpr name make_##name(type x, type y) {                                                                       \
        return name{x, y};                                                                                             \
    }
#define SIM_VECTOR3(type, name)                                                                                        \
    struct name {                                                                                                      \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    constexpr name make_##name(type x, type y, type z) {                                                               \
        return name{x, y, z};                                                                                          \
    }
#define SIM_VECTOR4(type, name, bytes)                                                                                 \
    struct alignas(bytes) name {                                                                                       \
        type x, y, z, w;                                                                                               \
        SIM_CONSTRUCTORS4(name, type, bytes)                                                                           \
    };                                                                                                                 \
    constexpr name make_##name(type x, type y, type z, type w) {                                                       \
        return name{x, y, z, w};                                                                                       \
    }
// 32 bytes, which a GPU copies as two halves.
#define SIM_VECTOR_LONG4(type, name)                                                                                   \
    struct alignas(16) name {                                                                                          \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    constexpr name make_##name(type x, type y, type z, type w) {                                                       \
        return name{x, y, z, w};                                                                                       \
    }

#define SIM_VECTORS(type, name, two, four)                                                                             \
    SIM_VECTOR1(type, name##1)                                                                                         \
    SIM_VECTOR2(type, name##2, two)                                                                                    \
    SIM_VECTOR3(type, name##3)                                                                                         \
    SIM_VECTOR4(type, name##4, four)
#define SIM_LONG_VECTORS(type, name)                                                                                   \
    SIM_VECTOR1(type, name##1)                                                                                         \
    SIM_VECTOR2(type, name##2, 16)                                                                                     \
    SIM_VECTOR3(type, name##3)                                                                                         \
    SIM_VECTOR_LONG4(type, name##4)

SIM_VECTORS(signed char, char, 2, 4)
SIM_VECTORS(unsigned char, uchar, 2, 4)
SIM_VECTORS(short, short, 4, 8)
SIM_VECTORS(unsigned short, ushort, 4, 8)
SIM_VECTORS(int, int, 8, 16)
SIM_VECTORS(unsigned, uint, 8, 16)
SIM_VECTORS(float, float, 8, 16)
SIM_LONG_VECTORS(long, long)
SIM_LONG_VECTORS(unsigned long, ulong)
SIM_LONG_VECTORS(long long, longlong)
SIM_LONG_VECTORS(unsigned long long, ulonglong)
SIM_LONG_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
    constexpr operator uint3() const {
        return uint3{x, y, z};
    }
};

#endif
