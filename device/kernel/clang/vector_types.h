// char1 to double4, dim3, and make_char1 to make_double4, with CUDA's sizes and alignments.
#ifndef DEVICE_KERNEL_CLANG_VECTOR_TYPES_H
#define DEVICE_KERNEL_CLANG_VECTOR_TYPES_H

// clang may split the copy of a struct, which a GPU makes by one instruction. A type's own copy, which goes through a
// vector, keeps it whole; trivial_abi passes such a type by value all the same.
#define GPU_BOTH __host__ __device__ __attribute__((always_inline, nodebug))
#define GPU_COPIED_WHOLE(name, type, count)                                                                            \
    typedef type copied __attribute__((ext_vector_type(count), may_alias));                                            \
    name() = default;                                                                                                  \
    GPU_BOTH name(const name &from) {                                                                                  \
        *(copied *)this = *(const copied *)&from;                                                                      \
    }                                                                                                                  \
    GPU_BOTH name &operator=(const name &from) {                                                                       \
        *(copied *)this = *(const copied *)&from;                                                                      \
        return *this;                                                                                                  \
    }

#define GPU_VECTOR1(type, name)                                                                                        \
    struct name {                                                                                                      \
        type x;                                                                                                        \
    };                                                                                                                 \
    GPU_CONSTANT name make_##name(type x) {                                                                            \
        return {x};                                                                                                    \
    }
#define GPU_VECTOR2(type, name, bytes)                                                                                 \
    struct alignas(bytes) [[clang::trivial_abi]] name {                                                                \
        type x, y;                                                                                                     \
        GPU_COPIED_WHOLE(name, type, 2)                                                                                \
        constexpr GPU_BOTH name(type x, type y = 0) : x(x), y(y) {}                                                    \
    };                                                                                                                 \
    GPU_CONSTANT name make_##name(type x, type y) {                                                                    \
        return name{x, y};                                                                                             \
    }
#define GPU_VECTOR3(type, name)                                                                                        \
    struct name {                                                                                                      \
        type x, y, z;                                                                                                  \
    };                                                                                                                 \
    GPU_CONSTANT name make_##name(type x, type y, type z) {                                                            \
        return name{x, y, z};                                                                                          \
    }
#define GPU_VECTOR4(type, name, bytes)                                                                                 \
    struct alignas(bytes) [[clang::trivial_abi]] name {                                                                \
        type x, y, z, w;                                                                                               \
        GPU_COPIED_WHOLE(name, type, 4)                                                                                \
        constexpr GPU_BOTH name(type x, type y = 0, type z = 0, type w = 0) : x(x), y(y), z(z), w(w) {}                \
    };                                                                                                                 \
    GPU_CONSTANT name make_##name(type x, type y, type z, type w) {                                                    \
        return name{x, y, z, w};                                                                                       \
    }
// 32 bytes, which a GPU copies as two halves.
#define GPU_VECTOR_LONG4(type, name)                                                                                   \
    struct alignas(16) name {                                                                                          \
        type x, y, z, w;                                                                                               \
    };                                                                                                                 \
    GPU_CONSTANT name make_##name(type x, type y, type z, type w) {                                                    \
        return name{x, y, z, w};                                                                                       \
    }

#define GPU_VECTORS(type, name, two, four)                                                                             \
    GPU_VECTOR1(type, name##1)                                                                                         \
    GPU_VECTOR2(type, name##2, two)                                                                                    \
    GPU_VECTOR3(type, name##3)                                                                                         \
    GPU_VECTOR4(type, name##4, four)
#define GPU_LONG_VECTORS(type, name)                                                                                   \
    GPU_VECTOR1(type, name##1)                                                                                         \
    GPU_VECTOR2(type, name##2, 16)                                                                                     \
    GPU_VECTOR3(type, name##3)                                                                                         \
    GPU_VECTOR_LONG4(type, name##4)

GPU_VECTORS(signed char, char, 2, 4)
GPU_VECTORS(unsigned char, uchar, 2, 4)
GPU_VECTORS(short, short, 4, 8)
GPU_VECTORS(unsigned short, ushort, 4, 8)
GPU_VECTORS(int, int, 8, 16)
GPU_VECTORS(unsigned, uint, 8, 16)
GPU_VECTORS(float, float, 8, 16)
GPU_LONG_VECTORS(long, long)
GPU_LONG_VECTORS(unsigned long, ulong)
GPU_LONG_VECTORS(long long, longlong)
GPU_LONG_VECTORS(unsigned long long, ulonglong)
GPU_LONG_VECTORS(double, double)

struct dim3 {
    unsigned x, y, z;
    constexpr GPU_BOTH dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
    constexpr GPU_BOTH dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
    constexpr GPU_BOTH operator uint3() const {
        return uint3{x, y, z};
    }
};

#endif
